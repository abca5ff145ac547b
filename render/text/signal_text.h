/* SPDX-License-Identifier: MIT */
/* A message's text for signal.c: what is masked, where sentences end, what is trimmed.  Private. */
#ifndef CINTA_SIGNAL_TEXT_H
#define CINTA_SIGNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { MASK = 0x1A }; /* stands for each byte of code and quotations */

/* A sentence without its mark: bytes `from` up to `to`.  Start with all zeros. */
struct signal_sentence {
	size_t from, to;
	size_t next;   /* where the next one is looked for */
	bool opened;   /* by an inverted question mark */
	bool question;
};

/* True if it is UTF-8 throughout. */
bool signal_is_text(const char *text, size_t len);
/*
 * A copy, as long as `text` and NUL-terminated, in which fences, indented code and
 * lines that start with > are newlines, and code spans and quotations are MASK bytes.
 * The caller frees it.  NULL: no memory.
 */
char *signal_mask(const char *text, size_t len);
/* The next sentence of a masked text; false at its end. */
bool signal_next(const char *masked, size_t len, struct signal_sentence *it);
/* True if `text` holds one of the stems (apart by |), in ASCII's upper or lower case. */
bool signal_has_stem(const char *text, size_t len, const char *stems);
/* `len`, or less: at most `most` bytes, no character cut. */
size_t signal_cut(const char *text, size_t len, size_t most);
/*
 * Narrows text[*from..*to) to the fact in it: blanks, emphasis and punctuation off both
 * ends, at most FACT_SIGNAL_LIMIT bytes of whole words.  False: nothing is left.
 */
bool signal_trim(const char *text, size_t *from, size_t *to);

#endif
