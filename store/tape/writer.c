/* SPDX-License-Identifier: MIT */
/*
 * Group commit.  Callers queue their requests; the first to find nobody
 * committing leads: it commits all that waits in one transaction, answers all,
 * and goes on until the queue is empty.  A lone writer pays no hand-over to
 * another thread, and a crowd pays one transaction a round.
 *
 *              queue empty                queue empty
 *   idle ── store_append() ──► leading ──────────────► idle
 *                               │    ▲
 *             other callers ────┘    └── take all, commit, answer
 *             only queue
 *
 * Invariants
 *   1. At most one thread leads.                        (queue_lock: leading)
 *   2. A queued request is taken by the leader that was leading, or by the
 *      caller that queued it; so each is answered exactly once.
 *   3. `done` runs with no lock held.
 */
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "store/tape/tape_state.h"

static struct append *take_all(struct store *s)
{
	struct tape *t = s->tape;
	lock_take(&t->queue_lock);
	struct append *list = t->queue;
	t->queue = NULL;
	t->queue_end = &t->queue;
	if (!list)
		t->leading = false;
	lock_give(&t->queue_lock);
	return list;
}

/*
 * Those that come next wait for this thread, whatever they hold: so what is done here takes no lock
 * that somebody holds who waits for an append (fs->docs and those before it).
 */
static void answer_all(struct append *list)
{
	lock_check_got(RANK_ANSWERING);
	for (struct append *a = list, *next; a; a = next) {
		next = a->next; /* `a` may be gone once it is done */
		a->done(a);
	}
	lock_check_gave(RANK_ANSWERING);
}

void tape_copy_wal_back(struct store *s)
{
	if (s->config.flags & STORE_OWNER)
		put_wal_back(s, WAL_LIMIT);
}

/* Each request carries its own error.  A server is asked with no lock of the store held. */
static void commit(struct store *s, struct append *list)
{
	if (far_has(s)) {
		far_commit(s, list);
		return;
	}
	(void)tape_lock(s);
	(void)tape_commit(s, list);
	tape_unlock(s);
}

static void lead(struct store *s)
{
	struct append *list;
	while ((list = take_all(s))) {
		commit(s, list);
		answer_all(list);
		(void)tape_lock(s);
		tape_copy_wal_back(s);
		tape_unlock(s);
	}
}

void store_append(struct store *s, struct append *a)
{
	struct tape *t = s->tape;
	a->next = NULL;
	a->error = 0;
	a->first_seq = -1;
	lock_take(&t->queue_lock);
	*t->queue_end = a;
	t->queue_end = &a->next;
	bool mine = !t->leading;
	t->leading = true;
	lock_give(&t->queue_lock);
	if (mine)
		lead(s);
}

static void wake(struct append *a)
{
	sem_post(a->ctx);
}

int store_append_wait(struct store *s, struct append *a)
{
	sem_t done;
	(void)sem_init(&done, 0, 0);
	a->ctx = &done;
	a->done = wake;
	store_append(s, a);
	while (sem_wait(&done) != 0) /* a signal */
		continue;
	(void)sem_destroy(&done);
	return a->error;
}

int tape_append_made(struct store *s, struct append *a, struct draft *drafts,
                     char *(*make)(const void *ctx, size_t i), const void *ctx)
{
	size_t made = 0;
	int err = 0;
	a->drafts = drafts;
	for (; !err && made < a->count; made++) {
		char *body = make(ctx, made);
		drafts[made].body = body;
		drafts[made].body_len = body ? strlen(body) : 0;
		err = body ? 0 : STORE_EINVAL;
	}
	err = err ? err : store_append_wait(s, a);
	while (made > 0)
		free((char *)drafts[--made].body);
	return err;
}
