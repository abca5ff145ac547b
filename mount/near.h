/* SPDX-License-Identifier: MIT */
/*
 * How near a mistyped word is to one that is known.  Called where a verb or an option is
 * refused, to say what was meant.
 */
#ifndef CINTA_NEAR_H
#define CINTA_NEAR_H

#include <stddef.h>

enum { NEAR_NOT = 3 };

/*
 * The letters to change, add or leave out to make `known` of the `len` bytes at `typed`: 0 to 2 (of
 * a word below four letters 0 or 1), or NEAR_NOT if that is more, or would leave none of them.
 */
size_t near_slips(const char *typed, size_t len, const char *known);

#endif
