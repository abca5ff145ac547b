/* SPDX-License-Identifier: MIT */
/*
 * Whether an output has the structure that was asked for: instructions about format are left
 * out only after one that has.  It looks at the form alone; whether it is true is not
 * to be seen here.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/text/signal_text.h"
#include "render/text/text.h"

static bool says_something(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
			return true;
	return false;
}

static bool is_json(const char *text, size_t len)
{
	struct json j;
	struct why why;
	bool is = json_read(&j, text, len, DEPTH_LIMIT, &why) == 0 &&
	          (j.nodes[0].type == VALUE_OBJECT || j.nodes[0].type == VALUE_ARRAY);
	json_release(&j);
	return is;
}

/* Each fence of code is closed by one of its kind, at least as long (CommonMark 4.5). */
static bool fences_close(const char *text, size_t len)
{
	char open = 0;
	size_t length = 0;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t stop = end ? (size_t)(end - text) : len, i = at, n = 0;
		while (i < stop && text[i] == ' ' && i - at < 4)
			i++;
		while (i + n < stop && text[i + n] == text[i] && (text[i] == '`' || text[i] == '~'))
			n++;
		bool fence = n >= 3 && i - at < 4;
		bool bare = fence && !says_something(text + i + n, stop - i - n);
		bool spoils = fence && text[i] == '`' && memchr(text + i + n, '`', stop - i - n);
		if (fence && open == 0 && !spoils) {
			open = text[i];
			length = n;
		} else if (bare && text[i] == open && n >= length) {
			open = 0;
		}
		at = stop + 1;
	}
	return open == 0;
}

bool render_output_check(enum output_format format, const char *text, size_t len)
{
	if (!signal_is_text(text, len) || memchr(text, '\0', len) || !says_something(text, len))
		return false;
	switch (format) {
	case OUTPUT_JSON:
		return is_json(text, len);
	case OUTPUT_MARKDOWN:
		return fences_close(text, len);
	case OUTPUT_TEXT:
	default:
		return true;
	}
}
