/* SPDX-License-Identifier: MIT */
/*
 * What survives power loss: the sync of the WAL, and what happens after one has failed.
 *
 * A kernel that could not write pages reports it once, marks them clean and forgets it: the next
 * sync says "done" of bytes that are on no disk.  So after a sync that failed
 *
 *             a sync fails                       written anew and synced
 *   trusted ───────────────► lost (unsynced) ─────────────────────────────► trusted
 *                              │        ▲
 *                              └────────┘ it could not be
 *
 *   1. While it is lost nothing is called durable, nothing is signed, nothing is committed, and
 *      the WAL is not copied back: the memory is read-only.
 *   2. Every byte of the WAL is read and written again, so that all its pages are to be written,
 *      before it is synced again: at once, at each commit and sync, and by the maintenance thread.
 *   3. What was said to be durable before the failure is.
 */
#ifndef CINTA_STORE_DURABLE_H
#define CINTA_STORE_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

struct durable {
	_Atomic bool lost;        /* a sync has failed, and the WAL was not written anew since */
	_Atomic int64_t failures; /* how often a sync has failed */
	_Atomic int64_t failed_at; /* when last, since boot */
	int64_t told;             /* the maintenance thread's: of how many failures errors.log tells */
};

/* A sync has failed. */
void durable_failed(struct store *s);
/* commit_lock held.  0 when all that is committed can be trusted (again), else STORE_EROFS. */
int durable_mend(struct store *s);
/* The maintenance thread's: mends, and tells of failures in errors.log. */
void durable_turn(struct store *s);
/* "sync: …" while it is lost, and for an hour after a failure; else "". */
void durable_trouble(const struct store *s, char *text, size_t size);

#endif
