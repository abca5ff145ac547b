/* SPDX-License-Identifier: MIT */
/*
 * Anybody's names in lines of ours (quote.h): they cannot part the line, nor look like what stands
 * beside them, as they are and as CommonMark shows them.
 */
#include "render/format/quote.h"

#include <string.h>

#include "render/format/utf8.h"

/* What parts our own lines, and what looks the same. */
static bool is_dot(uint32_t cp)
{
	return cp == 0xB7 || cp == 0x387 || cp == 0x1427 || cp == 0x2027 || cp == 0x2219 ||
	       cp == 0x22C5 || cp == 0x2E31;
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

void quote_dots(struct buf *out, const char *text, size_t len)
{
	size_t kept = 0;
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_size(text + i, len - i);
		bool within_word = i > 0 && i + n < len && is_letter(text[i - 1]) && is_letter(text[i + n]);
		bool plain = n < 2 || !is_dot(quote_before(text, i + n)) || within_word;
		n = n ? n : 1;
		if (plain)
			continue;
		buf_add(out, text + kept, i - kept);
		quote_control(out, text + i, n);
		kept = i + n;
	}
	buf_add(out, text + kept, len - kept);
}

/* The text as `first` writes it, and that as `second` does. */
static void write_twice(struct buf *out, const char *text, size_t len,
                        void (*first)(struct buf *out, const char *text, size_t len),
                        void (*second)(struct buf *out, const char *text, size_t len))
{
	struct buf line = BUF_INIT;
	first(&line, text, len);
	second(out, line.data ? line.data : "", line.len);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

void quote_name(struct buf *out, const char *text, size_t len)
{
	write_twice(out, text, len, quote_line, quote_dots);
}

void quote_double(struct buf *out, const char *text, size_t len)
{
	if (len > 0)
		buf_addc(out, '"');
	for (size_t i = 0; i < len; i++)
		buf_addc(out, text[i] == '"' ? '\'' : text[i]);
	if (len > 0)
		buf_addc(out, '"');
}

void quote_inert(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool shown = text[i] == '<' && len - i > 2 && memcmp(text + i, "<U+", 3) == 0;
		bool entity = text[i] == '&' && memchr(text + i, ';', len - i);
		if (entity || (memchr("*`[<\\", text[i], 5) && !shown))
			buf_addc(out, '\\');
		buf_addc(out, text[i]);
	}
}

void quote_said(struct buf *out, const char *text, size_t len)
{
	write_twice(out, text, len, quote_name, quote_double);
}

void quote_claim(struct buf *out, const char *text, size_t len)
{
	write_twice(out, text, len, quote_said, quote_inert);
}

void quote_part(struct buf *out, const char *text, size_t len)
{
	write_twice(out, text, len, quote_name, quote_inert);
}

bool quote_is_word(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && (is_letter(text[i]) || (text[i] >= '0' && text[i] <= '9') ||
	                   (text[i] && strchr("_-.:/", text[i]))))
		i++;
	return i == len;
}

void quote_word(struct buf *out, const char *text, size_t len)
{
	if (quote_is_word(text, len))
		buf_add(out, text, len);
	else
		quote_claim(out, text, len);
}
