/* SPDX-License-Identifier: MIT */
/*
 * The struct behind the store's door: what every sub-room may know, and a struct of each
 * sub-room, which that alone looks into.  Lock order: lock.h; what each
 * lock is for: docs/design.md, "Locks".
 */
#ifndef CINTA_STORE_INTERNAL_H
#define CINTA_STORE_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "store/base/base.h"
#include "store/db/db.h"
#include "store/store.h"

struct tape_hooks;
struct view_table;

struct store {
	char path[PATH_MAX];            /* the next four: set at open, never changed */
	struct store_config config;
	const struct tape_hooks *hooks;
	char trouble[256];
	_Atomic bool read_only;         /* set at open, and when the file has moved; stays set */

	struct readers *readers;        /* db */
	struct damage damage;           /* db */
	struct aux *aux;                /* db */
	struct tape *tape;
	struct views *views;
	struct doc_cache *doc_cache;      /* documents */
	struct index *index;            /* search, vectors */
	struct kept *kept;              /* life */
	struct accesses *accesses;      /* memories */
	struct ranking *ranking;        /* memories; guarded by the lock of `kept` */
	struct verifying *verifying;    /* verifying.c */
	struct maintenance *maintenance; /* maintenance.c; NULL: this store is not the owner's */

	struct following *following;    /* following.c; NULL: nothing is followed */

	struct lock settle_lock;        /* redact.c */
	int64_t settled;                /* guarded by settle_lock: redactions below left nothing */
};

/* wiring.c */
extern const struct view_table store_views;
extern const struct tape_hooks store_hooks;
extern const struct sql *const store_reads[];

/* counting.c: settles config.tokenizer, once, while the store opens. */
void tokenizer_settle(struct store *s);

/*
 * redact.c.  Owner, no lock held.  If a redaction has come that was not settled yet, it leaves
 * nothing of what is gone in memory or in the files beside.  Not 0: to be tried again later.
 */
int redact_notice(struct store *s);

/* verifying.c: maintenance calls the tick, with no lock held. */
int verifying_new(struct store *s);
void verifying_free(struct store *s);
bool verifying_tick(struct store *s, bool busy); /* true: it found why nothing may be signed */
void verifying_end(struct store *s); /* the owner's last: what was found bad does not count */
/* Rows below are known to hold: by this walk, or by the last one that the owner has signed. */
int64_t verifying_upto(struct store *s);

/* maintenance.c */
int maintenance_start(struct store *s);
void maintenance_stop(struct store *s);
/* Any thread: it looks now, if it runs. */
void maintenance_hurry(struct store *s);

/* following.c: of the owner, a thread that follows the tape of a server. */
int following_start(struct store *s);
void following_stop(struct store *s);

#endif
