/* SPDX-License-Identifier: MIT */
/* The sum of an index's words (search_sum.h). */
#include "store/search/search_sum.h"

#include <openssl/rand.h>

#include "store/store.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

/* At most PRIME + 3, and the same modulo PRIME. */
static uint64_t reduced(uint64_t n)
{
	return (n & PRIME) + (n >> 61);
}

/* Both at most PRIME + 3.  In halves, for machines of 32 bits; 2^64 is 8 modulo PRIME. */
static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t high = (a >> 32) * (b >> 32), low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (a & UINT32_MAX) * (b >> 32);
	return reduced(8 * high + (middle >> 29) + ((middle << 32) & PRIME) + reduced(low));
}

int search_sum_begin(struct search_sum *s)
{
	if (RAND_bytes((unsigned char *)s, sizeof *s) != 1)
		return STORE_EIO;
	*s = (struct search_sum){ s->at % PRIME, s->z % PRIME, 1, 1 };
	return 0;
}

void search_sum_like(struct search_sum *s, const struct search_sum *other)
{
	*s = (struct search_sum){ other->at, other->z, 1, 1 };
}

static uint64_t behind(const struct search_sum *s, uint64_t e, uint64_t next)
{
	return reduced(times(e, s->at) + next);
}

/* In two halves: modulo PRIME some numbers would be the same. */
static uint64_t behind_number(const struct search_sum *s, uint64_t e, int64_t number)
{
	return behind(s, behind(s, e, (uint64_t)number >> 32), (uint64_t)number & UINT32_MAX);
}

static uint64_t factor(const struct search_sum *s, int table, const char *word, size_t len,
                       int64_t text, int column, int64_t offset)
{
	uint64_t e = 1 + (uint64_t)table;
	for (size_t i = 0; i < len; i++)
		e = behind(s, e, (unsigned char)word[i]);
	e = behind(s, e, (uint64_t)column);
	e = behind_number(s, e, offset);
	e = behind_number(s, e, text) % PRIME;
	return e == s->z ? 1 : reduced(s->z + (PRIME - e));
}

void search_sum_put(struct search_sum *s, int table, const char *word, size_t len, int64_t text,
                    int column, int64_t offset)
{
	s->in = times(s->in, factor(s, table, word, len, text, column, offset));
}

void search_sum_take(struct search_sum *s, int table, const char *word, size_t len, int64_t text,
                     int column, int64_t offset)
{
	s->out = times(s->out, factor(s, table, word, len, text, column, offset));
}

bool search_sum_same(const struct search_sum *a, const struct search_sum *b)
{
	return times(a->in, b->out) % PRIME == times(b->in, a->out) % PRIME;
}
