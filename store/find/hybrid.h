/* SPDX-License-Identifier: MIT */
/* Search by meaning, mixed with search by words.  Private to the search. */
#ifndef CINTA_HYBRID_H
#define CINTA_HYBRID_H

#include "store/vectors/vectors.h"

/* What one standard deviation of the cosines counts, in those of the scores of words. */
#define MEANING 0.25

/*
 * As search_rank(), for a question whose vector is `vector`.  By words alone where too few texts
 * have a vector, or all are alike; after an error of the vectors too, which is then in *failed.
 */
int search_mix(struct search *x, struct vectors *v, const struct search_plan *plan,
               const float *vector, const struct vector_model *m, struct search_found **out,
               size_t *count, int *failed);

#endif
