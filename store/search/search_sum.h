/* SPDX-License-Identifier: MIT */
/*
 * All words of a search index as one number, in whatever order they come: two indexes are compared
 * without making the second one.  Private to the store.
 *
 * A word at its place is a row of numbers (table, bytes, column, offset, text).  They are the
 * coefficients of a polynomial, whose value e at a secret random place stands for it; the sum is
 * the product of all (z - e), z random as well.  So two that differ have the same sum only where
 * two polynomials meet by chance: of n words with less than n / 2^60 (Schwartz and Zippel).
 */
#ifndef CINTA_SEARCH_SUM_H
#define CINTA_SEARCH_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modulo 2^61 - 1. */
struct search_sum {
	uint64_t at, z;   /* the secret: the same of what is compared */
	uint64_t in, out; /* the products of what was put in, and of what was taken out */
};

/* Of no words, with a new secret; 0 or STORE_EIO. */
int search_sum_begin(struct search_sum *s);
/* Of no words, with the secret of another. */
void search_sum_like(struct search_sum *s, const struct search_sum *other);
/* `offset`: how many words of that column stand before it. */
void search_sum_put(struct search_sum *s, int table, const char *word, size_t len, int64_t text,
                    int column, int64_t offset);
void search_sum_take(struct search_sum *s, int table, const char *word, size_t len, int64_t text,
                     int column, int64_t offset);
bool search_sum_same(const struct search_sum *a, const struct search_sum *b);

#endif
