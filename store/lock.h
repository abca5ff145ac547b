/* SPDX-License-Identifier: MIT */
/*
 * Locks with a place in one order: used by mount/, fs/ and store/ (a door, as entry.h is), so
 * that no two threads can wait for each other in a circle.
 *
 * The order is the enum below; docs/design.md says of each what it guards.  A thread takes only a
 * lock that stands further down than all those it holds.  In the test profiles (CINTA_CHECK, set
 * by the Makefile for SAN=) each taking is checked and a wrong one ends the program with both
 * names; elsewhere a lock costs what its mutex costs.
 */
#ifndef CINTA_STORE_LOCK_H
#define CINTA_STORE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#ifdef CINTA_CHECK
enum { LOCK_CHECKED = 1 };
#else
enum { LOCK_CHECKED = 0 };
#endif

/* In the order in which one thread may take them; the names are in lock.c. */
enum lock_rank {
	RANK_SETTLE, RANK_FOREIGN, RANK_ASK, RANK_CTL, RANK_DOCS, RANK_ANSWERING, RANK_FRAME,
	RANK_CLAIMS, RANK_SESSION_DEFAULTS, RANK_PAST, RANK_EMBEDDER, RANK_FS, RANK_KCACHE,
	RANK_DENTRIES, RANK_NOTIFIER, RANK_SIZE_BARRIER, RANK_EXPOSURE, RANK_CONTEXT_CACHE,
	RANK_UNDECIDED, RANK_KEPT_FACTS, RANK_ACTIVE_BLOCKS, RANK_MEANINGS, RANK_SEARCHES,
	RANK_NUMBERS, RANK_TALKS, RANK_TIDY, RANK_MISSING, RANK_BOUNDS, RANK_WATCH, RANK_FRESH,
	RANK_FLOCKS, RANK_SEARCH, RANK_PUBLISHING, RANK_LOOK, RANK_FAR, RANK_COMMIT, RANK_READER,
	RANK_KEPT, RANK_SIGNER, RANK_QUEUE, RANK_HEADS, RANK_DOC_CACHE, RANK_READERS, RANK_SYNC,
	RANK_SIDE, RANK_MAINTENANCE, RANK_AWAY, RANK_DAMAGE, RANK_VERIFY_TURN,
	RANK_VERIFY_ROWS, RANK_PINS,
	RANKS
};

struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
	bool recursive;
};

void lock_init(struct lock *l, enum lock_rank rank);
/* The same; the thread that holds it may take it again, whatever it has taken since. */
void lock_init_recursive(struct lock *l, enum lock_rank rank);
void lock_destroy(struct lock *l);

/*
 * The checks, for what is no mutex but is waited for all the same (a reading connection): the
 * thread is about to wait for, has got, has given back one of this rank.
 */
void lock_check_wait(enum lock_rank rank);
void lock_check_got(enum lock_rank rank);
void lock_check_gave(enum lock_rank rank);

/* The checks of a lock; called below when LOCK_CHECKED. */
void lock_check_take(const struct lock *l);
void lock_check_taken(const struct lock *l);
void lock_check_give(const struct lock *l);
void lock_check_held(const struct lock *l);
void lock_check_none(void);

static inline void lock_take(struct lock *l)
{
	if (LOCK_CHECKED)
		lock_check_take(l);
	pthread_mutex_lock(&l->mutex);
	if (LOCK_CHECKED)
		lock_check_taken(l);
}

/* False when another thread has it: who does not wait may come in any order. */
static inline bool lock_try(struct lock *l)
{
	if (pthread_mutex_trylock(&l->mutex))
		return false;
	if (LOCK_CHECKED)
		lock_check_taken(l);
	return true;
}

static inline void lock_give(struct lock *l)
{
	if (LOCK_CHECKED)
		lock_check_give(l);
	pthread_mutex_unlock(&l->mutex);
}

/* Gives the lock back, waits for the condition, takes the lock again; it is held by the caller. */
static inline void lock_wait(struct lock *l, pthread_cond_t *changed)
{
	if (LOCK_CHECKED)
		lock_check_held(l);
	pthread_cond_wait(changed, &l->mutex);
}

/* The same until a time of the condition's clock; false when that has come. */
static inline bool lock_wait_until(struct lock *l, pthread_cond_t *changed,
                                   const struct timespec *until)
{
	if (LOCK_CHECKED)
		lock_check_held(l);
	return pthread_cond_timedwait(changed, &l->mutex, until) == 0;
}

/* For functions that say "lock held": ends the program if the thread does not hold it. */
static inline void lock_assert(const struct lock *l)
{
	if (LOCK_CHECKED)
		lock_check_held(l);
}

/* For what waits for the kernel or another program: ends the program if the thread holds any. */
static inline void lock_assert_none(void)
{
	if (LOCK_CHECKED)
		lock_check_none();
}

#endif
