/* SPDX-License-Identifier: MIT */
/*
 * The one Merkle tree over all entries in tape order (RFC 6962 §2.1), and its
 * stored part: tape_tile holds the roots of complete subtrees of 256^level
 * leaves, so that a root costs O(256 · log n) reads whatever the tape's size.
 *
 * Used by the signer and by verify.  Nothing here signs or judges.
 */
#ifndef CINTA_MERKLE_H
#define CINTA_MERKLE_H

#include <sqlite3.h>

#include "store/base/base.h"

enum {
	MERKLE_HEIGHT = 63,    /* a tape has fewer than 2^63 entries */
	TILE_HEIGHT = 8,       /* a tile row is the root of 2^(8·level) leaves */
	TILE_LEVEL_MAX = 7     /* 256^7 < 2^63 <= 256^8 */
};

/*
 * The right edge of a growing tree: the roots of the perfect subtrees that the
 * binary digits of `size` name.  peak[h] means something while bit h of `size` is 1.
 */
struct merkle {
	int64_t size;
	uint8_t peak[MERKLE_HEIGHT][HASH_SIZE];
	/* The last complete subtree of 256^level leaves, for each level there is one. */
	uint8_t tile[TILE_LEVEL_MAX + 1][HASH_SIZE];
};

void merkle_init(struct merkle *m);
/* Appends a perfect subtree of 2^height leaves; `size` must be a multiple of that. */
void merkle_push(struct merkle *m, struct hasher *h, int height, const uint8_t hash[HASH_SIZE]);
/* The root of the leaves so far; of none: SHA-256 of nothing. */
void merkle_top(const struct merkle *m, struct hasher *h, uint8_t root[HASH_SIZE]);
/* How many leaves a tile of this level covers: 256^level. */
int64_t tile_span(int level);

/*
 * Moves `m` on to the first `size` entries of the tape, reading whole tiles
 * where it can.  STORE_EFORMAT when entries are missing; `m` is then undefined.
 */
int merkle_load(sqlite3 *db, struct hasher *h, struct merkle *m, int64_t size);
/* The root of the first `size` entries. */
int merkle_root(sqlite3 *db, struct hasher *h, int64_t size, uint8_t root[HASH_SIZE]);
/*
 * Inserts each complete tile of the first `size` entries that is not there yet.
 * The caller is inside a write transaction.
 */
int merkle_extend(sqlite3 *db, struct hasher *h, int64_t size);

#endif
