/* SPDX-License-Identifier: MIT */
/* What context.c, context_past.c and context_commit.c share. */
#ifndef CINTA_CONTEXT_READ_H
#define CINTA_CONTEXT_READ_H

#include "store/context/context.h"
#include "store/internal.h"

enum {
	READ_CONTEXT = SQL_FIRST(SQL_CONTEXT), READ_CONTEXT_HELD, READ_CONTEXT_SHOWN, READ_SUMMARIES,
	READ_SUMMARIES_BACK, READ_SUMMARY, READ_DIGEST, READ_CONTEXT_TOUCHED, READ_TURNS,
	READ_TURNS_ACTIVE, READ_TURNS_PINNED, READ_CONTEXT_THEN, READ_CONTEXT_LAST_THEN,
	READ_CONTEXT_BARRED_THEN, READ_SUMMARIES_THEN, READ_TURNS_THEN, READ_CONTEXT_MARKED_THEN
};

/* A reader in a transaction, and how many messages the session has there: STORE_ENOENT. */
int context_begin(struct store *s, int64_t session, struct reader **r, int64_t *messages);
/* Hands on each row of turns of a bound statement until `fn` stops: 1, 0, or a STORE_ code. */
int context_each_turn(struct reader *r, sqlite3_stmt *q, bool active_only, each_turn_fn *fn,
                      void *ctx);
/* The same of summaries, and of messages, joined to ranges. */
int context_each_summary(sqlite3_stmt *q, summary_fn *fn, void *ctx);
/* Of the only row, `fn` may be NULL; STORE_ENOENT. */
int context_one_summary(sqlite3_stmt *q, summary_fn *fn, void *ctx);
int context_each_range(sqlite3_stmt *q, range_fn *fn, void *ctx);
/* Binds the four parameters of a statement of turns. */
void context_bind_turns(sqlite3_stmt *q, int64_t session, int64_t from, int64_t to);
/* state->active from the other numbers. */
void context_count(struct context_state *state);

#endif
