/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): what is done to a session's window, and the
 * window as it stands.
 *
 * Session 17's operations are the stream "c17", kind `context`; the operations of
 * one write are committed together:
 *
 *   {"op":"prune","ids":[[3,3],[7,9]]}     restore, pin, unpin alike; the last two of an agent's
 *                                          program: "agent":NAME
 *   {"op":"summarize","from":3,"to":9,"text":…}
 *   {"op":"window","n":6}                  {"op":"window"}: as the system sees fit
 *   {"op":"reset"}
 *   {"op":"digest","from":4,"to":6,"text":…}
 *   {"op":"refer","message":12,"refs":[{"type":"context","ref":3}]}
 *
 * A message is active, pruned, or summarized: covered by a summary and not shown
 * beside it.  The rules (docs/format.md, "Windows"):
 *   1. Messages named exist.  A summary's range has no pinned message and meets no
 *      other summary's: a summary is written once.
 *   2. Pinned messages are active.  What is pinned cannot be pruned or summarized; what a person
 *      has pinned no agent's program unpins.
 *   3. restore and pin make a message active, whatever took it out; a summary stays.
 *      prune takes out what restore has shown beside a summary.
 *   4. reset makes all messages active, dissolves the summaries and frees the window;
 *      pins stay.
 *   5. A digest tells of messages and changes nothing of the window: it takes none out,
 *      is no summary, and a reset leaves it.  The first for its range is the one for good.
 *   6. refer adds references to a message that is there, behind those it has; what it refers to
 *      already is passed over.  Nothing of the window changes.
 * An entry that breaks them, by whomever written, has no effect.  `"pinned":true` in
 * a message is a pin of it.
 *
 * All functions see every committed entry.  Reading costs what is looked at, not what
 * the session holds; only runs of pruned messages are passed over one by one.
 */
#ifndef CINTA_STORE_CONTEXT_H
#define CINTA_STORE_CONTEXT_H

#include "store/entry.h"

struct store;

/* STORE_ENOENT: there is no such session. */
int store_context_state(struct store *s, int64_t session, struct context_state *out);

/* Return nonzero to stop. */
typedef int each_turn_fn(void *ctx, const struct turn *t);
/* Messages `from` to `to`, in order. */
int store_turns(struct store *s, int64_t session, int64_t from, int64_t to, each_turn_fn *fn,
                void *ctx);
/* The active ones from message `from` (0: the newest) back to the first. */
int store_active_back(struct store *s, int64_t session, int64_t from, each_turn_fn *fn, void *ctx);
/* The pinned messages, in order. */
int store_pinned(struct store *s, int64_t session, each_turn_fn *fn, void *ctx);

typedef int summary_fn(void *ctx, const struct summary *s);
/* The summaries in the order of their ranges, from the first that ends at `from` or later. */
int store_summaries(struct store *s, int64_t session, int64_t from, summary_fn *fn, void *ctx);
/* The same backwards, from the last that begins at `from` or earlier (0: from the last). */
int store_summaries_back(struct store *s, int64_t session, int64_t from, summary_fn *fn, void *ctx);
/* The summary that entry `seq` made, dissolved or not; STORE_ENOENT. */
int store_summary(struct store *s, int64_t seq, int64_t *session, summary_fn *fn, void *ctx);

/* The digest of just these messages; STORE_ENOENT. */
int store_digest(struct store *s, int64_t session, struct context_range r, summary_fn *fn,
                 void *ctx);
/* *yes: all these messages are active and unpinned, and no summary meets them. */
int store_context_untouched(struct store *s, int64_t session, struct context_range r, bool *yes);

/* Which messages are pruned, or pinned, as ranges in order. */
enum context_mark { MARK_PRUNED = 1, MARK_PINNED = 2 };
typedef int range_fn(void *ctx, struct context_range r);
int store_context_marked(struct store *s, int64_t session, enum context_mark mark, range_fn *fn,
                         void *ctx);

/*
 * Writes operations, all or none.  A refusal fills `why`, its line that of the
 * operation: STORE_EINVAL (a message there is not, a window or text out of bounds),
 * STORE_EEXIST (a summary meets another, there is a digest), STORE_EPINNED.  *seq (may
 * be NULL): the first entry.
 */
int store_context_commit(struct store *s, int64_t session, const struct context_op *ops,
                         size_t count, const char *author, int64_t *seq, struct why *why);
/* The same checks, without writing. */
int store_context_check(struct store *s, int64_t session, const struct context_op *ops,
                        size_t count, struct why *why);

/* ---- as it was at a time ---- */

int store_context_state_at_time(struct store *s, int64_t session, int64_t time_us,
                                struct context_state *out);
int store_summaries_at_time(struct store *s, int64_t session, int64_t time_us, int64_t from,
                            summary_fn *fn, void *ctx);
/* As store_active_back(); passes over hidden messages one by one. */
int store_active_back_at_time(struct store *s, int64_t session, int64_t time_us, each_turn_fn *fn,
                              void *ctx);
int store_context_marked_at_time(struct store *s, int64_t session, int64_t time_us,
                                 enum context_mark mark, range_fn *fn, void *ctx);

#endif
