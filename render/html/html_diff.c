/* SPDX-License-Identifier: MIT */
/*
 * Two texts side by side.  Lines are compared by the greedy algorithm of Myers (An O(ND) Difference
 * Algorithm, 1986); where more changed than is worth the time, all between the ends that are equal
 * counts as changed.  In a line that changed, what differs between its equal ends is marked.
 */
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/html/html.h"

enum { CHANGES_MOST = 1000, CONTEXT_LINES = 3, LINE_SHOWN = 2000 };

struct line {
	const char *text;
	size_t len;
	bool kept; /* it is in both */
};
struct lines {
	struct line *at;
	size_t count;
};

static bool split(struct lines *out, const char *text, size_t len)
{
	size_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	out->at = calloc(count + 1, sizeof *out->at);
	out->count = 0;
	for (size_t from = 0; out->at && from < len;) {
		const char *end = memchr(text + from, '\n', len - from);
		size_t size = end ? (size_t)(end - text) - from : len - from;
		out->at[out->count++] = (struct line){ text + from, size, false };
		from += size + 1;
	}
	return out->at != NULL;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* Where the furthest path with d changes ends, on each diagonal -d..d: trace[d][k + d]. */
struct trace {
	int *ends[CHANGES_MOST + 1];
	int changes; /* -1: more than that */
};

static bool search(struct trace *t, const struct line *a, int n, const struct line *b, int m)
{
	for (int d = 0; d <= CHANGES_MOST && d <= n + m; d++) {
		int *now = t->ends[d] = calloc((size_t)(2 * d + 1), sizeof **t->ends);
		const int *old = d ? t->ends[d - 1] : NULL;
		if (!now)
			return false;
		for (int k = -d; k <= d; k += 2) {
			/* old[k + d - 1] is diagonal k of the step before, whose first is -(d - 1) */
			bool down = d > 0 && (k == -d || (k != d && old[k + d - 2] < old[k + d]));
			int x = d == 0 ? 0 : down ? old[k + d] : old[k + d - 2] + 1;
			while (x < n && x - k < m && same(&a[x], &b[x - k]))
				x++;
			now[k + d] = x;
			if (x >= n && x - k >= m) {
				t->changes = d;
				return true;
			}
		}
	}
	t->changes = -1;
	return true;
}

/* Back along the path: what was passed on a diagonal is in both. */
static void mark(const struct trace *t, struct line *a, int n, struct line *b, int m)
{
	int x = n, y = m;
	for (int d = t->changes; d >= 0; d--) {
		const int *old = d ? t->ends[d - 1] : NULL;
		int k = x - y;
		bool down = d > 0 && (k == -d || (k != d && old[k + d - 2] < old[k + d]));
		int from = d == 0 ? 0 : down ? old[k + d] : old[k + d - 2] + 1;
		for (; x > from; x--, y--)
			a[x - 1].kept = b[y - 1].kept = true;
		if (d > 0 && down)
			y--;
		else if (d > 0)
			x--;
	}
}

static bool compare(struct lines *a, struct lines *b)
{
	size_t head = 0, tail = 0, least = a->count < b->count ? a->count : b->count;
	struct trace *t = calloc(1, sizeof *t);
	while (head < least && same(&a->at[head], &b->at[head]))
		head++;
	while (tail < least - head && same(&a->at[a->count - 1 - tail], &b->at[b->count - 1 - tail]))
		tail++;
	for (size_t i = 0; i < head; i++)
		a->at[i].kept = b->at[i].kept = true;
	for (size_t i = 1; i <= tail; i++)
		a->at[a->count - i].kept = b->at[b->count - i].kept = true;
	const int n = (int)(a->count - head - tail), m = (int)(b->count - head - tail);
	bool done = t && search(t, a->at + head, n, b->at + head, m);
	if (done && t->changes >= 0)
		mark(t, a->at + head, n, b->at + head, m);
	for (int d = 0; t && d <= CHANGES_MOST; d++)
		free(t->ends[d]);
	free(t);
	return done;
}

/* ---- as a table --------------------------------------------------------------- */

/* True if a byte goes on with the character before it. */
static bool goes_on(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Bytes that two lines begin with, and then end with: whole words. */
static void ends_of(const struct line *a, const struct line *b, size_t *head, size_t *tail)
{
	size_t least = a->len < b->len ? a->len : b->len, i = 0;
	while (i < least && a->text[i] == b->text[i])
		i++;
	while (i > 0 && (goes_on(a->text[i - (i == a->len)]) || a->text[i - 1] != ' '))
		i--;
	*head = i;
	for (i = 0; i < least - *head && a->text[a->len - 1 - i] == b->text[b->len - 1 - i];)
		i++;
	while (i > 0 && a->text[a->len - i] != ' ')
		i--;
	*tail = i;
}

static void side(struct html *h, const struct line *l, size_t n, const char *class,
                 const struct line *other)
{
	const char *word = *class == 'd' ? "del" : "ins";
	size_t head = 0, tail = 0, len;
	if (!l) {
		buf_adds(h->out, "<td class=\"n\"></td><td></td>");
		return;
	}
	len = l->len < LINE_SHOWN ? l->len : LINE_SHOWN;
	while (len > 0 && len < l->len && goes_on(l->text[len]))
		len--;
	buf_addf(h->out, "<td class=\"n\">%zu</td><td class=\"%s\" dir=\"auto\">", n, class);
	if (other && len == l->len)
		ends_of(l, other, &head, &tail);
	html_text(h->out, l->text, head);
	bool marked = other && head + tail > 0 && head + tail < len;
	if (marked)
		buf_addf(h->out, "<%s>", word);
	html_text(h->out, l->text + head, len - head - tail);
	if (marked)
		buf_addf(h->out, "</%s>", word);
	html_text(h->out, l->text + len - tail, tail);
	buf_adds(h->out, len < l->len ? " …</td>" : "</td>");
}

static void both(struct html *h, const struct line *a, size_t i, const struct line *b, size_t j)
{
	bool changed = (a && !a->kept) || (b && !b->kept);
	buf_adds(h->out, "<tr>");
	side(h, a, i + 1, changed ? "d" : "", changed ? b : NULL);
	side(h, b, j + 1, changed ? "a" : "", changed ? a : NULL);
	buf_adds(h->out, "</tr>\n");
}

/* True if a line that is in both stands near one that is not. */
static bool is_near(const struct lines *all, size_t i)
{
	size_t from = i > CONTEXT_LINES ? i - CONTEXT_LINES : 0;
	for (size_t n = from; n <= i + CONTEXT_LINES && n < all->count; n++)
		if (!all->at[n].kept)
			return true;
	return false;
}

static void rows(struct html *h, const struct lines *a, const struct lines *b)
{
	bool skipped = false;
	for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
		const struct line *x = i < a->count ? &a->at[i] : NULL;
		const struct line *y = j < b->count ? &b->at[j] : NULL;
		bool gone = x && !x->kept, come = y && !y->kept;
		bool shown = gone || come || is_near(a, i) || is_near(b, j);
		if (shown)
			both(h, gone || !come ? x : NULL, i, come || !gone ? y : NULL, j);
		else if (!skipped)
			buf_adds(h->out, "<tr><td class=\"n\">…</td><td></td><td class=\"n\">…</td>"
			         "<td></td></tr>\n");
		skipped = !shown;
		i += gone || !come;
		j += come || !gone;
	}
}

void html_diff(struct html *h, const char *before, size_t before_len, const char *after,
               size_t after_len)
{
	struct lines a = { .at = NULL }, b = { .at = NULL };
	bool made = split(&a, before, before_len) && split(&b, after, after_len) && compare(&a, &b);
	h->out->failed |= !made;
	if (made) {
		buf_adds(h->out, "<table class=\"diff\">\n<caption>Before, and after</caption>\n"
		         "<thead><tr>"
		         "<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">before</th>"
		         "<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">after</th></tr>"
		         "</thead>\n<tbody>\n");
		rows(h, &a, &b);
		buf_adds(h->out, "</tbody>\n</table>\n");
	}
	free(a.at);
	free(b.at);
}
