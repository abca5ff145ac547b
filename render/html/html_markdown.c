/* SPDX-License-Identifier: MIT */
/* CommonMark as elements that we mean; see html.h.  cmark parses, and nothing of it is trusted. */
#include <cmark.h>
#include <string.h>

#include "render/format/format.h"
#include "render/html/html.h"

enum { DEPTH_SHOWN = 24 /* elements within each other; what is deeper stands in the last */ };

static bool starts(const char *text, const char *with)
{
	for (; *with; text++, with++)
		if ((*text | 0x20) != *with && *text != *with)
			return false;
	return true;
}

static bool is_address(const char *url)
{
	return url && (starts(url, "http://") || starts(url, "https://") || starts(url, "mailto:"));
}

static void literal(struct buf *out, const char *open, cmark_node *n, const char *close)
{
	const char *text = cmark_node_get_literal(n);
	buf_adds(out, open);
	html_string(out, text ? text : "");
	buf_adds(out, close);
}

/* A paragraph of a list whose items are close together. */
static bool is_tight(cmark_node *paragraph)
{
	cmark_node *item = cmark_node_parent(paragraph), *list = item ? cmark_node_parent(item) : NULL;
	return list && cmark_node_get_type(list) == CMARK_NODE_LIST && cmark_node_get_list_tight(list);
}

/* The element of what holds others; NULL: none. */
static const char *element_of(cmark_node *n)
{
	switch (cmark_node_get_type(n)) {
	case CMARK_NODE_BLOCK_QUOTE:
		return "blockquote";
	case CMARK_NODE_LIST:
		return cmark_node_get_list_type(n) == CMARK_ORDERED_LIST ? "ol" : "ul";
	case CMARK_NODE_ITEM:
		return "li";
	case CMARK_NODE_PARAGRAPH:
	case CMARK_NODE_HEADING:
		return "p";
	case CMARK_NODE_EMPH:
		return "em";
	case CMARK_NODE_STRONG:
		return "strong";
	case CMARK_NODE_LINK:
		return is_address(cmark_node_get_url(n)) ? "a" : NULL;
	default:
		return NULL;
	}
}

static void open_element(struct buf *out, cmark_node *n, const char *name)
{
	cmark_node_type type = cmark_node_get_type(n);
	if (type == CMARK_NODE_LINK) {
		buf_adds(out, "<a rel=\"noreferrer\" href=\"");
		html_string(out, cmark_node_get_url(n));
		buf_adds(out, "\">");
	} else if (type == CMARK_NODE_HEADING) {
		buf_adds(out, "<p class=\"head\" dir=\"auto\">");
	} else if (type == CMARK_NODE_PARAGRAPH) {
		buf_adds(out, is_tight(n) ? "<span dir=\"auto\">" : "<p dir=\"auto\">");
	} else {
		buf_addf(out, "<%s>", name);
	}
}

static void close_element(struct buf *out, cmark_node *n, const char *name)
{
	cmark_node_type type = cmark_node_get_type(n);
	bool block = type != CMARK_NODE_LINK && type != CMARK_NODE_EMPH && type != CMARK_NODE_STRONG;
	if (type == CMARK_NODE_PARAGRAPH && is_tight(n))
		name = "span";
	buf_addf(out, "</%s>%s", name, block ? "\n" : "");
}

static void leaf(struct buf *out, cmark_node *n)
{
	switch (cmark_node_get_type(n)) {
	case CMARK_NODE_TEXT:
		literal(out, "", n, "");
		break;
	case CMARK_NODE_CODE:
	case CMARK_NODE_HTML_INLINE:
		literal(out, "<code>", n, "</code>");
		break;
	case CMARK_NODE_CODE_BLOCK:
	case CMARK_NODE_HTML_BLOCK:
		literal(out, "<pre dir=\"auto\">\n", n, "</pre>\n");
		break;
	case CMARK_NODE_SOFTBREAK:
		buf_addc(out, '\n');
		break;
	case CMARK_NODE_LINEBREAK:
		buf_adds(out, "<br>\n");
		break;
	case CMARK_NODE_THEMATIC_BREAK:
		buf_adds(out, "<hr>\n");
		break;
	default:
		break;
	}
}

void html_markdown(struct html *h, const char *text, size_t len)
{
	if (render_deep(text, len)) {
		buf_adds(h->out, "<pre dir=\"auto\">\n");
		html_text(h->out, text, len);
		buf_adds(h->out, "</pre>\n");
		return;
	}
	cmark_node *root = cmark_parse_document(text, len, CMARK_OPT_VALIDATE_UTF8);
	cmark_iter *i = root ? cmark_iter_new(root) : NULL;
	int depth = 0;
	for (cmark_event_type event; i && (event = cmark_iter_next(i)) != CMARK_EVENT_DONE;) {
		cmark_node *n = cmark_iter_get_node(i);
		const char *name = element_of(n);
		if (!name && cmark_node_get_type(n) == CMARK_NODE_IMAGE)
			buf_adds(h->out, event == CMARK_EVENT_ENTER ? "[picture: " : "]");
		else if (!name)
			leaf(h->out, n);
		else if (event == CMARK_EVENT_ENTER && depth++ < DEPTH_SHOWN)
			open_element(h->out, n, name);
		else if (event == CMARK_EVENT_EXIT && --depth < DEPTH_SHOWN)
			close_element(h->out, n, name);
	}
	h->out->failed |= !i;
	if (i)
		cmark_iter_free(i);
	if (root)
		cmark_node_free(root);
}
