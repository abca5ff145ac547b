/* SPDX-License-Identifier: MIT */
/*
 * How alike two texts look: the cosine of their counted character 3-, 4- and
 * 5-grams.  It knows no meaning: "never on Friday" is nearly "on Friday" to it,
 * so that alone it decides nothing (see same_fact.c).
 */
#include <math.h>
#include <stdlib.h>

#include "render/format/format.h"
#include "render/text/fold.h"
#include "render/text/text.h"
#include "store/base/hash.h"

enum { SHORTEST = 3, LONGEST = 5 };

/* A gram and how often each of the two texts has it. */
struct gram {
	uint32_t hash; /* FNV-1a; 0: an empty place */
	uint32_t count[2];
};

/* The counts of both texts, and which of them is being counted. */
struct counted {
	struct gram *grams;
	size_t mask;
	int which;
};

static void count_gram(void *ctx, uint32_t hash)
{
	const struct counted *c = ctx;
	struct gram *grams = c->grams;
	size_t at = (hash * UINT32_C(2654435769)) & c->mask;
	while (grams[at].hash != 0 && grams[at].hash != hash)
		at = (at + 1) & c->mask;
	grams[at].hash = hash;
	grams[at].count[c->which]++;
}

void text_grams(const struct buf *folded, text_gram_fn *fn, void *ctx)
{
	for (size_t i = 0; i < folded->len; i++) {
		uint32_t hash = HASH32_NONE;
		for (size_t n = 1; n <= LONGEST && i + n <= folded->len; n++) {
			hash = hash32_byte(hash, (unsigned char)folded->data[i + n - 1]);
			if (n >= SHORTEST)
				fn(ctx, hash + (hash == 0));
		}
	}
}

double text_cosine(double dot, double a, double b)
{
	double is = a > 0 && b > 0 ? dot / sqrt(a * b) : 0;
	return is > 1 ? 1 : is;
}

static double cosine(const struct gram *grams, size_t mask)
{
	double dot = 0, a = 0, b = 0;
	for (size_t i = 0; i <= mask; i++) {
		double x = grams[i].count[0], y = grams[i].count[1];
		dot += x * y;
		a += x * x;
		b += y * y;
	}
	return text_cosine(dot, a, b);
}

double render_similarity(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	double is = 0;
	fold_text(&x, a, a_len);
	fold_text(&y, b, b_len);
	size_t size = 256;
	while (size < 2 * (LONGEST - SHORTEST + 1) * (x.len + y.len))
		size *= 2;
	struct gram *grams = calloc(size, sizeof *grams);
	if (grams && !x.failed && !y.failed) {
		text_grams(&x, count_gram, &(struct counted){ grams, size - 1, 0 });
		text_grams(&y, count_gram, &(struct counted){ grams, size - 1, 1 });
		is = cosine(grams, size - 1);
	}
	free(grams);
	buf_release(&x);
	buf_release(&y);
	return is;
}
