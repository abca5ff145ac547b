/* SPDX-License-Identifier: MIT */
/* Which slot of a table in memory: for short keys, where no adversary gains by a clash. */
#ifndef CINTA_STORE_BASE_HASH_H
#define CINTA_STORE_BASE_HASH_H

#include <stdint.h>

#define HASH_TEXT UINT64_C(0xcbf29ce484222325) /* of no text yet */

/* FNV-1a of a text behind what was hashed before it; its low bits are its worst. */
static inline uint64_t hash_text(uint64_t before, const char *text)
{
	for (; *text; text++)
		before = (before ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return before;
}

#endif
