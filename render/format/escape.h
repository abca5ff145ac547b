/* SPDX-License-Identifier: MIT */
/* Anybody's text within HTML or SVG: the one way in which it gets there.  Private to render/. */
#ifndef CINTA_ESCAPE_H
#define CINTA_ESCAPE_H

#include "render/format/buf.h"

/*
 * The text as characters of an element, or of an attribute in double quotes: no byte of it is
 * markup.  What acts unseen is shown (quote_controls()), so nothing of it turns what stands around.
 */
void html_text(struct buf *out, const char *text, size_t len);
/* The same of a string. */
void html_string(struct buf *out, const char *text);
/*
 * A path as a relative address, for an attribute in double quotes: each byte that is no letter,
 * digit, `-._~` or `/` as %XX.  So it names no scheme and no host, whatever it holds; it must not
 * begin with `/`.
 */
void html_path(struct buf *out, const char *path);

#endif
