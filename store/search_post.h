/* SPDX-License-Identifier: MIT */
/* Reading postings: what search_score.c ranks.  Private to the search. */
#ifndef CINTA_SEARCH_POST_H
#define CINTA_SEARCH_POST_H

#include "store/search_score.h"

/* A text that holds terms: how often each, and bits of those in its author's name. */
struct row {
	int64_t seq;
	uint8_t body[TERMS_MOST];
	uint16_t who;
	float own; /* its score without neighbours */
};

/* Newest first. */
struct rows {
	struct row *all;
	size_t count;
	/* Of each term: how many texts hold it in their body (an estimate where it was cut; counting
	   names and dates finds less, measured), and from which seq on it was read. */
	double df[TERMS_MOST];
	int64_t from[TERMS_MOST];
	bool cut; /* of some term, only the newest were read */
};

int rows_read(struct search *x, const struct search_plan *plan, struct rows *out);
void rows_release(struct rows *r);
/* The row of `seq`, or NULL. */
const struct row *rows_find(const struct rows *r, int64_t seq);

typedef void post_fn(void *ctx, int64_t seq, const struct search_seen *seen);
/* Postings of term t in [first, last], newest first, at most `most`; *cut: there are more. */
int post_each(struct search *x, const struct search_plan *plan, size_t t, int64_t first,
              int64_t last, size_t most, post_fn *fn, void *ctx, bool *cut);
/* The newest texts that satisfy the filters, at most plan->limit: how many, or a STORE_ code. */
int post_newest(struct search *x, const struct search_plan *plan, int64_t *seqs);
/* How many texts satisfy the filters, an estimate where they are many; or a STORE_ code. */
double post_count(struct search *x, const struct search_plan *plan);
/* 1: text `seq` satisfies the plan's filters; 0; or a STORE_ code. */
int post_passes(struct search *x, const struct search_plan *plan, int64_t seq);

#endif
