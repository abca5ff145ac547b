/* SPDX-License-Identifier: MIT */
/* The body of a `context` entry: an operation to JSON and back (store/context.h). */
#ifndef CINTA_CONTEXT_BODY_H
#define CINTA_CONTEXT_BODY_H

#include "store/entry.h"

/* An operation read back, with what it borrows. */
struct context_body {
	struct context_op op;
	struct context_range range[CONTEXT_RANGES_MOST];
	const void *refs; /* REFER: the array, of jansson; borrowed of json */
	void *json;
};

/* The body, NUL-terminated, for free(); NULL: no memory, or a text that is not UTF-8. */
char *context_body_make(const struct context_op *op);
/* True: an operation in due form; false: none, or redacted.  To be released if true. */
bool context_body_read(const char *body, size_t len, struct context_body *out);
void context_body_release(struct context_body *b);
/* Ascending ranges apart from each other, at least one; a window and a text within bounds. */
bool context_op_is_sound(const struct context_op *op);

#endif
