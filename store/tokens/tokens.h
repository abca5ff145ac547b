/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door: how many tokens a text is to a language model.  Pure
 * functions, any thread; nothing is loaded and nothing is kept, but what
 * store_tokenizer_load() does.  Below them, what the search's
 * words ask of letters with accents.
 */
#ifndef CINTA_TOKEN_H
#define CINTA_TOKEN_H

#include <stdint.h>

#include "store/entry.h"

enum tokenizer {
	TOKENS_UNSET,   /* in store_config: see there; else the same as TOKENS_O200K */
	TOKENS_O200K,   /* o200k_base, exact */
	TOKENS_CL100K,  /* cl100k_base, exact */
	TOKENS_ESTIMATE, /* for models without a public tokenizer */
	TOKENS_FILE     /* store_tokenizer_load()'s */
};

/* Tokens of `text`; bytes that are not UTF-8 count too.  -1: no memory. */
typedef int64_t store_count_fn(const char *text, size_t len);
/* The function that counts as `t` does. */
store_count_fn *store_counter(enum tokenizer t);
/* The estimate; never fails. */
int64_t store_token_count(const char *text, size_t len);

/* "o200k_base", "cl100k_base", "estimate"; and back: false when it is none of them. */
const char *store_tokenizer_name(enum tokenizer t);
bool store_tokenizer_by_name(const char *name, enum tokenizer *out);
/*
 * From now on TOKENS_FILE counts by this file of tiktoken's form (token_file.h), at most 64 MiB, in
 * the pieces that o200k_base cuts.  Before there are threads.  STORE_EINVAL with `why`,
 * STORE_ENOMEM.
 */
int store_tokenizer_load(const char *path, struct why *why);

/*
 * A word of a text as the stemmers want it, small letters with their accents; its bytes.  0: it has
 * none, or others than those of Latin-1 (C3 80 to C3 BF), or is too long.
 */
enum { ACCENTED_MOST = 96 };
size_t token_accented(const char *word, size_t len, char out[ACCENTED_MOST]);
/* The same of a small word that lost the accent of a Spanish verb's ending; 0: it can have none. */
size_t token_with_accent(const char *word, size_t len, char out[ACCENTED_MOST]);
/* Without these accents: what is left of at most ACCENTED_MOST bytes; its length. */
size_t token_without_accents(const char *stem, size_t len, char out[ACCENTED_MOST]);

#endif
