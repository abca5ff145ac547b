/* SPDX-License-Identifier: MIT */
/* The door of vectors: the file they are kept in, and keeping it up with the index. */
#ifndef CINTA_VECTORS_H
#define CINTA_VECTORS_H

#include "store/vectors/vector_file.h"

/*
 * The lock of struct index held.  The index sees at most `most` further entries, and then the
 * vectors, if there are any; *left is how many remain.
 */
int vectors_keep_up(struct store *s, int64_t most, int64_t *left);

#endif
