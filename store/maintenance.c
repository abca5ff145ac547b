/* SPDX-License-Identifier: MIT */
/*
 * The maintenance thread: one thread of the process that owns the tape.  Ten times a second
 * it looks whether another process has appended, lets the views catch up when the writers rest,
 * write little or the tail grows long, signs when it is due, and feeds the search index: all there
 * is when the writers have rested for a while, and a little while they write, more when it lacks
 * much.  Every ten seconds it writes what memories were used.
 */
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/documents/documents.h"
#include "store/views/views.h"
#include "store/memories/memories.h"
#include "store/mirror/mirror.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"

enum {
	TICK_MS = 100,
	BATCH = 500,      /* entries a transaction: an append waits no longer than that */
	LONG_TAIL = 20000, /* entries not in the views before we stop waiting for rest */
	REST_TICKS = 5,      /* of rest before the search index is fed; after a failure … */
	FAILED_TICKS = -600, /* … a minute more */
	LONG_SEARCH_TAIL = 20000, /* entries the index lacks before half of the time is for it */
	LONG_BATCH = 2000,   /* then, and of these a search waits for one: merging takes less */
	FEED_US = 100000,    /* of that half, at once */
	FEED_PAUSE = 9,      /* else a batch, and a pause so many times as long */
	SEE_US = 1000000,    /* between looks of the views at what is written without a rest */
	USES_TICKS = 100,
	TROUBLE_TICKS = 10,
	LOOK_TICKS = 100
};

struct maintenance {
	pthread_t thread;
	struct ticker ticker;
	bool runs; /* of who opens and closes */
};

struct maintenance_state { /* of the thread alone */
	int look;     /* ticks until it looks for redactions by itself: at its start, after a failure */
	bool told;    /* why nothing can be signed */
	int64_t last; /* entries there were at the tick before */
	int rest;     /* ticks since there was a new one */
	int uses;     /* ticks since the uses of memories were written */
	int64_t current; /* session that was kept as the one written to last */
	int looked;   /* ticks since trouble was looked for */
	int64_t feed_at; /* when the index is fed next although others write */
	int64_t see_at;  /* when the views see next what is written without a rest, since boot */
	struct mirror mirror;
	struct doc_packing packing;
	char trouble[256]; /* told last */
};

/*
 * A batch, and more until it has all, somebody searches, or we are to stop: while nobody writes,
 * or until a time of clock_since_boot().
 */
static void feed_search(struct store *s, struct maintenance_state *k, int64_t lack, int64_t until)
{
	int64_t left = lack;
	int err;
	do {
		if (!lock_try(&s->index->lock))
			return; /* a search is doing it */
		err = vectors_keep_up(s, left > LONG_SEARCH_TAIL ? LONG_BATCH : BATCH, &left);
		lock_give(&s->index->lock);
	} while (!err && left > 0 && !ticker_stopping(&s->maintenance->ticker) &&
	         (until ? clock_since_boot() < until : tape_entries(s) == k->last));
	if (err)
		k->rest = FAILED_TICKS; /* who searches meets it again */
}

/* Whoever writes on and on would else leave all of it to the first who searches. */
static void feed_beside(struct store *s, struct maintenance_state *k, int64_t lack)
{
	int64_t began = clock_since_boot();
	if (began < k->feed_at || lack < BATCH)
		return;
	bool much = lack > LONG_SEARCH_TAIL;
	feed_search(s, k, lack, began + (much ? FEED_US : 1));
	int64_t now = clock_since_boot();
	k->feed_at = much ? now : now + FEED_PAUSE * (now - began);
}

/* Said once, where people look; `status` says it as long as it lasts. */
static void tell_trouble(struct store *s, struct maintenance_state *k)
{
	char text[256];
	k->told = !k->told;
	if (!k->told)
		return;
	tape_unsigned(s, text, sizeof text);
	tape_tell(s, "EUCLEAN", "sign", ".cinta/checkpoint", text,
	          "look with cinta verify DB; if you took it out yourself, cinta redact N DB says so");
}

/* What waited for room; and each row that failed its check, by whoever read it first. */
static void tell_damage(struct store *s)
{
	int64_t seq;
	char text[128];
	bool any = !s->read_only && side_put_waiting(s);
	for (; damage_next(&s->damage, &seq); any = true) {
		(void)snprintf(text, sizeof text, "entry %lld is not the one that was hashed: its body or"
		               " header was changed, and it is not shown", (long long)seq);
		tape_tell(s, "EIO", "read", ".cinta/tape.jsonl", text,
		          "cinta verify DB names what is wrong; a copy of the database has the entry");
	}
	if (any && s->config.on_foreign)
		s->config.on_foreign(s->config.ctx, -1); /* errors.log has changed */
}

/* True if the signer has found a reason not to sign, other than that there is no room. */
static bool is_refused(int err)
{
	return err == STORE_EUNPROVED || err == STORE_EFORMAT;
}

/* Into the log, once: the same words with other numbers are no news. */
static void log_trouble(struct store *s, struct maintenance_state *k)
{
	char text[256];
	if (++k->looked < TROUBLE_TICKS)
		return;
	k->looked = 0;
	store_trouble(s, text, sizeof text);
	bool news = text[0] && strncmp(text, k->trouble, strcspn(text, ":")) != 0;
	(void)snprintf(k->trouble, sizeof k->trouble, "%s", text);
	if (news && s->config.on_trouble)
		s->config.on_trouble(s->config.ctx, text);
}

static void maintenance_tick(struct store *s, struct maintenance_state *k)
{
	if (moved_look(s))
		(void)store_catch_up(s); /* while its file takes it */
	moved_tick(s);
	log_trouble(s, k);
	int64_t from;
	bool foreign = tape_others_wrote(s, &from);
	if (((foreign && views_redacted_since(s, from)) || k->look == 0) && !s->read_only)
		k->look = redact_notice(s) ? LOOK_TICKS : -1; /* first: who is told looks again at once */
	else if (k->look > 0)
		k->look--;
	if (foreign && s->config.on_foreign)
		s->config.on_foreign(s->config.ctx, from);
	tell_damage(s);
	if (s->read_only)
		return;
	log_keep_current(s, &k->current);
	int64_t entries = tape_entries(s);
	int64_t tail = entries - views_at(s);
	bool wanted = views_wanted(s), due = clock_since_boot() >= k->see_at &&
		(tail <= BATCH || k->mirror.ours); /* a server's tables follow by the second */
	if (tail > 0 && (wanted || due || entries == k->last || tail > LONG_TAIL)) {
		(void)store_catch_up(s); /* a failure is met again, and reported, by the next reader */
		k->see_at = clock_since_boot() + SEE_US;
	}
	k->rest = entries == k->last || k->rest < 0 ? k->rest + 1 : 0;
	if (verifying_tick(s, entries != k->last) && !k->told)
		tell_trouble(s, k);
	k->last = entries;
	tape_tick(s);
	mirror_tick(s, &k->mirror);
	if (tape_sign_due(s) && is_refused(store_sign(s)) != k->told)
		tell_trouble(s, k);
	if (++k->uses >= USES_TICKS) {
		k->uses = 0;
		(void)access_flush(s); /* else they wait for the next time */
	}
	int64_t lack = views_at(s) - atomic_load(&s->index->searched);
	if (lack > 0 && k->rest >= REST_TICKS)
		feed_search(s, k, lack, 0);
	else if (lack > 0 && k->rest >= 0)
		feed_beside(s, k, lack);
	doc_pack(s, &k->packing, k->rest >= REST_TICKS);
}

static void *maintenance_thread(void *arg)
{
	struct store *s = arg;
	/* uses: at once what came before */
	struct maintenance_state k = { .last = -1, .uses = USES_TICKS - 1 };
	while (ticker_wait(&s->maintenance->ticker, TICK_MS))
		maintenance_tick(s, &k);
	doc_pack_end(s, &k.packing);
	mirror_forget(&k.mirror);
	return NULL;
}

int maintenance_start(struct store *s)
{
	s->maintenance = calloc(1, sizeof *s->maintenance);
	if (!s->maintenance)
		return STORE_ENOMEM;
	ticker_init(&s->maintenance->ticker, RANK_MAINTENANCE);
	if (pthread_create(&s->maintenance->thread, NULL, maintenance_thread, s))
		return STORE_ENOMEM;
	s->maintenance->runs = true;
	return 0;
}

void maintenance_stop(struct store *s)
{
	if (!s->maintenance || !s->maintenance->runs)
		return;
	ticker_stop(&s->maintenance->ticker);
	pthread_join(s->maintenance->thread, NULL);
	s->maintenance->runs = false;
}

void maintenance_hurry(struct store *s)
{
	if (s->maintenance && s->maintenance->runs)
		ticker_hurry(&s->maintenance->ticker);
}
