/* SPDX-License-Identifier: MIT */
/*
 * Bodies packed by zlib (RFC 1950), alone or with another entry's body for a dictionary (FDICT).
 * Of the latter the first eight bytes name that entry, big-endian; the former begin with 0x78.
 */
#ifndef CINTA_PACK_H
#define CINTA_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACK_NAME = 8,       /* bytes before the stream */
	PACK_MOST = 64,      /* so many bytes a packed one: more would be a way to keep readers busy */
	PACK_BESIDE = 65536  /* bytes of a body with a dictionary, and of that: twice zlib's window */
};
struct pack_dictionary {
	int64_t seq; /* of the entry; below 2^56 */
	const void *bytes;
	size_t len;
};
/* True if a body of `len` bytes may be packed in so many. */
bool pack_may(int64_t packed_len, bool alone, int64_t len);
/* malloc'ed, *out_len bytes, an eighth shorter at least; NULL: they may not be, or no memory. */
void *pack_bytes(const void *bytes, size_t len, const struct pack_dictionary *d, size_t *out_len);
/* The entry whose body it wants for a dictionary; -1: none. */
int64_t pack_wants(const void *packed, size_t packed_len);
void pack_name(int64_t seq, uint8_t name[PACK_NAME]);
/* Fills `out`, `len` bytes; false: those are not what was packed.  `d` NULL: it wants none. */
bool pack_open(const void *packed, size_t packed_len, const struct pack_dictionary *d, void *out,
               size_t len);

#endif
