/* SPDX-License-Identifier: MIT */
/*
 * N-gram vectors of texts, for the likeness of turns when there is no embedder: hashed
 * character 3- to 5-grams of the words that say something.  A gram counts once,
 * however often it is there, and a longer one more: rare grams are long ones, and
 * without a corpus nothing else tells what is rare.  Called by what
 * cuts a session into topics; search does not use it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/store.h"

enum { SHORTEST = 3, LONGEST = 5, WORD_MOST = 64 /* bytes; longer words are cut */ };

/* The letters of U+00C0..U+00FF without their accents; ' ': none. */
static const char plain[] = "aaaaaaaceeeeiiiidnooooo ouuuuypsaaaaaaaceeeeiiiidnooooo ouuuuypy";

/* The letter or digit at `s` folded, and its size; 0: it parts words, '\'': it is nothing. */
static unsigned char fold(const unsigned char *s, size_t len, size_t *size)
{
	_Static_assert(sizeof plain == 65, "one letter a code point");
	unsigned char c = s[0];
	*size = 1;
	if (c < 0x80) {
		if (c >= 'A' && c <= 'Z')
			return (unsigned char)(c + 32);
		return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' ? c : 0;
	}
	if (c == 0xC3 && len > 1 && (s[1] & 0xC0) == 0x80) {
		*size = 2;
		c = (unsigned char)plain[s[1] & 0x3F];
		return c == ' ' ? 0 : c;
	}
	if (c == 0xC2 && len > 1) { /* U+0080..U+00BF: signs */
		*size = 2;
		return 0;
	}
	if (len > 1 && (c == 0xCC || (c == 0xCD && s[1] < 0xB0))) { /* accents that stand apart */
		*size = 2;
		return '\'';
	}
	if (c == 0xE2 && len > 2 && s[1] == 0x80) { /* U+2000..U+203F: blanks, quotes, dashes */
		*size = 3;
		return s[2] == 0x99 ? '\'' : 0;
	}
	return c;
}

struct grams {
	uint8_t longest[NGRAM_DIMS]; /* bytes of the longest one that is hashed there, 0: none */
	size_t parts;                /* how many are not 0 */
};

static const float weights[LONGEST + 1] = { [3] = 0.3F, [4] = 0.6F, [5] = 1 };

static void add_word(struct grams *g, const char *word, size_t len)
{
	if (len == 0 || policy_stop_word(word, len))
		return;
	char around[WORD_MOST + 2] = " ";
	memcpy(around + 1, word, len);
	around[len + 1] = ' ';
	for (size_t i = 0; i < len + 2; i++) {
		uint32_t hash = HASH32_NONE;
		for (size_t n = 1; n <= LONGEST && i + n <= len + 2; n++) {
			hash = hash32_byte(hash, (unsigned char)around[i + n - 1]);
			if (n < SHORTEST)
				continue;
			uint8_t *at = &g->longest[(hash ^ hash >> 14) % NGRAM_DIMS];
			g->parts += *at == 0;
			*at = *at > n ? *at : (uint8_t)n;
		}
	}
}

static void add_words(struct grams *g, const char *text, size_t len)
{
	char word[WORD_MOST];
	size_t size = 0;
	for (size_t i = 0, n; i < len; i += n) {
		unsigned char letter = fold((const unsigned char *)text + i, len - i, &n);
		if (letter == '\'')
			continue;
		if (letter != 0 && size < sizeof word) {
			word[size++] = (char)letter;
			continue;
		}
		add_word(g, word, size);
		size = 0;
		if (letter != 0)
			word[size++] = (char)letter;
	}
	add_word(g, word, size);
}

static void make_unit(struct ngram_vector *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->count; i++)
		sum += (double)s->parts[i].weight * (double)s->parts[i].weight;
	double length = sqrt(sum);
	for (size_t i = 0; i < s->count; i++)
		s->parts[i].weight = (float)(s->parts[i].weight / length);
}

int ngram_vector_of(struct ngram_vector *out, const char *text, size_t len)
{
	*out = (struct ngram_vector){ 0 };
	struct grams *g = calloc(1, sizeof *g);
	if (!g)
		return STORE_ENOMEM;
	add_words(g, text, len);
	out->parts = g->parts ? calloc(g->parts, sizeof *out->parts) : NULL;
	int rc = g->parts && !out->parts ? STORE_ENOMEM : 0;
	for (size_t i = 0; i < NGRAM_DIMS && out->parts; i++)
		if (g->longest[i])
			out->parts[out->count++] = (struct ngram_weight){
				.at = (uint16_t)i, .weight = weights[g->longest[i]]
			};
	make_unit(out);
	free(g);
	return rc;
}

void ngram_vector_release(struct ngram_vector *s)
{
	free(s->parts);
	*s = (struct ngram_vector){ 0 };
}

double ngram_vector_similarity(const struct ngram_vector *a, const struct ngram_vector *b)
{
	double dot = 0;
	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		if (a->parts[i].at == b->parts[j].at)
			dot += (double)a->parts[i++].weight * (double)b->parts[j++].weight;
		else if (a->parts[i].at < b->parts[j].at)
			i++;
		else
			j++;
	}
	return dot > 1 - 1e-6 ? 1 : dot;
}

int ngram_vector_mean(struct ngram_vector *out, const struct ngram_vector *const *some, size_t n)
{
	*out = (struct ngram_vector){ 0 };
	float *sum = calloc(NGRAM_DIMS, sizeof *sum);
	if (!sum)
		return STORE_ENOMEM;
	size_t parts = 0;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < some[k]->count; i++) {
			float *at = &sum[some[k]->parts[i].at];
			parts += *at <= 0;
			*at += some[k]->parts[i].weight;
		}
	out->parts = parts ? calloc(parts, sizeof *out->parts) : NULL;
	int rc = parts && !out->parts ? STORE_ENOMEM : 0;
	for (size_t i = 0; i < NGRAM_DIMS && out->parts; i++)
		if (sum[i] > 0)
			out->parts[out->count++] =
				(struct ngram_weight){ .at = (uint16_t)i, .weight = sum[i] };
	make_unit(out);
	free(sum);
	return rc;
}
