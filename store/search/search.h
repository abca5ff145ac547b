/* SPDX-License-Identifier: MIT */
/* The door of the search by words: the index, its texts, ranking, stop words. */
#ifndef CINTA_SEARCH_DOOR_H
#define CINTA_SEARCH_DOOR_H

#include <pthread.h>

#include "store/lock.h"
#include "store/search/search_index.h"
#include "store/search/search_score.h"
#include "store/words/words.h"
#include "store/search/search_text.h"

/* The store's index and the vectors made from it, under one lock. */
struct index {
	struct lock lock;
	struct search *search;    /* guarded by lock; NULL until it is first needed */
	bool without;             /* guarded by lock; PATH.search is damaged, and may not be written */
	struct dictionary *dictionary; /* guarded by lock; NULL: none */
	struct vectors *vectors;  /* guarded by lock; NULL until they are first needed */
	_Atomic int64_t searched; /* rows the index has seen, as far as we know */
};

/*
 * Its lock held.  The store's index sees at most `most` further entries, of those that the
 * views have seen; *left is how many remain.
 */
int search_keep_up(struct store *s, int64_t most, int64_t *left);
/* Its lock held.  Throws the index away and opens another, which is empty as yet. */
int search_renew(struct store *s);

#endif
