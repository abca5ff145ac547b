/* SPDX-License-Identifier: MIT */
/*
 * What some turns are about: their telling words, by how often they are said here and
 * how rarely elsewhere.  Two that stand beside each other more than once are one term.
 * Terms are shown as they were first written.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/context/context.h"
#include "render/context/summary_item.h"
#include "render/format/format.h"
#include "render/search/search.h"
#include "render/text/text.h"

enum {
	WORDS_MOST = 2048,     /* of all turns together */
	TEXT_MOST = 8 << 10,   /* bytes of a turn that are read */
	TOOL_MOST = 1 << 10,   /* a tool's result is mostly noise */
	WORD_MOST = 40,        /* bytes; what is longer is no word */
	LETTERS_LEAST = 3,
	TOPIC_TERMS = 2, DISCUSSED_TERMS = 5
};

struct word_seen {
	const char *shown; /* in the turn's text */
	size_t shown_len;
	char folded[2 * WORD_MOST + 2];
	size_t len;
	double weight; /* how often, a tool's words less */
	double score;
	int order, words;
};

struct word_list {
	struct word_seen *list;
	size_t count;
	const struct summary_rules *rules;
};

/* ---- words --------------------------------------------------------------------- */

/* The next word at *at: its folded form without apostrophes; false: there is none. */
static bool next_word(const char *text, size_t len, size_t *at, struct word_seen *word)
{
	char dst[4];
	size_t i = *at, from = len;
	*word = (struct word_seen){ .words = 1 };
	for (size_t n; i < len; i += n) {
		n = utf8_size(text + i, len - i);
		bool apostrophe = (n == 1 && text[i] == '\'') ||
		                  (n == 3 && memcmp(text + i, "\xE2\x80\x99", 3) == 0);
		int size = n && !apostrophe ? fold_point(text + i, n, dst) : apostrophe ? FOLD_NOTHING : 0;
		n = n ? n : 1;
		if (size == FOLD_NOTHING)
			continue;
		if (size == 0 && from < len)
			break;
		if (size == 0)
			continue;
		from = from < len ? from : i;
		if (word->len + (size_t)size <= WORD_MOST)
			memcpy(word->folded + word->len, dst, (size_t)size);
		word->len += (size_t)size;
	}
	*at = i;
	word->shown = text + (from < len ? from : 0);
	word->shown_len = from < len ? i - from : 0;
	return from < len;
}

static bool tells(const struct word_seen *word, const struct summary_rules *rules)
{
	bool letters = false;
	if (word->len < LETTERS_LEAST || word->len > WORD_MOST)
		return false;
	for (size_t i = 0; i < word->len; i++)
		letters = letters || word->folded[i] > '9' || (word->folded[i] & 0x80);
	return letters && !(rules->stop && rules->stop(word->folded, word->len));
}

void summary_words(struct buf *out, const char *text, size_t len,
                   const struct summary_rules *rules)
{
	struct word_seen word;
	for (size_t at = 0; next_word(text, len, &at, &word);)
		if (tells(&word, rules)) {
			buf_addc(out, ' ');
			buf_add(out, word.folded, word.len);
		}
}

/* ---- counting -------------------------------------------------------------------- */

static bool is_upper(const char *shown)
{
	return *shown >= 'A' && *shown <= 'Z';
}

static struct word_seen *add_term(struct word_list *t, const struct word_seen *word, double weight)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].len == word->len &&
		    memcmp(t->list[i].folded, word->folded, word->len) == 0) {
			t->list[i].weight += weight;
			if (is_upper(t->list[i].shown) && !is_upper(word->shown)) {
				t->list[i].shown = word->shown; /* the capital was a sentence's */
				t->list[i].shown_len = word->shown_len;
			}
			return &t->list[i];
		}
	if (t->count == WORDS_MOST)
		return NULL;
	t->list[t->count] = *word;
	t->list[t->count].weight = weight;
	t->list[t->count].order = (int)t->count;
	return &t->list[t->count++];
}

/* One blank between them, so that what is shown was written so. */
static void add_pair(struct word_list *t, const struct word_seen *a, const struct word_seen *b,
                     double weight)
{
	struct word_seen pair = { .shown = a->shown, .words = 2 };
	if (a->shown + a->shown_len + 1 != b->shown || a->shown[a->shown_len] != ' ')
		return;
	pair.shown_len = (size_t)(b->shown + b->shown_len - a->shown);
	memcpy(pair.folded, a->folded, a->len);
	pair.folded[a->len] = ' ';
	memcpy(pair.folded + a->len + 1, b->folded, b->len);
	pair.len = a->len + 1 + b->len;
	(void)add_term(t, &pair, weight);
}

static void count_turn(struct word_list *t, const struct summary_turn *turn, const char *masked)
{
	size_t most = turn->tool ? TOOL_MOST : TEXT_MOST, at = 0;
	size_t len = turn->len < most ? turn->len : most;
	double weight = turn->tool ? 0.25 : turn->user ? 1.5 : 1;
	struct word_seen word, before = { 0 };
	while (next_word(masked, len, &at, &word)) {
		bool telling = tells(&word, t->rules);
		if (telling) {
			(void)add_term(t, &word, weight);
			if (before.len)
				add_pair(t, &before, &word, weight);
		}
		before = telling ? word : (struct word_seen){ 0 };
	}
}

/* ---- choosing ---------------------------------------------------------------------- */

static double rarity(const struct word_list *t, const char *word, size_t len)
{
	int64_t in = 0, of = 0;
	if (t->rules->background)
		t->rules->background(t->rules->ctx, word, len, &in, &of);
	in = in < 0 ? 0 : in;
	of = of < in ? in : of;
	return 1 + log((double)(of + 1) / (double)(in + 1));
}

static void score(struct word_list *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct word_seen *term = &t->list[i];
		double rare, letters = (double)term->len;
		if (term->words == 1) {
			rare = rarity(t, term->folded, term->len);
			term->score = term->weight * rare * (1 + letters / 20);
			continue;
		}
		const char *gap = memchr(term->folded, ' ', term->len);
		size_t first = gap ? (size_t)(gap - term->folded) : term->len;
		rare = rarity(t, term->folded, first) +
		       rarity(t, term->folded + first + 1, term->len - first - 1);
		term->score = term->weight >= 2 ? term->weight * rare : 0; /* once is chance */
	}
}

static int best_first(const void *a, const void *b)
{
	const struct word_seen *x = a, *y = b;
	if (x->score > y->score || x->score < y->score)
		return x->score < y->score ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

/* True if they are one word, perhaps in two numbers or persons. */
static bool one_word(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t same = 0, small = a_len < b_len ? a_len : b_len;
	while (same < small && a[same] == b[same])
		same++;
	return (same == a_len && same == b_len) ||
	       (same >= 5 && a_len - same <= 3 && b_len - same <= 3);
}

/* True if a word of one is a word of the other. */
static bool overlap(const struct word_seen *a, const struct word_seen *b)
{
	for (size_t i = 0, n; i < a->len; i += n + 1) {
		const char *end = memchr(a->folded + i, ' ', a->len - i);
		n = end ? (size_t)(end - a->folded) - i : a->len - i;
		for (size_t k = 0, m; k < b->len; k += m + 1) {
			const char *stop = memchr(b->folded + k, ' ', b->len - k);
			m = stop ? (size_t)(stop - b->folded) - k : b->len - k;
			if (one_word(a->folded + i, n, b->folded + k, m))
				return true;
		}
	}
	return false;
}

static int put_topic(struct digest *out, struct word_seen *const *chosen, size_t n)
{
	struct buf topic = BUF_INIT;
	bool turned = n == 2 && chosen[0]->order > chosen[1]->order;
	for (size_t i = 0; i < n; i++) {
		const struct word_seen *term = chosen[turned ? n - 1 - i : i];
		buf_adds(&topic, i ? " " : "");
		buf_add(&topic, term->shown, term->shown_len);
	}
	char *clean = topic.failed || n == 0 ? NULL : summary_clean(topic.data, topic.len);
	bool made = n == 0 || clean;
	buf_release(&topic);
	if (clean && *clean)
		out->topic = clean;
	else
		free(clean); /* of characters that are no text */
	return made ? 0 : RENDER_ENOMEM;
}

static int choose(struct digest *out, struct word_list *t)
{
	struct word_seen *chosen[TOPIC_TERMS + DISCUSSED_TERMS];
	size_t n = 0, topic;
	qsort(t->list, t->count, sizeof *t->list, best_first);
	for (size_t i = 0; i < t->count && n < TOPIC_TERMS + DISCUSSED_TERMS; i++) {
		bool again = t->list[i].score <= 0;
		for (size_t k = 0; k < n && !again; k++)
			again = overlap(&t->list[i], chosen[k]);
		if (!again)
			chosen[n++] = &t->list[i];
	}
	topic = n > 0 && chosen[0]->words == 2 ? 1 : n < TOPIC_TERMS ? n : TOPIC_TERMS;
	int rc = put_topic(out, chosen, topic);
	for (size_t i = topic; i < n && i < topic + DISCUSSED_TERMS && rc == 0; i++) {
		char *item = summary_clean(chosen[i]->shown, chosen[i]->shown_len);
		rc = item ? 0 : RENDER_ENOMEM;
		(void)summary_add(&out->discussed, item);
	}
	return rc;
}

int summary_terms(struct digest *out, const struct summary_turn *turns, size_t n,
                  const struct summary_rules *rules)
{
	struct word_list t = { .list = calloc(WORDS_MOST, sizeof *t.list), .rules = rules };
	char **masked = calloc(n + 1, sizeof *masked);
	int rc = t.list && masked ? 0 : RENDER_ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		masked[i] = signal_mask(turns[i].text, turns[i].len);
		rc = masked[i] ? 0 : RENDER_ENOMEM;
		if (rc == 0)
			count_turn(&t, &turns[i], masked[i]);
	}
	score(&t);
	if (rc == 0)
		rc = choose(out, &t);
	for (size_t i = 0; i < n && masked; i++)
		free(masked[i]);
	free(masked);
	free(t.list);
	return rc;
}
