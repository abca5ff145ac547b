/* SPDX-License-Identifier: MIT */
/*
 * A line of errors.log.  What users offered stands in it, so whatever could end
 * the line or move a terminal's cursor is written as an escape, and what acts unseen is shown.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/pages/pages.h"

static void add_safe(struct buf *out, const char *text)
{
	size_t len = strlen(text);
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = utf8_size(text + i, len - i);
		if (n == 0 || c < 0x20 || c == 0x7F) {
			if (c == '\n')
				buf_adds(out, "\\n");
			else if (c == '\t')
				buf_adds(out, "\\t");
			else
				buf_addf(out, "\\x%02x", c);
			i++;
		} else if (n == 2 && c == 0xC2 && (unsigned char)text[i + 1] < 0xA0) {
			buf_addf(out, "\\u00%02x", (unsigned char)text[i + 1]);
			i += 2;
		} else if (quote_is_control(text + i, n, quote_before(text, i))) {
			quote_control(out, text + i, n);
			i += n;
		} else {
			buf_add(out, text + i, n);
			i += n;
		}
	}
}

void render_refusal(struct buf *out, const struct refusal *r)
{
	buf_add_time(out, r->time_us);
	const char *const parts[] = { r->code, r->op, r->path, r->author };
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		buf_addc(out, ' ');
		add_safe(out, parts[i]);
	}
	buf_adds(out, ": ");
	add_safe(out, r->reason);
	if (*r->todo) {
		buf_adds(out, "; ");
		add_safe(out, r->todo);
	}
	if (*r->kept) {
		buf_adds(out, "; kept as rejected/");
		add_safe(out, r->kept);
	}
	buf_addc(out, '\n');
}
