/* SPDX-License-Identifier: MIT */
/*
 * How alike the texts of two lists look: their grams, sorted, meet as the lists of a merge do.
 * Sums of whole numbers, so in any order they are those of render_similarity().
 */
#include <stdlib.h>
#include <string.h>

#include "render/facts/facts.h"
#include "render/text/text.h"

/* A gram of a text, and how often that has it. */
struct counted {
	uint32_t hash, text;
	double count;
};

struct grams {
	uint64_t *seen; /* each as it comes: its hash and its text */
	size_t seen_count;
	uint64_t text;  /* being read */
	struct counted *all; /* by hash, then text */
	size_t count;
	double *square; /* of each text: the sum of its counts' squares */
};

static void take_gram(void *ctx, uint32_t hash)
{
	struct grams *g = ctx;
	g->seen[g->seen_count++] = (uint64_t)hash << 32 | g->text;
}

/* By hash; those of one hash are in the order of their texts already.  A byte of it at a time. */
static bool sort_by_hash(uint64_t *seen, size_t n)
{
	uint64_t *from = seen, *to = malloc((n + 1) * sizeof *to), *own = to;
	for (int shift = 32; to && shift < 64; shift += 8) {
		size_t at[257] = { 0 };
		for (size_t i = 0; i < n; i++)
			at[(from[i] >> shift & 0xFF) + 1]++;
		for (int byte = 0; byte < 256; byte++)
			at[byte + 1] += at[byte];
		for (size_t i = 0; i < n; i++)
			to[at[from[i] >> shift & 0xFF]++] = from[i];
		uint64_t *sorted = to;
		to = from;
		from = sorted;
	}
	free(own); /* after an even number of passes all is in `seen` */
	return own != NULL;
}

static void grams_release(struct grams *g)
{
	free(g->seen);
	free(g->all);
	free(g->square);
}

static int grams_read(struct grams *g, const struct fact_text *text, size_t n)
{
	struct buf folded = BUF_INIT;
	size_t most = 1;
	for (size_t i = 0; i < n; i++)
		most += TEXT_GRAMS * (text[i].len + 2); /* folding adds a blank before and behind */
	g->seen = malloc(most * sizeof *g->seen);
	for (size_t i = 0; g->seen && i < n && !folded.failed; i++) {
		buf_clear(&folded);
		fold_text(&folded, text[i].text, text[i].len);
		g->text = i;
		text_grams(&folded, take_gram, g);
	}
	bool failed = folded.failed || !g->seen;
	buf_release(&folded);
	g->all = calloc(g->seen_count + 1, sizeof *g->all);
	g->square = calloc(n + 1, sizeof *g->square);
	if (failed || !g->all || !g->square || !sort_by_hash(g->seen, g->seen_count))
		return RENDER_ENOMEM;
	for (size_t i = 0; i < g->seen_count; i++) {
		if (i == 0 || g->seen[i] != g->seen[i - 1])
			g->all[g->count++] = (struct counted){ (uint32_t)(g->seen[i] >> 32),
				(uint32_t)g->seen[i], 0 };
		g->all[g->count - 1].count++;
	}
	for (size_t i = 0; i < g->count; i++)
		g->square[g->all[i].text] += g->all[i].count * g->all[i].count;
	return 0;
}

/* Behind the last with the hash of the one at `from`. */
static size_t same_hash(const struct grams *g, size_t from)
{
	size_t to = from + 1;
	while (to < g->count && g->all[to].hash == g->all[from].hash)
		to++;
	return to;
}

static void add_products(const struct grams *a, const struct grams *b, size_t bs, double *dot)
{
	size_t x = 0, y = 0;
	while (x < a->count && y < b->count) {
		size_t x_end = same_hash(a, x), y_end = same_hash(b, y);
		if (a->all[x].hash < b->all[y].hash) {
			x = x_end;
			continue;
		}
		if (a->all[x].hash > b->all[y].hash) {
			y = y_end;
			continue;
		}
		for (; x < x_end; x++) {
			double *row = dot + a->all[x].text * bs, count = a->all[x].count;
			for (size_t k = y; k < y_end; k++)
				row[b->all[k].text] += count * b->all[k].count;
		}
		y = y_end;
	}
}

int render_facts_alike(const struct fact_text *a, size_t as, const struct fact_text *b, size_t bs,
                       double *alike)
{
	struct grams x = { .count = 0 }, y = { .count = 0 };
	int err = grams_read(&x, a, as);
	err = err ? err : grams_read(&y, b, bs);
	memset(alike, 0, as * bs * sizeof *alike);
	if (!err)
		add_products(&x, &y, bs, alike);
	for (size_t i = 0; !err && i < as * bs; i++)
		alike[i] = text_cosine(alike[i], x.square[i / bs], y.square[i % bs]);
	grams_release(&x);
	grams_release(&y);
	return err;
}
