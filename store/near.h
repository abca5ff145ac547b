/* SPDX-License-Identifier: MIT */
/*
 * How near a mistyped word is to one that is known: where a verb or an option is refused, and where
 * a name is not found in the mount, to say what was meant (so a door, as lock.h is).
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
