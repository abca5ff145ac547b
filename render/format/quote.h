/* SPDX-License-Identifier: MIT */
/*
 * Anybody's text within a page of ours.  What comes out reads as it was written, but it cannot
 * look like the page: no heading, no boundary, no fence left open, no control character that a
 * terminal or a reader obeys without showing it.  All pages use this.  Private to render/.
 */
#ifndef CINTA_QUOTE_H
#define CINTA_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/format/buf.h"

/*
 * Lines of a text, ended by a newline.  A line that CommonMark would take for a heading, an
 * underline of one, HTML or the definition of a link, or that begins as our own lines do, gets a
 * backslash before it, in lists and quotes as well; a block of code at the margin stays, and is
 * closed.  Controls as by quote_controls().
 */
void quote_text(struct buf *out, const char *text, size_t len);
/* What goes into a line of ours: each run of blanks and line ends is a blank. */
void quote_line(struct buf *out, const char *text, size_t len);
/*
 * The same of a name that stands in a line of ours beside others.  They are parted by " · ", so a
 * middle dot within one, or what looks the same, is shown as <U+00B7>, unless it stands between
 * two letters of ASCII (Catalan's "col·legi").  All names of such lines come by here.
 */
void quote_name(struct buf *out, const char *text, size_t len);
/* In double quotes, which it cannot leave; "" is nothing. */
void quote_double(struct buf *out, const char *text, size_t len);
/* A name its writer claims, which is not to be taken for the author beside it: both of these. */
void quote_said(struct buf *out, const char *text, size_t len);
/* Both of these, and quote_inert(): for a page that nobody escapes behind it. */
void quote_part(struct buf *out, const char *text, size_t len);
void quote_claim(struct buf *out, const char *text, size_t len);
/* True if it is of ASCII's letters, digits and _-.:/ alone. */
bool quote_is_word(const char *text, size_t len);
/* The name of a tool or role, as its writer gave it: such a word as it is, all else as a claim. */
void quote_word(struct buf *out, const char *text, size_t len);
/*
 * Of what is a line already: no emphasis, code, link, tag or entity begins or ends in it, which
 * could end what is bold around it, or hide what stands beside it; <U+202E> stays.
 */
void quote_inert(struct buf *out, const char *text, size_t len);
/* Its dots alone, of what is a line already. */
void quote_dots(struct buf *out, const char *text, size_t len);
/*
 * The same for lines that stand together in one paragraph: no tag, comment or picture begins, which
 * could end in another's line and hide whose that is.
 */
void quote_among(struct buf *out, const char *text, size_t len);
/* The first at the beginning of a line or of an item in a list, with no such thing either. */
void quote_item(struct buf *out, const char *text, size_t len);
/*
 * The text alone, with what acts unseen shown: C0 but tabs and line ends as their pictures
 * (U+2400), C1, direction, zero width, tags, U+2028 and all else that Unicode lets a reader ignore
 * as <U+202E>, bytes that are no UTF-8 as U+FFFD.  Joiners and selectors that belong to an emoji or
 * a script stay.
 */
void quote_controls(struct buf *out, const char *text, size_t len);
/* True if quote_controls() shows a character of `n` bytes; `before`: the one before it, 0: none. */
bool quote_is_control(const char *s, size_t n, uint32_t before);
/* The character that ends at `at`; 0: none, or no UTF-8. */
uint32_t quote_before(const char *text, size_t at);
/* One such character, or a byte that is no UTF-8 (n 0), as it is shown. */
void quote_control(struct buf *out, const char *s, size_t n);

#endif
