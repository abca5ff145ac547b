/* SPDX-License-Identifier: MIT */
/*
 * What the files of the store share: the struct behind the door.  A field says
 * which lock guards it; their order is in lock.h, what each is for in docs/design.md.
 */
#ifndef CINTA_STORE_INTERNAL_H
#define CINTA_STORE_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "store/documents/documents.h"
#include "store/base/base.h"
#include "store/memories/memories.h"
#include "store/store.h"
#include "store/tape/tape.h"

struct search;
struct vectors;

struct store {
	char path[PATH_MAX];
	char origin[FIELD_MAX + 1];
	char vkey[FIELD_MAX + 128];
	struct store_config config;
	const struct tape_hooks *hooks; /* set at open, never changed */
	bool read_only;               /* set at open, never changed */
	char trouble[256];            /* set at open, never changed */
	struct clock_watch clock;     /* atomics */

	struct lock queue_lock;
	struct append *queue, **queue_end; /* guarded by queue_lock */
	bool leading;                      /* guarded by queue_lock: a thread is committing */

	struct lock commit_lock;
	sqlite3 *w;                   /* guarded by commit_lock, with all down to wal_pages */
	sqlite3_stmt *begin, *commit, *insert, *head_of, *end_of_tape;
	uint8_t random[256 * SALT_SIZE]; /* salts not used yet, from the end */
	size_t random_left;
	struct hasher hasher;
	struct view *view;
	struct signer *signer;        /* set at open; has its own lock */
	int64_t next_seq, last_us; /* last_us: date of the newest entry */
	int wal_pages;

	struct heads heads;
	_Atomic int64_t entries;      /* committed rows */
	_Atomic int64_t viewed;       /* rows the views have seen */
	_Atomic bool want_views;      /* a read had to walk far past the views */
	struct lock settle_lock;
	int64_t settled;              /* guarded by settle_lock: redactions below it left nothing; -1 */
	_Atomic bool foreign;         /* another process has appended: the keeper tells */
	_Atomic int64_t current;      /* session last written to, 0: ask the views */

	struct readers *readers;

	struct lock sync_lock;
	sqlite3_file *wal;            /* set at open */
	_Atomic int64_t synced;       /* rows known to survive power loss */
	struct durable durable;       /* atomics */

	struct doc_lately lately;     /* its own lock */

	struct lock side_lock;
	sqlite3 *side;                /* guarded by side_lock: refusals, what was offered, scratch */
	struct accesses accesses;     /* guarded by side_lock */
	_Atomic int64_t refusals;

	struct lock search_lock;
	struct search *search;        /* guarded by search_lock; NULL until it is first needed */
	_Atomic int64_t searched;     /* rows the index has seen, as far as we know */
	struct vectors *vectors;      /* guarded by search_lock; NULL until they are first needed */

	pthread_t keeper;
	struct ticker keeping;
	bool keeper_runs;             /* set and read by who opens and closes */
};

/* wiring.c */
extern const struct view_table store_views;
extern const struct tape_hooks store_hooks;
extern const struct sql *const store_reads[SQL_ROOMS];

/* side.c; side_lock held.  The connection, or NULL: then there is nothing and nothing is kept. */
sqlite3 *side_open(struct store *s);
/* Deletes the row `id` with this statement; takes side_lock.  STORE_ENOENT: there is none. */
int side_drop(struct store *s, const char *sql, int64_t id);

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
