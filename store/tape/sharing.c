/* SPDX-License-Identifier: MIT */
/*
 * Mounts with fresh=write: what one of them stores all of them show when the write returns, and
 * none has to ask for that (far.h).
 *
 * Invariants
 *   1. A reader shows unasked only what was all there was at a moment after its last show() was
 *      committed: so whatever is stored later is stored where the server knows of this reader.
 *   2. A writer waits for each reader whose show() is not older than WAIT_US and says less.  By
 *      then SHARE_US of it are over: it asks, or has taken the rows.
 *   3. So nobody waits for ever: not for one that was killed, nor for the server.
 */
#include <unistd.h>

#include "store/tape/far_state.h"

#define SHARE_US INT64_C(3000000)
#define WAIT_US INT64_C(4000000)
#define AGAIN_US INT64_C(900000)

enum { ASK_MS = 2000, PAUSE_US = 1000, PAUSE_MOST_US = 20000, TURNS = 4 };

bool sharing_holds(const struct store *s)
{
	const struct far *f = s->tape->far;
	return clock_since_boot() < atomic_load(&f->shares_until) && !atomic_load(&f->is_split);
}

static int show(struct far *f, int64_t upto)
{
	struct why why = { 0 };
	lock_take(&f->look_lock);
	int err = f->engine->ops->show(f->engine, ASK_MS, upto, &why);
	lock_give(&f->look_lock);
	return err;
}

/* Nobody need wait for this machine any more. */
static void leave(struct far *f)
{
	atomic_store(&f->shares_until, 0);
	if (atomic_exchange(&f->shares, false))
		(void)show(f, -1);
}

void sharing_turn(struct store *s)
{
	struct far *f = s->tape->far;
	if (atomic_load(&f->sharing) == 0) {
		leave(f);
		return;
	}
	/* Of what is its own nobody waits to be told. */
	if (f->showed >= atomic_load(&s->tape->foreign_end) && sharing_holds(s) &&
	    clock_since_boot() - f->showed_at < AGAIN_US)
		return;
	atomic_store(&f->shares, true);
	int64_t upto;
	int err, turns = 0;
	do {
		int64_t began = clock_since_boot();
		upto = tape_entries(s);
		err = show(f, upto);
		int taken = far_catch_up(s); /* in any case: who is away must be known to be */
		err = err ? err : taken;
		if (!err) {
			f->showed = upto;
			f->showed_at = began;
			atomic_store(&f->shares_until, began + SHARE_US);
		}
	} while (!err && tape_entries(s) > upto && ++turns < TURNS);
}

void sharing_wait(struct store *s, int64_t upto)
{
	struct far *f = s->tape->far;
	int64_t until = clock_since_boot() + WAIT_US, count = 1, pause = PAUSE_US;
	struct why why = { 0 };
	while (clock_since_boot() < until) {
		lock_take(&f->look_lock);
		int err = f->engine->ops->unseen(f->engine, ASK_MS, upto, &count, &why);
		lock_give(&f->look_lock);
		if (!err && count == 0)
			return;
		usleep((unsigned)pause);
		pause = 2 * pause < PAUSE_MOST_US ? 2 * pause : PAUSE_MOST_US;
	}
}

void far_leave(struct store *s)
{
	struct far *f = s->tape ? s->tape->far : NULL;
	if (f) {
		atomic_store(&f->sharing, 0);
		leave(f);
	}
}

void store_share(struct store *s, bool shares)
{
	if (s->tape->far)
		atomic_fetch_add(&s->tape->far->sharing, shares ? 1 : -1);
}
