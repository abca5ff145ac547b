/* SPDX-License-Identifier: MIT */
/*
 * The engine: a line that appends and reads.  A call is one simple query, never the extended
 * protocol: there a server would hold the tape's lock until a client that has gone says Sync.
 *
 *            answer                          answer, or it was refused
 *   idle ◄───────────── called ── no answer ──► called again, same number
 *    │                    ▲                        │ patience is over
 *    └── append() ────────┘                        ▼
 *   idle ◄──────── settle(): stored, or never will be ──── pending
 */
#include <openssl/rand.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "store/server/server_state.h"

enum { PATIENCE_MS = 5000, PAUSE_MS = 50 };

static struct server *of(struct engine *e)
{
	return (struct server *)e;
}

/* A new number for this opening, which no other has. */
static int new_id(struct server *s)
{
	uint64_t id;
	if (RAND_bytes((unsigned char *)&id, sizeof id) != 1)
		return STORE_EIO;
	s->id = (int64_t)(id >> 1);
	s->call = 0;
	s->pending = false;
	return 0;
}

/* ---- appending ------------------------------------------------------------------ */

static bool is_refused(const struct engine_call *c, size_t request)
{
	return c->requests[request].refused;
}

/* "{1,3}": requests, counted from 1. */
static void read_refused(const char *text, struct engine_call *c)
{
	for (size_t i = 0; i < c->request_count; i++)
		c->requests[i].refused = false;
	while (*text && *text != '}') {
		char *end;
		long n = strtol(text + 1, &end, 10);
		if (end == text + 1)
			return;
		if (n >= 1 && (size_t)n <= c->request_count)
			c->requests[n - 1].refused = true;
		text = end;
	}
}

/* The next draft that was stored, from *i on; NULL: there is none. */
static const struct engine_draft *stored_draft(const struct engine_call *c, size_t *i)
{
	while (*i < c->draft_count && is_refused(c, c->drafts[*i].request))
		++*i;
	return *i < c->draft_count ? &c->drafts[(*i)++] : NULL;
}

/* Our rows come without what we sent.  STORE_EMOVED: another opening has used our number. */
static int fill_ours(const struct engine_call *c, struct row_list *list)
{
	struct hasher h;
	uint8_t hash[HASH_SIZE];
	size_t at = 0, n = 0;
	int err = hasher_init(&h);
	for (size_t i = 0; !err && i < list->count; i++) {
		struct entry *e = &list->rows[i];
		if (e->seq < c->first)
			continue;
		const struct engine_draft *d = stored_draft(c, &at);
		if (!d)
			err = STORE_EMOVED;
		if (err)
			break;
		e->salt = d->salt;
		e->body = d->draft->body ? d->draft->body : "";
		e->body_len = d->draft->body_len;
		hasher_body(&h, d->salt, e->body, e->body_len, hash);
		if (memcmp(hash, e->body_hash, HASH_SIZE) != 0)
			err = STORE_EMOVED;
		n++;
	}
	hasher_release(&h);
	return err ? err : n == c->stored && !stored_draft(c, &at) ? 0 : STORE_EMOVED;
}

static int read_answer(struct server *s, const PGresult *r, const struct engine_tip *have,
                       struct engine_call *c, engine_rows_fn *rows, void *ctx)
{
	struct row_list list;
	int last = s->pq.rows(r) - 1;
	if (last < 0 || s->pq.columns(r) != CALL_COLUMNS)
		return STORE_EMOVED;
	int64_t stored = result_cell(&s->pq, r, last, COLUMN_STORED, -1);
	c->first = result_cell(&s->pq, r, last, COLUMN_FIRST, -1);
	if (stored < 0)
		return STORE_EMOVED;
	c->stored = (size_t)stored;
	read_refused(s->pq.value(r, last, COLUMN_REFUSED), c);
	int err = row_list_read(&s->pq, r, last, &list);
	if (err)
		return err == STORE_EFORMAT ? STORE_EMOVED : err;
	err = fill_ours(c, &list);
	s->answered = err == 0;
	if (!err && stored > 0 && c->first < have->next)
		err = server_fork_found(s, 1, have->next, c->first);
	if (!err && list.count > 0 && list.rows[0].seq <= have->next) {
		err = rows(ctx, list.rows, list.count);
		atomic_store(&s->known, c->first + stored);
		atomic_store(&s->brought_at, link_clock());
	}
	s->crowded = c->first > have->next;
	row_list_release(&list);
	return s->answered && err != STORE_EFORMAT ? 0 : err; /* what is stored is pulled again */
}

static int try_call(struct server *s, const char *sql, const struct engine_tip *have,
                    struct engine_call *c, int64_t until, engine_rows_fn *rows, void *ctx)
{
	PGresult *r;
	int err = link_ask(&s->line, sql, false, until, NULL, &r);
	if (err)
		return err;
	err = read_answer(s, r, have, c, rows, ctx);
	s->pq.clear(r);
	return err;
}

static void pause_a_little(struct server *s)
{
	struct pollfd p = { s->end, POLLIN, 0 };
	(void)poll(&p, 1, PAUSE_MS);
}

static bool is_ending(struct server *s)
{
	struct pollfd p = { s->end, POLLIN, 0 };
	return poll(&p, 1, 0) > 0;
}

/* The text holds number and id, so it is made for each; a reset line may bring a new id. */
static int try_once(struct server *s, const struct engine_tip *have, struct engine_call *c,
                     int64_t until, engine_rows_fn *rows, void *ctx)
{
	struct sql_text t = { 0 };
	int err = server_line(s, have, until);
	if (err)
		return err;
	sql_add_call(&t, s->id, s->call + 1, c, have->next, s->crowded);
	err = t.failed ? STORE_ENOMEM : 0;
	if (!err) {
		c->sent = true;
		err = try_call(s, t.bytes, have, c, until, rows, ctx);
		if (err && s->crowded && s->line.conn)
			(void)link_run(&s->line, "ROLLBACK", until);
	}
	sql_release(&t);
	server_note_line(s, err);
	return err;
}

static int server_append(struct engine *e, const struct engine_tip *have, struct engine_call *c,
                         engine_rows_fn *rows, void *ctx)
{
	struct server *s = of(e);
	int64_t from = s->down_since ? s->down_since : link_clock(), until = from + e->patience_ms;
	bool renewed = false;
	int err;
	c->first = -1;
	c->stored = 0;
	c->sent = s->answered = false;
	atomic_store(&s->calls, true);
	if (s->line.conn)
		link_look(&s->line);
	for (;;) {
		int64_t by = until > link_clock() ? until : link_clock() + PAUSE_MS;
		err = try_once(s, have, c, by, rows, ctx);
		if (err == STORE_EMOVED && !renewed) {
			/* The server knows nothing of our last number: what was sent by it is not there. */
			renewed = true;
			link_close(&s->line);
			err = new_id(s);
			if (!err)
				continue;
		}
		/* EBUSY: it was taken back for another's sake; that one may be in the way again. */
		int64_t last = err == STORE_EBUSY ? until - BUSY_MS : until;
		if ((err != STORE_EAWAY && err != STORE_EBUSY) || link_clock() >= last || is_ending(s))
			break;
		pause_a_little(s);
	}
	atomic_store(&s->calls, false);
	if (err == STORE_EAWAY && c->sent) {
		s->pending = true;
		return STORE_EUNKNOWN;
	}
	if (s->answered)
		s->call++;
	return err == STORE_EMOVED ? STORE_EIO : err;
}

static int server_settle(struct engine *e, const struct engine_tip *have, int64_t *first)
{
	struct server *s = of(e);
	struct sql_text t = { 0 };
	PGresult *last;
	*first = -1;
	if (!s->pending)
		return STORE_ENOENT;
	int err = server_line(s, have, link_clock() + CONNECT_MS);
	if (err)
		return err;
	sql_add(&t, "SELECT first, stored FROM tape.settle(%lld, %lld)", (long long)s->id,
	        (long long)(s->call + 1));
	err = t.failed ? STORE_ENOMEM :
		link_ask(&s->line, t.bytes, false, link_clock() + SETTLE_MS, NULL, &last);
	sql_release(&t);
	server_note_line(s, err);
	if (err == STORE_EMOVED) { /* it knows nothing of our numbers: nothing of them is there */
		link_close(&s->line);
		return new_id(s);
	}
	if (err)
		return err;
	if (result_number(&s->pq, last, 1, 0) > 0)
		*first = result_number(&s->pq, last, 0, -1);
	s->pq.clear(last);
	s->call++;
	s->pending = false;
	return 0;
}

/* ---- begin and end ---------------------------------------------------------------- */

static void server_end(struct engine *e)
{
	(void)eventfd_write(of(e)->end, 1);
}

static void server_free(struct engine *e)
{
	struct server *s = of(e);
	link_close(&s->line);
	link_close(&s->ear);
	link_close(&s->counter);
	if (s->end >= 0)
		close(s->end);
	free(s);
}

static const struct engine_ops ops = { server_pull, server_append, server_settle, server_exchange,
	server_tables, server_fill, server_machines, server_head, server_show, server_unseen,
	server_wait, server_end, server_free };

int server_new(const char *url, struct engine **out, struct why *why)
{
	struct server *s = calloc(1, sizeof *s);
	if (!s)
		return STORE_ENOMEM;
	s->engine.ops = &ops;
	s->engine.patience_ms = PATIENCE_MS;
	s->end = eventfd(0, EFD_CLOEXEC);
	s->line = (struct link){ .pq = &s->pq, .stop = s->end, .why = &s->engine.why };
	s->ear = (struct link){ .pq = &s->pq, .stop = s->end, .why = &s->ear_why };
	s->counter = (struct link){ .pq = &s->pq, .stop = s->end, .why = &s->counter_why };
	int err = s->end < 0 ? STORE_EIO : libpq_load(&s->pq, why);
	err = err ? err : address_parse(&s->pq, url, &s->address, why);
	err = err ? err : new_id(s);
	s->ear_id = s->id;
	if (err) {
		server_free(&s->engine);
		return err;
	}
	(void)snprintf(s->engine.name, sizeof s->engine.name, "%s", s->address.shown);
	*out = &s->engine;
	return 0;
}
