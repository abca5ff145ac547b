/* SPDX-License-Identifier: MIT */
/*
 * A call: the requests that the leader has taken, as many as fit into one, become what the engine
 * is asked, and its answer the answer of each (far.h).
 */
#include <stdlib.h>
#include <string.h>

#include "store/tape/far_state.h"

enum {
	BODY_MOST = 16 << 20,        /* of more, others would wait too long for the tape's one lock */
	TRIES = 100,                 /* of an agent's messages that others' come between */
	ROOM_LEAST = 8 << 20         /* bytes of disk: a server's rows must find room here */
};

struct calling {
	struct append *list;         /* its first request, and how many follow it in the list */
	size_t count;
	struct append **items;       /* the request each of call.requests is for */
	struct engine_call call;
	bool views;
};

static void calling_release(struct calling *c)
{
	free(c->items);
	free(c->call.requests);
	free(c->call.drafts);
}

/* How many requests fit into one call, at least one; an agent's messages go alone. */
static size_t take_some(const struct append *list, size_t *drafts)
{
	size_t n = 0, bytes = 0;
	*drafts = 0;
	for (const struct append *a = list; a && n < CALL_REQUESTS; a = a->next, n++) {
		size_t more = 0;
		for (size_t i = 0; i < a->count; i++)
			more += a->drafts[i].body_len;
		if (n > 0 && (*drafts + a->count > CALL_DRAFTS || bytes + more > CALL_BYTES ||
		              tape_is_keyed(a) || tape_is_keyed(list)))
			break;
		*drafts += a->count;
		bytes += more;
	}
	return n;
}

static int check_request(const struct append *a)
{
	for (size_t i = 0; i < a->count; i++) {
		if (tape_check(&a->drafts[i]))
			return STORE_EINVAL;
		if (a->drafts[i].body_len > BODY_MOST)
			return STORE_EFBIG;
	}
	return 0;
}

/* Commit lock held.  The drafts of a request, but for messages that are here. */
static int add_drafts(struct store *s, struct calling *c, struct append *a)
{
	struct engine_call *k = &c->call;
	size_t before = k->draft_count;
	for (size_t i = 0; i < a->count; i++) {
		const struct draft *d = &a->drafts[i];
		int known = d->key ? s->hooks->known(s, d->key) : 0;
		if (a->known)
			a->known[i] = known > 0;
		if (known < 0)
			return known;
		if (known)
			continue;
		struct engine_draft *to = &k->drafts[k->draft_count++];
		*to = (struct engine_draft){ .draft = d, .request = k->request_count };
		int err = tape_salt(s, to->salt);
		if (err)
			return err;
	}
	if (k->draft_count == before)
		return 0; /* nothing is left of it */
	k->requests[k->request_count] = (struct engine_request){ a->expect, a->seen,
		tape_is_keyed(a) ? s->tape->next_seq : 0, false };
	c->items[k->request_count++] = a;
	return 0;
}

/* Commit lock held: all that could fail here, before anything is sent. */
static int prepare(struct store *s, struct calling *c)
{
	size_t bytes = 0;
	int err = s->read_only ? STORE_EROFS : durable_mend(s);
	c->views = tape_needs_views(s, c->list);
	if (!err && c->views)
		err = s->hooks->before(s);
	struct append *a = c->list;
	for (size_t n = 0; !err && n < c->count; n++, a = a->next) {
		a->error = check_request(a);
		a->first_seq = s->tape->next_seq;
		if (!a->error)
			err = add_drafts(s, c, a);
		for (size_t i = 0; i < a->count; i++)
			bytes += a->drafts[i].body_len;
	}
	if (!err && disk_room(s->path) < (int64_t)(3 * bytes + ROOM_LEAST))
		err = STORE_ENOSPC;
	c->call.time_us = store_time(s);
	return err;
}

static int begin_call(struct store *s, struct calling *c, size_t drafts)
{
	c->items = calloc(c->count, sizeof *c->items);
	c->call.requests = calloc(c->count, sizeof *c->call.requests);
	c->call.drafts = calloc(drafts + 1, sizeof *c->call.drafts);
	if (!c->items || !c->call.requests || !c->call.drafts)
		return STORE_ENOMEM;
	(void)tape_lock(s);
	(void)tape_refresh(s);
	int err = prepare(s, c);
	tape_unlock(s);
	return err;
}

/* It is stored, and this machine could not take it: nothing of it may be called refused. */
static void tell_stored(struct store *s, const struct engine_call *k)
{
	char text[200];
	(void)snprintf(text, sizeof text, "stored by the server as entries %lld to %lld, and not here"
	               " yet: it is shown as soon as it can be had", (long long)k->first,
	               (long long)k->first + (long long)k->stored - 1);
	tape_tell(s, "SETTLED", "write", "/", text, "do not write it again");
}

/* far.lock held: asks, and sees to it that all it stored is here. */
static int ask(struct store *s, struct calling *c)
{
	struct far *f = s->tape->far;
	struct engine_tip tip;
	struct arriving a = { s, &c->call, c->views };
	int err = far_settle(s);
	err = err ? err : far_tip(s, &tip);
	if (err)
		return err == STORE_EFORMAT ? err : STORE_EAWAY; /* nothing was sent */
	err = f->engine->ops->append(f->engine, &tip, &c->call, far_arrive, &a);
	if (!err && c->call.stored > 0 &&
	    tape_entries(s) < c->call.first + (int64_t)c->call.stored) {
		err = far_pull(s, &c->call, c->views);
		if (err && err != STORE_EFORMAT) {
			tell_stored(s, &c->call);
			err = STORE_EUNKNOWN;
		}
	}
	return err;
}

/* Each request gets its own answer. */
static void answer(struct calling *c, int err)
{
	int64_t seq = c->call.first;
	size_t at = 0;
	for (size_t r = 0; r < c->call.request_count; r++) {
		struct append *a = c->items[r];
		bool refused = !err && c->call.requests[r].refused;
		a->error = err ? err : refused ? STORE_EMOVED : 0;
		if (!a->error)
			a->first_seq = seq;
		for (; at < c->call.draft_count && c->call.drafts[at].request == r; at++)
			seq += !a->error;
	}
}

static void fail_all(struct calling *c, int err)
{
	struct append *a = c->list;
	for (size_t n = 0; n < c->count; n++, a = a->next)
		if (!a->error)
			a->error = err;
}

/* far.lock held.  The first `count` of a list; true: a message has come between, so once more. */
static bool try_once(struct store *s, struct append *list, size_t count, size_t drafts, bool last)
{
	struct calling c = { .list = list, .count = count };
	int err = begin_call(s, &c, drafts);
	if (err) {
		fail_all(&c, err);
	} else if (c.call.draft_count > 0) {
		err = ask(s, &c);
		far_note(s, err == STORE_EAWAY || err == STORE_EUNKNOWN || err == STORE_EFORMAT ? err : 0);
		bool open = err == STORE_EFORMAT && c.call.sent;
		if (open) /* another machine may have taken it before it was lost */
			tape_tell(s, "SETTLED", "write", "/", "sent to a server whose tape is another now",
			          "look for it after cinta rescue, before you write it again");
		answer(&c, open ? STORE_EUNKNOWN : err == STORE_EFORMAT ? STORE_EROFS : err);
		if (!err && c.call.stored > 0)
			s->tape->far->stored_upto = c.call.first + (int64_t)c.call.stored;
	}
	bool again = !last && !err && count == 1 && tape_is_keyed(list) &&
		list->error == STORE_EMOVED && list->expect < 0 && list->seen == 0;
	calling_release(&c);
	return again;
}

void far_commit(struct store *s, struct append *list)
{
	struct far *f = s->tape->far;
	lock_take(&f->lock);
	int64_t before = f->stored_upto;
	for (struct append *at = list; at;) {
		size_t drafts, n = take_some(at, &drafts);
		for (int i = 1; try_once(s, at, n, drafts, i == TRIES); i++)
			continue;
		while (n-- > 0)
			at = at->next;
	}
	int64_t upto = f->stored_upto;
	lock_give(&f->lock);
	tape_note_current(s, list);
	if (upto > before && atomic_load(&f->sharing) > 0)
		sharing_wait(s, upto);
}
