/* SPDX-License-Identifier: MIT */
/* What marks a fact, as it stands in its text: where it goes and how it is taken off. */
#include <cmark.h>
#include <string.h>

#include "render/facts/facts.h"
#include "render/facts/facts_item.h"
#include "render/format/format.h"

enum { PARAGRAPHS = 4 }; /* so many of marks alone are looked behind */

static const struct mark {
	const char *text;
	size_t len;
	enum confidence confidence; /* if it is not this one: */
	bool inferred;
} marks[] = {
	{ "*(low)*", 7, CONFIDENCE_LOW, false },
	{ "*(medium)*", 10, CONFIDENCE_MEDIUM, false },
	{ "*(high)*", 8, CONFIDENCE_HIGH, false },
	{ "*(inferred)*", 12, CONFIDENCE_HIGH, true },
};

static size_t line_at(const char *text, size_t len, int line)
{
	size_t at = 0;
	for (int i = 1; i < line && at < len; i++)
		at = facts_line_end(text, len, at) + 1;
	return at < len ? at : len;
}

static cmark_node *parse_item(const char *text, size_t len)
{
	struct buf item = BUF_INIT;
	buf_adds(&item, "+ ");
	for (size_t at = 0; at < len;) {
		size_t end = facts_line_end(text, len, at);
		buf_adds(&item, at > 0 && end > at ? "  " : "");
		buf_add(&item, text + at, end - at);
		buf_addc(&item, '\n');
		at = end + 1;
	}
	cmark_node *root = NULL;
	if (!item.failed)
		root = cmark_parse_document(item.data, item.len, CMARK_OPT_DEFAULT);
	buf_release(&item);
	return root;
}

bool facts_paragraph(const char *text, size_t len, size_t *from, size_t *to)
{
	unsigned char c = len > 0 ? (unsigned char)text[0] : 0;
	/* most facts: one line that begins with a letter can be nothing else */
	if (((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !memchr(text, '\n', len)) {
		*from = 0;
		*to = len;
		return true;
	}
	cmark_node *root = parse_item(text, len);
	cmark_node *n = root ? cmark_node_first_child(root) : NULL; /* the list, its item, … */
	n = n ? cmark_node_first_child(n) : NULL;
	n = n ? cmark_node_first_child(n) : NULL;
	while (n && cmark_node_get_type(n) != CMARK_NODE_PARAGRAPH)
		n = cmark_node_next(n);
	if (n) {
		*from = line_at(text, len, cmark_node_get_start_line(n));
		*to = line_at(text, len, cmark_node_get_end_line(n));
		*to = facts_line_end(text, len, *to);
		while (*to > *from && facts_blank(text, *to - 1, *to))
			(*to)--;
	}
	if (root)
		cmark_node_free(root);
	return n && *to > *from;
}

static void cut(struct buf *text, size_t from, size_t to)
{
	memmove(text->data + from, text->data + to, text->len - to);
	(void)buf_resize(text, text->len - (to - from));
}

/* The mark that ends text[from .. to), apart from what is before it; NULL: none. */
static const struct mark *mark_before(const struct buf *text, size_t from, size_t to)
{
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		size_t at = to - marks[i].len;
		if (to - from >= marks[i].len &&
		    memcmp(text->data + at, marks[i].text, marks[i].len) == 0 &&
		    (at == from || facts_blank(text->data, at - 1, at)))
			return &marks[i];
	}
	return NULL;
}

/*
 * Takes all the marks off the end of text[from .. to); of confidences the last one counts, if there
 * was none before (`said`).
 */
static bool take_off(struct buf *text, size_t from, size_t to, struct fact_item *found, bool *said)
{
	const struct mark *last = mark_before(text, from, to), *sure = NULL;
	bool inferred = false;
	size_t at = to;
	for (const struct mark *m = last; m; m = mark_before(text, from, at)) {
		inferred = inferred || m->inferred;
		sure = sure || m->inferred ? sure : m;
		at -= m->len;
		while (at > from && facts_blank(text->data, at - 1, at))
			at--;
	}
	if (!last || (at == from && facts_blank(text->data, 0, from) &&
	              facts_blank(text->data, to, text->len)))
		return false; /* none; or all there is, which is a fact and no mark */
	if (at == from)
		for (size_t end = to; end < text->len && facts_blank(text->data, to, end + 1); end++)
			if (text->data[end] == '\n')
				to = end + 1;
	cut(text, at, to);
	found->inferred = found->inferred || inferred;
	if (sure && !*said)
		found->confidence = sure->confidence;
	*said = *said || sure;
	return at == from;
}

void facts_marks(struct buf *text, struct fact_item *found)
{
	bool said = false;
	size_t from, to;
	found->confidence = CONFIDENCE_HIGH;
	found->inferred = false;
	bool more = text->len > 0 && memmem(text->data, text->len, ")*", 2) &&
	            facts_paragraph(text->data, text->len, &from, &to) &&
	            take_off(text, from, to, found, &said);
	/* a paragraph of marks alone is gone; the next one may have some too */
	for (int i = 0; more && i < PARAGRAPHS; i++)
		more = facts_paragraph(text->data, text->len, &from, &to) &&
		       take_off(text, from, to, found, &said);
}
