/* SPDX-License-Identifier: MIT */
/* The tape of an open store: private to the files of tape/ that append, commit and open. */
#ifndef CINTA_TAPE_STATE_H
#define CINTA_TAPE_STATE_H

#include "store/internal.h"
#include "store/tape/tape.h"

struct tape {
	char origin[FIELD_MAX + 1];        /* these two: set at open, never changed */
	char vkey[FIELD_MAX + 128];

	struct lock queue_lock;
	struct append *queue, **queue_end; /* guarded by queue_lock */
	bool leading;                      /* guarded by queue_lock: a thread is committing */

	struct lock commit_lock;       /* guards all until heads */
	sqlite3 *db;
	sqlite3_stmt *begin, *commit, *insert, *head_of, *end_of_tape, *names_since;
	uint8_t random[256 * SALT_SIZE];   /* salts not used yet, from the end */
	size_t random_left;
	struct hasher hasher;
	struct row_check check;
	int64_t next_seq, last_us;
	int wal_pages;

	struct heads heads;                /* its own lock */
	struct signer *signer;             /* set at open; its own locks */
	_Atomic int64_t entries;           /* committed rows */
	_Atomic int64_t foreign;           /* another process's entries are among those from here on:
	                                    * maintenance tells; -1: it has told of all */
	_Atomic int64_t foreign_end;       /* behind the last of another process's entries, set before
	                                    * `entries` counts it; 0: none has come since the opening */
	_Atomic int64_t current;           /* session last written to, 0: ask the views */
	_Atomic bool mine;                 /* it was this process that wrote to it */

	struct far *far;                   /* set at open; NULL: the file is the tape */

	struct lock sync_lock;
	sqlite3_file *wal;                 /* set at open */
	_Atomic int64_t synced;            /* rows known to survive power loss */
	struct durable durable;            /* atomics */
	struct moved moved;                /* moved.h */
	struct sidecar sidecar;            /* maintenance's */
	struct clock_watch clock;          /* atomics */
	_Atomic int64_t checked;           /* tape_checked() */
	_Atomic int64_t others, others_last; /* entries of other processes since the opening */
	int64_t found;                     /* set at open: entries beyond the newest note */
	int64_t signed_upto, signed_at;    /* maintenance's: the last note's size; when, since boot */
};

/* ---- put.c; commit lock held ---- */

/* Runs a statement that gives no rows. */
int put_run(sqlite3_stmt *q);
/* The head of a stream, from memory or from the tape. */
int put_head(struct store *s, const char *stream, struct head **out);
/* One entry at the end of the tape and of its stream, whose head is `head`. */
int put_entry(struct store *s, struct head *head, const struct entry *e);
/*
 * The end of a transaction that began at entry `first`: if `err` is 0 the views see what is new
 * (where `views`) and all of it is committed, else all of it is taken back.
 */
int put_finish(struct store *s, bool views, int64_t first, int err);
/* Copies the WAL back if it has so many pages: two syncs, however many they are. */
enum { WAL_LIMIT = 4000 };
void put_wal_back(struct store *s, int limit);
/* Bodies and salts of these entries go, in the open transaction. */
int put_bodies_away(struct store *s, const int64_t *seqs, size_t count);
/* The same of all that are there though a redaction on the tape proves that they went. */
int put_proved_away(struct store *s, size_t *count);

/* ---- take.c ---- */

/* Rows that a server has given, in order; those that are here already are passed over. */
struct taking {
	const struct entry *rows;
	size_t count;
	int64_t first, ours;  /* those from `first` on, so many, are this process's own */
	bool views;           /* the views are to see them in the same transaction, if they can */
	bool begins;          /* the store is not open yet */
};
/* No lock held.  STORE_EFORMAT: one is not what it says, or does not follow. */
int tape_take(struct store *s, const struct taking *k);

/* ---- tape.c, of what is to be appended ---- */

int tape_check(const struct draft *d);
int tape_salt(struct store *s, uint8_t salt[SALT_SIZE]);
bool tape_is_keyed(const struct append *a);
bool tape_needs_views(const struct store *s, const struct append *list);
void tape_note_current(struct store *s, const struct append *list);

#endif
