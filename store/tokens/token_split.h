/* SPDX-License-Identifier: MIT */
/*
 * Cuts a text into the pieces that are tokenized each for itself, as the regular
 * expressions of o200k_base and cl100k_base do (store/tokens/token_split.c quotes them).
 * Pure; a byte that is not UTF-8 is cut as U+FFFD would be.
 */
#ifndef CINTA_TOKEN_SPLIT_H
#define CINTA_TOKEN_SPLIT_H

#include "store/tokens/token_ranks.h"

/* Bytes of the first piece of `s`; `s` < `end`, and the answer is at least 1. */
size_t token_split(enum vocabulary v, const uint8_t *s, const uint8_t *end);

#endif
