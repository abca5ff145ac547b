/* SPDX-License-Identifier: MIT */
/*
 * Conversations with questions, in LoCoMo's JSON (a turn may have a "role", else it is a user's),
 * put into a memory of their own, a conversation's meetings as sessions; and how well the evidence
 * for an answer is found: the share of it among the first 5, 10 and 20 messages, the reciprocal
 * rank of the first, the share within the first 2,000 and 4,000 tokens.  What goes wrong ends the
 * program.  For recall.c and meaning.c; one memory is open at a time while it is filled.
 */
#ifndef CINTA_BENCH_TALKS_H
#define CINTA_BENCH_TALKS_H

#include <jansson.h>

#include "store/store.h"

enum { TALK_TURNS_MOST = 8192, TALK_KINDS = 5 /* all, then the categories 1 to 4 */ };

struct talk_turn {
	char id[16], author[64];
	char *text;
	int64_t session, n, tokens;
	size_t conversation;
};

struct talks {
	struct store *s;
	struct talk_turn turns[TALK_TURNS_MOST];
	size_t count;
	size_t conversation; /* number of the one that is added, or asked about */
	char dir[400];
};

/* A memory of its own below `dir`; talks_close() removes it. */
void talks_open(struct talks *t, const char *dir);
void talks_add(struct talks *t, const json_t *conversation);
void talks_close(struct talks *t);

struct talk_score {
	double at5, at10, at20, mrr, in2000, in4000;
	size_t questions;
};

struct talk_answer {
	const struct talks *talks;
	const json_t *evidence;
	size_t total, rank; /* evidence there is; hits so far */
	int64_t tokens;
	size_t at5, at10, at20, in2000, in4000, first;
};

/* Begins the answer to a question that counts: its category, 0 if it does not. */
size_t talk_asked(const struct talks *t, const json_t *qa, struct talk_answer *a);
const char *talk_question(const json_t *qa);
/* The next hit is this turn. */
void talk_hit(struct talk_answer *a, const struct talk_turn *t);
/* What a search finds. */
void talk_search(struct talk_answer *a, const struct search_query *q);
/* Into the score of all, and of its category. */
void talk_add(struct talk_score scores[TALK_KINDS], size_t category, const struct talk_answer *a);

void talk_tell_head(void);
void talk_tell(const char *name, const struct talk_score *s);
void talk_tell_kinds(const char *name, const struct talk_score scores[TALK_KINDS]);

_Noreturn void talk_die(const char *what, const char *why);

#endif
