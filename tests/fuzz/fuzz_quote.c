/* SPDX-License-Identifier: MIT */
/*
 * Any bytes quoted between two headings of ours.  CommonMark's parser finds these two and no other,
 * no block of HTML, and nothing that acts without being seen; and between lines of ours in one
 * paragraph no tag, no comment and no picture.
 *
 * Options: -max_len=400
 */
#include <cmark.h>
#include <string.h>

#include "render/format/quote.h"
#include "render/format/utf8.h"
#include "tests/fuzz/fuzz.h"

static int forbidden(const struct buf *page, int *headings)
{
	int html = 0;
	cmark_node *root = cmark_parse_document(page->data, page->len, CMARK_OPT_DEFAULT);
	cmark_iter *it = cmark_iter_new(root);
	for (cmark_event_type e; (e = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		cmark_node_type type = cmark_node_get_type(cmark_iter_get_node(it));
		*headings += e == CMARK_EVENT_ENTER && type == CMARK_NODE_HEADING;
		html += e == CMARK_EVENT_ENTER && type == CMARK_NODE_HTML_BLOCK;
	}
	cmark_iter_free(it);
	cmark_node_free(root);
	return html;
}

/* "#1 a: any bytes", twice, and a line of ours behind: all of it is seen. */
static void check_among(const char *data, size_t size)
{
	struct buf page = BUF_INIT;
	for (int n = 1; n <= 2; n++) {
		buf_addf(&page, "#%d a: ", n);
		quote_among(&page, data, size);
		buf_addc(&page, '\n');
	}
	cmark_node *root = page.failed ? NULL :
		cmark_parse_document(page.data, page.len, CMARK_OPT_DEFAULT);
	cmark_iter *it = root ? cmark_iter_new(root) : NULL;
	for (cmark_event_type e; it && (e = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		cmark_node_type type = cmark_node_get_type(cmark_iter_get_node(it));
		MUST(type != CMARK_NODE_HTML_INLINE && type != CMARK_NODE_HTML_BLOCK);
		MUST(type != CMARK_NODE_IMAGE);
	}
	if (it)
		cmark_iter_free(it);
	if (root)
		cmark_node_free(root);
	buf_release(&page);
}

static void check_bytes(const struct buf *page)
{
	for (size_t i = 0, n; i < page->len; i += n) {
		n = utf8_size(page->data + i, page->len - i);
		MUST(n > 0);
		bool crlf = page->data[i] == '\r' && page->data[i + 1] == '\n';
		MUST(crlf || !quote_is_control(page->data + i, n, quote_before(page->data, i)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf page = BUF_INIT, line = BUF_INIT;
	int headings = 0;
	buf_adds(&page, "## 1 \xC2\xB7 user\n\n");
	quote_text(&page, (const char *)data, size);
	buf_adds(&page, "\n**#2 user**\n");
	quote_text(&page, (const char *)data, size);
	buf_adds(&page, "\n- ");
	quote_item(&page, (const char *)data, size);
	buf_adds(&page, "\n\n## 3\n");
	if (!page.failed) {
		MUST(forbidden(&page, &headings) == 0 && headings == 2);
		check_bytes(&page);
	}
	quote_line(&line, (const char *)data, size);
	MUST(!line.data || !memchr(line.data, '\n', line.len));
	check_among((const char *)data, size);
	buf_release(&page);
	buf_release(&line);
	return 0;
}
