/* SPDX-License-Identifier: MIT */
/* What reading and writing lists of facts share.  Private to render/facts. */
#ifndef CINTA_FACTS_ITEM_H
#define CINTA_FACTS_ITEM_H

#include "render/facts/facts.h"

/*
 * One pass over `text` (UTF-8 without NUL and CR): its items and its free text, as
 * they stand.  RENDER_EFBIG, RENDER_ENOMEM with `why`.
 */
int facts_read(const char *text, size_t len, struct fact_list *out, struct why *why);
/* One fact as an item of a list, with its newline. */
void facts_item(struct buf *out, const struct fact_item *item);
/* Everything below the title. */
void facts_below(struct buf *out, const char *frame, const struct fact_item *items, size_t count);

/*
 * The first paragraph of a fact that is not inside of something else:
 * text[*from .. *to).  False: it has none.
 */
bool facts_paragraph(const char *text, size_t len, size_t *from, size_t *to);
/*
 * Takes *(low)*, *(medium)*, *(high)* and *(inferred)* off the end of that paragraph of `text`:
 * *found gets its confidence and if it is inferred.
 */
void facts_marks(struct buf *text, struct fact_item *found);

static inline bool facts_blank(const char *text, size_t from, size_t to)
{
	while (from < to && (text[from] == ' ' || text[from] == '\t' || text[from] == '\n'))
		from++;
	return from == to;
}

/* Where the line that holds text[at] ends: at its newline, or at `len`. */
static inline size_t facts_line_end(const char *text, size_t len, size_t at)
{
	while (at < len && text[at] != '\n')
		at++;
	return at;
}

#endif
