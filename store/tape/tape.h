/* SPDX-License-Identifier: MIT */
/* The door of the tape: hashes, tree, notes and keys; heads, lines and the signer. */
#ifndef CINTA_TAPE_H
#define CINTA_TAPE_H

#include "store/tape/chain.h"
#include "store/tape/head.h"
#include "store/tape/key.h"
#include "store/tape/line.h"
#include "store/tape/merkle.h"
#include "store/tape/note.h"
#include "store/tape/signer.h"

#endif
