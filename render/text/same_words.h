/* SPDX-License-Identifier: MIT */
/* A fact as the words that say something; see same_words.c.  Private to render/. */
#ifndef CINTA_SAME_WORDS_H
#define CINTA_SAME_WORDS_H

#include "render/format/plain.h"

struct said {
	struct buf text; /* the words, a NUL behind each */
	size_t *at;      /* where each begins in `text` */
	size_t count, room;
	bool failed;
};

void said_read(struct said *s, const char *text, size_t len);
void said_release(struct said *s);

/*
 * The word that stands for this one: itself, another of the same meaning, "" when
 * it says nothing.  `doing` receives whether it is a verb a person is the subject of.
 */
const char *said_meaning(const char *word, bool *doing);
/* True if the table is fit to be searched.  For its test. */
bool said_table_sorted(void);

#endif
