/* SPDX-License-Identifier: MIT */
/* What language a text is in, and stemming by it.  Private to the store. */
#ifndef CINTA_SEARCH_LANGUAGE_H
#define CINTA_SEARCH_LANGUAGE_H

#include <stddef.h>
#include <stdint.h>

/* English, and all we cannot tell, is stemmed by FTS5's porter; the others by libstemmer. */
enum language { LANGUAGE_ENGLISH, LANGUAGE_SPANISH, LANGUAGE_PORTUGUESE, LANGUAGE_FRENCH,
	LANGUAGE_ITALIAN, LANGUAGE_GERMAN, LANGUAGES };

/*
 * By its commonest words and letters, of the first LANGUAGE_BYTES; English unless another has more
 * of them.  The same text is always of the same language, so that it can be taken out of the index
 * again.
 */
enum { LANGUAGE_BYTES = 4096 };
struct common_words;
enum language search_language(struct common_words *words, const char *text, size_t len);

/* The common words of all of them, to be looked up: some 500 in twice as many slots. */
enum { WORD_SIZE = 16, COMMON_SLOTS = 1024 };
struct common_words {
	struct common_word {
		char word[WORD_SIZE]; /* filled up with NULs; "": none */
		uint8_t languages;    /* a bit for each that has it */
	} slot[COMMON_SLOTS];
};
void common_words_fill(struct common_words *words);

/* The stemmers of one thread at a time; made when first asked for. */
struct stemmers {
	struct sb_stemmer *items[LANGUAGES];
};
void stemmers_release(struct stemmers *s);
/*
 * The stem of a word as unicode61 has it, valid until the next call; the word itself where there
 * is no memory.
 */
const char *stemmers_stem(struct stemmers *s, enum language l, const char *word, size_t len,
                          size_t *stem_len);

#endif
