/* SPDX-License-Identifier: MIT */
/*
 * One pass over a list of facts.  cmark says which lines belong to which item;
 * the bytes are the source's own, never a re-rendering.  Every line is an item's,
 * a heading's that structures the list, or free text: none is lost, also not
 * those that cmark keeps no node for (link definitions).
 */
#include <cmark.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/facts/facts.h"
#include "render/facts/facts_item.h"
#include "render/format/format.h"

struct reader {
	const char *text;
	size_t len;
	size_t *starts; /* of each line; starts[lines] == len */
	int lines;
	int given;      /* lines that have an owner: 0 .. given-1 */
	bool titled;
	int stale;      /* level of the heading "Stale" we are below, 0: none */
	struct fact_list *out;
	size_t *at;     /* where each item's text begins in out->bytes */
	size_t room;    /* of `at` and of out->items */
	struct buf item;
	struct why *why;
};

static int no_memory(struct why *why)
{
	why_set(why, "try again", "not enough memory to read the facts");
	return RENDER_ENOMEM;
}

static int split(struct reader *r)
{
	int n = 0;
	for (size_t at = 0; at < r->len; at = facts_line_end(r->text, r->len, at) + 1)
		n++;
	r->starts = calloc((size_t)n + 1, sizeof *r->starts);
	if (!r->starts)
		return no_memory(r->why);
	r->lines = 0;
	for (size_t at = 0; at < r->len; at = facts_line_end(r->text, r->len, at) + 1)
		r->starts[r->lines++] = at;
	r->starts[r->lines] = r->len;
	return 0;
}

/* Line `i` (from 0) without its newline. */
static const char *line_of(const struct reader *r, int i, size_t *len)
{
	*len = r->starts[i + 1] - r->starts[i];
	if (*len > 0 && r->text[r->starts[i] + *len - 1] == '\n')
		(*len)--;
	return r->text + r->starts[i];
}

static bool blank_line(const struct reader *r, int i)
{
	return facts_blank(r->text, r->starts[i], r->starts[i + 1]);
}

/* ---- free text ----------------------------------------------------------- */

/* Lines before `to` that nobody owns are free text; then all before `next` are owned. */
static void flush(struct reader *r, int to, int next)
{
	int from = r->given;
	while (from < to && blank_line(r, from))
		from++;
	while (to > from && blank_line(r, to - 1))
		to--;
	struct buf *frame = &r->out->frame;
	if (from < to) {
		buf_adds(frame, frame->len > 0 ? "\n\n" : "");
		size_t end = r->starts[to];
		if (r->text[end - 1] == '\n')
			end--;
		buf_add(frame, r->text + r->starts[from], end - r->starts[from]);
	}
	if (next > r->given)
		r->given = next;
}

/* ---- items --------------------------------------------------------------- */

/* The column after `at` white bytes of `line`, tab stops every four. */
static size_t white(const char *line, size_t len, size_t column, size_t *at)
{
	for (; *at < len && (line[*at] == ' ' || line[*at] == '\t'); (*at)++)
		column += line[*at] == '\t' ? 4 - column % 4 : 1;
	return column;
}

/*
 * The line from column `from` on.  A tab that stands across that column becomes
 * blanks, and so do the tabs after it: their stops have moved.
 */
static void add_from(struct buf *out, const char *line, size_t len, size_t column, size_t from)
{
	size_t at = 0;
	while (at < len && column < from && (line[at] == ' ' || line[at] == '\t')) {
		column += line[at] == '\t' ? 4 - column % 4 : 1;
		at++;
	}
	if (column > from)
		for (column = white(line, len, column, &at); column > from; column--)
			buf_addc(out, ' ');
	buf_add(out, line + at, len - at);
}

/* The column where an item's text begins, by CommonMark's rule; `at`: behind its marker. */
static size_t marker(const char *line, size_t len, size_t *at)
{
	size_t i = 0;
	while (i < len && line[i] == ' ')
		i++;
	while (i < len && line[i] >= '0' && line[i] <= '9')
		i++;
	if (i < len)
		i++; /* the bullet, the point or the bracket */
	*at = i;
	size_t text = i, column = white(line, len, i, &text);
	return text == len || column - i >= 5 ? i + 1 : column;
}

/* The item's lines [from, to) without what indents them. */
static void dedent(struct reader *r, int from, int to)
{
	size_t len, at;
	const char *line = line_of(r, from, &len);
	size_t column = marker(line, len, &at);
	buf_clear(&r->item);
	if (facts_blank(line, at, len) && from + 1 < to) { /* it begins on the next line */
		line = line_of(r, ++from, &len);
		size_t text = 0, first = white(line, len, 0, &text);
		if (first > column && first < column + 4)
			column = first;
		add_from(&r->item, line, len, 0, column);
	} else {
		add_from(&r->item, line + at, len - at, at, column);
	}
	while (++from < to) {
		line = line_of(r, from, &len);
		buf_addc(&r->item, '\n');
		add_from(&r->item, line, len, 0, column);
	}
}

static void trim(struct buf *b)
{
	size_t from = 0;
	while (b->len > 0 && facts_blank(b->data, b->len - 1, b->len))
		(void)buf_resize(b, b->len - 1);
	for (size_t end = 0; end < b->len && facts_blank(b->data, 0, end + 1); end++)
		if (b->data[end] == '\n')
			from = end + 1;
	if (from > 0) {
		memmove(b->data, b->data + from, b->len - from);
		(void)buf_resize(b, b->len - from);
	}
}

static int more_room(struct reader *r)
{
	if (r->out->count < r->room)
		return 0;
	size_t room = r->room ? r->room * 2 : 64;
	void *items = reallocarray(r->out->items, room, sizeof *r->out->items);
	if (items)
		r->out->items = items;
	void *at = reallocarray(r->at, room, sizeof *r->at);
	if (at)
		r->at = at;
	if (!items || !at)
		return no_memory(r->why);
	r->room = room;
	return 0;
}

static int too_much(struct reader *r, int line, const char *what, const char *todo)
{
	why_set(r->why, todo, "%s", what);
	if (r->why)
		r->why->line = line + 1;
	return RENDER_EFBIG;
}

static int add_item(struct reader *r, int from, int to)
{
	_Static_assert(FACT_LIMIT == 8192 && FACTS_COUNT_LIMIT == 20000, "the words below");
	while (to > from && blank_line(r, to - 1))
		to--;
	if (from >= to)
		return 0;
	dedent(r, from, to);
	trim(&r->item);
	struct fact_item item = { .stale = r->stale > 0 };
	facts_marks(&r->item, &item);
	trim(&r->item);
	if (r->item.failed)
		return no_memory(r->why);
	if (r->item.len == 0)
		return 0;
	item.len = r->item.len;
	if (item.len > FACT_LIMIT)
		return too_much(r, from, "a fact has more than 8 KiB",
		                "keep long text in notes/ and name the file");
	if (r->out->count == FACTS_COUNT_LIMIT)
		return too_much(r, from, "more than 20,000 facts in one list",
		                "remove those that no longer matter; they stay on the tape");
	if (more_room(r))
		return RENDER_ENOMEM;
	r->at[r->out->count] = r->out->bytes.len;
	r->out->items[r->out->count++] = item;
	buf_add(&r->out->bytes, r->item.data, r->item.len);
	return 0;
}

static int read_list(struct reader *r, cmark_node *list)
{
	int end = cmark_node_get_end_line(list), rc = 0;
	flush(r, cmark_node_get_start_line(list) - 1, end);
	for (cmark_node *n = cmark_node_first_child(list); n && rc == 0;) {
		cmark_node *next = cmark_node_next(n);
		rc = add_item(r, cmark_node_get_start_line(n) - 1,
		              next ? cmark_node_get_start_line(next) - 1 : end);
		n = next;
	}
	return rc;
}

/* ---- the document -------------------------------------------------------- */

static bool says_stale(cmark_node *heading)
{
	cmark_node *n = cmark_node_first_child(heading);
	if (!n || cmark_node_next(n) || cmark_node_get_type(n) != CMARK_NODE_TEXT)
		return false;
	const char *text = cmark_node_get_literal(n);
	return text && (strcasecmp(text, "stale") == 0 || strcasecmp(text, "obsoletos") == 0);
}

/*
 * Behind the heading that begins on line `from`; 0 if it has several lines of
 * text.  cmark's end of an underlined heading is not to be trusted.
 */
static int heading_end(const struct reader *r, int from)
{
	size_t len, at = 0;
	const char *line = line_of(r, from, &len);
	(void)white(line, len, 0, &at);
	if (at < len && line[at] == '#')
		return from + 1;
	if (from + 2 > r->lines)
		return 0;
	line = line_of(r, from + 1, &len);
	for (at = 0; at < len; at++)
		if (!strchr("=- \t", line[at]))
			return 0;
	return from + 2;
}

static void read_heading(struct reader *r, cmark_node *n)
{
	int level = cmark_node_get_heading_level(n);
	int from = cmark_node_get_start_line(n) - 1, to = heading_end(r, from);
	bool stale = level >= 2 && to && says_stale(n);
	bool title = level == 1 && to && !r->titled;
	if (level <= r->stale)
		r->stale = 0;
	if (title)
		r->titled = true;
	if (stale && !r->stale)
		r->stale = level;
	if (stale || title)
		flush(r, from, to);
}

static int read_blocks(struct reader *r, cmark_node *root)
{
	int rc = 0;
	for (cmark_node *n = cmark_node_first_child(root); n && rc == 0; n = cmark_node_next(n)) {
		if (cmark_node_get_type(n) == CMARK_NODE_LIST)
			rc = read_list(r, n);
		else if (cmark_node_get_type(n) == CMARK_NODE_HEADING)
			read_heading(r, n);
	}
	flush(r, r->lines, r->lines);
	if (rc == 0 && (r->out->frame.failed || r->out->bytes.failed))
		rc = no_memory(r->why);
	for (size_t i = 0; i < r->out->count; i++)
		r->out->items[i].text = r->out->bytes.data + r->at[i];
	return rc;
}

int facts_read(const char *text, size_t len, struct fact_list *out, struct why *why)
{
	struct reader r = { .text = text, .len = len, .out = out, .why = why };
	int deep = render_deep(text, len);
	*out = (struct fact_list){ 0 };
	if (deep) {
		why_set(why, "indent it less", "a list within lists begins behind column 128");
		if (why)
			why->line = deep;
		return RENDER_EINVAL;
	}
	int rc = split(&r);
	if (rc == 0) {
		cmark_node *root = cmark_parse_document(text, len, CMARK_OPT_SOURCEPOS);
		rc = read_blocks(&r, root);
		cmark_node_free(root);
	}
	free(r.starts);
	free(r.at);
	buf_release(&r.item);
	return rc;
}
