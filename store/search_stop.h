/* SPDX-License-Identifier: MIT */
/* Words of a question that say nothing about what is asked for.  Private to the search; pure. */
#ifndef CINTA_SEARCH_STOP_H
#define CINTA_SEARCH_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* English and Spanish; letters of any case. */
bool search_stop(const char *word, size_t len);
/* Does a question ask for a time? */
bool search_asks_when(const char *question);

#endif
