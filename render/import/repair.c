/* SPDX-License-Identifier: MIT */
/*
 * JSON that others wrote by cutting strings anywhere: halves of surrogate pairs, NUL and bytes that
 * are no UTF-8 become U+FFFD.
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

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

bool import_repair(struct buf *out, const char *text, size_t len)
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
