/* SPDX-License-Identifier: MIT */
/* What language a text is in, and stemming by it.  Private to the store. */
#ifndef CINTA_SEARCH_LANGUAGE_H
#define CINTA_SEARCH_LANGUAGE_H

#include <stddef.h>

/* English, and all we cannot tell, is stemmed by FTS5's porter; the others by libstemmer. */
enum language { LANGUAGE_ENGLISH, LANGUAGE_SPANISH, LANGUAGE_PORTUGUESE, LANGUAGE_FRENCH,
	LANGUAGE_ITALIAN, LANGUAGE_GERMAN, LANGUAGES };

/*
 * By its commonest words and letters, of the first LANGUAGE_BYTES; English unless another has more
 * of them.  The same text is always of the same language, so that it can be taken out of the index
 * again.
 */
enum { LANGUAGE_BYTES = 4096 };
enum language search_language(const char *text, size_t len);

/* The stemmers of one thread at a time; made when first asked for. */
struct stemmers {
	struct sb_stemmer *of[LANGUAGES];
};
void stemmers_release(struct stemmers *s);
/*
 * The stem of a word as unicode61 has it, valid until the next call; the word itself where there
 * is no memory.
 */
const char *stemmers_stem(struct stemmers *s, enum language l, const char *word, size_t len,
                          size_t *stem_len);

#endif
