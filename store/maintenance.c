/* SPDX-License-Identifier: MIT */
/*
 * The keeper: one thread of the process that owns the tape.  Ten times a second
 * it looks whether another process has appended, lets the views catch up when
 * the writers rest or the tail grows long, signs when it is due (sign.c), and feeds the
 * search index when the writers have rested for a while.  Every ten seconds it writes what
 * memories were used.
 */
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
	USES_TICKS = 100,
	LOOK_TICKS = 100
};

struct keeping {
	int look;     /* turns until it looks for redactions by itself: at its start, after a failure */
	bool told;    /* why nothing can be signed */
	int64_t last; /* entries there were at the turn before */
	int rest;     /* turns since there was a new one */
	int uses;     /* turns since the uses of memories were written */
	int64_t signed_upto, signed_us; /* size of the last note; when it came, since boot */
};
#define SIGN_US INT64_C(10000000)      /* sign what is new after ten seconds … */
#define SIGN_PAUSE_US INT64_C(1000000) /* … or SIGN_ROWS rows, but at most once a second */

/* Where the last note seems to come from the future, the clock has gone back: ours counts. */
static bool due(const struct store *s, const struct keeping *k, int64_t now)
{
	int64_t waiting = atomic_load(&s->entries) - signer_size(s->signer);
	int64_t since = now - signer_time(s->signer);
	if (since < 0)
		since = clock_since_boot() - k->signed_us;
	return waiting > 0 && (since >= SIGN_US || (waiting >= SIGN_ROWS && since >= SIGN_PAUSE_US));
}

static bool foreign_rows(struct store *s)
{
	if (lock_try(&s->commit_lock)) { /* else a committer looks */
		(void)tape_refresh(s);
		lock_give(&s->commit_lock);
	}
	return atomic_exchange(&s->foreign, false);
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
	} while (!err && left > 0 && atomic_load(&s->entries) == k->last &&
	         !ticker_stopping(&s->keeping));
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
	const struct refusal r = { .time_us = store_time(s), .code = "EUCLEAN", .op = "sign",
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
	int64_t signed_upto = s->signer ? signer_size(s->signer) : 0;
	bool wanted = atomic_exchange(&s->want_views, false);
	if (tail > 0 && (wanted || entries == k->last || tail > LONG_TAIL))
		(void)store_catch_up(s); /* a failure is met again, and reported, by the next reader */
	k->rest = entries == k->last || k->rest < 0 ? k->rest + 1 : 0;
	k->last = entries;
	clock_look(&s->clock, store_time(s));
	durable_turn(s);
	if (signed_upto != k->signed_upto) {
		k->signed_upto = signed_upto;
		k->signed_us = clock_since_boot();
	}
	if (s->signer && due(s, k, store_time(s)) && (store_sign(s) == STORE_EUNPROVED) != k->told)
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
	while (ticker_wait(&s->keeping, TICK_MS))
		turn(s, &k);
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
	ticker_stop(&s->keeping);
	pthread_join(s->keeper, NULL);
	s->keeper_runs = false;
}
