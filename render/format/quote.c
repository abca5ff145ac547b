/* SPDX-License-Identifier: MIT */
/*
 * Quoting (quote.h), after CommonMark 0.30: what begins a block is decided line by line, so a
 * backslash at the right place of a line is enough.  Where we and the parser could disagree about
 * what is open (a fence in a list, HTML), nothing may open; a fence at the margin is followed
 * exactly, and closed.
 */
#include "render/format/quote.h"

#include <string.h>
#include <strings.h>

#include "render/format/utf8.h"
#include "store/base/ascii.h"

#define NOWHERE SIZE_MAX

/* ---- characters ---------------------------------------------------------------- */

static uint32_t code_point(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t cp = n == 1 ? u[0] : n == 2 ? u[0] & 0x1Fu : n == 3 ? u[0] & 0x0Fu : u[0] & 0x07u;
	for (size_t i = 1; i < n; i++)
		cp = cp << 6 | (u[i] & 0x3Fu);
	return cp;
}

static bool within(uint32_t cp, uint32_t first, uint32_t last)
{
	return cp >= first && cp <= last;
}

static bool is_joiner(uint32_t cp)
{
	return cp == 0x200C || cp == 0x200D;
}

/* Of an emoji's or ideograph's look, and Mongolian's own. */
static bool is_selector(uint32_t cp)
{
	return within(cp, 0xFE00, 0xFE0F) || (within(cp, 0x180B, 0x180F) && cp != 0x180E);
}

/*
 * They belong to a letter of a script that uses them, or to an emoji; a second one hides.  Below
 * U+1000 only © and ® have looks to select, so a Latin word carries nothing unseen.
 */
static bool stands_alone(uint32_t cp, uint32_t before)
{
	uint32_t first = is_joiner(cp) || before == 0xA9 || before == 0xAE ? 0x80 : 0x1000;
	bool joins = is_joiner(cp) && (before == 0xFE0F || before < 0xFE00);
	return before < first || is_joiner(before) || (is_selector(before) && !joins);
}

/* What controls, and Default_Ignorable_Code_Point but joiners and selectors; ascending. */
static bool acts_unseen(uint32_t cp)
{
	static const uint32_t unseen[][2] = {
		{ 0x80, 0x9F }, { 0xAD, 0xAD }, { 0x34F, 0x34F }, { 0x61C, 0x61C }, { 0x115F, 0x1160 },
		{ 0x17B4, 0x17B5 }, { 0x180E, 0x180E }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
		{ 0x2060, 0x206F }, { 0x3164, 0x3164 }, { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 },
		{ 0xFFF0, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
	};
	for (size_t i = 0; i < sizeof unseen / sizeof *unseen && cp >= unseen[i][0]; i++)
		if (cp <= unseen[i][1])
			return true;
	return false;
}

bool quote_is_control(const char *s, size_t n, uint32_t before)
{
	uint32_t cp = n > 0 ? code_point(s, n) : 0;
	if (n <= 1)
		return n == 0 || cp == 0x7F || (cp < 0x20 && cp != '\t' && cp != '\n');
	return is_joiner(cp) || is_selector(cp) ? stands_alone(cp, before) : acts_unseen(cp);
}

void quote_control(struct buf *out, const char *s, size_t n)
{
	uint32_t cp = n > 0 ? code_point(s, n) : 0;
	if (n == 0)
		buf_adds(out, "\xEF\xBF\xBD");
	else if (cp == 0x7F)
		buf_adds(out, "\xE2\x90\xA1");
	else if (cp < 0x20)
		buf_add(out, (char[]){ '\xE2', '\x90', (char)(0x80 + cp) }, 3);
	else
		buf_addf(out, "<U+%04X>", (unsigned)cp);
}

uint32_t quote_before(const char *text, size_t at)
{
	size_t n = 1;
	while (n < 4 && n < at && ((unsigned char)text[at - n] & 0xC0) == 0x80)
		n++;
	return at >= n && utf8_size(text + at - n, n) == n ? code_point(text + at - n, n) : 0;
}

/* Bytes from `at` on that are shown as they are, whatever stands around them: most text is that. */
static size_t plain_run(const char *text, size_t at, size_t len)
{
	size_t from = at;
	do
		at += ascii_printable(text + at, len - at);
	while (at < len && (text[at] == '\n' || text[at] == '\t') && at++ < len);
	return at - from;
}

void quote_controls(struct buf *out, const char *text, size_t len)
{
	size_t kept = 0;
	uint32_t before = 0; /* as it is shown */
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = plain_run(text, i, len);
		if (n > 0) {
			before = (unsigned char)text[i + n - 1];
			continue;
		}
		n = utf8_size(text + i, len - i);
		bool ends = text[i] == '\r' && i + 1 < len && text[i + 1] == '\n';
		bool plain = ends || !quote_is_control(text + i, n, before);
		before = plain ? code_point(text + i, n) : 0;
		if (plain)
			continue;
		buf_add(out, text + kept, i - kept);
		quote_control(out, text + i, n);
		kept = i + (n ? n : 1);
	}
	buf_add(out, text + kept, len - kept);
}

/* ---- lines --------------------------------------------------------------------- */

struct line {
	const char *at;
	size_t len; /* without its end */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t blanks(struct line l, size_t at)
{
	while (at < l.len && is_blank(l.at[at]))
		at++;
	return at;
}

static size_t run_of(struct line l, size_t at, char c)
{
	size_t n = 0;
	while (at + n < l.len && l.at[at + n] == c)
		n++;
	return n;
}

/* "===" or "---" alone: it makes a heading of the line before. */
static bool is_underline(struct line l, size_t at)
{
	char c = at < l.len ? l.at[at] : 0;
	return (c == '=' || c == '-') && blanks(l, at + run_of(l, at, c)) == l.len;
}

/* Behind the mark of a quote or list item at `at`; `at` itself: there is none. */
static size_t behind_mark(struct line l, size_t at)
{
	size_t end = at;
	if (at < l.len && l.at[at] == '>')
		return at + 1;
	if (at < l.len && strchr("-+*", l.at[at]))
		end = at + 1;
	while (at < l.len && is_digit(l.at[at]) && end < l.len && end - at < 9 && is_digit(l.at[end]))
		end++;
	if (end > at && is_digit(l.at[at]))
		end = end < l.len && strchr(".)", l.at[end]) ? end + 1 : at;
	return end == l.len || is_blank(l.at[end]) ? end : at;
}

static bool starts(struct line l, size_t at, const char *word)
{
	size_t n = strlen(word);
	return l.len - at >= n && strncasecmp(l.at + at, word, n) == 0;
}

/* "**#7 user**", "**4–6**", "**notes/plan.md**" */
static bool is_bold_of_ours(struct line l, size_t at)
{
	size_t name = at + 2;
	if (!starts(l, at, "**") || name == l.len)
		return false;
	if (l.at[name] == '#' || is_digit(l.at[name]))
		return true;
	while (name < l.len && ((l.at[name] >= 'a' && l.at[name] <= 'z') || l.at[name] == '.'))
		name++;
	return name > at + 2 && name < l.len && l.at[name] == '/';
}

/* "[a]: /b", one that goes on in the next line, and our own "[12 tokens more: …]". */
static bool is_definition(struct line l, size_t at)
{
	const char *end = memmem(l.at + at, l.len - at, "]", 1);
	return !end || memmem(l.at + at, l.len - at, "]:", 2) || is_digit(l.at[at + 1]);
}

/* "## x", and our own "#7 alice: x". */
static bool is_heading(struct line l, size_t at)
{
	size_t end = at + run_of(l, at, '#');
	return end == l.len || (is_blank(l.at[end]) && end - at <= 6) || is_digit(l.at[end]);
}

/* True if something could begin at this character that must not. */
static bool is_danger(struct line l, size_t at)
{
	char c = at < l.len ? l.at[at] : 0, next = at + 1 < l.len ? l.at[at + 1] : 0;
	switch (c) {
	case '#':
		return is_heading(l, at);
	case '=': case '-':
		return is_underline(l, at);
	case '`': case '~':
		return run_of(l, at, c) >= 3;
	case '<':
		if (starts(l, at, "<u+")) /* a control that is shown, which is no tag */
			return false;
		return next == '/' || next == '!' || next == '?' ||
		       ((next | 32) >= 'a' && (next | 32) <= 'z');
	case '[':
		return is_definition(l, at);
	case '*':
		return is_bold_of_ours(l, at);
	case 'l': case 'L':
		return starts(l, at, "left out:");
	default:
		return false;
	}
}

/* Where a backslash keeps a line from being more than text; NOWHERE: it needs none. */
static size_t danger_of(struct line l)
{
	for (size_t at = 0, next;; at = next) {
		at = blanks(l, at);
		if (is_danger(l, at))
			return at;
		next = behind_mark(l, at);
		if (next == at)
			return NOWHERE;
	}
}

/* In a block of code a comment is a comment; but what a page's own line looks like is not kept. */
static bool is_ours_in_code(struct line l)
{
	size_t at = blanks(l, 0), hashes = run_of(l, at, '#');
	char next = at + hashes < l.len ? l.at[at + hashes] : 0;
	return (hashes > 1 && is_blank(next)) || (hashes > 0 && is_digit(next)) ||
	       starts(l, at, "# context:") || starts(l, at, "# memory") ||
	       starts(l, at, "left out:") || is_bold_of_ours(l, at) ||
	       (at < l.len && l.at[at] == '[' && at + 1 < l.len && is_digit(l.at[at + 1]) &&
	        memmem(l.at + at, l.len - at, " tokens more", 12));
}

/* ---- fences --------------------------------------------------------------------- */

struct fence {
	char mark; /* 0: none is open */
	size_t length;
};

/* At the margin only: there both sides agree on what is open. */
static bool opens(struct line l, struct fence *f)
{
	char mark = l.len > 0 ? l.at[0] : 0;
	size_t n = mark == '`' || mark == '~' ? run_of(l, 0, mark) : 0;
	if (n < 3 || (mark == '`' && memchr(l.at + n, '`', l.len - n)))
		return false;
	*f = (struct fence){ mark, n };
	return true;
}

static bool closes(struct line l, const struct fence *f)
{
	size_t at = run_of(l, 0, ' '), n = run_of(l, at, f->mark);
	return at < 4 && n >= f->length && blanks(l, at + n) == l.len;
}

static void add_escaped(struct buf *out, struct line l, size_t at)
{
	buf_add(out, l.at, at == NOWHERE ? l.len : at);
	if (at == NOWHERE)
		return;
	buf_addc(out, '\\');
	buf_add(out, l.at + at, l.len - at);
}

static void add_line(struct buf *out, struct line l, struct fence *f)
{
	size_t at = NOWHERE;
	if (f->mark && closes(l, f))
		f->mark = 0;
	else if (f->mark)
		at = is_ours_in_code(l) ? 0 : NOWHERE;
	else if (!opens(l, f))
		at = danger_of(l);
	add_escaped(out, l, at);
}

static void add_lines(struct buf *out, const char *text, size_t len)
{
	struct fence f = { 0, 0 };
	for (size_t at = 0; at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t end = newline ? (size_t)(newline - text) : len;
		bool crlf = newline && end > at && text[end - 1] == '\r';
		add_line(out, (struct line){ text + at, end - at - crlf }, &f);
		buf_adds(out, crlf ? "\r\n" : "\n");
		at = end + 1;
	}
	for (size_t i = 0; f.mark && i < f.length; i++)
		buf_addc(out, f.mark);
	if (f.mark)
		buf_addc(out, '\n');
}

void quote_text(struct buf *out, const char *text, size_t len)
{
	struct buf plain = BUF_INIT;
	bool shown = plain_run(text, 0, len) == len; /* as it is */
	if (!shown)
		quote_controls(&plain, text, len);
	if (shown ? len > 0 : plain.len > 0)
		add_lines(out, shown ? text : plain.data, shown ? len : plain.len);
	else
		buf_addc(out, '\n');
	out->failed = out->failed || plain.failed;
	buf_release(&plain);
}

void quote_line(struct buf *out, const char *text, size_t len)
{
	struct buf line = BUF_INIT;
	bool blank = false;
	for (size_t i = 0; i < len; i++) {
		bool space = text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
		if (!space && blank && line.len > 0)
			buf_addc(&line, ' ');
		if (!space)
			buf_addc(&line, text[i]);
		blank = space;
	}
	quote_controls(out, line.data ? line.data : "", line.len);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

/* "<b", "<!--", "![": where CommonMark begins a tag, a comment, a picture. */
static bool begins_hidden(const char *s, size_t left)
{
	if (left < 2)
		return false;
	char next = s[1], letter = (char)(next | 32);
	return (s[0] == '<' && ((letter >= 'a' && letter <= 'z') || strchr("/!?", next))) ||
		(s[0] == '!' && next == '[');
}

void quote_among(struct buf *out, const char *text, size_t len)
{
	struct buf line = BUF_INIT;
	size_t backslashes = 0; /* right before: one more than an even number escapes already */
	quote_line(&line, text, len);
	for (size_t i = 0; i < line.len; i++) {
		if (backslashes % 2 == 0 && begins_hidden(line.data + i, line.len - i))
			buf_addc(out, '\\');
		buf_addc(out, line.data[i]);
		backslashes = line.data[i] == '\\' ? backslashes + 1 : 0;
	}
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

void quote_item(struct buf *out, const char *text, size_t len)
{
	struct buf line = BUF_INIT;
	quote_among(&line, text, len);
	if (line.len > 0)
		add_escaped(out, (struct line){ line.data, line.len },
		            danger_of((struct line){ line.data, line.len }));
	out->failed = out->failed || line.failed;
	buf_release(&line);
}
