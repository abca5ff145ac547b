/* SPDX-License-Identifier: MIT */
/* Cutting by newlines and by depth, and mending (cut.h). */
#include "render/import/cut.h"

#include <stdlib.h>
#include <string.h>

static void cut_tell(struct cut *c)
{
	const char *text = c->text.data ? c->text.data : "";
	if (c->too_long)
		c->tell(c->ctx, ++c->at, NULL, 0);
	else if (strspn(text, " \t\r\n") < c->text.len)
		c->tell(c->ctx, ++c->at, c->text.data, c->text.len);
	else if (c->mode == CUT_LINES)
		c->at++; /* a blank line counts, as editors count */
	buf_clear(&c->text);
	if (c->text.cap > 1 << 20) /* one long text shall not be paid for to the end */
		buf_release(&c->text);
	c->too_long = false;
}

static void cut_keep(struct cut *c, const char *bytes, size_t len)
{
	size_t most = c->mode == CUT_LINES ? CUT_LINE_MOST : CUT_ELEMENT_MOST;
	if (c->text.len + len > most) {
		c->too_long = true;
		buf_clear(&c->text);
	}
	if (!c->too_long)
		buf_add(&c->text, bytes, len);
}

static size_t take_lines(struct cut *c, const char *bytes, size_t len)
{
	const char *newline = memchr(bytes, '\n', len);
	size_t n = newline ? (size_t)(newline - bytes) : len;
	cut_keep(c, bytes, n);
	if (newline)
		cut_tell(c);
	return n + (newline != NULL);
}

/* True if this byte ends a value at the depth where values stand. */
static bool step(struct cut *c, char byte, int64_t floor)
{
	if (c->in_string) {
		c->in_string = c->escaped || byte != '"';
		c->escaped = !c->escaped && byte == '\\';
		return false;
	}
	if (byte == '"')
		c->in_string = true;
	else if (byte == '{' || byte == '[')
		c->depth++;
	else if (byte == '}' || byte == ']')
		return --c->depth == floor;
	return false;
}

static size_t take_values(struct cut *c, const char *bytes, size_t len)
{
	int64_t floor = c->mode == CUT_ELEMENTS ? 1 : 0;
	size_t from = 0;
	for (size_t i = 0; i < len; i++) {
		bool between = c->depth == floor && !c->in_string;
		if (between && (bytes[i] == ',' || (floor == 1 && bytes[i] == ']'))) {
			cut_keep(c, bytes + from, i - from);
			cut_tell(c); /* a value without braces */
			from = i + 1;
			c->closed = floor == 1 && bytes[i] == ']';
			if (c->closed)
				return len;
		} else if (step(c, bytes[i], floor)) {
			cut_keep(c, bytes + from, i + 1 - from);
			cut_tell(c);
			from = i + 1;
		}
	}
	cut_keep(c, bytes + from, len - from);
	return len;
}

/* Looks at the first line, which is in c->text, with its newline if it has one. */
static void choose(struct cut *c)
{
	const char *text = c->text.data;
	struct cut probe = { .mode = CUT_VALUES };
	size_t blank = strspn(text, "\xEF\xBB\xBF \t\r\n"); /* a byte order mark, too */
	const char *newline = memchr(text + blank, '\n', c->text.len - blank);
	if (text[blank] == '[') {
		c->mode = CUT_ELEMENTS;
		c->depth = 1;
		memset(c->text.data, ' ', blank + 1);
		return;
	}
	for (const char *at = text + blank; newline && at < newline; at++)
		(void)step(&probe, *at, 0);
	if (blank < c->text.len)
		memset(c->text.data, ' ', blank);
	if (newline)
		c->mode = probe.depth > 0 || probe.in_string ? CUT_VALUES : CUT_LINES;
}

static void start(struct cut *c, const char *bytes, size_t len)
{
	buf_add(&c->text, bytes, len);
	if (c->text.failed || strspn(c->text.data, "\xEF\xBB\xBF \t\r\n") == c->text.len)
		return;
	if (c->text.len > CUT_LINE_MOST)
		c->mode = CUT_LINES;
	else
		choose(c);
	if (c->mode == CUT_START)
		return;
	struct buf all = c->text;
	buf_init(&c->text);
	cut_bytes(c, all.data, all.len);
	buf_release(&all);
}

void cut_bytes(struct cut *c, const char *bytes, size_t len)
{
	if (c->mode == CUT_START) {
		start(c, bytes, len);
		return;
	}
	while (len > 0 && !c->text.failed && !c->closed) {
		size_t n = c->mode == CUT_LINES ? take_lines(c, bytes, len) : take_values(c, bytes, len);
		bytes += n;
		len -= n;
	}
}

void cut_release(struct cut *c)
{
	buf_release(&c->text);
}

/* ---- mending ------------------------------------------------------------ */

#define GONE "\xEF\xBF\xBD"

/* The number of \uXXXX at `at`; -1: it is none. */
static long escape_at(const char *at, size_t len)
{
	char digits[5] = { 0 }, *end;
	if (len < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	memcpy(digits, at + 2, 4);
	long value = strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, &end, 16) : -1;
	return value;
}

/* Bytes of the escape at `at`, which stays; 0: it is to be replaced, and takes 6. */
static size_t escape_size(const char *at, size_t len)
{
	long value = escape_at(at, len);
	if (value < 0)
		return len < 2 ? 1 : 2;
	if (value >= 0xD800 && value < 0xDC00) {
		long low = escape_at(at + 6, len - 6);
		return low >= 0xDC00 && low < 0xE000 ? 12 : 0;
	}
	return value == 0 || (value >= 0xDC00 && value < 0xE000) ? 0 : 6;
}

bool cut_mend(struct buf *out, const char *text, size_t len)
{
	bool changed = false;
	for (size_t i = 0, n; i < len; i += n) {
		bool escape = text[i] == '\\';
		n = escape ? escape_size(text + i, len - i) : text[i] ? utf8_size(text + i, len - i) : 0;
		if (n > 0) {
			buf_add(out, text + i, n);
			continue;
		}
		buf_adds(out, GONE);
		changed = true;
		n = escape ? 6 : 1;
	}
	return changed && !out->failed;
}

bool cut_is_crowded(const char *text, size_t len)
{
	struct cut probe = { .mode = CUT_VALUES };
	size_t values = 0;
	for (size_t i = 0; len > CUT_VALUES_MOST && i < len; i++) {
		values += !probe.in_string && (text[i] == ',' || text[i] == '{' || text[i] == '[');
		(void)step(&probe, text[i], 0);
	}
	return values > CUT_VALUES_MOST;
}
