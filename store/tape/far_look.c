/* SPDX-License-Identifier: MIT */
/*
 * The follower, and looking whether an engine has more than the file, for who must not show less
 * (far.h).
 *
 *   a look ──► as many as here ────────────────────────────► on_foreign of what has come since
 *     │  └───► more: all rows are taken, as the follower does ──┘         the look before
 *     └──► no answer: blind. Nobody looks any more but the follower, every second, until there
 *          is one; reading goes on with what is here, and says so
 *
 * Asking how many there are waits for no append: it takes far.lock only when rows are to be taken.
 */
#include <string.h>

#include "store/tape/far_state.h"

enum { LOOK_MS = 3000 };

/* As far_note() of what is asked on the line. */
static void note_blind(struct far *f, const struct why *why, int64_t now)
{
	if (atomic_load(&f->blind_since))
		return;
	lock_take(&f->away_lock);
	memcpy(f->blind, why->text, sizeof f->blind);
	lock_give(&f->away_lock);
	atomic_store(&f->blind_since, now);
}

static int look(struct store *s, int64_t *next)
{
	struct far *f = s->tape->far;
	struct why why = { 0 };
	lock_take(&f->look_lock);
	int err = f->engine->ops->head(f->engine, LOOK_MS, next, &why);
	lock_give(&f->look_lock);
	if (err)
		note_blind(f, &why, store_time(s));
	else
		atomic_store(&f->blind_since, 0);
	return err;
}

static void look_again(struct store *s)
{
	struct far *f = s->tape->far;
	int64_t next;
	if (atomic_load(&f->blind_since) && !atomic_load(&f->away_since))
		(void)look(s, &next);
}

/* A line of errors.log when it cannot be asked any more, and when it can again. */
static void tell_away(struct store *s)
{
	struct far *f = s->tape->far;
	bool away = far_behind_since(s) != 0;
	char text[256];
	if (atomic_exchange(&f->told, away) == away)
		return;
	far_trouble(s, text, sizeof text);
	if (!away)
		(void)snprintf(text, sizeof text, "server: %.80s answers again", f->engine->name);
	tape_tell(s, away ? "EHOSTDOWN" : "SETTLED", "follow", "/", text,
	          away ? "see that the server runs; it is asked again every second" :
	          "what could not be written can be written again");
}

void far_follow(struct store *s, int ms)
{
	struct far *f = s->tape->far;
	int64_t upto = f->engine->ops->wait(f->engine, ms);
	if (atomic_load(&f->is_split))
		return;
	if (upto == 0 || upto > tape_entries(s))
		(void)far_catch_up(s);
	if (atomic_load(&f->shares) || atomic_load(&f->sharing) > 0)
		sharing_turn(s);
	look_again(s);
	tell_away(s);
}

/* Fewer than here is ROLLBACK, which taking them finds. */
static void take_news(struct store *s, bool asks)
{
	struct far *f = s->tape->far;
	int64_t before = tape_entries(s), next;
	if (atomic_load(&f->is_split) || atomic_load(&f->away_since) ||
	    atomic_load(&f->blind_since) || (!asks && sharing_holds(s)))
		return;
	int err = look(s, &next);
	if (!err && (next > tape_entries(s) || next < before))
		err = far_catch_up(s);
	if (err)
		tell_away(s);
}

bool store_fresh(struct store *s, bool asks)
{
	struct far *f = s->tape->far;
	if (!f)
		return false;
	take_news(s, asks);
	int64_t from = f->fresh_told, upto = atomic_load(&s->tape->foreign_end);
	if (upto <= from)
		return false;
	f->fresh_told = upto;
	if (s->config.on_foreign)
		s->config.on_foreign(s->config.ctx, from);
	return true;
}
