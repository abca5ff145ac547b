/* SPDX-License-Identifier: MIT */
/*
 * Which memories are worth a place in a context: part of the store's door (store.h).
 *
 *   score = 0.20 recency + 0.40 importance + 0.30 relevance + 0.10 frequency
 *
 *   recency     exp(-decay * days since it was last used, or made if it never was); decay is
 *               a day's, by type
 *   importance  the document's own, 0..1
 *   relevance   0..1; 0 when nothing is asked
 *   frequency   log(1 + uses) / log(1 + most uses of a memory that can be chosen), 0..1
 *
 * The memories are the documents below memories/.  Functions return 0 or a negative STORE_ code.
 */
#ifndef CINTA_STORE_SCORE_H
#define CINTA_STORE_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/entry.h"

struct store;

enum memory_type {
	MEMORY_PREFERENCE, MEMORY_DECISION, MEMORY_FACT, MEMORY_ENTITY, MEMORY_TEMPORAL, MEMORY_TYPES
};

struct scoring {
	double recency, importance, relevance, frequency; /* weights: 0.20, 0.40, 0.30, 0.10 */
	double decay[MEMORY_TYPES]; /* a day: 0.01, 0.05, 0.10, 0.05, 0.50 */
};
extern const struct scoring scoring_default;

/*
 * `weights` and `decay_rates` in an algorithm's `config`, a JSON object, or in its `scoring`,
 * where they say numbers from 0 (weights: to 1); all else stays.  Pure.
 */
void scoring_set(struct scoring *c, const char *config, size_t len);
/*
 * As the active version in algorithms/ says whose config has such numbers: that of
 * algorithms/memory before others, then the one saved last.  Sees every committed entry.
 */
int store_scoring(struct store *s, struct scoring *out);

/* algorithms/CODE/NAME; strings live for the call. */
struct algorithm {
	int64_t id;         /* of its document */
	const char *code, *name; /* "memory", "1.0.0.json" */
	const char *status; /* draft, active, experiment or deprecated */
	const char *config; /* a JSON object; "": it has none */
	bool scores;        /* it says numbers for scoring_set() */
	int64_t saved_us;
};
typedef int algorithm_fn(void *ctx, const struct algorithm *a); /* nonzero stops */
/* All versions of this code (NULL: of all), by code, then the older first. */
int store_algorithms(struct store *s, const char *code, algorithm_fn *fn, void *ctx);

struct memory_state {
	enum memory_type type;
	double days;       /* since it was last used; less than 0 is 0 */
	double importance, relevance; /* beyond 0..1 is the nearer end */
	int64_t uses, most;
};
struct memory_score {
	double recency, importance, relevance, frequency; /* the parts, 0..1 each */
	double total;      /* their weighted sum */
};
struct memory_score memory_score(const struct scoring *c, const struct memory_state *m);

/* Strings live for the call. */
struct memory_hit {
	int64_t id;          /* of its document */
	enum memory_type type;
	const char *name;    /* "KEY.md" */
	const char *summary; /* "": it has none */
	struct memory_score score;
	const struct scoring *by;
	double days;           /* since it was used, or made if that is not known */
	int64_t uses, used_us; /* 0: never; used_us 0: not known when, as of a clock ahead of `now` */
	int64_t most;          /* uses of the one most used */
	enum life life;
	int64_t heir;          /* of one that is superseded: the live one for it, 0: none */
	int64_t made_us, saved_us, tokens;
};
typedef int memory_fn(void *ctx, const struct memory_hit *m); /* nonzero stops */

/* Hits of a query that are ordered anew by their score; those behind them stay in place. */
enum { MEMORIES_REORDERED = 20 };
/*
 * The best active memories, best first.  Left out: of another status, or past `expires_at` at
 * `now`.  Who is superseded stands for the end of its chain, which comes once; of a circle,
 * the one saved last.
 *
 * `query` NULL or blank: by score.  Else what store_search() finds for its words; relevance is
 * the share of the best hit's score, and what has less than `min_similarity` (0..1) is left out.
 * `owner`: a component's code or id (hash), NULL: any.  `limit` 1..SEARCH_LIMIT_MOST, 0:
 * SEARCH_LIMIT.  Counts no use.  STORE_EINVAL: a parameter out of range.
 */
int store_search_memories(struct store *s, const char *query, const char *owner, int limit,
                          double min_similarity, int64_t now, memory_fn *fn, void *ctx);

/*
 * The same without words, of the `newest` memories made last (1 or more) alone: at their cost,
 * however many there are.  Uses count against the most of these; `limit` 1..SEARCH_LIMIT_MOST.
 */
int store_newest_memories(struct store *s, int64_t newest, int limit, int64_t now, memory_fn *fn,
                          void *ctx);
/*
 * The best MEMORIES_REORDERED of any owner by these numbers, whatever is active: to try an
 * algorithm.  All else as above.
 */
int store_rank_memories(struct store *s, const struct scoring *by, const char *query, int64_t now,
                        memory_fn *fn, void *ctx);
/*
 * One memory's score when nothing is asked, also of one that is retired.  STORE_ENOENT: the
 * document is none.
 */
int store_memory_score(struct store *s, int64_t id, int64_t now, memory_fn *fn, void *ctx);
/* Each document becomes the memory that would be handed out in its place, or 0: none would. */
int store_memory_heirs(struct store *s, int64_t *ids, size_t n, int64_t now);

/*
 * These documents were found, or put in a context, at that time: one use more of each.  Kept in
 * PATH.side, written in batches: no entry, no part of the memory; what is lost in a crash is
 * some seconds of counts.  A store that cannot be written keeps none.
 */
int store_memory_accessed(struct store *s, const int64_t *ids, size_t n, int64_t time_us);

#endif
