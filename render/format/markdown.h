/* SPDX-License-Identifier: MIT */
/* Anybody's text as one line of markdown.  Private to render/. */
#ifndef CINTA_MARKDOWN_H
#define CINTA_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "render/format/buf.h"

struct markdown {
	struct buf *out;
	size_t from; /* where the line began in `out` */
};

/*
 * Text that shows as it is: what has a meaning in markdown is escaped, blanks and control
 * characters become one blank, characters that act unseen are shown (quote.h).
 */
void markdown_add(struct markdown *m, const char *text, size_t len);
/* The same of [from, to), which stands in a text: what is beside it counts. */
void markdown_part(struct markdown *m, const char *text, size_t len, size_t from, size_t to);
/* A run of code, whatever backticks it holds; what acts unseen is shown (quote.h). */
void markdown_code(struct buf *out, const char *text);
/* The same of a path or name among others in a line of ours (quote_name()). */
void markdown_name(struct buf *out, const char *name);

#endif
