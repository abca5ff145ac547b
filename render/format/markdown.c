/* SPDX-License-Identifier: MIT */
/* Escapes after CommonMark 0.30: only what would else have a meaning, so that it reads well raw. */
#include "render/format/markdown.h"

#include <string.h>

#include "render/format/buf.h"
#include "render/format/json_key.h"
#include "render/format/quote.h"
#include "render/format/utf8.h"

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (unsigned char)c >= 0x80;
}

/* U+0085, U+2028, U+2029 and the other C1: lines to some, blanks here. */
static bool is_break(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	return (n == 2 && u[0] == 0xC2 && u[1] < 0xA0) ||
	       (n == 3 && u[0] == 0xE2 && u[1] == 0x80 && (u[2] == 0xA8 || u[2] == 0xA9));
}

static void blank(struct markdown *m)
{
	struct buf *out = m->out;
	if (!out->failed && out->len > m->from && out->data[out->len - 1] != ' ')
		buf_addc(out, ' ');
}

/* True if all of the line so far is a number: a dot would make it an item of a list. */
static bool only_digits(const struct markdown *m)
{
	for (size_t i = m->from; i < m->out->len; i++)
		if (m->out->data[i] < '0' || m->out->data[i] > '9')
			return false;
	return m->out->len > m->from;
}

static bool needs_escape(const struct markdown *m, const char *text, size_t i, size_t len)
{
	char c = text[i], next = i + 1 < len ? text[i + 1] : ' ';
	char before = i > 0 ? text[i - 1] : ' ';
	switch (c) {
	case '\\': case '*': case '`': case '[': case '<':
		return true;
	case '_': /* within a word it is only itself */
		return !(is_alnum(before) && is_alnum(next));
	case '&':
		return is_alnum(next) || next == '#';
	case '.': case ')':
		return only_digits(m);
	case '#': case '>': case '+': case '-': case '=': case '~':
		return m->out->len == m->from;
	default:
		return false;
	}
}

static void add_control(struct buf *out, const char *s, size_t n)
{
	buf_addc(out, '\\');
	quote_control(out, s, n);
}

void markdown_part(struct markdown *m, const char *text, size_t len, size_t from, size_t to)
{
	for (size_t i = from; i < to && !m->out->failed;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = utf8_size(text + i, to - i);
		if (n == 0)
			buf_adds(m->out, "\xEF\xBF\xBD");
		else if (c <= 0x20 || c == 0x7F || is_break(text + i, n))
			blank(m);
		else if (n > 1 && quote_is_control(text + i, n, quote_before(m->out->data, m->out->len)))
			add_control(m->out, text + i, n);
		else if (n > 1)
			buf_add(m->out, text + i, n);
		else if (n == 1 && needs_escape(m, text, i, len))
			buf_add(m->out, (char[]){ '\\', (char)c }, 2);
		else if (n == 1)
			buf_addc(m->out, (char)c);
		i += n ? n : 1;
	}
}

void markdown_add(struct markdown *m, const char *text, size_t len)
{
	markdown_part(m, text, len, 0, len);
}

void markdown_name(struct buf *out, const char *name)
{
	struct buf line = BUF_INIT;
	quote_dots(&line, name, strlen(name));
	markdown_code(out, line.data ? line.data : "");
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

void markdown_code(struct buf *out, const char *text)
{
	size_t longest = 0, run = 0, len = strlen(text);
	for (const char *c = text; *c; c++) {
		run = *c == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	bool pad = len > 0 && (text[0] == '`' || text[len - 1] == '`');
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_adds(out, pad ? " " : "");
	quote_controls(out, text, len);
	buf_adds(out, pad ? " " : "");
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
}
