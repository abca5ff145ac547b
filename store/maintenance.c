/* SPDX-License-Identifier: MIT */
/*
 * The keeper: one thread of the process that owns the tape.  Ten times a second
 * it looks whether another process has appended, lets the views catch up when
 * the writers rest or the tail grows long, signs when it is due, and feeds the
 * search index when the writers have rested for a while.  Every ten seconds it writes what
 * memories were used.
 */
#include <errno.h>
#include <time.h>

#include "store/internal.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"

enum {
	TICK_MS = 100,
	BATCH = 500,      /* entries a transaction: an append waits no longer than that */
	LONG_TAIL = 20000, /* entries not in the views before we stop waiting for rest */
	SIGN_ROWS = 1000,
	REST_TICKS = 5,      /* of rest before the search index is fed; after a failure … */
	FAILED_TICKS = -600, /* … a minute more */
	LONG_SEARCH_TAIL = 200000, /* entries the index lacks before we stop waiting for rest */
	USES_TICKS = 100
};

struct keeping {
	int64_t last; /* entries there were at the turn before */
	int rest;     /* turns since there was a new one */
	int uses;     /* turns since the uses of memories were written */
};
#define SIGN_US INT64_C(10000000)      /* sign what is new after ten seconds … */
#define SIGN_PAUSE_US INT64_C(1000000) /* … or SIGN_ROWS rows, but at most once a second */

static bool due(const struct store *s, int64_t now)
{
	int64_t waiting = atomic_load(&s->entries) - signer_size(s->signer);
	int64_t since = now - signer_time(s->signer);
	return waiting > 0 && (since >= SIGN_US || (waiting >= SIGN_ROWS && since >= SIGN_PAUSE_US));
}

int store_sign(struct store *s)
{
	if (!s->signer || s->read_only)
		return STORE_EROFS;
	lock_take(&s->commit_lock);
	int64_t size = s->next_seq;
	int err = signer_size(s->signer) < size ? signer_sign(s->signer, s->w, store_time(s)) : 0;
	if (!err && atomic_load(&s->synced) < size)
		atomic_store(&s->synced, size);
	lock_give(&s->commit_lock);
	return err ? err : signer_publish(s->signer);
}

static bool foreign_rows(struct store *s)
{
	if (lock_try(&s->commit_lock)) { /* else a committer looks */
		(void)tape_refresh(s);
		lock_give(&s->commit_lock);
	}
	return atomic_exchange(&s->foreign, false);
}

static bool stopping(struct store *s)
{
	lock_take(&s->keeper_lock);
	bool stop = s->keeper_stop;
	lock_give(&s->keeper_lock);
	return stop;
}

/* A batch, and more until it has all, somebody writes or searches, or we are to stop. */
static void feed_search(struct store *s, struct keeping *k)
{
	int64_t left;
	int err;
	do {
		if (!lock_try(&s->search_lock))
			return; /* a search is doing it */
		err = vectors_keep_up(s, BATCH, &left);
		lock_give(&s->search_lock);
	} while (!err && left > 0 && atomic_load(&s->entries) == k->last && !stopping(s));
	if (err)
		k->rest = FAILED_TICKS; /* who searches meets it again */
}

static void turn(struct store *s, struct keeping *k)
{
	if (foreign_rows(s) && s->config.on_foreign)
		s->config.on_foreign(s->config.ctx);
	if (s->read_only)
		return;
	int64_t entries = atomic_load(&s->entries);
	int64_t tail = entries - atomic_load(&s->viewed);
	bool wanted = atomic_exchange(&s->want_views, false);
	if (tail > 0 && (wanted || entries == k->last || tail > LONG_TAIL))
		(void)store_catch_up(s); /* a failure is met again, and reported, by the next reader */
	k->rest = entries == k->last || k->rest < 0 ? k->rest + 1 : 0;
	k->last = entries;
	if (s->signer && due(s, store_time(s)))
		(void)store_sign(s);
	if (++k->uses >= USES_TICKS) {
		k->uses = 0;
		(void)access_flush(s); /* else they wait for the next time */
	}
	int64_t lack = atomic_load(&s->viewed) - atomic_load(&s->searched);
	if (lack > 0 && (k->rest >= REST_TICKS || (lack > LONG_SEARCH_TAIL && k->rest >= 0)))
		feed_search(s, k);
}

static void *keep(void *arg)
{
	struct store *s = arg;
	struct keeping k = { .last = -1, .uses = USES_TICKS - 1 }; /* at once what came before */
	lock_take(&s->keeper_lock);
	while (!s->keeper_stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (lock_wait_until(&s->keeper_lock, &s->keeper_wake, &until))
			continue;
		lock_give(&s->keeper_lock);
		turn(s, &k);
		lock_take(&s->keeper_lock);
	}
	lock_give(&s->keeper_lock);
	return NULL;
}

int keeper_start(struct store *s)
{
	if (pthread_create(&s->keeper, NULL, keep, s))
		return STORE_ENOMEM;
	s->keeper_runs = true;
	return 0;
}

void keeper_stop(struct store *s)
{
	if (!s->keeper_runs)
		return;
	lock_take(&s->keeper_lock);
	s->keeper_stop = true;
	pthread_cond_signal(&s->keeper_wake);
	lock_give(&s->keeper_lock);
	pthread_join(s->keeper, NULL);
	s->keeper_runs = false;
}
