/* SPDX-License-Identifier: MIT */
/*
 * Lists of facts on their way in.  What comes out has one law, which the store
 * and editors rely on: written in canonical form and read again, it is the same.
 * Most text keeps it as it stands; what does not (a fence nobody closed, which
 * would swallow the facts below it) is mended until it does.
 */
#include "render/facts/facts.h"
#include "render/facts/facts_item.h"

#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"

enum { MENDS = 3 };

static int refuse(struct why *why, int line, const char *what)
{
	why_set(why, "save it as UTF-8 text", "%s", what);
	if (why)
		why->line = line;
	return RENDER_EINVAL;
}

/* Checks the bytes; `out` gets them without byte order mark and carriage returns. */
static int normalise(struct buf *out, const char *bytes, size_t len, struct why *why)
{
	int line = 1;
	if (len > FACTS_LIMIT) {
		why_set(why, "keep long text in notes/", "the list has %zu bytes, at most %d are taken",
		        len, FACTS_LIMIT);
		return RENDER_EFBIG;
	}
	size_t i = 0;
	while (len - i >= 3 && memcmp(bytes + i, "\xEF\xBB\xBF", 3) == 0)
		i += 3;
	for (size_t n; i < len; i += n) {
		n = utf8_size(bytes + i, len - i);
		if (n == 0)
			return refuse(why, line, "the text is not UTF-8");
		if (bytes[i] == '\0')
			return refuse(why, line, "the text holds a NUL");
		bool cr = bytes[i] == '\r';
		if (cr && i + 1 < len && bytes[i + 1] == '\n')
			n = 2;
		line += cr || bytes[i] == '\n';
		if (cr)
			buf_addc(out, '\n');
		else
			buf_add(out, bytes + i, n);
	}
	buf_adds(out, ""); /* never NULL */
	return out->failed ? RENDER_ENOMEM : 0;
}

/* ---- the law -------------------------------------------------------------- */

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

static bool same_item(const struct fact_item *a, const struct fact_item *b)
{
	return a->stale == b->stale && a->confidence == b->confidence &&
	       a->inferred == b->inferred &&
	       same_text(a->text, a->len, b->text, b->len);
}

/* Writes and reads again.  False: not even that was possible. */
static bool again(const char *frame, const struct fact_item *items, size_t count,
                  struct fact_list *out)
{
	struct buf text = BUF_INIT;
	buf_adds(&text, "# \n");
	facts_below(&text, frame, items, count);
	*out = (struct fact_list){ 0 };
	bool ok = !text.failed && facts_read(text.data, text.len, out, NULL) == 0;
	buf_release(&text);
	return ok;
}

static bool item_stands(const struct fact_item *item)
{
	struct fact_list back;
	bool ok = again(NULL, item, 1, &back) && back.count == 1 && back.frame.len == 0 &&
	          same_item(&back.items[0], item);
	fact_list_release(&back);
	return ok;
}

/* True if free text stays apart from a fact that follows it. */
static bool frame_stands(const char *frame)
{
	const struct fact_item x = { .text = "x", .len = 1, .confidence = CONFIDENCE_HIGH };
	struct fact_list back;
	bool ok = again(frame, &x, 1, &back) && back.count == 1 && same_item(&back.items[0], &x) &&
	          same_text(back.frame.data, back.frame.len, frame, strlen(frame));
	fact_list_release(&back);
	return ok;
}

static bool list_stands(const struct fact_list *list)
{
	struct fact_list back;
	bool ok = again(list->frame.data, list->items, list->count, &back) &&
	          same_text(back.frame.data, back.frame.len, list->frame.data, list->frame.len);
	/* canonical form puts the stale ones last, so each kind is compared in its order */
	size_t n = 0;
	for (int stale = 0; ok && stale < 2; stale++)
		for (size_t i = 0; ok && i < list->count; i++)
			if (list->items[i].stale == stale)
				ok = n < back.count && same_item(&back.items[n++], &list->items[i]);
	ok = ok && n == back.count;
	fact_list_release(&back);
	return ok;
}

/* ---- mending -------------------------------------------------------------- */

/* `text` inside a fence that nothing in it can close. */
static void fence(struct buf *out, const char *text, size_t len)
{
	size_t longest = 2, run = 0;
	for (size_t i = 0; i < len; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_addc(out, '\n');
	buf_add(out, text, len);
	buf_addc(out, '\n');
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
}

/* Ends what the free text left open, or puts all of it into a fence. */
static int mend_frame(struct buf *frame)
{
	static const char *const ends[] = { "\n```", "\n~~~", " -->", "\n-->", "?>", ">", "]]>",
		                                "</pre>", "</script>", "</style>" };
	struct buf tried = BUF_INIT;
	bool ok = frame_stands(frame->data);
	for (size_t i = 0; !ok && i < sizeof ends / sizeof ends[0]; i++) {
		buf_clear(&tried);
		buf_add(&tried, frame->data, frame->len);
		buf_adds(&tried, ends[i]);
		ok = !tried.failed && frame_stands(tried.data);
	}
	if (!ok) {
		buf_clear(&tried);
		fence(&tried, frame->data, frame->len);
	}
	if (tried.failed)
		ok = false;
	else if (tried.len > 0) {
		struct buf swap = *frame;
		*frame = tried;
		tried = swap;
	}
	bool failed = tried.failed;
	buf_release(&tried);
	return failed ? RENDER_ENOMEM : 0;
}

/* What reading `item` again makes of it, until that is stable; then a fence. */
static void mend_item(struct buf *text, struct fact_item *item)
{
	struct fact_list back;
	for (int i = 0; i < MENDS && !item_stands(item); i++) {
		bool one = again(NULL, item, 1, &back) && back.count == 1 && back.frame.len == 0;
		if (one) {
			buf_clear(text);
			buf_add(text, back.items[0].text, back.items[0].len);
			item->confidence = back.items[0].confidence;
			item->inferred = back.items[0].inferred;
			item->text = text->data;
			item->len = text->len;
		}
		fact_list_release(&back);
		if (!one || text->failed)
			break;
	}
	if (text->failed || item_stands(item))
		return;
	struct buf fenced = BUF_INIT;
	fence(&fenced, item->text, item->len);
	buf_release(text);
	*text = fenced;
	item->text = text->data;
	item->len = text->len;
}

static int mend_items(struct fact_list *list)
{
	struct buf all = BUF_INIT, one = BUF_INIT;
	size_t *at = calloc(list->count + 1, sizeof *at);
	bool failed = !at;
	for (size_t i = 0; i < list->count && !failed; i++) {
		struct fact_item *item = &list->items[i];
		mend_item(&one, item);
		at[i] = all.len;
		buf_add(&all, item->text, item->len);
		failed = one.failed || all.failed;
	}
	for (size_t i = 0; i < list->count && !failed; i++)
		list->items[i].text = all.data + at[i];
	if (!failed) {
		struct buf swap = list->bytes;
		list->bytes = all;
		all = swap;
	}
	buf_release(&all);
	buf_release(&one);
	free(at);
	return failed ? RENDER_ENOMEM : 0;
}

/* True if `text` is canonical already: then it stands, since reading it gave this list. */
static bool is_canonical(const struct buf *text, const struct fact_list *list)
{
	struct buf below = BUF_INIT;
	facts_below(&below, list->frame.data, list->items, list->count);
	size_t title = facts_line_end(text->data, text->len, 0) + 1;
	bool same = !below.failed && text->len >= 2 && memcmp(text->data, "# ", 2) == 0 &&
	            title <= text->len &&
	            same_text(text->data + title, text->len - title, below.data, below.len);
	buf_release(&below);
	return same;
}

int render_facts_in(const char *bytes, size_t len, struct fact_list *out, struct why *why)
{
	struct buf text = BUF_INIT;
	*out = (struct fact_list){ 0 };
	int rc = normalise(&text, bytes, len, why);
	if (rc == 0)
		rc = facts_read(text.data, text.len, out, why);
	if (rc == 0 && out->frame.len > 0)
		rc = mend_frame(&out->frame);
	if (rc == 0 && !is_canonical(&text, out) && !list_stands(out))
		rc = mend_items(out);
	if (rc == RENDER_ENOMEM)
		why_set(why, "try again", "not enough memory to read the facts");
	buf_release(&text);
	return rc;
}

void fact_list_release(struct fact_list *list)
{
	free(list->items);
	buf_release(&list->frame);
	buf_release(&list->bytes);
	*list = (struct fact_list){ 0 };
}
