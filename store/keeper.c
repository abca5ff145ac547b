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
#include "store/signer.h"
#include "store/view.h"

enum {
	TICK_MS = 100,
	BATCH = 500,      /* entries a transaction: an append waits no longer than that */
	LONG_TAIL = 20000, /* entries not in the views before we stop waiting for rest */
	SIGN_ROWS = 1000,
	REST_TICKS = 5,      /* of rest before the search index is fed; after a failure … */
	FAILED_TICKS = -600, /* … a minute more */
	LONG_SEARCH_TAIL = 200000, /* entries the index lacks before we stop waiting for rest */
	USES_TICKS = 100,
	LOOK_TICKS = 100
};

struct keeping {
	int look;     /* turns until it looks for redactions by itself: at its start, after a failure */
	bool told;    /* why nothing can be signed */
	int64_t last; /* entries there were at the turn before */
	int rest;     /* turns since there was a new one */
	int uses;     /* turns since the uses of memories were written */
};
#define SIGN_US INT64_C(10000000)      /* sign what is new after ten seconds … */
#define SIGN_PAUSE_US INT64_C(1000000) /* … or SIGN_ROWS rows, but at most once a second */

int keeper_catch_up(struct store *s, int64_t rows)
{
	int64_t upto = atomic_load(&s->viewed);
	int err = s->read_only ? STORE_EROFS : view_catch_up(s->view, rows, s->next_seq, &upto);
	if (!err)
		atomic_store(&s->viewed, upto);
	return err;
}

int store_catch_up(struct store *s)
{
	const int64_t until = atomic_load(&s->entries); /* who writes on does not keep us waiting */
	int err = 0;
	while (!err && atomic_load(&s->viewed) < until) {
		pthread_mutex_lock(&s->commit_lock);
		if (atomic_load(&s->viewed) < s->next_seq)
			err = keeper_catch_up(s, BATCH);
		pthread_mutex_unlock(&s->commit_lock);
	}
	/* A disk that takes no view still shows what the views have. */
	return err == STORE_ENOSPC || err == STORE_EROFS ? 0 : err;
}

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
	pthread_mutex_lock(&s->commit_lock);
	int64_t size = s->next_seq;
	int err = signer_size(s->signer) < size ? signer_sign(s->signer, s->w, store_now(s)) : 0;
	if (!err && atomic_load(&s->synced) < size)
		atomic_store(&s->synced, size);
	pthread_mutex_unlock(&s->commit_lock);
	return err ? err : signer_publish(s->signer);
}

static bool foreign_rows(struct store *s)
{
	if (pthread_mutex_trylock(&s->commit_lock) == 0) { /* else a committer looks */
		(void)tape_refresh(s);
		pthread_mutex_unlock(&s->commit_lock);
	}
	return atomic_exchange(&s->foreign, false);
}

static bool stopping(struct store *s)
{
	pthread_mutex_lock(&s->keeper_lock);
	bool stop = s->keeper_stop;
	pthread_mutex_unlock(&s->keeper_lock);
	return stop;
}

/* A batch, and more until it has all, somebody writes or searches, or we are to stop. */
static void feed_search(struct store *s, struct keeping *k)
{
	int64_t left;
	int err;
	do {
		if (pthread_mutex_trylock(&s->search_lock))
			return; /* a search is doing it */
		err = vectors_keep_up(s, BATCH, &left);
		pthread_mutex_unlock(&s->search_lock);
	} while (!err && left > 0 && atomic_load(&s->entries) == k->last && !stopping(s));
	if (err)
		k->rest = FAILED_TICKS; /* who searches meets it again */
}

/* Said once, where people look; `status` says it as long as it lasts. */
static void tell_trouble(struct store *s, struct keeping *k)
{
	char text[256], kept[NAME_LIMIT + 1];
	k->told = !k->told;
	if (!k->told)
		return;
	signer_trouble(s->signer, text, sizeof text);
	const struct refusal r = { .time_us = store_now(s), .code = "EUCLEAN", .op = "sign",
		.path = ".cinta/checkpoint", .author = "cinta", .reason = text,
		.todo = "look with cinta verify; if you took it out yourself, cinta redact N says so" };
	(void)store_refuse(s, &r, NULL, NULL, 0, kept);
	if (s->config.on_trouble)
		s->config.on_trouble(s->config.ctx, text);
}

static void turn(struct store *s, struct keeping *k)
{
	bool foreign = foreign_rows(s);
	if ((foreign || k->look == 0) && !s->read_only)
		k->look = redact_notice(s) ? LOOK_TICKS : -1; /* first: who is told looks again at once */
	else if (k->look > 0)
		k->look--;
	if (foreign && s->config.on_foreign)
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
	if (s->signer && due(s, store_now(s)) &&
	    (store_sign(s) == STORE_EUNPROVED) != k->told)
		tell_trouble(s, k);
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
	pthread_mutex_lock(&s->keeper_lock);
	while (!s->keeper_stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (pthread_cond_timedwait(&s->keeper_wake, &s->keeper_lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&s->keeper_lock);
		turn(s, &k);
		pthread_mutex_lock(&s->keeper_lock);
	}
	pthread_mutex_unlock(&s->keeper_lock);
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
	pthread_mutex_lock(&s->keeper_lock);
	s->keeper_stop = true;
	pthread_cond_signal(&s->keeper_wake);
	pthread_mutex_unlock(&s->keeper_lock);
	pthread_join(s->keeper, NULL);
	s->keeper_runs = false;
}
