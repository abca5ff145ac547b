/* SPDX-License-Identifier: MIT */
/* What is retired among what was found.  Private to the search. */
#ifndef CINTA_LIVING_H
#define CINTA_LIVING_H

#include "store/search/search.h"

/*
 * Tells the life of each, puts heirs in the places of those they stand for, then the retired behind
 * the live, and leaves out what q->status does not want.  Names are known already (search_name()).
 * Called with the index locked; *found may move.
 */
int find_living(struct store *s, const struct search_query *q, struct search_found **found,
                size_t *count);
/* True if a search for more would find none that belongs before these. */
bool find_is_enough(const struct search_query *q, const struct search_found *found, size_t count,
                    size_t limit);

#endif
