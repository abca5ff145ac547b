/* SPDX-License-Identifier: MIT */
/*
 * How far the owner has verified the tape, in the owner's own hand, so that the next opening need
 * not walk all of it again: four lines ("cinta-verified/1", origin, size, root in base64) and the
 * signature over them in base64.  It is no note and no checkpoint, and cannot be taken for one:
 * those have their origin in the first line.
 */
#ifndef CINTA_VERIFIED_H
#define CINTA_VERIFIED_H

#include "store/proof/note.h"

enum { VERIFIED_SIZE = NOTE_OWN_SIZE };

/* False: OpenSSL cannot sign. */
bool verified_make(const struct checkpoint *c, EVP_PKEY *pkey, char text[VERIFIED_SIZE]);
/* False: it is not one of this key's tape, or its signature is false. */
bool verified_read(const char *text, const struct note_key *key, struct checkpoint *out);

#endif
