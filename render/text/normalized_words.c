/* SPDX-License-Identifier: MIT */
/*
 * A fact as the words that say something, in their order: folded, with words of
 * one meaning made one (normalized_table.c), articles and the user's own "I" left out,
 * every negation made "not".  Numbers, units, signs, names, files and identifiers
 * stay as they are, so that facts which differ in one of them differ here.
 */
#include "render/text/normalized_words.h"

#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/text/fold.h"
#include "render/text/text.h"

enum { WORD_MAX = 96 }; /* longer ones are cut into several */

struct scan {
	struct normalized_words *out;
	const char *text;
	size_t len, i;
	char word[WORD_MAX + 8];
	size_t size;
	bool begins; /* of a sentence */
	bool name;   /* the word is one: no meaning is looked up */
	char quote;  /* the one that is open, 0: none; what it holds are names */
	bool user;   /* "(the) user" began the fact: dropped if a verb follows */
};

/* ---- the list ------------------------------------------------------------- */

static void word_put(struct normalized_words *s, const char *word)
{
	if (*word == '\0')
		return;
	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 32;
		size_t *at = reallocarray(s->at, room, sizeof *at);
		if (!at) {
			s->failed = true;
			return;
		}
		s->at = at;
		s->room = room;
	}
	s->at[s->count++] = s->text.len;
	buf_add(&s->text, word, strlen(word) + 1);
}

/* The US is not us: names that are written like words which say little are marked. */
static void put_name(struct normalized_words *s, const char *word)
{
	static const char *const alike[] = { "us", "it", "who", "will", "may", "can" };
	for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
		if (strcmp(word, alike[i]) == 0) {
			word_put(s, "NAME");
			break;
		}
	word_put(s, word);
}

static void forget(struct normalized_words *s)
{
	s->count = 0;
	s->text.len = 0;
}

static void put_meaning(struct scan *sc, const char *word)
{
	bool doing;
	const char *means = normalized_word(word, &doing);
	if (sc->user && (doing || *means == '\0' || strcmp(means, "not") == 0))
		forget(sc->out); /* "the user works": the user is whom facts are about */
	sc->user = false;
	word_put(sc->out, means);
}

/* ---- words ---------------------------------------------------------------- */

static bool ends(const char *word, size_t size, const char *end)
{
	size_t n = strlen(end);
	return size > n && memcmp(word + size - n, end, n) == 0;
}

/* don't, I'm, we'll, Ana's: the word before the apostrophe and what hangs on it. */
static void put_contraction(struct scan *sc)
{
	static const struct {
		const char *word, *first, *then;
	} odd[] = {
		{ "can't", "can", "not" }, { "won't", "will", "not" }, { "don't", "not", "" },
		{ "doesn't", "not", "" },  { "isn't", "not", "" },     { "aren't", "not", "" },
		{ "it's", "it", "" },      { "let's", "let's", "" },   { "that's", "", "" },
		{ "he's", "he", "" },      { "she's", "she", "" },     { "user's", "", "" },
		{ "what's", "what", "" },  { "there's", "there", "" }, { "cannot", "can", "not" },
	};
	static const struct {
		const char *end, *then;
	} tails[] = { { "n't", "not" }, { "'m", "" }, { "'re", "" }, { "'ve", "" },
		          { "'ll", "will" }, { "'d", "would" }, { "'s", "'s" } };
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		if (strcmp(sc->word, odd[i].word) == 0) {
			put_meaning(sc, odd[i].first);
			word_put(sc->out, odd[i].then);
			return;
		}
	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
		if (ends(sc->word, sc->size, tails[i].end)) {
			sc->word[sc->size - strlen(tails[i].end)] = '\0';
			put_meaning(sc, sc->word);
			word_put(sc->out, tails[i].then);
			return;
		}
	word_put(sc->out, sc->word);
}

static void end_word(struct scan *sc)
{
	if (sc->size == 0)
		return;
	sc->word[sc->size] = '\0';
	bool first = sc->out->count == 0;
	if (memchr(sc->word, '\'', sc->size) || strcmp(sc->word, "cannot") == 0) {
		put_contraction(sc);
	} else if (sc->name || sc->quote) {
		sc->user = false;
		put_name(sc->out, sc->word);
	} else if (first && (strcmp(sc->word, "user") == 0 || strcmp(sc->word, "usuario") == 0)) {
		word_put(sc->out, sc->word);
		sc->user = true;
	} else {
		put_meaning(sc, sc->word);
	}
	sc->size = 0;
	sc->name = false;
	sc->begins = false;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool upper(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];
	return (c >= 'A' && c <= 'Z') || (n == 2 && c == 0xC3 && (unsigned char)s[1] < 0x9F);
}

static bool only_digits(const struct scan *sc)
{
	for (size_t i = 0; i < sc->size; i++)
		if (!digit(sc->word[i]) && !strchr("-.,:/", sc->word[i]))
			return false;
	return true;
}

/* A letter or digit, folded. */
static void grow(struct scan *sc, size_t n, const char *folded, size_t size)
{
	bool is_digit = digit(folded[0]);
	if (sc->size > 0 && !is_digit && only_digits(sc))
		end_word(sc); /* 8am, 5GB: a number and its unit */
	if (sc->size + size > WORD_MAX)
		end_word(sc);
	if (upper(sc->text + sc->i, n)) {
		char next = sc->i + n < sc->len ? sc->text[sc->i + n] : ' ';
		bool alone = sc->size == 0 && (next == ' ' || next == '\'');
		/* a capital within a sentence, two of them, or one inside of a word; not "I" */
		if ((!sc->begins || sc->size > 0) && !(alone && folded[0] == 'i'))
			sc->name = true;
	}
	memcpy(sc->word + sc->size, folded, size);
	sc->size += size;
}

/* ---- what stands between letters ------------------------------------------ */

/* Signs that say something by themselves. */
static const char *sign(const char *s, size_t n)
{
	static const char *const signs[] = { "%", "$", "<", ">", "=", "?", "€", "£", "°", "~" };
	if (n == 1 && !strchr("%$<>=?~", *s)) /* most bytes are none */
		return NULL;
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (strlen(signs[i]) == n && memcmp(s, signs[i], n) == 0)
			return signs[i];
	return NULL;
}

/* True if the sign at `i` belongs to the word around it:  3.5  main.c  a/b  C++  don't  -5 */
static bool joins(const struct scan *sc, size_t n)
{
	char c = sc->text[sc->i], next = sc->i + n < sc->len ? sc->text[sc->i + n] : ' ';
	bool before = sc->size > 0, after = (next | 0x20) >= 'a' && (next | 0x20) <= 'z';
	after = after || digit(next) || (next & 0x80);
	if (n > 1)
		return before && after && memcmp(sc->text + sc->i, "\xE2\x80\x99", 3) == 0;
	if (c == '-' || c == '.')
		if (!before && digit(next) && (sc->i == 0 || sc->text[sc->i - 1] == ' '))
			return true;
	if (c == '+' || c == '#')
		return before;
	if (c == ',')
		return before && digit(sc->word[sc->size - 1]) && digit(next);
	return c != '\0' && strchr("._/@:'", c) && before && after;
}

static void between(struct scan *sc, size_t n)
{
	const char *c = sc->text + sc->i;
	if (joins(sc, n)) {
		if (sc->size == WORD_MAX)
			end_word(sc);
		sc->word[sc->size++] = n > 1 ? '\'' : *c;
		return;
	}
	end_word(sc);
	if (*c == '`' || *c == '"')
		sc->quote = sc->quote == *c ? 0 : sc->quote ? sc->quote : *c;
	if (sign(c, n))
		word_put(sc->out, sign(c, n));
	if (n == 1 && strchr(".!?:;\n", *c))
		sc->begins = true;
}

void normalized_words_read(struct normalized_words *s, const char *text, size_t len)
{
	struct scan sc = { .out = s, .text = text, .len = len, .begins = true };
	char folded[4];
	*s = (struct normalized_words){ 0 };
	for (size_t n; sc.i < len; sc.i += n) {
		n = utf8_size(text + sc.i, len - sc.i);
		int size = n && !sign(text + sc.i, n) ? fold_point(text + sc.i, n, folded) : 0;
		n = n ? n : 1;
		if (size > 0)
			grow(&sc, n, folded, (size_t)size);
		else if (size == 0)
			between(&sc, n);
	}
	end_word(&sc);
	s->failed = s->failed || s->text.failed;
}

void normalized_words_release(struct normalized_words *s)
{
	buf_release(&s->text);
	free(s->at);
	*s = (struct normalized_words){ 0 };
}
