/* SPDX-License-Identifier: MIT */
/*
 * An embedding model's cosines and what they mean (policy.h).  The numbers of the rules are
 * those of one kind of encoder; quantiles carry them to another.  Called by what builds context.md
 * and by answers/.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

/* Shares of single turns below 0.3 and below 0.7 with a sentence encoder (topic.c). */
#define LOOSE_SHARE 0.14
#define CLOSE_SHARE 0.96
#define EQUAL 0.9999 /* the same words: no two wordings */

double vector_cosine(const float *a, const float *b, int dims)
{
	double sum[4] = { 0 };
	int i = 0;
	for (; i + 4 <= dims; i += 4)
		for (int k = 0; k < 4; k++)
			sum[k] += (double)a[i + k] * (double)b[i + k];
	for (; i < dims; i++)
		sum[0] += (double)a[i] * (double)b[i];
	return sum[0] + sum[1] + sum[2] + sum[3];
}

bool vector_mean(float *out, const float *const *some, size_t n, int dims)
{
	double square = 0;
	for (int i = 0; i < dims; i++) {
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += (double)some[k][i];
		out[i] = (float)sum;
		square += sum * sum;
	}
	if (!(square > 1e-12) || !isfinite(square))
		return false;
	for (int i = 0; i < dims; i++)
		out[i] = (float)((double)out[i] / sqrt(square));
	return true;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t n, double share)
{
	return sorted[(size_t)(share * (double)(n - 1))];
}

/* Cosine `low` means `loose`, `high` means `close`; both within what straight lines can do. */
static bool between(struct calibration *out, double low, double high, double loose, double close)
{
	if (!(high - low > 1e-3)) /* all alike: it tells nothing apart */
		return false;
	low = low < 0.001 ? 0.001 : low > 0.998 ? 0.998 : low;
	high = high > low + 0.001 ? high : low + 0.001;
	*out = (struct calibration){ { low, high < 0.999 ? high : 0.999 }, { loose, close } };
	return true;
}

static bool calibrate_turns(struct model_calibration *out, const struct policy *p,
                            const struct turn_vector *t, size_t n, int dims, double *cosine)
{
	size_t count = 0;
	for (size_t i = 1; i < n; i++)
		if (t[i].run == t[i - 1].run)
			cosine[count++] = vector_cosine(t[i].vector, t[i - 1].vector, dims);
	qsort(cosine, count, sizeof *cosine, rising);
	return count >= CALIBRATION_TURNS_LEAST / 2 &&
	       between(&out->turns, quantile(cosine, count, LOOSE_SHARE),
	               quantile(cosine, count, CLOSE_SHARE), p->loose, p->close);
}

static bool means_around(const struct turn_vector *t, size_t i, int dims, float *mean, double *out)
{
	const float *around[2 * TOPIC_SIDE];
	for (size_t k = 0; k < 2 * TOPIC_SIDE; k++)
		around[k] = t[i - TOPIC_SIDE + k].vector;
	if (!vector_mean(mean, around, TOPIC_SIDE, dims) ||
	    !vector_mean(mean + dims, around + TOPIC_SIDE, TOPIC_SIDE, dims))
		return false;
	*out = vector_cosine(mean, mean + dims, dims);
	return true;
}

static bool calibrate_windows(struct model_calibration *out, const struct policy *p,
                              const struct turn_vector *t, size_t n, int dims, double *cosine,
                              float *mean)
{
	size_t count = 0;
	for (size_t i = TOPIC_SIDE; i + TOPIC_SIDE <= n; i++)
		if (t[i - TOPIC_SIDE].run == t[i + TOPIC_SIDE - 1].run &&
		    means_around(t, i, dims, mean, &cosine[count]))
			count++;
	return policy_calibrate(&out->windows, cosine, count, p) &&
	       cosine[count - 1] - cosine[0] > 1e-3; /* sorted by now */
}

/* Of each turn, its cosine with the turn most like it: one in a hundred is above the result. */
static double same_from(const struct policy *p, const struct turn_vector *t, size_t n, int dims,
                        double *cosine)
{
	for (size_t i = 0; i < n; i++)
		cosine[i] = -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			double is = vector_cosine(t[i].vector, t[k].vector, dims);
			if (is > EQUAL)
				continue;
			cosine[i] = is > cosine[i] ? is : cosine[i];
			cosine[k] = is > cosine[k] ? is : cosine[k];
		}
	qsort(cosine, n, sizeof *cosine, rising);
	double most = quantile(cosine, n, 0.99);
	return most > p->same ? most : p->same;
}

int policy_calibrate_model(struct model_calibration *out, const struct policy *p,
                           const struct turn_vector *turns, size_t n, int dims)
{
	if (n < CALIBRATION_TURNS_LEAST)
		return STORE_ENOENT;
	n = n < CALIBRATION_TURNS_MOST ? n : CALIBRATION_TURNS_MOST;
	double *cosine = calloc(n, sizeof *cosine);
	float *mean = calloc(2 * (size_t)dims, sizeof *mean);
	int err = cosine && mean ? 0 : STORE_ENOMEM;
	if (!err && (!calibrate_turns(out, p, turns, n, dims, cosine) ||
	             !calibrate_windows(out, p, turns, n, dims, cosine, mean)))
		err = STORE_ENOENT;
	if (!err)
		out->same = same_from(p, turns, n, dims, cosine);
	free(cosine);
	free(mean);
	return err;
}

int policy_topic_likeness(const struct model_calibration *calibration,
                          const float *const vectors[2 * TOPIC_SIDE], int dims, double *out)
{
	float *mean = calloc(2 * (size_t)dims, sizeof *mean);
	if (!mean)
		return STORE_ENOMEM;
	*out = 0;
	if (vector_mean(mean, vectors, TOPIC_SIDE, dims) &&
	    vector_mean(mean + dims, vectors + TOPIC_SIDE, TOPIC_SIDE, dims))
		*out = policy_calibrated(&calibration->windows, vector_cosine(mean, mean + dims, dims));
	free(mean);
	return 0;
}
