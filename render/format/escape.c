/* SPDX-License-Identifier: MIT */
/* Escapes for HTML and SVG; see escape.h. */
#include "render/format/escape.h"

#include <string.h>

#include "render/format/quote.h"

void html_text(struct buf *out, const char *text, size_t len)
{
	struct buf shown = BUF_INIT;
	quote_controls(&shown, text, len);
	out->failed |= shown.failed;
	for (size_t i = 0, from = 0; i <= shown.len; i++) {
		static const char special[] = "&<>\"'";
		static const char *const as[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
		const char *c = i < shown.len && shown.data[i] ? strchr(special, shown.data[i]) : NULL;
		if (!c && i < shown.len)
			continue;
		if (i > from)
			buf_add(out, shown.data + from, i - from);
		if (c)
			buf_adds(out, as[c - special]);
		from = i + 1;
	}
	buf_release(&shown);
}

void html_string(struct buf *out, const char *text)
{
	html_text(out, text, strlen(text));
}

void html_path(struct buf *out, const char *path)
{
	for (; *path; path++) {
		const unsigned char c = (unsigned char)*path;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (plain || strchr("-._~/", c))
			buf_addc(out, (char)c);
		else
			buf_addf(out, "%%%02X", c);
	}
}
