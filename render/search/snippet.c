/* SPDX-License-Identifier: MIT */
/*
 * What of a hit is shown: the words around the place where the most of what was asked
 * stands closest together.  The text is anybody's: what comes out is one line of
 * markdown that cannot end its paragraph, hide characters or turn the reading direction.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/search/search.h"

enum { WORDS = 30, LONG_WORD = 64, LONG_GAP = 24 };

/* ---- terms ---------------------------------------------------------------- */

static int compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int by_bytes(const void *a, const void *b, void *bytes)
{
	const struct term *x = a, *y = b;
	const char *base = bytes;
	return compare(base + x->at, x->len, base + y->at, y->len);
}

struct collecting {
	struct terms *terms;
	const char *text;
	common_fn *common; /* NULL: none is */
};

static void add_term(void *ctx, const char *word, size_t len, size_t start, size_t end)
{
	struct collecting *c = ctx;
	struct terms *t = c->terms;
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		struct term *more = realloc(t->term, room * sizeof *more);
		if (!more) {
			t->bytes.failed = true;
			return;
		}
		t->term = more;
		t->room = room;
	}
	bool common = c->common && c->common(c->text + start, end - start);
	t->term[t->count++] = (struct term){ t->bytes.len, len, common };
	buf_add(&t->bytes, word, len);
}

/* Sorted, each once; common only if it is everywhere, and something else is not. */
static void put_in_order(struct terms *t)
{
	size_t kept = 0, common = 0;
	if (t->count > 0)
		qsort_r(t->term, t->count, sizeof *t->term, by_bytes, t->bytes.data);
	for (size_t i = 0; i < t->count; i++) {
		if (kept > 0 && by_bytes(&t->term[kept - 1], &t->term[i], t->bytes.data) == 0)
			t->term[kept - 1].common = t->term[kept - 1].common && t->term[i].common;
		else
			t->term[kept++] = t->term[i];
	}
	t->count = kept;
	for (size_t i = 0; i < kept; i++)
		common += t->term[i].common;
	for (size_t i = 0; i < kept && common == kept; i++)
		t->term[i].common = false;
}

int render_terms(struct terms *out, const struct query *q, words_fn *asked, words_fn *words,
                 common_fn *common)
{
	struct collecting c = { out, q->words.data, common };
	memset(out, 0, sizeof *out);
	out->words = words;
	int err = q->words.len > 0 ? asked(q->words.data, q->words.len, add_term, &c) : 0;
	c.common = NULL; /* a phrase is wanted whole */
	for (size_t i = 0; !err && i < q->phrase_count; i++)
		err = asked(q->phrases[i], strlen(q->phrases[i]), add_term, &c);
	if (err || out->bytes.failed)
		return RENDER_ENOMEM;
	put_in_order(out);
	return 0;
}

void terms_release(struct terms *t)
{
	buf_release(&t->bytes);
	free(t->term);
	t->term = NULL;
	t->count = t->room = 0;
}

/* Its number; -1: it was not asked for. */
static int term_of(const struct terms *t, const char *word, size_t len)
{
	size_t from = 0, to = t->count;
	while (from < to) {
		size_t mid = (from + to) / 2;
		int order = compare(word, len, t->bytes.data + t->term[mid].at, t->term[mid].len);
		if (order == 0)
			return (int)mid;
		if (order < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return -1;
}

/* ---- the words of a text ---------------------------------------------------- */

struct word {
	uint32_t start, end;
	int32_t term; /* -1: was not asked for */
};

struct text {
	const char *bytes;
	size_t len;
	const struct terms *terms;
	struct word *word;
	size_t count, room;
	bool failed;
};

static void add_text_word(void *ctx, const char *word, size_t len, size_t start, size_t end)
{
	struct text *t = ctx;
	struct word w = { (uint32_t)start, (uint32_t)end, term_of(t->terms, word, len) };
	if (end > t->len || start >= end)
		return;
	if (t->count > 0 && start < t->word[t->count - 1].end) { /* another reading of the same word */
		if (t->word[t->count - 1].term < 0)
			t->word[t->count - 1].term = w.term;
		return;
	}
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		struct word *more = realloc(t->word, room * sizeof *more);
		t->failed = t->failed || !more;
		if (!more)
			return;
		t->word = more;
		t->room = room;
	}
	t->word[t->count++] = w;
}

/* ---- the best cluster ---------------------------------------------------------- */

struct range {
	size_t from, to; /* words, both inside */
};

static double weight_of(const struct text *t, int term)
{
	return t->terms->term[term].common ? 0.25 : 1;
}

/*
 * Of all runs of WORDS words the one whose distinct terms weigh the most, of these the
 * shortest, of these the first.
 */
static struct range best_of(const struct text *t, unsigned *seen)
{
	struct range best = { 0, 0 };
	double best_weight = 0, weight = 0;
	size_t from = 0;
	for (size_t to = 0; to < t->count; to++) {
		int term = t->word[to].term;
		if (term < 0)
			continue;
		if (seen[term]++ == 0)
			weight += weight_of(t, term);
		for (; from < to; from++) {
			int first = t->word[from].term;
			if (first >= 0 && seen[first] == 1 && to - from < WORDS)
				break;
			if (first >= 0 && --seen[first] == 0)
				weight -= weight_of(t, first);
		}
		if (weight > best_weight + 1e-9 ||
		    (weight > best_weight - 1e-9 && to - from < best.to - best.from)) {
			best_weight = weight;
			best = (struct range){ from, to };
		}
	}
	return best;
}

/* WORDS words with the cluster in their middle, as far as the text goes. */
static struct range around(struct range r, size_t count)
{
	size_t spare = WORDS - (r.to - r.from + 1);
	size_t from = r.from > spare / 2 ? r.from - spare / 2 : 0;
	size_t to = from + WORDS - 1;
	if (to >= count) {
		to = count - 1;
		from = count > WORDS ? count - WORDS : 0;
	}
	return (struct range){ from, to };
}

/* ---- writing it ------------------------------------------------------------------ */

static void add_word(struct markdown *m, const struct text *t, const struct word *w)
{
	size_t to = w->end;
	if (to - w->start > LONG_WORD)
		for (to = w->start + LONG_WORD; to > w->start && (t->bytes[to] & 0xC0) == 0x80;)
			to--;
	markdown_part(m, t->bytes, t->len, w->start, to);
	if (to < w->end)
		markdown_add(m, "\xE2\x80\xA6", 3);
}

/* What stands between two words, or directly behind the last one shown. */
static void add_gap(struct markdown *m, const struct text *t, size_t from, size_t to)
{
	size_t used = m->out->len;
	while (from < to && m->out->len - used < LONG_GAP) {
		size_t n = utf8_size(t->bytes + from, to - from);
		n = n ? n : 1;
		markdown_part(m, t->bytes, t->len, from, from + n);
		from += n;
	}
	if (from < to)
		markdown_add(m, " \xE2\x80\xA6 ", 5);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Where the signs begin that stand before a word and belong to it: "-5", "\xE2\x82\xAC 20". */
static size_t lead_of(const struct text *t, size_t i)
{
	size_t least = i > 0 ? t->word[i - 1].end : 0, at = t->word[i].start;
	while (at > least && !is_blank(t->bytes[at - 1]))
		at--;
	bool between = i > 0 && at == least; /* "foo::bar": of both */
	return between || t->word[i].start - at > LONG_GAP ? t->word[i].start : at;
}

/* Where those end that stand behind it on its line, before the next one's: "20 %", "so?". */
static size_t tail_of(const struct text *t, size_t i)
{
	size_t from = t->word[i].end, end = from, to = t->len;
	if (i + 1 < t->count)
		to = lead_of(t, i + 1);
	if (i + 1 < t->count && to > from && to == t->word[i + 1].start && !is_blank(t->bytes[to - 1]))
		return from;
	while (end < to && t->bytes[end] != '\n')
		end++;
	while (end > from && is_blank(t->bytes[end - 1]))
		end--;
	return end;
}

/* True if nothing but a blank parts them. */
static bool joined(const struct text *t, const struct word *a, const struct word *b)
{
	return b->start == a->end || (b->start == a->end + 1 && t->bytes[a->end] == ' ');
}

static bool is_bold(const struct text *t, const struct word *w)
{
	return w && w->term >= 0 && !t->terms->term[w->term].common;
}

static void add_words(struct markdown *m, const struct text *t, struct range r)
{
	if (r.from > 0)
		markdown_add(m, "\xE2\x80\xA6 ", 4);
	add_gap(m, t, lead_of(t, r.from), t->word[r.from].start);
	bool bold = false;
	for (size_t i = r.from; i <= r.to; i++) {
		const struct word *w = &t->word[i], *next = i < r.to ? w + 1 : NULL;
		bool begins = is_bold(t, w) && !bold;
		bool ends = is_bold(t, w) && !(is_bold(t, next) && joined(t, w, next));
		buf_adds(m->out, begins ? "**" : "");
		add_word(m, t, w);
		buf_adds(m->out, ends ? "**" : "");
		bold = is_bold(t, w) && !ends;
		if (next)
			add_gap(m, t, w->end, next->start);
		else
			add_gap(m, t, w->end, tail_of(t, i));
	}
	if (r.to + 1 < t->count)
		markdown_add(m, " \xE2\x80\xA6", 4);
}

/* As much of a text as is looked at. */
static struct text text_of(const char *text, size_t len, const struct terms *terms)
{
	return (struct text){ .bytes = text, .len = utf8_fit(text, len, SNIPPET_TEXT), .terms = terms };
}

int render_cluster(const char *text, size_t len, const struct terms *terms, size_t *from,
                   size_t *to)
{
	struct text t = text_of(text, len, terms);
	unsigned *seen = calloc(terms->count + 1, sizeof *seen);
	bool failed = !seen || terms->words(text, t.len, add_text_word, &t) || t.failed;
	*from = *to = 0;
	if (!failed && t.count > 0) {
		struct range r = best_of(&t, seen);
		if (t.word[r.from].term >= 0) {
			*from = t.word[r.from].start;
			*to = t.word[r.to].end;
		}
	}
	free(seen);
	free(t.word);
	return failed ? RENDER_ENOMEM : 0;
}

void render_snippet(struct buf *out, const char *text, size_t len, const struct terms *terms)
{
	struct markdown m = { .out = out, .from = out->len };
	struct text t = text_of(text, len, terms);
	unsigned *seen = calloc(terms->count + 1, sizeof *seen);
	if (!seen || terms->words(text, t.len, add_text_word, &t) || t.failed)
		out->failed = true;
	else if (t.count > 0)
		add_words(&m, &t, around(best_of(&t, seen), t.count));
	else /* nothing but signs */
		add_gap(&m, &t, 0, t.len);
	free(seen);
	free(t.word);
}
