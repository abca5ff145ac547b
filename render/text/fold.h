/* SPDX-License-Identifier: MIT */
/* Text as similarity sees it: lower case, no accents, words apart by one blank.  Private. */
#ifndef CINTA_FOLD_H
#define CINTA_FOLD_H

#include "render/format/plain.h"

enum { FOLD_NOTHING = -1 };

/*
 * Folds the code point of `n` bytes at `s` into `dst`: how many bytes it has then.
 * 0: it parts words; FOLD_NOTHING: it counts for nothing.
 */
int fold_point(const char *s, size_t n, char dst[4]);
/* Appends the folded text, with one blank before, between and behind its words. */
void fold_text(struct buf *out, const char *text, size_t len);

#endif
