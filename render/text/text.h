/* SPDX-License-Identifier: MIT */
/* The door of render/text for the rest of the room; meaning.h is what other rooms see too. */
#ifndef CINTA_RENDER_TEXT_H
#define CINTA_RENDER_TEXT_H

#include "render/text/fold.h"
#include "render/text/meaning.h"
#include "render/text/normalized_words.h"
#include "render/text/signal_text.h"

/* Hashes of the 3- to 5-grams of a folded text, never 0; and the cosine of counts of them. */
enum { TEXT_GRAMS = 3 }; /* at most so many a byte */
typedef void text_gram_fn(void *ctx, uint32_t hash);
void text_grams(const struct buf *folded, text_gram_fn *fn, void *ctx);
double text_cosine(double dot, double a, double b);

#endif
