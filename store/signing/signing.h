/* SPDX-License-Identifier: MIT */
/*
 * The door of store/signing: checkpoints that are signed, kept and believed, and the files that
 * hold their notes.
 */
#ifndef CINTA_SIGNING_H
#define CINTA_SIGNING_H

#include "store/signing/note_file.h"
#include "store/signing/sidecar.h"
#include "store/signing/signer.h"

#endif
