/* SPDX-License-Identifier: MIT */
/* UTF-8 as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF. */
#ifndef CINTA_UTF8_H
#define CINTA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed sequence that starts at `s` (`len` > 0 bytes are there), 0 if none. */
static inline size_t utf8_size(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned lo = 0x80, hi = 0xBF;
	size_t n;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xC2 && u[0] <= 0xDF) {
		n = 2;
	} else if (u[0] >= 0xE0 && u[0] <= 0xEF) {
		n = 3;
		lo = u[0] == 0xE0 ? 0xA0 : 0x80;
		hi = u[0] == 0xED ? 0x9F : 0xBF;
	} else if (u[0] >= 0xF0 && u[0] <= 0xF4) {
		n = 4;
		lo = u[0] == 0xF0 ? 0x90 : 0x80;
		hi = u[0] == 0xF4 ? 0x8F : 0xBF;
	} else {
		return 0;
	}
	if (len < n || u[1] < lo || u[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((u[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

/* How many of `len` bytes are shown if it may be `most`: whole characters. */
static inline size_t utf8_fit(const char *text, size_t len, size_t most)
{
	if (len <= most)
		return len;
	while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80)
		most--;
	return most;
}

/* Writes the code point `cp` to `dst` (4 bytes); returns how many bytes it took. */
static inline size_t utf8_put(char *dst, uint32_t cp)
{
	if (cp < 0x80) {
		dst[0] = (char)cp;
		return 1;
	}
	size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	for (size_t i = n; i-- > 1; cp >>= 6)
		dst[i] = (char)(0x80 | (cp & 0x3F));
	dst[0] = (char)(lead[n] | cp);
	return n;
}

#endif
