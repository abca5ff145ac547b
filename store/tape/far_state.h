/* SPDX-License-Identifier: MIT */
/* What is kept of an engine: private to far.c and far_call.c. */
#ifndef CINTA_FAR_STATE_H
#define CINTA_FAR_STATE_H

#include "store/tape/tape_state.h"

struct far {
	struct engine *engine;
	struct lock lock;            /* all that is asked of the engine */
	int64_t noted;               /* guarded by lock: entries of the note last exchanged, or -1 */
	int64_t note_at;             /* and when, since boot */
	int64_t noted_clean;         /* and what was told with it */
	_Atomic int64_t clean;       /* below, nothing is left of what was redacted; -1: not known */
	_Atomic bool signs;          /* this machine is to sign */
	_Atomic int sharing;         /* mounts with fresh=write: sharing.c */
	_Atomic int64_t shares_until; /* since boot: until then what is here is what they may show */
	_Atomic bool shares;         /* others may be waiting for this one */
	int64_t showed, showed_at;   /* the follower's: what it said last, and when, since boot */
	int64_t stored_upto;         /* guarded by lock: behind the last entry of our own */
	bool opened;                 /* the views are made of what is here: set once */
	_Atomic bool told;           /* errors.log says that it is away, or blind */
	_Atomic int64_t away_since;
	_Atomic int64_t blind_since; /* it does not say how many entries it has; 0: it does */
	int64_t fresh_told;          /* of who calls store_fresh(): on_foreign was called up to here */
	struct lock look_lock;       /* ops->head */
	_Atomic bool is_split;
	struct lock away_lock;       /* guards the next three */
	char away[256], blind[256], split[256];
};

/* Rows that come while somebody asks: engine_rows_fn with a `struct arriving`. */
struct arriving {
	struct store *s;
	const struct engine_call *call; /* NULL: none of the rows are ours */
	bool views;
};
int far_arrive(void *ctx, const struct entry *rows, size_t count);

/* Where the file ends. */
int far_tip(struct store *s, struct engine_tip *tip);

/* ---- sharing.c, no lock held ---- */

/* The follower's turn: says what this machine shows, and takes what came before it said so. */
void sharing_turn(struct store *s);
/* Waits until all who share show the first `upto` entries, or ask before they show anything. */
void sharing_wait(struct store *s, int64_t upto);
/* What is here may be shown without asking. */
bool sharing_holds(const struct store *s);

/* ---- far.lock held ---- */

/* What came of asking: near, away or split. */
void far_note(struct store *s, int err);
/* Settles what had no answer; 0 also if there is nothing. */
int far_settle(struct store *s);
/* Takes all rows there are. */
int far_pull(struct store *s, const struct engine_call *call, bool views);

#endif
