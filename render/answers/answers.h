/* SPDX-License-Identifier: MIT */
/*
 * The door of render/answers: questions, and what answers them.  Part of the room's door.
 */
#ifndef CINTA_RENDER_ANSWERS_H
#define CINTA_RENDER_ANSWERS_H

#include "render/format/plain.h"

/* ---- questions ------------------------------------------------------------------ */

/* The normalised question, by which its answer is kept: case, accents, blanks, courtesy apart. */
void render_question_key(struct buf *out, const char *text, size_t len);
/* True if its answer may be kept: it depends neither on the time nor on how somebody feels. */
bool render_question_cacheable(const char *text, size_t len);
/* Similarity above `least`, and the same digits, negations, names and words that say something. */
bool render_same_question(const char *a, size_t a_len, const char *b, size_t b_len, double least);
/*
 * True if two wordings that a model finds alike agree in what models overlook: they have the same
 * numbers, negations, names (capitals within), little words (my, which, when) and such that turn
 * a question round (without, before, less, stop).
 */
bool render_question_agrees(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- output ----------------------------------------------------------------------- */

/* An answer found by another wording of its question: a line that says so, then its bytes. */
void render_retrieved(struct buf *out, const char *bytes, size_t len);

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
	struct asked_question *items;
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

#endif
