/* SPDX-License-Identifier: MIT */
/*
 * The vocabularies of o200k_base and cl100k_base in one table, and the classes of
 * all code points; for token_split.c and token_bpe.c.  Made by ranks.py from
 * ranks.bin and read where the linker put it (ranks.S): nothing is loaded, and only
 * the pages that are touched cost memory.
 */
#ifndef CINTA_TOKEN_RANKS_H
#define CINTA_TOKEN_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "store/tokens/token_file.h"

enum vocabulary { O200K, CL100K, OF_FILE };

enum {
	SLOT_BITS = 18,
	OFFSET_BITS = 20,
	TOKEN_LONGEST = 128,  /* bytes of the longest token */
	RANK_NONE = 0xFFFFFF  /* no token */
};

/* What a code point may be; none of LETTER, NUMBER, SPACE is punctuation and all the rest. */
enum {
	CLASS_UPPER = 1,   /* in [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] */
	CLASS_LOWER = 2,   /* in [\p{Ll}\p{Lm}\p{Lo}\p{M}] */
	CLASS_LETTER = 4,  /* in \p{L} */
	CLASS_NUMBER = 8,  /* in \p{N} */
	CLASS_SPACE = 16,  /* in \s */
	CLASS_NEWLINE = 32 /* in [\r\n] */
};

struct ranks {
	/* Open addressing by hash: 12 bits of it, then an index of entry[]; 0: empty. */
	uint32_t slot[1 << SLOT_BITS];
	uint8_t page[0x110000 / 256]; /* of a block of code points: its row of class[] */
	uint8_t class[256][256];
	/* A token: its length << 24 | o200k rank; cl100k rank; its bytes, padded to four. */
	uint32_t entry[];
};
extern const struct ranks token_ranks;

static inline uint8_t class_of(uint32_t code_point)
{
	return token_ranks.class[token_ranks.page[code_point >> 8]][code_point & 0xFF];
}

/* hash_of() of ranks.py; n > 0. */
static inline uint64_t hash_of(const uint8_t *s, size_t n)
{
	const uint64_t mix = UINT64_C(0xD6E8FEB86659FD93);
	uint64_t h = n * UINT64_C(0x9E3779B97F4A7C15), whole;
	uint32_t first, last;
	for (; n > 8; s += 8, n -= 8) {
		memcpy(&whole, s, 8);
		h = (h ^ whole) * mix;
		h ^= h >> 32;
	}
	if (n >= 4) {
		memcpy(&first, s, 4);
		memcpy(&last, s + n - 4, 4);
		h ^= first | (uint64_t)last << 32;
	} else {
		h ^= s[0] | (uint64_t)s[n / 2] << 8 | (uint64_t)s[n - 1] << 16;
	}
	h *= mix;
	return (h ^ h >> 32) * mix;
}

static inline const uint32_t *slot_of(uint64_t hash)
{
	return &token_ranks.slot[hash >> (64 - SLOT_BITS)];
}

/* Where the bytes of that hash stand unless another has their slot. */
static inline const uint32_t *entry_of(uint64_t hash)
{
	return token_ranks.entry + (*slot_of(hash) & ((1 << OFFSET_BITS) - 1));
}

/* The same as rank_of(), when their hash is known. */
static inline uint32_t rank_of_hashed(enum vocabulary v, const uint8_t *s, size_t n, uint64_t h)
{
	if (v == OF_FILE)
		return token_file_rank(s, n, h);
	if (n > TOKEN_LONGEST)
		return RANK_NONE;
	uint32_t tag = h >> (64 - SLOT_BITS - (32 - OFFSET_BITS)) & ((1 << (32 - OFFSET_BITS)) - 1);
	for (size_t at = h >> (64 - SLOT_BITS);; at = (at + 1) & ((1 << SLOT_BITS) - 1)) {
		uint32_t slot = token_ranks.slot[at];
		if (slot == 0)
			return RANK_NONE;
		const uint32_t *e = token_ranks.entry + (slot & ((1 << OFFSET_BITS) - 1));
		if (slot >> OFFSET_BITS == tag && e[0] >> 24 == n && memcmp(e + 2, s, n) == 0)
			return e[v] & RANK_NONE;
	}
}

static inline size_t longest_of(enum vocabulary v)
{
	return v == OF_FILE ? token_file_longest() : TOKEN_LONGEST;
}

/* The rank of the token that these bytes are, or RANK_NONE; n > 0. */
static inline uint32_t rank_of(enum vocabulary v, const uint8_t *s, size_t n)
{
	return n > longest_of(v) ? RANK_NONE : rank_of_hashed(v, s, n, hash_of(s, n));
}

#endif
