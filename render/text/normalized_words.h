/* SPDX-License-Identifier: MIT */
/* A fact as the words that say something; see normalized_words.c.  Private to render/. */
#ifndef CINTA_NORMALIZED_WORDS_H
#define CINTA_NORMALIZED_WORDS_H

#include "render/format/plain.h"

struct normalized_words {
	struct buf text; /* the words, a NUL behind each */
	size_t *at;      /* where each begins in `text` */
	size_t count, room;
	bool failed;
};

void normalized_words_read(struct normalized_words *s, const char *text, size_t len);
void normalized_words_release(struct normalized_words *s);

/*
 * The word that stands for this one: itself, another of the same meaning, "" when
 * it says nothing.  `doing` receives whether it is a verb a person is the subject of.
 */
const char *normalized_word(const char *word, bool *doing);
/* True if the table is fit to be searched.  For its test. */
bool normalized_table_sorted(void);

#endif
