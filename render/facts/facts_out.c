/* SPDX-License-Identifier: MIT */
/* Lists of facts in canonical form: the title, the free text, the facts, the stale ones. */
#include "render/facts/facts.h"
#include "render/facts/facts_item.h"
#include "render/format/format.h"

#include <string.h>

const char *render_fact_marks(enum confidence c, bool inferred)
{
	static const char *const marks[][2] = {
		[CONFIDENCE_LOW] = { " *(low)*", " *(low)* *(inferred)*" },
		[CONFIDENCE_MEDIUM] = { " *(medium)*", " *(medium)* *(inferred)*" },
		[CONFIDENCE_HIGH] = { "", " *(inferred)*" } };
	return marks[c][inferred];
}

/* True if "- " before this line would make it a thematic break. */
static bool only_dashes(const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i] != '\n'; i++)
		if (text[i] != '-' && text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* The lines of an item after its bullet; inner ones are indented to stay inside. */
static void add_lines(struct buf *out, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t end = facts_line_end(text, len, at);
		if (at > 0 && end > at)
			buf_adds(out, "  ");
		buf_add(out, text + at, end - at);
		buf_addc(out, '\n');
		at = end + 1;
	}
}

/* `text` with its marks where facts_marks() finds them. */
static void marked(struct buf *out, const struct fact_item *item)
{
	const char *marks = render_fact_marks(item->confidence, item->inferred);
	size_t from, to;
	if (facts_paragraph(item->text, item->len, &from, &to)) {
		buf_add(out, item->text, to);
		buf_adds(out, marks);
		buf_add(out, item->text + to, item->len - to);
	} else {
		/* before and not behind: what comes last may be a fence left open */
		buf_addf(out, "%s\n\n", marks + 1);
		buf_add(out, item->text, item->len);
	}
}

void facts_item(struct buf *out, const struct fact_item *item)
{
	struct buf text = BUF_INIT;
	if (item->confidence == CONFIDENCE_HIGH && !item->inferred)
		buf_add(&text, item->text, item->len);
	else
		marked(&text, item);
	if (text.failed) {
		out->failed = true;
	} else {
		buf_adds(out, only_dashes(text.data, text.len) ? "+ " : "- ");
		add_lines(out, text.data, text.len);
	}
	buf_release(&text);
}

static void add_items(struct buf *out, const struct fact_item *items, size_t count, bool stale)
{
	const char *before = stale ? "\n## Stale\n\n" : "\n";
	for (size_t i = 0; i < count; i++) {
		if (items[i].stale != stale)
			continue;
		buf_adds(out, before);
		facts_item(out, &items[i]);
		before = "";
	}
}

void facts_below(struct buf *out, const char *frame, const struct fact_item *items, size_t count)
{
	if (frame && *frame) {
		buf_addc(out, '\n');
		buf_adds(out, frame);
		buf_addc(out, '\n');
	}
	add_items(out, items, count, false);
	add_items(out, items, count, true);
}

void render_facts(struct buf *out, const char *domain, const char *frame,
                  const struct fact_item *items, size_t count)
{
	char first = *domain;
	if (first >= 'a' && first <= 'z')
		first = (char)(first - 'a' + 'A');
	buf_addf(out, "# %c%s\n", first, *domain ? domain + 1 : "");
	facts_below(out, frame, items, count);
}
