/* SPDX-License-Identifier: MIT */
/*
 * Byte pair encoding with the vocabularies of OpenAI's o200k_base and cl100k_base:
 * the same tokens as tiktoken's ordinary encoding, where "<|endoftext|>" is text
 * like any other.  Used by store/tokenizer.c and the tests.
 */
#ifndef CINTA_TOKEN_BPE_H
#define CINTA_TOKEN_BPE_H

#include "store/tokens/token_ranks.h"

/*
 * How many tokens `text` is; the first `room` of them go to `ids` unless it is NULL.
 * Bytes that are not UTF-8 become the tokens of those bytes.  Pure, any thread.  It
 * allocates only for a piece without a break longer than 96 bytes: -1, no memory.
 */
int64_t bpe_encode(enum vocabulary v, const char *text, size_t len, uint32_t *ids, size_t room);

#endif
