/* SPDX-License-Identifier: MIT */
/* From a question to a plan.  Private to the search. */
#ifndef CINTA_PLAN_H
#define CINTA_PLAN_H

#include "store/search/search.h"

/* Called with the index locked; all but the range.  `plan` is to be released in every case. */
int plan_make(struct store *s, const struct search_query *q, struct search_plan *plan);
void plan_release(struct search_plan *plan);
/* In the transaction in which it is carried out. */
void plan_range(struct search *x, const struct search_query *q, struct search_plan *plan);

#endif
