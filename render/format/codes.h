/* SPDX-License-Identifier: MIT */
/*
 * What the functions of the room return, and the limits of a line.  Part of the room's door.
 */
#ifndef CINTA_RENDER_CODES_H
#define CINTA_RENDER_CODES_H

#include "store/entry.h"

enum {
	RENDER_EINVAL = -1, /* the text is not what belongs there */
	RENDER_EFBIG = -2,  /* too long */
	RENDER_ENOMEM = -3
};

enum {
	LINE_LIMIT = 1 << 20, /* longest line of a log, bytes without the newline */
	LINE_COPIED_LIMIT = LINE_LIMIT + (4 << 10), /* and of one copied from a log: that added to it */
	DEPTH_LIMIT = 64      /* deepest nesting of arrays and objects in a line */
};

/* Tokens of a text; -1: no memory. */
typedef int64_t count_tokens_fn(const char *text, size_t len);

#endif
