/* SPDX-License-Identifier: MIT */
/* The pairs of tests/hostile/NAME: a file that must be refused, and in which words. */
#ifndef CINTA_HOSTILE_FIXTURE_H
#define CINTA_HOSTILE_FIXTURE_H

#include "render/format/buf.h"
#include "store/entry.h"

/* Offers these bytes, which end where they end; returns a RENDER_ code and says why. */
typedef int offer_fn(const char *name, const char *bytes, size_t len, struct why *why);
/* Adds the words of a refusal as the .why file has them. */
typedef void why_fn(struct buf *out, const struct why *why);
/* Offers each NAME.in of the directory and compares the answer with NAME.why. */
void refuse_all(const char *dir, int least, offer_fn *offer, why_fn *words);

#endif
