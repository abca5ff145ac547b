/* SPDX-License-Identifier: MIT */
/*
 * Reading a claim: the fact's folded words, in this order:
 *
 *   who and how      yo, I, always, …           dropped
 *   denial           no, never, ya no, …        taken out, in front; "ya no" and the like anywhere
 *   a slot's phrase  trabajo en, use, me gusta  decides what the rest is
 *   value … [instead of …] [for …]
 */
#include <stdlib.h>
#include <string.h>

#include "render/text/fold.h"
#include "render/text/statement.h"
#include "store/base/hash.h"

enum { DENIED_WITHIN = 3 }; /* of the words after who and how */

struct reading {
	char *word[STATEMENT_WORDS];
	size_t count;
	size_t head; /* words before the first comma */
};

/* ---- words ----------------------------------------------------------------------- */

/* Cuts the folded text at its blanks.  False: there are too many words. */
static bool cut_words(struct buf *folded, struct reading *r)
{
	char *rest = folded->data, *word;
	while ((word = strsep(&rest, " ")) != NULL) {
		if (!*word)
			continue;
		if (r->count == STATEMENT_WORDS)
			return false;
		r->word[r->count++] = word;
	}
	return true;
}

static void take_out(struct reading *r, size_t at, size_t n)
{
	memmove(r->word + at, r->word + at + n, (r->count - at - n) * sizeof *r->word);
	r->count -= n;
	if (r->head > at)
		r->head -= r->head - at < n ? r->head - at : n;
}

static bool is_number(const char *word)
{
	return word[strspn(word, "0123456789")] == '\0';
}

/* How many words of `phrase` stand at `at`: all of them, or 0. */
static size_t stands(const struct reading *r, size_t at, const char *phrase)
{
	size_t n = 0;
	while (*phrase) {
		size_t len = strcspn(phrase, " ");
		const char *word = at + n < r->count ? r->word[at + n] : NULL;
		if (!word || !(*phrase == '#' ? is_number(word) :
		               strlen(word) == len && strncmp(word, phrase, len) == 0))
			return 0;
		phrase += len + (phrase[len] == ' ');
		n++;
	}
	return n;
}

/* Takes the first of these phrases out, which begins within the first `most` words. */
static bool take_phrase(struct reading *r, const char *const *phrases, size_t most)
{
	for (size_t at = 0; at < r->count && at < most; at++)
		for (const char *const *p = phrases; *p; p++) {
			size_t n = stands(r, at, *p);
			if (n > 0) {
				take_out(r, at, n);
				return true;
			}
		}
	return false;
}

static void drop_fillers(struct reading *r)
{
	while (r->count > 0 && statement_is_in(statement_fillers, r->word[0]))
		take_out(r, 0, 1);
}

/* ---- denial ------------------------------------------------------------------------- */

static void read_denial(struct reading *r, struct statement *c)
{
	static const char *const ends[] = { "ya no", "no longer", "anymore", "any more", NULL };
	static const char *const denies[] = { "don t", "doesn t", "do not", "does not", "isn t",
		"nunca", "jamas", "never", "not", "no", NULL };
	size_t head = r->head;
	bool parts = head < r->count && !statement_is_in(statement_limits, r->word[head]);
	c->ended = take_phrase(r, ends, STATEMENT_WORDS);
	c->parted = c->ended && parts && r->head < head;
	c->denied = take_phrase(r, denies, DENIED_WITHIN) || c->ended;
}

/* ---- from one thing to another ------------------------------------------------------- */

/* The last of these words between two places; `to` if there is none. */
static size_t last_of(const struct reading *r, size_t from, size_t to, const char *words)
{
	for (size_t at = to; at-- > from;)
		if (statement_is_in(words, r->word[at]))
			return at;
	return to;
}

static size_t copy_words(char **dst, size_t n, const struct reading *r, size_t from, size_t to)
{
	for (size_t i = from; i < to && n < STATEMENT_WORDS; i++)
		dst[n++] = r->word[i];
	return n;
}

/* "move the CI from A to B" is read as "use B for the CI instead of A". */
static void turn_round(struct reading *r)
{
	static char use[] = "use", what[] = "for", instead[] = "instead", of[] = "of";
	size_t to = 2, end, n = 1;
	char *word[STATEMENT_WORDS + 4] = { use };
	if (r->count < 5 || !statement_is_in(statement_moves, r->word[0]))
		return;
	while (to < r->head && !statement_is_in(" to a al ", r->word[to]))
		to++;
	size_t from = last_of(r, 1, to < r->head ? to : 1, " from de del ");
	if (to + 1 >= r->head || from + 1 >= to)
		return;
	/* "Cambiar el color de fondo a rojo" goes from nothing. */
	if (from > 1 && strcmp(r->word[from], "from") != 0)
		return;
	for (end = to + 1; end < r->head && !statement_is_in(" for para ", r->word[end]); end++)
		;
	n = copy_words(word, n, r, to + 1, end);
	if (from > 1)
		word[n++] = what;
	n = from > 1 ? copy_words(word, n, r, 1, from) : copy_words(word, n, r, end, r->head);
	r->head = n;
	word[n++] = instead;
	word[n++] = of;
	r->count = copy_words(word, n, r, from + 1, to);
	memcpy(r->word, word, sizeof r->word);
}

/* ---- slots --------------------------------------------------------------------------- */

/* Of a phrase with a number the number is what is claimed: "tengo 34 años". */
static void keep_number(struct reading *r, const char *phrase, size_t n)
{
	size_t at = 0;
	for (const char *p = phrase; *p && *p != '#'; p++)
		at += *p == ' ';
	take_out(r, at + 1, n - at - 1);
	take_out(r, 0, at);
	r->count = 1;
}

static void read_slot(struct reading *r, struct statement *c)
{
	for (size_t i = 0; i < statement_phrase_count; i++) {
		const struct statement_phrase *p = &statement_phrases[i];
		size_t n = stands(r, 0, p->words);
		if (n == 0)
			continue;
		c->slot = p->slot;
		c->denied = c->denied != p->denied;
		if (strchr(p->words, '#'))
			keep_number(r, p->words, n);
		else
			take_out(r, 0, n);
		return;
	}
}

static uint64_t hash_of(const char *word)
{
	uint64_t hash = hash_text(HASH_NONE, word);
	return (hash & ~STATEMENT_NUMBER) | (is_number(word) ? STATEMENT_NUMBER : 0);
}

static void add_words(struct statement_words *out, const struct reading *r, size_t from, size_t to)
{
	size_t before = out->count;
	for (size_t i = from; i < to; i++)
		if (!statement_is_in(statement_silent, r->word[i]))
			out->items[out->count++] = hash_of(statement_word(r->word[i]));
	/* "El té": of words that say nothing the last one does. */
	if (before == 0 && out->count == 0 && from < to)
		out->items[out->count++] = hash_of(r->word[to - 1]);
}

/* Where the first of these phrases begins, from `from` on; r->count: nowhere.  *n: its words. */
static size_t find_phrase(const struct reading *r, size_t from, const char *const *phrases,
                          size_t *n)
{
	for (size_t at = from; at < r->count; at++)
		for (const char *const *p = phrases; *p; p++)
			if ((*n = stands(r, at, *p)) > 0)
				return at;
	*n = 0;
	return r->count;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* "A instead of B for C, and so on": what is claimed, what is not, and what for. */
static void read_value(struct reading *r, struct statement *c)
{
	/* The first three tell so only where one thing was chosen. */
	enum { CHOSEN = 3 };
	static const char *const rather[] = { "antes que", "over", "than", "en vez de", "en vez del",
		"en lugar de", "en lugar del", "instead of", "rather than", NULL };
	static const char *const replaces[] = { "replaces", "reemplaza a", "sustituye a", NULL };
	static const char *const whats[] = { "para", "for", "como", "as", NULL };
	size_t n, not_n, for_n = 0;
	size_t not_at = find_phrase(r, 1, replaces, &n);
	if (c->slot == SLOT_NONE && not_at < r->count)
		c->slot = SLOT_USE;
	else if (c->slot == SLOT_USE || c->slot == SLOT_PREFER)
		not_at = find_phrase(r, 1, rather, &n);
	else
		not_at = c->slot == SLOT_NONE ? find_phrase(r, 1, rather + CHOSEN, &n) : r->count;
	not_n = n;
	size_t for_at = c->slot == SLOT_USE ? find_phrase(r, 1, whats, &for_n) : r->count;
	size_t value_end = least(not_at, for_at), not_end = for_at > not_at ? for_at : r->count;
	add_words(&c->value, r, 0, least(value_end, r->head));
	c->head = c->value.count;
	add_words(&c->value, r, least(value_end, r->head), value_end);
	if (not_at < r->count)
		add_words(&c->instead, r, not_at + not_n,
		          not_at < r->head ? least(not_end, r->head) : not_end);
	if (for_at < r->count)
		add_words(&c->purpose, r, for_at + for_n, not_at > for_at ? not_at : r->count);
}

/* "Trabajo en el equipo de ventas" names none. */
static void check_employer(struct reading *r, struct statement *c)
{
	size_t i = 0;
	while (i < r->count && statement_is_in(statement_silent, r->word[i]))
		i++;
	if (c->slot == SLOT_EMPLOYER && i < r->count &&
	    statement_is_in(statement_departments, r->word[i]))
		c->slot = SLOT_NONE;
}

/* How many of the folded words stand before a comma. */
static size_t head_of(const char *text, size_t len, size_t count)
{
	struct buf folded = BUF_INIT;
	size_t at = 0, words = 0;
	while (at < len && !strchr(",;(", text[at]))
		at++;
	fold_text(&folded, text, at);
	for (size_t i = 1; !folded.failed && i < folded.len; i++)
		words += folded.data[i] == ' ' && folded.data[i - 1] != ' ';
	buf_release(&folded);
	return at < len && words > 0 ? least(words, count) : count;
}

struct statement *render_statement(const char *text, size_t len, bool adds)
{
	struct statement *c = calloc(1, sizeof *c);
	struct reading r = { .count = 0 };
	if (!c)
		return NULL;
	fold_text(&c->folded, text, len);
	if (c->folded.failed) {
		render_statement_free(c);
		return NULL;
	}
	c->adds = adds;
	if (!cut_words(&c->folded, &r))
		return c;
	r.head = head_of(text, len, r.count);
	for (size_t i = 0; i < r.head; i++)
		c->adds = c->adds || statement_is_in(" tambien ademas also too ", r.word[i]);
	drop_fillers(&r);
	read_denial(&r, c);
	drop_fillers(&r);
	if (!c->denied)
		turn_round(&r);
	read_slot(&r, c);
	check_employer(&r, c);
	read_value(&r, c);
	return c;
}

void render_statement_free(struct statement *c)
{
	if (c)
		buf_release(&c->folded);
	free(c);
}
