/* SPDX-License-Identifier: MIT */
/*
 * Two versions of an algorithm on the same questions: what is asked, and what is told.  Part of
 * the door (render.h): pure.
 */
#ifndef CINTA_RENDER_COMPARE_H
#define CINTA_RENDER_COMPARE_H

#include "render/format/plain.h"
#include "store/entry.h"

/* NAN where there is nothing to measure. */
struct compare_side {
	const char *version, *status; /* "1.0.0", "active" */
	double recall, reciprocal, ndcg; /* means of the questions with expected results */
	double cost_us;               /* CPU time of choosing, a question */
	int better;                   /* questions that it answers better, by nDCG */
};
/* One question; `best`: paths of the first result of each side, "" for none. */
struct compare_case {
	const char *words;
	double overlap, tau, ndcg[2];
	const char *best[2];
};
struct comparison {
	const char *code, *source;    /* "memory"; where the questions are from */
	int64_t time_us;
	size_t k, questions, answered, judged;
	size_t same;                  /* of the answered: in the same order */
	size_t other_best;            /* with another first result */
	double overlap, tau;          /* means of the answered */
	bool alike;                   /* both configurations have the same numbers */
	struct compare_side side[2];
	struct compare_case unasked;  /* when nothing is asked: memories/top.md */
	const struct compare_case *unlike; /* the questions on which they differ most */
	size_t unlikes;
};
void render_comparison(struct buf *out, const struct comparison *c);
/* A side's results as a JSON object: the value of the member `comparison` of its `metrics`. */
void render_comparison_metrics(struct buf *out, const struct comparison *c, int side);
/* A line of `cinta algorithms list`. */
void render_algorithm_line(struct buf *out, const char *code, const char *version,
                           const char *status, bool scores, int64_t saved_us);

#endif
