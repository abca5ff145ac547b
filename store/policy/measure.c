/* SPDX-License-Identifier: MIT */
/* Recall, reciprocal rank, nDCG, overlap and Kendall's tau-b (measure.h). */
#include "store/policy/measure.h"

#include <math.h>
#include <stdbool.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_wanted(int64_t id, const int64_t *want, size_t wants)
{
	for (size_t i = 0; i < wants; i++)
		if (want[i] == id)
			return true;
	return false;
}

double measure_recall(const struct ranked *r, size_t n, const int64_t *want, size_t wants,
                      size_t k)
{
	size_t found = 0;
	for (size_t i = 0; i < least(n, k); i++)
		found += is_wanted(r[i].id, want, wants);
	return wants ? (double)found / (double)wants : NAN;
}

double measure_reciprocal(const struct ranked *r, size_t n, const int64_t *want, size_t wants,
                          size_t k)
{
	for (size_t i = 0; i < least(n, k); i++)
		if (is_wanted(r[i].id, want, wants))
			return 1.0 / (double)(i + 1);
	return wants ? 0 : NAN;
}

static double gain(size_t rank)
{
	return 1 / log2(1 + (double)rank);
}

double measure_ndcg(const struct ranked *r, size_t n, const int64_t *want, size_t wants, size_t k)
{
	double sum = 0, best = 0;
	for (size_t i = 0; i < least(n, k); i++)
		sum += is_wanted(r[i].id, want, wants) ? gain(i + 1) : 0;
	for (size_t i = 0; i < least(wants, k); i++)
		best += gain(i + 1);
	return best > 0 ? sum / best : NAN;
}

/* Where it stands in a ranking; n: it does not. */
static size_t place(const struct ranked *r, size_t n, int64_t id)
{
	size_t i = 0;
	while (i < n && r[i].id != id)
		i++;
	return i;
}

double measure_overlap(const struct ranked *a, size_t an, const struct ranked *b, size_t bn,
                       size_t k)
{
	size_t both = 0;
	an = least(an, k);
	bn = least(bn, k);
	for (size_t i = 0; i < an; i++)
		both += place(b, bn, a[i].id) < bn;
	return an + bn ? (double)both / (double)(an > bn ? an : bn) : NAN;
}

static int sign(double x)
{
	return (x > 0) - (x < 0);
}

double measure_tau(const struct ranked *a, size_t an, const struct ranked *b, size_t bn)
{
	double agree = 0, in_a = 0, in_b = 0; /* pairs: for and against; not alike in a, in b */
	for (size_t i = 0; i < an; i++) {
		size_t bi = place(b, bn, a[i].id);
		for (size_t j = i + 1; bi < bn && j < an; j++) {
			size_t bj = place(b, bn, a[j].id);
			if (bj == bn)
				continue;
			int x = sign(a[i].score - a[j].score), y = sign(b[bi].score - b[bj].score);
			agree += x * y;
			in_a += x != 0;
			in_b += y != 0;
		}
	}
	return in_a > 0 && in_b > 0 ? agree / sqrt(in_a * in_b) : NAN;
}
