/* SPDX-License-Identifier: MIT */
/* RFC 8259, 7 and RFC 3629, as json_text.h says; jansson is the oracle in the tests. */
#include "store/db/json_text.h"

#include <stdint.h>
#include <string.h>

#include "store/base/ascii.h"

/* Bytes of the well-formed sequence of UTF-8 at `s`, beyond ASCII; 0: it is none. */
static size_t sequence(const unsigned char *s, size_t len)
{
	size_t n = *s < 0xC2 || *s > 0xF4 ? 0 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : 4;
	unsigned low = *s == 0xE0 ? 0xA0 : *s == 0xF0 ? 0x90 : 0x80;
	unsigned high = *s == 0xED ? 0x9F : *s == 0xF4 ? 0x8F : 0xBF;
	if (n == 0 || len < n || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

static int hex(unsigned char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \uXXXX of a character by itself; its bytes in UTF-8 are fewer than the six. */
static size_t code_point(const unsigned char *s, size_t len, char **dst)
{
	unsigned cp = 0;
	char *d = *dst;
	for (size_t i = 2; i < 6; i++) {
		int digit = i < len ? hex(s[i]) : -1;
		if (digit < 0)
			return 0;
		cp = cp << 4 | (unsigned)digit;
	}
	if (cp == 0 || (cp >= 0xD800 && cp <= 0xDFFF))
		return 0;
	if (cp < 0x80) {
		*d++ = (char)cp;
	} else {
		if (cp < 0x800) {
			*d++ = (char)(0xC0 | cp >> 6);
		} else {
			*d++ = (char)(0xE0 | cp >> 12);
			*d++ = (char)(0x80 | (cp >> 6 & 0x3F));
		}
		*d++ = (char)(0x80 | (cp & 0x3F));
	}
	*dst = d;
	return 6;
}

/* How many bytes of an escape were taken; 0: it is none. */
static size_t escape(const unsigned char *s, size_t len, char **dst)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	if (len > 1 && s[1] == 'u')
		return code_point(s, len, dst);
	const char *name = len > 1 && s[1] ? strchr(names, s[1]) : NULL;
	if (!name)
		return 0;
	*(*dst)++ = bytes[name - names];
	return 2;
}

size_t json_text_take(const char *quoted, size_t len, char *dst, size_t *dst_len)
{
	const unsigned char *s = (const unsigned char *)quoted;
	char few[4], *d = dst ? dst : few;
	size_t i = 0;
	for (size_t n; i < len && s[i] != '"'; i += n) {
		n = ascii_in_json(quoted + i, len - i);
		bool code = n == 0 && s[i] == '\\';
		if (n == 0 && !code)
			n = s[i] < 0x80 ? 0 : sequence(s + i, len - i);
		if (!code && dst) {
			memcpy(d, s + i, n);
			d += n;
		}
		if (code)
			n = escape(s + i, len - i, &d);
		if (n == 0)
			return JSON_TEXT_NONE;
		d = dst ? d : few;
	}
	*dst_len = dst ? (size_t)(d - dst) : 0;
	return i;
}

bool json_text(const char *quoted, size_t len, char *dst, size_t *dst_len)
{
	return json_text_take(quoted, len, dst, dst_len) == len;
}
