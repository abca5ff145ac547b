/* SPDX-License-Identifier: MIT */
/* Reading postings: what search_score.c ranks.  Private to the search. */
#ifndef CINTA_SEARCH_POST_H
#define CINTA_SEARCH_POST_H

#include "store/search/search_score.h"

/* A text that holds terms: how often each, and bits of those in its author's name. */
struct row {
	int64_t seq;
	uint8_t body[TERMS_MOST];
	uint16_t who;
	uint16_t alike; /* bits of those it has itself or by a word that begins alike */
	uint16_t same;  /* of those it has by a word that means the same */
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
	/* The texts that satisfy the filters, newest first, if there are filters and these few. */
	int64_t *scope;
	size_t scope_count;
	double texts; /* how many satisfy the filters; an estimate where there is no `scope` */
};

/* A statement about to give which texts of [first, last] match, newest first; then post_end(). */
sqlite3_stmt *post_begin(struct search *x, const char *match, unsigned tables, int64_t first,
                         int64_t last);
int post_end(sqlite3_stmt *q, int rc);

/* search_scope.c: into an empty `out`, by one of the next two. */
int rows_read(struct search *x, const struct search_plan *plan, struct rows *out);
/* All words at once: of the texts in out->scope. */
int rows_within(struct search *x, const struct search_plan *plan, struct rows *out);
/* Each word by itself. */
int rows_all(struct search *x, const struct search_plan *plan, struct rows *out);
void rows_release(struct rows *r);
/* The row of `seq`, or NULL. */
const struct row *rows_find(const struct rows *r, int64_t seq);

/* The newest texts that satisfy the filters, at most plan->limit: how many, or a STORE_ code. */
int post_newest(struct search *x, const struct search_plan *plan, int64_t *seqs);
/* The expression of a plan's filters alone: sqlite3_free() it; NULL: no memory. */
char *post_filters(const struct search_plan *plan);
/* 1: text `seq` satisfies this expression; 0; or a STORE_ code. */
int post_matches(struct search *x, const char *match, int64_t seq);
/* When text `seq` was said: 1, 0 if there is none, or a STORE_ code. */
int post_said(struct search *x, int64_t seq, int64_t *said_us);
/* True if the plan wants what was said then. */
bool post_in_range(const struct search_plan *plan, int64_t said_us);
/* True if the plan wants texts of this one's kind and role. */
bool post_role(struct search *x, const struct search_plan *plan, int64_t seq);
/* 1: text `seq` satisfies the plan's filters; 0; or a STORE_ code. */
int post_passes(struct search *x, const struct search_plan *plan, const struct rows *rows,
                int64_t seq);

#endif
