/* SPDX-License-Identifier: MIT */
/*
 * Whether two wordings are one fact.  A wrong yes loses a fact, a wrong no keeps it twice,
 * so everything that says something must agree, in its order, and the whole must
 * look alike.  "At work I use Vim" and "I use Vim at work" are the one change of
 * order that is let through: what begins with such a word may stand first or last,
 * if there is one such word only ("At work Vim, at home Emacs" has two).
 */
#include <string.h>

#include "render/format/format.h"
#include "render/text/normalized_words.h"
#include "render/text/text.h"
#include "store/base/hash.h"

/* Below: words that agree by their table alone; see test_same_fact.c for both sides of it. */
static const double least_alike = 0.20;

static const char *const movable[] = { "at", "with", "without", "con", "sin", "from", "desde",
	                                   "before", "after", "since", "until", "hasta", "always",
	                                   "every" };

static const char *word(const struct normalized_words *s, size_t i)
{
	return s->text.data + s->at[i % s->count];
}

static bool same_from(const struct normalized_words *a, const struct normalized_words *b,
                      size_t rotation)
{
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(word(a, i), word(b, i + rotation)) != 0)
			return false;
	return true;
}

static bool may_move(const char *first)
{
	for (size_t i = 0; i < sizeof movable / sizeof movable[0]; i++)
		if (strcmp(first, movable[i]) == 0)
			return true;
	return false;
}

static size_t moving(const struct normalized_words *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->count; i++)
		n += may_move(word(s, i));
	return n;
}

static bool same_words(const struct normalized_words *a, const struct normalized_words *b)
{
	if (a->failed || b->failed || a->count == 0 || a->count != b->count ||
	    a->text.len != b->text.len)
		return false;
	if (same_from(a, b, 0))
		return true;
	if (moving(b) != 1)
		return false;
	/* b's two parts in the other order: one must be such that may stand on either side */
	for (size_t rotation = 1; rotation < a->count; rotation++)
		if ((may_move(word(b, 0)) || may_move(word(b, rotation))) && same_from(a, b, rotation))
			return true;
	return false;
}

bool render_same_fact(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct normalized_words x, y;
	if (a_len == b_len && a_len > 0 && memcmp(a, b, a_len) == 0)
		return true;
	normalized_words_read(&x, a, a_len);
	normalized_words_read(&y, b, b_len);
	bool same = same_words(&x, &y);
	normalized_words_release(&x);
	normalized_words_release(&y);
	return same && render_similarity(a, a_len, b, b_len) >= least_alike;
}

uint64_t render_fact_key(const char *text, size_t len)
{
	struct normalized_words s;
	uint64_t key = 0;
	normalized_words_read(&s, text, len);
	for (size_t i = 0; i < s.count && !s.failed; i++) {
		uint64_t hash = hash_text(HASH_NONE, word(&s, i));
		key += hash ^ hash >> 29; /* a sum, since words may be turned */
	}
	normalized_words_release(&s);
	return key;
}
