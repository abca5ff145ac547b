/* SPDX-License-Identifier: MIT */
/* The subtasks in a task: list items with a box, and boxes behind `Subtareas:`. */
#include <string.h>
#include <strings.h>

#include "render/documents/family.h"
#include "render/format/format.h"

/* A box [ ], [x] or [X] at the start of a line's rest; false: there is none. */
static bool box(const char *at, const char *end, bool *done)
{
	if (end - at < 3 || at[0] != '[' || at[2] != ']' || !strchr(" xX", at[1]) || !at[1])
		return false;
	if (end - at > 3 && at[3] != ' ' && at[3] != '\t')
		return false;
	*done = at[1] != ' ';
	return true;
}

/* Behind a list item's marker and its blanks; NULL: no list item. */
static const char *item(const char *at, const char *end)
{
	const char *from = at;
	if (at < end && strchr("-*+", *at) && *at) {
		at++;
	} else {
		while (at < end && *at >= '0' && *at <= '9')
			at++;
		if (at == from || at == end || (*at != '.' && *at != ')'))
			return NULL;
		at++;
	}
	from = at;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at > from ? at : NULL;
}

/* Behind `Subtareas:` or `Subtasks:`, wherever it stands in the line; NULL: it does not. */
static const char *inline_list(const char *at, const char *end)
{
	static const char *const words[] = { "subtareas:", "subtasks:" };
	for (; at < end; at++)
		for (size_t i = 0; i < 2; i++)
			if ((size_t)(end - at) > strlen(words[i]) &&
			    strncasecmp(at, words[i], strlen(words[i])) == 0)
				return at + strlen(words[i]);
	return NULL;
}

/* How many of a fence's marks (``` or ~~~) the line begins with, below 3: 0. */
static size_t marks(const char *at, const char *end, char *mark)
{
	const char *from = at;
	if (at == end || (*at != '`' && *at != '~'))
		return 0;
	while (at < end && *at == *from)
		at++;
	*mark = *from;
	return at - from >= 3 ? (size_t)(at - from) : 0;
}

static void count_line(const char *at, const char *end, int64_t *done, int64_t *total)
{
	bool is_done;
	const char *rest = item(at, end);
	if (rest && box(rest, end, &is_done)) {
		++*total;
		*done += is_done;
		return;
	}
	for (rest = inline_list(at, end); rest && rest < end; rest++)
		if (box(rest, end, &is_done)) {
			++*total;
			*done += is_done;
		}
}

void render_subtasks(const char *text, size_t len, int64_t *done, int64_t *total)
{
	const char *at = text, *last = text + len;
	size_t fence = 0; /* marks that opened the code we are in, 0: none */
	char fence_mark = 0;

	*done = *total = 0;
	while (at < last) {
		const char *newline = memchr(at, '\n', (size_t)(last - at));
		const char *end = newline ? newline : last, *next = newline ? newline + 1 : last;
		char mark = 0;
		if (end > at && end[-1] == '\r')
			end--;
		while (at < end && (*at == ' ' || *at == '\t' || *at == '>'))
			at++;
		size_t n = marks(at, end, &mark);
		if (fence) {
			const char *rest = at + n;
			while (rest < end && (*rest == ' ' || *rest == '\t'))
				rest++;
			if (n >= fence && mark == fence_mark && rest == end)
				fence = 0;
		} else if (n > 0) {
			fence = n;
			fence_mark = mark;
		} else {
			count_line(at, end, done, total);
		}
		at = next;
	}
}
