/* SPDX-License-Identifier: MIT */
/* What context.c, context_past.c and context_commit.c share. */
#ifndef CINTA_CONTEXT_READ_H
#define CINTA_CONTEXT_READ_H

#include "store/internal.h"

enum { MARK_SHOWN = 4 }; /* beside MARK_PRUNED, MARK_PINNED of context.h */

/* A reader in a transaction, and how many messages the session has there: STORE_ENOENT. */
int context_begin(struct store *s, int64_t session, struct reader **r, int64_t *messages);
/* Hands on each row of turns of a bound statement until `fn` stops: 1, 0, or a STORE_ code. */
int context_each_turn(sqlite3_stmt *q, bool active_only, each_turn_fn *fn, void *ctx);
/* The same of summaries, and of messages, joined to ranges. */
int context_each_summary(sqlite3_stmt *q, summary_fn *fn, void *ctx);
int context_each_range(sqlite3_stmt *q, range_fn *fn, void *ctx);
/* Binds the four parameters of a statement of turns. */
void context_bind_turns(sqlite3_stmt *q, int64_t session, int64_t from, int64_t to);
/* state->active from the other numbers. */
void context_count(struct context_state *state);

#endif
