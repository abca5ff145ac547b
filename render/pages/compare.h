/* SPDX-License-Identifier: MIT */
/*
 * Two versions of an algorithm on the same questions: what is asked, and what is told.  Part of
 * the door (render.h): pure.
 */
#ifndef CINTA_RENDER_COMPARE_H
#define CINTA_RENDER_COMPARE_H

#include "render/format/buf.h"
#include "store/entry.h"

enum {
	QUESTION_LIMIT = 4 << 10,  /* most bytes of a line, and of a question from the memory */
	QUESTIONS_LIMIT = 10000,   /* most questions */
	EXPECTED_LIMIT = 64        /* most results expected of one */
};

/* Strings are NUL-terminated and owned by the struct. */
struct asked_question {
	int line;        /* from 1; 0: it is the memory's */
	char *words;     /* "": nothing is asked */
	char **expected; /* paths below the mount point */
	size_t count;
};
struct asked_questions {
	struct asked_question *of;
	size_t count, room;
};

/*
 * A question a line; behind a tab, paths of the results that are expected, parted by tabs.
 * Blank lines are passed over; lines may end in CR LF.  RENDER_EINVAL (not UTF-8, a NUL, no
 * question at all), RENDER_EFBIG, RENDER_ENOMEM with `why` and its line.  Release in every case.
 */
int render_questions_in(const char *bytes, size_t len, struct asked_questions *out,
                        struct why *why);
/* One more, of nobody's line, cut to QUESTION_LIMIT; one that is there already is not added. */
int asked_questions_add(struct asked_questions *out, const char *text, size_t len);
void asked_questions_release(struct asked_questions *q);

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
/*
 * A version of an algorithm with this value as the member `comparison` of its `metrics`; all
 * other bytes stay.  RENDER_EINVAL: the file is no object, or `metrics` is none.
 */
int render_algorithm_metrics(struct buf *out, const char *bytes, size_t len, const char *value,
                             struct why *why);
/* A line of `cinta algorithms list`. */
void render_algorithm_line(struct buf *out, const char *code, const char *version,
                           const char *status, bool scores, int64_t saved_us);

#endif
