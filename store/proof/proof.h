/* SPDX-License-Identifier: MIT */
/*
 * The door of store/proof: hashes, the tree over them, signed notes, keys, and what makes a
 * redaction true (docs/format.md).  It reads rows, and appends none.
 */
#ifndef CINTA_PROOF_H
#define CINTA_PROOF_H

#include "store/proof/gone.h"
#include "store/proof/key.h"
#include "store/proof/merkle.h"
#include "store/proof/mine.h"
#include "store/proof/note.h"
#include "store/proof/redaction.h"
#include "store/proof/verified.h"
#include "store/proof/walk.h"

#endif
