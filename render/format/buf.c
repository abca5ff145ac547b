/* SPDX-License-Identifier: MIT */
/* A growable run of bytes: all renderers write into one.  Knows no format but JSON strings. */
#include "render/format/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/json_key.h"
#include "render/format/utf8.h"
#include "store/base/ascii.h"

/* 9999-12-31T23:59:59.999999Z: later times are shown as this, so that a time is 27 bytes. */
#define TIME_LAST INT64_C(253402300799999999)

void buf_init(struct buf *b)
{
	*b = (struct buf)BUF_INIT;
}

void buf_release(struct buf *b)
{
	free(b->data);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

/* … and for a NUL behind them. */
bool buf_reserve(struct buf *b, size_t more)
{
	if (b->failed)
		return false;
	if (more < b->cap - b->len)
		return true;
	size_t want = b->len + more + 1;
	size_t cap = b->cap + b->cap / 2;
	if (want <= b->len) { /* wrapped */
		b->failed = true;
		return false;
	}
	if (cap < want)
		cap = want;
	if (cap < 128)
		cap = 128;
	char *data = realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->data[b->len] = '\0';
	b->cap = cap;
	return true;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (!buf_reserve(b, len))
		return;
	if (len > 0)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
}

bool buf_resize(struct buf *b, size_t len)
{
	size_t more = len > b->len ? len - b->len : 0;
	if (!buf_reserve(b, more))
		return false;
	if (more > 0)
		memset(b->data + b->len, 0, more);
	b->len = len;
	b->data[len] = '\0';
	return true;
}

void buf_adds(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	size_t room = b->failed ? 0 : b->cap - b->len; /* mostly enough: then it is made once */
	va_start(ap, fmt);
	int len = vsnprintf(room ? b->data + b->len : NULL, room, fmt, ap);
	va_end(ap);
	bool made = len >= 0 && (size_t)len < room;
	if (!made && (len < 0 || !buf_reserve(b, (size_t)len))) {
		if (room)
			b->data[b->len] = '\0';
		b->failed = true;
		return;
	}
	if (!made) {
		va_start(ap, fmt);
		(void)vsnprintf(b->data + b->len, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)len;
}

static void add_escape(struct buf *b, unsigned char c)
{
	static const char letter[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};
	if (c == '"' || c == '\\')
		buf_add(b, (char[]){ '\\', (char)c }, 2);
	else if (letter[c])
		buf_add(b, (char[]){ '\\', letter[c] }, 2);
	else
		buf_addf(b, "\\u%04x", c);
}

void buf_add_json(struct buf *b, const char *text, size_t len)
{
	size_t from = 0;
	buf_addc(b, '"');
	for (size_t i = ascii_in_json(text, len); i < len; i += ascii_in_json(text + i, len - i)) {
		unsigned char c = (unsigned char)text[i];
		size_t n = c < 0x80 ? 1 : utf8_size(text + i, len - i);
		if (n > 0 && c >= 0x20 && c != '"' && c != '\\') {
			i += n;
			continue;
		}
		buf_add(b, text + from, i - from);
		if (n == 0) /* not UTF-8 after all (a path, say): the page stays readable */
			buf_adds(b, "\xEF\xBF\xBD");
		else
			add_escape(b, c);
		from = ++i;
	}
	buf_add(b, text + from, len - from);
	buf_addc(b, '"');
}

void buf_add_hex(struct buf *b, const uint8_t *bytes, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	if (len > SIZE_MAX / 2 || !buf_reserve(b, 2 * len)) {
		b->failed = true;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		b->data[b->len++] = digit[bytes[i] >> 4];
		b->data[b->len++] = digit[bytes[i] & 15];
	}
	b->data[b->len] = '\0';
}

void buf_add_time(struct buf *b, int64_t time_us)
{
	if (time_us < 0)
		time_us = 0;
	if (time_us > TIME_LAST)
		time_us = TIME_LAST;
	int64_t second = time_us / 1000000, of_day = second % 86400;
	/* Days to a civil date in a calendar whose year begins in March: leap days come last. */
	int64_t day = second / 86400 + 719468;
	int64_t era = day / 146097, of_era = day % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	int64_t mday = of_year - (153 * month + 2) / 5 + 1;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	char text[] = "0000-00-00T00:00:00.000000Z";
	const struct {
		int64_t n;
		int end;
	} at[] = { { year, 4 }, { month, 7 }, { mday, 10 }, { of_day / 3600, 13 },
		{ of_day / 60 % 60, 16 }, { of_day % 60, 19 }, { time_us % 1000000, 26 } };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		int end = at[i].end;
		for (int64_t n = at[i].n; n > 0; n /= 10)
			text[--end] = (char)('0' + n % 10);
	}
	buf_add(b, text, sizeof text - 1);
}
