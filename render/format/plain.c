/* SPDX-License-Identifier: MIT */
/*
 * A document's text without its markup, for the search: what a reader of the page would read.
 * cmark says what is text; blocks end a line.  Code, tags and the descriptions of images are text;
 * the address of a link follows what it is called.
 */
#include <cmark.h>
#include <string.h>

#include "render/format/buf.h"
#include "render/format/json_key.h"
#include "render/format/plain.h"
#include "render/format/utf8.h"

enum { COLUMN_MOST = 128 };

static void enter(struct buf *out, cmark_node *node)
{
	const char *text = cmark_node_get_literal(node);
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_TEXT:
	case CMARK_NODE_CODE:
	case CMARK_NODE_CODE_BLOCK:
	case CMARK_NODE_HTML_BLOCK:
	case CMARK_NODE_HTML_INLINE: /* List<Message>, and what a comment says */
		buf_adds(out, text ? text : "");
		break;
	case CMARK_NODE_SOFTBREAK:
	case CMARK_NODE_LINEBREAK:
		buf_addc(out, '\n');
		break;
	default:
		break;
	}
}

/*
 * An address that stands there as its own text is there once.  Many links may have one address, by
 * a reference: `most` bytes are enough.
 */
static void leave(struct buf *out, cmark_node *node, size_t most)
{
	cmark_node_type type = cmark_node_get_type(node);
	const char *url = type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE ?
		cmark_node_get_url(node) : NULL;
	size_t len = url ? strlen(url) : 0;
	bool same = len <= out->len && len > 0 && memcmp(out->data + out->len - len, url, len) == 0;
	if (len > 0 && !same && out->len + len < most)
		buf_addf(out, " %s", url);
}

static bool ends_line(cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_PARAGRAPH:
	case CMARK_NODE_HEADING:
	case CMARK_NODE_CODE_BLOCK:
	case CMARK_NODE_HTML_BLOCK:
		return true;
	default:
		return false;
	}
}

/* Bytes of the mark of a quotation or list item that begins here, 0: none does. */
static size_t mark(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && p - at < 9 && *p >= '0' && *p <= '9')
		p++;
	if (p == at && *p == '>')
		return 1;
	bool is = p < end && *p && strchr(p > at ? ".)" : "-+*", *p);
	return is && (p + 1 == end || p[1] == ' ' || p[1] == '\t') ? (size_t)(p + 1 - at) : 0;
}

int render_deep(const char *text, size_t len)
{
	int number = 1;
	for (const char *at = text, *stop = len ? text + len : text; at < stop; at++, number++) {
		const char *end = memchr(at, '\n', (size_t)(stop - at));
		size_t column = 0, n = 1;
		end = end ? end : stop;
		for (; at < end && n > 0; at += n) {
			n = *at == ' ' || *at == '\t' ? 1 : mark(at, end);
			column += *at == '\t' ? 4 : n;
			if (column > COLUMN_MOST && *at != ' ' && *at != '\t' && n > 0)
				return number;
		}
		at = end;
	}
	return 0;
}

void render_plain(struct buf *out, const char *text, size_t len)
{
	if (render_deep(text, len)) {
		buf_add(out, text, len);
		return;
	}
	cmark_node *root = cmark_parse_document(text, len, CMARK_OPT_DEFAULT);
	cmark_iter *it = root ? cmark_iter_new(root) : NULL;
	for (cmark_event_type event; it && (event = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		cmark_node *node = cmark_iter_get_node(it);
		bool leaf = cmark_node_first_child(node) == NULL;
		if (event == CMARK_EVENT_ENTER)
			enter(out, node);
		else if (event == CMARK_EVENT_EXIT)
			leave(out, node, 2 * len);
		if ((event == CMARK_EVENT_EXIT || leaf) && ends_line(node) && out->len > 0 &&
		    out->data[out->len - 1] != '\n')
			buf_addc(out, '\n');
	}
	if (it)
		cmark_iter_free(it);
	if (root)
		cmark_node_free(root);
}
