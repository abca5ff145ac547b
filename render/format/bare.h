/* SPDX-License-Identifier: MIT */
/*
 * A text as an eye has it, for who looks for a form in it: without what sets colours and moves the
 * cursor (ESC [ … a letter: ECMA-48, 5.4) and without characters that have no width, each as it is
 * or as JSON's escape.  JSON's escape of a letter, a digit, _ or - is that: none needs one, as
 * others do (Go writes \u003c).
 */
#ifndef CINTA_BARE_H
#define CINTA_BARE_H

#include <stdbool.h>
#include <stddef.h>

#include "render/format/buf.h"

/* True if any of this is in the text: four memchr() of it, where there is little to look at. */
bool bare_differs(const char *text, size_t len);
/* The text so, never longer; `seam`, if it is not 0, in the place of each that is left out. */
void bare_copy(struct buf *out, const char *text, size_t len, char seam);
/* A byte of the copy, and of the text; 0 and 0 at the beginning. */
struct bare_place {
	size_t copy, text;
	char seam;
};
/* On to that byte of the copy; `over`: behind what is left out before it, else before that. */
void bare_seek(struct bare_place *p, const char *text, size_t len, size_t copy, bool over);

#endif
