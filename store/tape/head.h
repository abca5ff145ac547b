/* SPDX-License-Identifier: MIT */
/*
 * The heads of the streams, in memory: how many entries each has, the hash of
 * the last, and how big its log is (of sessions and records).  The committer
 * works on its own copy and publishes after COMMIT, so nobody sees the size of
 * what may be rolled back.
 *
 * Invariants
 *   1. `count`, `bytes`, `last_us` describe committed rows only.        (lock)
 *   2. `next_…` and `last` are the committer's.  (commit lock)
 *   3. Between transactions 2 equals 1 for every head.
 *   4. A head that is not here is on the tape: forgetting is always allowed.
 */
#ifndef CINTA_HEAD_H
#define CINTA_HEAD_H

#include <pthread.h>

#include "store/entry.h"
#include "store/lock.h"

struct head {
	char stream[FIELD_MAX + 1];
	int64_t count, bytes, last_us;
	int64_t next_count, next_bytes, next_us;
	uint8_t last[HASH_SIZE]; /* leaf hash of entry next_count - 1, zeros if none */
	bool dirty;
	struct head *chain;       /* next in the bucket */
	struct head *dirty_next;
};

struct heads {
	struct lock lock;
	struct head **buckets;
	size_t bucket_count, count;
	struct head *dirty; /* changed by the open transaction; commit lock */
};

int heads_init(struct heads *h);
void heads_release(struct heads *h);
/* Commit lock held.  NULL: not in memory. */
struct head *heads_find(struct heads *h, const char *stream);
/* Commit lock held.  A new head with zeros; NULL when out of memory. */
struct head *heads_add(struct heads *h, const char *stream);
/* Commit lock held: this head is part of the open transaction. */
void heads_touch(struct heads *h, struct head *head);
/* Commit lock held: after COMMIT. */
void heads_publish(struct heads *h);
/* Commit lock held: after ROLLBACK, or when another process wrote: read them again. */
void heads_forget(struct heads *h);
/* Any thread: committed size and last time of a stream's log; false: not in memory. */
bool heads_stat(struct heads *h, const char *stream, int64_t *bytes, int64_t *last_us);

#endif
