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
	char path[PATH_MAX];            /* the next five: set at open, never changed */
	struct store_config config;
	const struct tape_hooks *hooks;
	bool read_only;
	char trouble[256];

	struct readers *readers;        /* db */
	struct aux *aux;                /* db */
	struct tape *tape;
	struct views *views;
	struct doc_lately *lately;      /* documents */
	struct index *index;            /* search, vectors */
	struct accesses *accesses;      /* memories */
	struct keeper *keeper;          /* maintenance.c; NULL: this store is not the owner's */

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
 * redact.c.  Owner, no lock held: has a redaction come that was not settled yet?  Then it leaves
 * nothing of what is gone in memory or in the files beside.  Not 0: to be tried again later.
 */
int redact_notice(struct store *s);

/* maintenance.c */
int keeper_start(struct store *s);
void keeper_stop(struct store *s);

#endif
