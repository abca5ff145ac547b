/* SPDX-License-Identifier: MIT */
/* A text without what nobody sees (bare.h). */
#include "render/format/bare.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "render/format/json_key.h"

enum { ESC = 0x1B, ESCAPE = 6 /* bytes: \u200b */ };

/* A character of JSON's escapes, or of three bytes, or else a byte; `n`: its bytes. */
static uint32_t character(const char *s, size_t left, size_t *n)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t cp = 0;
	*n = 1;
	if (left >= 3 && (u[0] & 0xF0) == 0xE0 && (u[1] & 0xC0) == 0x80 && (u[2] & 0xC0) == 0x80) {
		*n = 3;
		return (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu);
	}
	if (left < ESCAPE || u[0] != '\\' || u[1] != 'u')
		return u[0];
	for (int i = 2; i < ESCAPE; i++) {
		int digit = json_hex_digit(s[i]);
		if (digit < 0)
			return u[0];
		cp = cp << 4 | (uint32_t)digit;
	}
	*n = ESCAPE;
	return cp;
}

static bool has_no_width(uint32_t cp)
{
	return (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x202A && cp <= 0x202E) ||
	       (cp >= 0x2060 && cp <= 0x2064) || cp == 0xFEFF;
}

/* Bytes of "[31m", 0: none. */
static size_t sequence(const char *s, size_t left)
{
	size_t n = 1;
	if (left < 2 || s[0] != '[')
		return 0;
	while (n < left && s[n] >= ' ' && s[n] <= '?')
		n++;
	return n < left && s[n] >= '@' && s[n] <= '~' ? n + 1 : 0;
}

/* Bytes of the text's next step; `c`: the byte that it is in the copy, -1: none is. */
static size_t step(const char *s, size_t left, int *c)
{
	size_t n, more;
	uint32_t cp = character(s, left, &n);
	*c = -1;
	if (has_no_width(cp))
		return n;
	if (cp == ESC && (more = sequence(s + n, left - n)) > 0)
		return n + more;
	bool word = n == ESCAPE && cp < 0x80 && (isalnum((int)cp) || cp == '_' || cp == '-');
	*c = word ? (int)cp : (unsigned char)*s;
	return word ? n : 1;
}

/* What a step of more than a byte begins with. */
static const char firsts[] = { ESC, '\\', '\xE2', '\xEF' };

bool bare_differs(const char *text, size_t len)
{
	const char *end = text + len;
	int c;
	for (size_t i = 0; i < sizeof firsts; i++)
		for (const char *p = text; p < end && (p = memchr(p, firsts[i], (size_t)(end - p))); p++)
			if (step(p, (size_t)(end - p), &c) > 1)
				return true;
	return false;
}

void bare_copy(struct buf *out, const char *text, size_t len, char seam)
{
	bool first[256] = { false };
	int c;
	for (size_t i = 0; i < sizeof firsts; i++)
		first[(unsigned char)firsts[i]] = true;
	for (size_t i = 0, from; i < len && !out->failed;) {
		for (from = i; i < len && !first[(unsigned char)text[i]];)
			i++;
		buf_add(out, text + from, i - from);
		if (i == len)
			break;
		i += step(text + i, len - i, &c);
		if (c >= 0 || seam)
			buf_addc(out, c >= 0 ? (char)c : seam);
	}
}

void bare_seek(struct bare_place *p, const char *text, size_t len, size_t copy, bool over)
{
	while (p->text < len) {
		int c;
		size_t n = step(text + p->text, len - p->text, &c);
		if (p->copy == copy && (c >= 0 || p->seam || !over))
			return;
		p->text += n;
		p->copy += c >= 0 || p->seam;
	}
}
