/* SPDX-License-Identifier: MIT */
/* The order of locks and who holds what, for the test profiles (lock.h). */
#include "store/lock.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const rank_name[RANKS] = {
	[RANK_SETTLE] = "store.settle_lock",
	[RANK_FOREIGN] = "serve.foreign_lock",
	[RANK_ASK] = "ask.lock",
	[RANK_CTL] = "frame.lock of a ctl",
	[RANK_DOCS] = "fs.docs",
	[RANK_ANSWERING] = "answering appends",
	[RANK_FRAME] = "frame.lock of a log",
	[RANK_CLAIMS] = "claims.lock",
	[RANK_SESSION_DEFAULTS] = "session_defaults.lock",
	[RANK_PAST] = "past.lock",
	[RANK_EMBEDDER] = "embedder.lock",
	[RANK_FS] = "fs.lock",
	[RANK_KCACHE] = "kcache.lock",
	[RANK_DENTRIES] = "dentry_notify.lock",
	[RANK_NOTIFIER] = "notifier.lock",
	[RANK_SIZE_BARRIER] = "size_barrier.lock",
	[RANK_EXPOSURE] = "exposure.lock",
	[RANK_CONTEXT_CACHE] = "context_cache.lock",
	[RANK_UNDECIDED] = "undecided.lock",
	[RANK_KEPT_FACTS] = "kept_facts.lock",
	[RANK_ACTIVE_BLOCKS] = "active_blocks.lock",
	[RANK_MEANINGS] = "meanings.lock",
	[RANK_SEARCHES] = "searches.lock",
	[RANK_NUMBERS] = "numbers.lock",
	[RANK_TALKS] = "talks.lock",
	[RANK_TIDY] = "tidy.ticker",
	[RANK_MISSING] = "missing.lock",
	[RANK_BOUNDS] = "bounds.lock",
	[RANK_WATCH] = "notifier.watch",
	[RANK_FRESH] = "fresh.lock",
	[RANK_FLOCKS] = "flocks.lock",
	[RANK_SEARCH] = "store.search_lock",
	[RANK_PUBLISHING] = "signer.publishing",
	[RANK_LOOK] = "far.look_lock",
	[RANK_FAR] = "far.lock",
	[RANK_COMMIT] = "store.commit_lock",
	[RANK_READER] = "a reader",
	[RANK_KEPT] = "kept.lock",
	[RANK_SIGNER] = "signer.lock",
	[RANK_QUEUE] = "store.queue_lock",
	[RANK_HEADS] = "heads.lock",
	[RANK_DOC_CACHE] = "doc_cache.lock",
	[RANK_READERS] = "store.reader_lock",
	[RANK_SYNC] = "store.sync_lock",
	[RANK_SIDE] = "store.side_lock",
	[RANK_MAINTENANCE] = "store.maintenance",
	[RANK_AWAY] = "far.away_lock",
	[RANK_DAMAGE] = "damage.lock",
	[RANK_VERIFY_TURN] = "verify.turn",
	[RANK_VERIFY_ROWS] = "verify.rows",
	[RANK_PINS] = "pins.lock",
};

enum { HELD_MOST = 32 };

/* What this thread holds, in the order in which it was taken; `lock` is NULL for a reader. */
struct held {
	struct held_one {
		const struct lock *lock;
		enum lock_rank rank;
	} items[HELD_MOST];
	int count;
};
static _Thread_local struct held held;

static void end(const char *what, enum lock_rank rank, enum lock_rank other)
{
	(void)fprintf(stderr, "lock order: %s %s while %s is held\n", rank_name[rank], what,
	              rank_name[other]);
	abort();
}

void lock_init(struct lock *l, enum lock_rank rank)
{
	*l = (struct lock){ .rank = rank };
	pthread_mutex_init(&l->mutex, NULL);
}

void lock_init_recursive(struct lock *l, enum lock_rank rank)
{
	pthread_mutexattr_t recursive;
	*l = (struct lock){ .rank = rank, .recursive = true };
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&l->mutex, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

void lock_destroy(struct lock *l)
{
	pthread_mutex_destroy(&l->mutex);
}

static bool holds(const struct lock *l)
{
	for (int i = 0; i < held.count; i++)
		if (held.items[i].lock == l)
			return true;
	return false;
}

static void push(const struct lock *l, enum lock_rank rank)
{
	if (held.count == HELD_MOST)
		end("is one too many", rank, rank);
	held.items[held.count++] = (struct held_one){ l, rank };
}

/* The last one of it that was taken goes. */
static void pop(const struct lock *l, enum lock_rank rank)
{
	int i = held.count - 1;
	while (i >= 0 && (held.items[i].lock != l || held.items[i].rank != rank))
		i--;
	if (i < 0)
		end("is given back and not held", rank, rank);
	for (held.count--; i < held.count; i++)
		held.items[i] = held.items[i + 1];
}

void lock_check_wait(enum lock_rank rank)
{
	for (int i = 0; LOCK_CHECKED && i < held.count; i++)
		if (held.items[i].rank >= rank)
			end("is taken", rank, held.items[i].rank);
}

void lock_check_got(enum lock_rank rank)
{
	if (LOCK_CHECKED)
		push(NULL, rank);
}

void lock_check_gave(enum lock_rank rank)
{
	if (LOCK_CHECKED)
		pop(NULL, rank);
}

void lock_check_take(const struct lock *l)
{
	if (!l->recursive || !holds(l))
		lock_check_wait(l->rank);
}

void lock_check_taken(const struct lock *l)
{
	push(l, l->rank);
}

void lock_check_give(const struct lock *l)
{
	pop(l, l->rank);
}

void lock_check_held(const struct lock *l)
{
	if (!holds(l))
		end("is needed and not held", l->rank, l->rank);
}

void lock_check_none(void)
{
	for (int i = 0; i < held.count; i++)
		if (held.items[i].rank != RANK_ANSWERING) /* which is none */
			end("is held, none may be", held.items[i].rank, held.items[i].rank);
}
