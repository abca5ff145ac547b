/* SPDX-License-Identifier: MIT */
/*
 * Bytes to JSON texts: the lines of a file that has one a line, the elements of an array, or
 * values one after the other.  No text is parsed here; one at a time is in memory.
 *
 *   first byte '[' ─► ELEMENTS: each value of depth 1
 *   else ─► LINES, unless the first line ends within a value ─► VALUES: each of depth 0
 */
#ifndef CINTA_IMPORT_CUT_H
#define CINTA_IMPORT_CUT_H

#include "render/format/format.h"

enum {
	CUT_LINE_MOST = 32 << 20,    /* bytes of a line */
	CUT_ELEMENT_MOST = 256 << 20, /* bytes of an element, which may be a whole conversation */
	CUT_VALUES_MOST = 2 << 20    /* of either: each takes some 300 bytes of memory */
};

enum cut_mode { CUT_START, CUT_LINES, CUT_ELEMENTS, CUT_VALUES };

struct cut {
	enum cut_mode mode;
	struct buf text;  /* what is not whole yet */
	int64_t at;       /* how many were told */
	int64_t depth;
	bool in_string, escaped, closed, too_long;
	/* A text, which it may change; `len` 0 and NULL: it was longer than it may be. */
	void (*tell)(void *ctx, int64_t at, char *text, size_t len);
	void *ctx;
};

void cut_bytes(struct cut *c, const char *bytes, size_t len);
/* The end of the file: what is left, which may be half a text, stays in c->text. */
void cut_release(struct cut *c);
/*
 * A text of JSON that somebody cut anywhere, without what JSON cannot hold: halves of surrogate
 * pairs, NUL and bytes that are no UTF-8 become U+FFFD.  False: there is nothing of that in it.
 */
bool cut_mend(struct buf *out, const char *text, size_t len);
/*
 * True of a text with more values than may be: two bytes can be one, and a text of them be packed
 * to nothing.
 */
bool cut_is_crowded(const char *text, size_t len);

#endif
