/* SPDX-License-Identifier: MIT */
/* Two texts side by side, by lines; in a line that changed the words that did are marked. */
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/html/changes.h"
#include "render/html/html.h"

enum {
	CONTEXT_LINES = 3, LINE_SHOWN = 2000,
	WORDS_CHANGED = 60,  /* of a line, or all of it did */
	DIFF_SHOWN = 1 << 20 /* bytes of HTML: a document of 1 MiB may have as many lines */
};

/* True if a byte goes on with the character before it. */
static bool goes_on(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* True if a word is in both: signs and blanks alone say nothing. */
static bool says_something(const struct pieces *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->at[i].kept && changes_is_word(&words->at[i]))
			return true;
	return false;
}

/* The words of two lines, and what they share; false: nothing that is worth being shown. */
static bool words_of(struct pieces words[2], const struct piece *a, const struct piece *b,
                     bool *failed)
{
	if (a->len > LINE_SHOWN || b->len > LINE_SHOWN)
		return false;
	bool made = changes_split_words(&words[0], a->text, a->len) &&
		changes_split_words(&words[1], b->text, b->len) &&
		changes_find(&words[0], &words[1], WORDS_CHANGED);
	*failed |= !made;
	return made && says_something(&words[0]);
}

/* True if a piece counts as changed: it is not in both, or is a sign or blanks between two such. */
static bool is_changed(const struct pieces *words, size_t i)
{
	const struct piece *w = &words->at[i];
	bool between = i > 0 && i + 1 < words->count && !w[-1].kept && !w[1].kept;
	return !w->kept || (between && !changes_is_word(w));
}

static void text_of_words(struct html *h, const struct pieces *words, const char *element)
{
	bool open = false;
	for (size_t i = 0; i < words->count; i++) {
		bool changed = is_changed(words, i);
		if (changed != open)
			buf_addf(h->out, changed ? "<%s>" : "</%s>", element);
		open = changed;
		html_text(h->out, words->at[i].text, words->at[i].len);
	}
	if (open)
		buf_addf(h->out, "</%s>", element);
}

static void side(struct html *h, const struct piece *l, size_t n, const char *class,
                 const struct pieces *words)
{
	size_t len;
	if (!l) {
		buf_adds(h->out, "<td class=\"n\"></td><td></td>");
		return;
	}
	len = l->len < LINE_SHOWN ? l->len : LINE_SHOWN;
	while (len > 0 && len < l->len && goes_on(l->text[len]))
		len--;
	buf_addf(h->out, "<td class=\"n\">%zu</td><td class=\"%s\" dir=\"auto\">", n, class);
	if (words)
		text_of_words(h, words, *class == 'd' ? "del" : "ins");
	else
		html_text(h->out, l->text, len);
	buf_adds(h->out, len < l->len ? " …</td>" : "</td>");
}

static void both(struct html *h, const struct piece *a, size_t i, const struct piece *b, size_t j)
{
	bool changed = (a && !a->kept) || (b && !b->kept);
	struct pieces words[2] = { { .at = NULL }, { .at = NULL } };
	bool shared = changed && a && b && words_of(words, a, b, &h->out->failed);
	buf_adds(h->out, "<tr>");
	side(h, a, i + 1, changed ? "d" : "", shared ? &words[0] : NULL);
	side(h, b, j + 1, changed ? "a" : "", shared ? &words[1] : NULL);
	buf_adds(h->out, "</tr>\n");
	free(words[0].at);
	free(words[1].at);
}

/* True if a line that is in both stands near one that is not. */
static bool is_near(const struct pieces *all, size_t i)
{
	size_t from = i > CONTEXT_LINES ? i - CONTEXT_LINES : 0;
	for (size_t n = from; n <= i + CONTEXT_LINES && n < all->count; n++)
		if (!all->at[n].kept)
			return true;
	return false;
}

/* False: what is left is too much to be shown. */
static bool rows(struct html *h, const struct pieces *a, const struct pieces *b)
{
	const size_t most = h->out->len + DIFF_SHOWN;
	bool skipped = false;
	for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
		const struct piece *x = i < a->count ? &a->at[i] : NULL;
		const struct piece *y = j < b->count ? &b->at[j] : NULL;
		bool gone = x && !x->kept, come = y && !y->kept;
		bool shown = gone || come || is_near(a, i) || is_near(b, j);
		if (shown && h->out->len > most)
			return false;
		if (shown)
			both(h, gone || !come ? x : NULL, i, come || !gone ? y : NULL, j);
		else if (!skipped)
			buf_adds(h->out, "<tr><td class=\"n\">…</td><td></td><td class=\"n\">…</td>"
			         "<td></td></tr>\n");
		skipped = !shown;
		i += gone || !come;
		j += come || !gone;
	}
	return true;
}

void html_diff(struct html *h, const char *before, size_t before_len, const char *after,
               size_t after_len)
{
	struct pieces a = { .at = NULL }, b = { .at = NULL };
	bool made = changes_split(&a, before, before_len) &&
		changes_split(&b, after, after_len) && changes_find(&a, &b, CHANGES_MOST);
	h->out->failed |= !made;
	if (made) {
		buf_adds(h->out, "<table class=\"diff\">\n<caption>Before, and after</caption>\n"
		         "<thead><tr>"
		         "<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">before</th>"
		         "<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">after</th></tr>"
		         "</thead>\n<tbody>\n");
		bool all = rows(h, &a, &b);
		buf_adds(h->out, "</tbody>\n</table>\n");
		if (!all)
			html_say(h, "What else changed is not shown here: each version is a file.");
	}
	free(a.at);
	free(b.at);
}
