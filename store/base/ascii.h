/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes that need no look of their own, eight at a time: most text is that.  Pure, so every
 * room may include it.
 */
#ifndef CINTA_ASCII_H
#define CINTA_ASCII_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ASCII_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Top bits of the bytes below `least` (at most 0x80) or beyond ASCII; those behind may be wrong. */
static inline uint64_t ascii_not(uint64_t eight, uint64_t least)
{
	return eight | (eight - ASCII_EACH(least));
}

static inline int ascii_is_text(char c)
{
	unsigned char byte = (unsigned char)c;
	return byte >= ' ' && byte < 0x80;
}

/* How many bytes at `s` a JSON string holds as they are: ASCII, no control, quote or backslash. */
static inline size_t ascii_in_json(const char *s, size_t len)
{
	size_t at = 0;
	for (uint64_t eight; at + 8 <= len; at += 8) {
		memcpy(&eight, s + at, 8);
		if ((ascii_not(eight, ' ') | ascii_not(eight ^ ASCII_EACH('"'), 1) |
		     ascii_not(eight ^ ASCII_EACH('\\'), 1)) & ASCII_EACH(0x80))
			break;
	}
	while (at < len && ascii_is_text(s[at]) && s[at] != '"' && s[at] != '\\')
		at++;
	return at;
}

/* How many bytes at `s` are blanks and printable ASCII. */
static inline size_t ascii_printable(const char *s, size_t len)
{
	size_t at = 0;
	for (uint64_t eight; at + 8 <= len; at += 8) {
		memcpy(&eight, s + at, 8);
		if ((ascii_not(eight, ' ') | ascii_not(eight ^ ASCII_EACH(0x7F), 1)) & ASCII_EACH(0x80))
			break;
	}
	while (at < len && ascii_is_text(s[at]) && s[at] != 0x7F)
		at++;
	return at;
}

#endif
