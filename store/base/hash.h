/* SPDX-License-Identifier: MIT */
/*
 * Hashes of texts for tables in memory and keys that no adversary gains by: FNV-1a, 64 and 32 bits
 * (draft-eastlake-fnv).  Pure, so every room may include it.  Its low bits are its worst.
 */
#ifndef CINTA_HASH_H
#define CINTA_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT64_C(0xcbf29ce484222325) /* of nothing yet: what a hash begins with */
#define HASH32_NONE UINT32_C(0x811c9dc5)

static inline uint64_t hash_byte(uint64_t before, unsigned char byte)
{
	return (before ^ byte) * UINT64_C(0x100000001b3);
}

/* Of a text behind what was hashed before it. */
static inline uint64_t hash_text(uint64_t before, const char *text)
{
	for (; *text; text++)
		before = hash_byte(before, (unsigned char)*text);
	return before;
}

static inline uint32_t hash32_byte(uint32_t before, unsigned char byte)
{
	return (before ^ byte) * UINT32_C(0x01000193);
}

static inline uint32_t hash32_bytes(uint32_t before, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		before = hash32_byte(before, (unsigned char)bytes[i]);
	return before;
}

#endif
