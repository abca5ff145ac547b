/* SPDX-License-Identifier: MIT */
/* Words of a question that say nothing about what is asked for.  Private to the search; pure. */
#ifndef CINTA_SEARCH_STOP_WORDS_H
#define CINTA_SEARCH_STOP_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* English and Spanish; letters of any case. */
bool search_stop_word(const char *word, size_t len);
/* A word that can be part of a date: at most one is set. */
struct search_date {
	int weekday; /* from 1, Sunday */
	int month;   /* from 1 */
	int number;  /* a year, or a day of the month */
};
struct search_date search_date_of(const char *word, size_t len);
/* True if it is part of the date of this day since 1970. */
bool search_date_is(const struct search_date *d, int64_t day);

/* True if a question asks for a time. */
bool search_asks_when(const char *question);

#endif
