/* SPDX-License-Identifier: MIT */
/* Parts of a summary: items as one clean line, and what fills them.  Private to render/. */
#ifndef CINTA_SUMMARY_ITEM_H
#define CINTA_SUMMARY_ITEM_H

#include "render/context/context.h"
#include "render/format/format.h"
#include "render/text/text.h"

/*
 * A malloc'ed copy on one line: runs of blanks, breaks, controls and bytes that are no UTF-8
 * become one blank, none at the ends.  NULL: no memory.  "": nothing was there.
 */
char *summary_clean(const char *text, size_t len);
/* Takes `item`, also when it fails.  False: the list is full, it has it already, or it is "". */
bool summary_add(struct summary_list *list, char *item);
void summary_list_release(struct summary_list *list);

/* The topic and what else was discussed, best first.  0, RENDER_ENOMEM. */
int summary_terms(struct digest *out, const struct summary_turn *turns, size_t n,
                  const struct summary_rules *rules);
/* Appends the telling words, folded, with a blank before each: " servidor despliegue". */
void summary_words(struct buf *out, const char *text, size_t len,
                   const struct summary_rules *rules);

#endif
