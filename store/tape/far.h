/* SPDX-License-Identifier: MIT */
/*
 * A tape that lives at an engine (engine.h): how its file is kept a prefix of it, who may ask, and
 * what is said when it cannot be asked.  Part of the door of store/tape.
 *
 *             asked, answered                    not reached
 *   near ◄──────────────────────── away ◄────────────────────── near
 *     │
 *     └── ROLLBACK, FORK ──► split: read-only until it is opened anew
 */
#ifndef CINTA_FAR_H
#define CINTA_FAR_H

#include "store/tape/engine.h"

/* Takes the engine, which is the store's in any case; NULL: there is none. */
int far_open(struct store *s, struct engine *engine);
/*
 * While the store opens, before its views: takes all rows there are.  0 also when it is away and
 * the file has entries; else a STORE_ code with `why`.
 */
int far_begin(struct store *s, struct why *why);
/* The views are open: what has split takes nothing from now on. */
void far_opened(struct store *s);
void far_close(struct store *s);
/* True if there is an engine. */
bool far_has(const struct store *s);
/* Any thread: all waiting for the engine ends, now and from now on. */
void far_end(struct store *s);

/* The leader's, no lock of the store held: commits these requests at the engine, and here. */
void far_commit(struct store *s, struct append *list);
/*
 * No lock held: settles what had no answer, and takes all rows there are.  0, STORE_EAWAY, or
 * STORE_EFORMAT: it has split.
 */
int far_catch_up(struct store *s);
/* No mount shares any more (store_share()): who appends elsewhere need not wait for this one. */
void far_leave(struct store *s);
/* The follower's: waits for news, so long at most, and takes it; tells errors.log of changes. */
void far_follow(struct store *s, int ms);

/* Whether this machine is to sign, which is so without an engine. */
bool far_signs(const struct store *s);
/* Below this entry nothing is left here of what was redacted: others are told. */
void far_set_clean(struct store *s, int64_t below);

/* No lock held: engine_ops.tables and .fill. */
int far_tables(struct store *s, int64_t version, int64_t seen, int64_t at[2]);
int far_fill(struct store *s, const char *what, int64_t seen, int64_t known, const char *rows);

/* Since when it is away, by the calendar; 0: it is not. */
int64_t far_away_since(const struct store *s);
/* The same, or since when it does not say how many entries it has. */
int64_t far_behind_since(const struct store *s);
/* "ROLLBACK: …", "FORK: …", or "". */
void far_split(const struct store *s, char *text, size_t size);
/* "server: …" if it is away or does not say that, or "". */
void far_trouble(const struct store *s, char *text, size_t size);
/* How it may be shown; "" without one. */
const char *far_name(const struct store *s);

#endif
