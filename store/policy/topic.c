/* SPDX-License-Identifier: MIT */
/*
 * Where a topic ends, and how an embedder's cosines become the numbers the rules are
 * given in.  Called by what builds context.md.
 *
 * 0.4 between single turns fires on most ordinary turns, so that 3 turns are
 * compared with the next 3, and the cosine below which a tenth of the borders within
 * sessions lie means 0.4.  Between single turns 0.3 and 0.7 are met by as many turns as
 * with a sentence encoder (a mean of .45 with 36 % below .4: 14 % and 4 %), as far as
 * that goes: a quarter of all turns, the chitchat, shares next to nothing with the one before.  The
 * constants are from tests/bench/topics.c.
 */
#include <stdlib.h>

#include "store/store.h"

const struct calibration calibration_turns = { { 0.010, 0.480 }, { 0.3, 0.7 } };
const struct calibration calibration_windows = { { 0.060, 0.350 }, { 0.4, 0.7 } };

double policy_calibrated(const struct calibration *c, double cosine)
{
	double from = 0, means = 0;
	if (!(cosine > 0))
		return 0;
	for (size_t i = 0; i <= CALIBRATION_POINTS; i++) {
		double to = i < CALIBRATION_POINTS ? c->cosine[i] : 1;
		double is = i < CALIBRATION_POINTS ? c->means[i] : 1;
		if (cosine < to)
			return means + (is - means) * (cosine - from) / (to - from);
		from = to;
		means = is;
	}
	return 1;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

bool policy_calibrate(struct calibration *out, double *cosines, size_t n, const struct policy *p)
{
	if (n < CALIBRATION_LEAST)
		return false;
	for (size_t i = 0; i < n; i++)
		cosines[i] = cosines[i] > 0 ? cosines[i] < 1 ? cosines[i] : 1 : 0; /* also NaN */
	qsort(cosines, n, sizeof *cosines, rising);
	/* where a tenth lies below, and two equal points would be no line */
	double low = cosines[n / 10], high = cosines[n - 1 - n / 25];
	low = low < 0.001 ? 0.001 : low > 0.98 ? 0.98 : low;
	high = high > low + 0.01 ? high : low + 0.01;
	*out = (struct calibration){ { low, high < 0.999 ? high : 0.999 }, { p->shift, p->close } };
	return true;
}

int policy_topic_similarity(const struct ngram_vector *const vectors[2 * TOPIC_SIDE], double *out)
{
	struct ngram_vector before, after;
	int rc = ngram_vector_mean(&before, vectors, TOPIC_SIDE);
	int rc_after = ngram_vector_mean(&after, vectors + TOPIC_SIDE, TOPIC_SIDE);
	*out = policy_calibrated(&calibration_windows, ngram_vector_similarity(&before, &after));
	ngram_vector_release(&before);
	ngram_vector_release(&after);
	return rc ? rc : rc_after;
}

enum topic_reason policy_topic_shift(const struct policy *p, const struct topic_border *b)
{
	if (b->phrase)
		return TOPIC_PHRASE;
	if (b->before != 0 && b->after != 0 && b->before != b->after)
		return TOPIC_DOMAIN;
	if (b->gap_us >= p->gap_us)
		return TOPIC_GAP;
	return b->known && b->similarity < p->shift ? TOPIC_SIMILARITY : TOPIC_SAME;
}
