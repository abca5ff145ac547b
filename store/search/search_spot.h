/* SPDX-License-Identifier: MIT */
/*
 * Spots: the texts that hold terms, with where they stand, which search_score.c lays its windows
 * around.  Private to the search.  Of many rows, only the best by their own terms become spots,
 * and those around them.
 */
#ifndef CINTA_SEARCH_SPOT_H
#define CINTA_SEARCH_SPOT_H

#include "store/search/search_post.h"

/* A row, and where it stands; session is 0 for what is no message. */
struct spot {
	struct row row;
	bool own; /* it holds a term and passes the filters, but for the role */
	bool also; /* of plan->also */
	uint16_t dates; /* bits of the terms that are part of its date */
	int flags;
	double words; /* in those of a text of ordinary length */
	int64_t session, n, doc, said_us;
};

struct ranking {
	struct search *x;
	const struct search_plan *plan;
	struct rows rows;
	double idf[TERMS_MOST], idf_sum, alike[TERMS_MOST], same[TERMS_MOST];
	struct spot *spots;
	size_t count, room;
};

int spot_role(const struct spot *s);
/* What the index knows of text `seq`: 1, 0 nothing, or a STORE_ code. */
int spot_describe(struct search *x, const struct search_plan *plan, int64_t seq, struct spot *s);
/* Fills r->spots from r->rows, whose own scores are known; sorted by session and number. */
int spots_place(struct ranking *r);

#endif
