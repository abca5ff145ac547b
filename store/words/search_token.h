/* SPDX-License-Identifier: MIT */
/* The tokenizer of the search index, and what counting words means there.  Private to the store. */
#ifndef CINTA_SEARCH_TOKEN_H
#define CINTA_SEARCH_TOKEN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/search.h"

/* FTS5's interface of this connection; NULL: SQLite was built without it. */
fts5_api *search_fts5(sqlite3 *db);
/*
 * Makes the tokenizer `cinta` known to a connection: a stemmer for the text's language (FTS5's
 * porter for English) over unicode61 with diacritics folded, except that each ideograph, kana,
 * syllable of Hangul and emoji is a token.
 */
int search_tokenizer_add(sqlite3 *db);

/* A tokenizer by itself, for texts that are not in a table. */
struct search_tokens {
	sqlite3 *db; /* borrowed */
	fts5_tokenizer how;
	Fts5Tokenizer *it;
};
int search_tokens_open(sqlite3 *db, struct search_tokens *out);
void search_tokens_close(struct search_tokens *t);
int search_tokens_each(struct search_tokens *t, const char *text, size_t len, token_fn *fn,
                       void *ctx);

/* The same of what is asked: a word's further stems follow it, with the same bytes. */
int search_tokens_asked(struct search_tokens *t, const char *text, size_t len, token_fn *fn,
                        void *ctx);

/* How many words a text has, about as the tokenizer sees it but many times faster. */
size_t search_word_count(const char *text, size_t len);

#endif
