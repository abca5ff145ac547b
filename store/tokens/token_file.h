/* SPDX-License-Identifier: MIT */
/*
 * A vocabulary from a file of tiktoken's form, of the process that loads it: a token a line, its
 * bytes in base64, a blank, its rank.
 */
#ifndef CINTA_TOKEN_FILE_H
#define CINTA_TOKEN_FILE_H

#include <stddef.h>
#include <stdint.h>

struct why;

/* The rank of the token that these bytes are, with their hash (hash_of()); or RANK_NONE. */
uint32_t token_file_rank(const uint8_t *s, size_t n, uint64_t hash);
/* The most bytes a token of it has. */
size_t token_file_longest(void);
/* Of its file's name, without .tiktoken, at most 15 bytes; "": none is loaded. */
const char *token_file_name(void);

#endif
