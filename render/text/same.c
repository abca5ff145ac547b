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
#include "render/text/same_words.h"
#include "render/text/text.h"
#include "store/base/hash.h"

/* Below: words that agree by their table alone; see test_same.c for both sides of it. */
static const double least_alike = 0.20;

static const char *const movable[] = { "at", "with", "without", "con", "sin", "from", "desde",
	                                   "before", "after", "since", "until", "hasta", "always",
	                                   "every" };

static const char *word(const struct said *s, size_t i)
{
	return s->text.data + s->at[i % s->count];
}

static bool same_from(const struct said *a, const struct said *b, size_t turn)
{
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(word(a, i), word(b, i + turn)) != 0)
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

static size_t moving(const struct said *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->count; i++)
		n += may_move(word(s, i));
	return n;
}

static bool same_words(const struct said *a, const struct said *b)
{
	if (a->failed || b->failed || a->count == 0 || a->count != b->count ||
	    a->text.len != b->text.len)
		return false;
	if (same_from(a, b, 0))
		return true;
	if (moving(b) != 1)
		return false;
	/* b's two parts in the other order: one must be such that may stand on either side */
	for (size_t turn = 1; turn < a->count; turn++)
		if ((may_move(word(b, 0)) || may_move(word(b, turn))) && same_from(a, b, turn))
			return true;
	return false;
}

bool render_same_fact(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct said x, y;
	if (a_len == b_len && a_len > 0 && memcmp(a, b, a_len) == 0)
		return true;
	said_read(&x, a, a_len);
	said_read(&y, b, b_len);
	bool same = same_words(&x, &y);
	said_release(&x);
	said_release(&y);
	return same && render_similarity(a, a_len, b, b_len) >= least_alike;
}

uint64_t render_fact_key(const char *text, size_t len)
{
	struct said s;
	uint64_t key = 0;
	said_read(&s, text, len);
	for (size_t i = 0; i < s.count && !s.failed; i++) {
		uint64_t hash = hash_text(HASH_NONE, word(&s, i));
		key += hash ^ hash >> 29; /* a sum, since words may be turned */
	}
	said_release(&s);
	return key;
}
