/* SPDX-License-Identifier: MIT */
/*
 * The keeper: one thread of the process that owns the tape.  Ten times a second
 * it looks whether another process has appended, lets the views catch up when
 * the writers rest or the tail grows long, signs when it is due (sign.c), and feeds the
 * search index when the writers have rested for a while.  Every ten seconds it writes what
 * memories were used.
 */
#include <stdlib.h>

#include "store/internal.h"
#include "store/views/views.h"
#include "store/memories/memories.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"

enum {
	TICK_MS = 100,
	BATCH = 500,      /* entries a transaction: an append waits no longer than that */
	LONG_TAIL = 20000, /* entries not in the views before we stop waiting for rest */
	REST_TICKS = 5,      /* of rest before the search index is fed; after a failure … */
	FAILED_TICKS = -600, /* … a minute more */
	LONG_SEARCH_TAIL = 200000, /* entries the index lacks before we stop waiting for rest */
	USES_TICKS = 100,
	LOOK_TICKS = 100
};

struct keeper {
	pthread_t thread;
	struct ticker ticker;
	bool runs; /* of who opens and closes */
};

struct keeping {
	int look;     /* turns until it looks for redactions by itself: at its start, after a failure */
	bool told;    /* why nothing can be signed */
	int64_t last; /* entries there were at the turn before */
	int rest;     /* turns since there was a new one */
	int uses;     /* turns since the uses of memories were written */
};
/* A batch, and more until it has all, somebody writes or searches, or we are to stop. */
static void feed_search(struct store *s, struct keeping *k)
{
	int64_t left;
	int err;
	do {
		if (!lock_try(&s->index->lock))
			return; /* a search is doing it */
		err = vectors_keep_up(s, BATCH, &left);
		lock_give(&s->index->lock);
	} while (!err && left > 0 && tape_entries(s) == k->last &&
	         !ticker_stopping(&s->keeper->ticker));
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
	tape_unsigned(s, text, sizeof text);
	const struct refusal r = { .time_us = store_time(s), .code = "EUCLEAN", .op = "sign",
		.path = ".cinta/checkpoint", .author = "cinta", .reason = text,
		.todo = "look with cinta verify; if you took it out yourself, cinta redact N says so" };
	(void)store_refuse(s, &r, NULL, NULL, 0, kept);
	if (s->config.on_trouble)
		s->config.on_trouble(s->config.ctx, text);
}

static void turn(struct store *s, struct keeping *k)
{
	bool foreign = tape_others_wrote(s);
	if ((foreign || k->look == 0) && !s->read_only)
		k->look = redact_notice(s) ? LOOK_TICKS : -1; /* first: who is told looks again at once */
	else if (k->look > 0)
		k->look--;
	if (foreign && s->config.on_foreign)
		s->config.on_foreign(s->config.ctx);
	if (s->read_only)
		return;
	int64_t entries = tape_entries(s);
	int64_t tail = entries - views_at(s);
	bool wanted = views_wanted(s);
	if (tail > 0 && (wanted || entries == k->last || tail > LONG_TAIL))
		(void)store_catch_up(s); /* a failure is met again, and reported, by the next reader */
	k->rest = entries == k->last || k->rest < 0 ? k->rest + 1 : 0;
	k->last = entries;
	tape_turn(s);
	if (tape_sign_due(s) && (store_sign(s) == STORE_EUNPROVED) != k->told)
		tell_trouble(s, k);
	if (++k->uses >= USES_TICKS) {
		k->uses = 0;
		(void)access_flush(s); /* else they wait for the next time */
	}
	int64_t lack = views_at(s) - atomic_load(&s->index->searched);
	if (lack > 0 && (k->rest >= REST_TICKS || (lack > LONG_SEARCH_TAIL && k->rest >= 0)))
		feed_search(s, k);
}

static void *keep(void *arg)
{
	struct store *s = arg;
	struct keeping k = { .last = -1, .uses = USES_TICKS - 1 }; /* at once what came before */
	while (ticker_wait(&s->keeper->ticker, TICK_MS))
		turn(s, &k);
	return NULL;
}

int keeper_start(struct store *s)
{
	s->keeper = calloc(1, sizeof *s->keeper);
	if (!s->keeper)
		return STORE_ENOMEM;
	ticker_init(&s->keeper->ticker, RANK_KEEPER);
	if (pthread_create(&s->keeper->thread, NULL, keep, s))
		return STORE_ENOMEM;
	s->keeper->runs = true;
	return 0;
}

void keeper_stop(struct store *s)
{
	if (!s->keeper || !s->keeper->runs)
		return;
	ticker_stop(&s->keeper->ticker);
	pthread_join(s->keeper->thread, NULL);
	s->keeper->runs = false;
}
