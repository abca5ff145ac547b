/* SPDX-License-Identifier: MIT */
/*
 * What two sequences have in common, by the greedy algorithm of Myers (An O(ND) Difference
 * Algorithm, 1986); where more changed than is worth the time, all between the ends that are equal
 * counts as changed.
 */
#include "render/html/changes.h"

#include <stdlib.h>
#include <string.h>

bool changes_split(struct pieces *out, const char *text, size_t len)
{
	size_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	out->at = calloc(count + 1, sizeof *out->at);
	out->count = 0;
	for (size_t from = 0; out->at && from < len;) {
		const char *end = memchr(text + from, '\n', len - from);
		size_t size = end ? (size_t)(end - text) - from : len - from;
		out->at[out->count++] = (struct piece){ text + from, size, false };
		from += size + 1;
	}
	return out->at != NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Letters and digits, all that is not ASCII among them. */
static bool is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(unsigned char)c >= 0x80;
}

/* Where a word, a run of blanks or a sign that begins there ends. */
static size_t word_end(const char *text, size_t len, size_t from)
{
	size_t i = from + 1;
	if (is_letter(text[from]))
		while (i < len && is_letter(text[i]))
			i++;
	else if (is_blank(text[from]))
		while (i < len && is_blank(text[i]))
			i++;
	return i;
}

bool changes_is_word(const struct piece *p)
{
	return p->len > 0 && is_letter(*p->text);
}

bool changes_split_words(struct pieces *out, const char *text, size_t len)
{
	size_t count = 0, i = 0;
	out->at = calloc(len + 1, sizeof *out->at);
	for (size_t end; out->at && i < len; i = end) {
		end = word_end(text, len, i);
		out->at[count++] = (struct piece){ text + i, end - i, false };
	}
	out->count = count;
	return out->at != NULL;
}

static bool same(const struct piece *a, const struct piece *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* Where the furthest path with d changes ends, on each diagonal -d..d: trace[d][k + d]. */
struct trace {
	int *ends[CHANGES_MOST + 1];
	int changes; /* -1: more than are looked for */
};

static bool search(struct trace *t, const struct piece *a, int n, const struct piece *b, int m,
                   int most)
{
	for (int d = 0; d <= most && d <= n + m; d++) {
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
static void mark(const struct trace *t, struct piece *a, int n, struct piece *b, int m)
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

bool changes_find(struct pieces *a, struct pieces *b, int most)
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
	bool done = t && search(t, a->at + head, n, b->at + head, m, most);
	if (done && t->changes >= 0)
		mark(t, a->at + head, n, b->at + head, m);
	for (int d = 0; t && d <= CHANGES_MOST; d++)
		free(t->ends[d]);
	free(t);
	return done;
}
