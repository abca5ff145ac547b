/* SPDX-License-Identifier: MIT */
/*
 * How good a ranking is, and how like another: part of the store's door (store.h).  Pure.
 *
 * A ranking is the best first.  What is expected has the same worth each (binary relevance) and
 * is named once.  NAN: there is nothing to measure.
 */
#ifndef CINTA_STORE_MEASURE_H
#define CINTA_STORE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
	int64_t id;
	double score;
};

/* The share of the expected that is among the first k; NAN when none is expected. */
double measure_recall(const struct ranked *r, size_t n, const int64_t *want, size_t wants,
                      size_t k);
/* 1 / the rank of the first expected among the first k (0: none is there). */
double measure_reciprocal(const struct ranked *r, size_t n, const int64_t *want, size_t wants,
                          size_t k);
/*
 * Jarvelin and Kekalainen (2002): the sum of 1 / log2(1 + rank) of the expected among the first
 * k, by that of the best order.
 */
double measure_ndcg(const struct ranked *r, size_t n, const int64_t *want, size_t wants, size_t k);
/* What the first k of both have in common, by the longer of the two; NAN when both are empty. */
double measure_overlap(const struct ranked *a, size_t an, const struct ranked *b, size_t bn,
                       size_t k);
/*
 * Kendall's tau-b (1945) of the scores of what stands in both: 1 the same order, -1 the reverse;
 * pairs that one of the two scores alike count for neither.  NAN with fewer than two, or when
 * all are alike in one.
 */
double measure_tau(const struct ranked *a, size_t an, const struct ranked *b, size_t bn);

#endif
