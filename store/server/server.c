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

enum { PATIENCE_MS = 5000, PAUSE_MS = 50, FIRST_ROWS = 200, MORE_ROWS = 2000 };

static struct server *of(struct engine *e)
{
	return (struct server *)e;
}

int server_new_id(struct server *s)
{
	uint64_t id;
	if (RAND_bytes((unsigned char *)&id, sizeof id) != 1)
		return STORE_EIO;
	s->id = (int64_t)(id >> 1);
	s->call = 0;
	s->pending = false;
	return 0;
}

/* ---- connecting --------------------------------------------------------------- */

static int fork_found(struct server *s, int wrong, int64_t have, int64_t next)
{
	if (wrong == 1)
		why_set(&s->engine.why, ENGINE_TODO_FORK, "ROLLBACK: the server's tape has %lld"
		        " entries, this machine has had %lld", (long long)next, (long long)have);
	else
		why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: entry %lld on the server is not the"
		        " one that this machine has", (long long)have - 1);
	return STORE_EFORMAT;
}

static void add_tip(struct sql_text *t, const struct engine_tip *have)
{
	sql_add(t, "SELECT next, wrong FROM tape.tip(%lld, ", (long long)have->next);
	sql_add_bytes(t, have->leaf, HASH_SIZE);
	sql_add(t, ")");
}

static int read_tip(struct server *s, const PGresult *r, const struct engine_tip *have,
                    int64_t *next)
{
	*next = result_number(&s->pq, r, 0, -1);
	int64_t wrong = result_number(&s->pq, r, 1, 2);
	return *next >= 0 && wrong == 0 ? 0 : fork_found(s, (int)wrong, have->next, *next);
}

static int check_hello(struct server *s, const PGresult *r)
{
	const char *origin = s->pq.rows(r) > 0 && s->pq.columns(r) == 2 ? s->pq.value(r, 0, 1) : "";
	if (result_number(&s->pq, r, 0, 0) != SERVER_VERSION) {
		why_set(&s->engine.why, "install the newer of the two here and there, too",
		        "the memory on the server was made by another version of cinta");
		return STORE_ENEWER;
	}
	if (!s->engine.origin[0])
		(void)snprintf(s->engine.origin, sizeof s->engine.origin, "%s", origin);
	if (strcmp(s->engine.origin, origin) == 0)
		return 0;
	why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: the tape on the server is %.80s, here it"
	        " is %.80s", origin, s->engine.origin);
	return STORE_EFORMAT;
}

/* A server that had our tape and knows of none. */
static int no_tape(struct server *s, const struct engine_tip *have)
{
	if (have->next > 0)
		return fork_found(s, 1, have->next, 0);
	why_set(&s->engine.why, "make one: cinta init URL, or bring one: cinta copy DB URL",
	        "there is no memory at %.200s", s->engine.name);
	return STORE_ENOENT;
}

static int hello(struct server *s, const struct engine_tip *have, int64_t until)
{
	struct sql_text t = { 0 };
	char host[128] = "";
	PGresult *first, *last;
	int64_t next;
	(void)gethostname(host, sizeof host - 1);
	sql_add(&t, "SELECT version, origin FROM tape.hello(%lld, ", (long long)s->id);
	sql_add_quoted(&t, host);
	sql_add(&t, ", ");
	sql_add_quoted(&t, s->engine.place);
	sql_add(&t, ", '" CINTA_VERSION "'); ");
	add_tip(&t, have);
	int err = t.failed ? STORE_ENOMEM : link_ask(&s->line, t.bytes, false, until, &first, &last);
	sql_release(&t);
	if (err)
		return err == STORE_ENOENT ? no_tape(s, have) : err;
	err = first ? check_hello(s, first) : STORE_EIO;
	err = err ? err : read_tip(s, last, have, &next);
	s->pq.clear(first);
	s->pq.clear(last);
	return err;
}

static void note_line(struct server *s, int err)
{
	if (err != STORE_EAWAY)
		s->down_since = 0;
	else if (!s->down_since)
		s->down_since = link_clock();
}

int server_line(struct server *s, const struct engine_tip *have, int64_t until)
{
	if (s->line.conn)
		return 0;
	int64_t soon = link_clock() + CONNECT_MS;
	int err = link_open(&s->line, &s->address, soon < until ? soon : until);
	err = err ? err : hello(s, have, until);
	if (err)
		link_close(&s->line);
	note_line(s, err);
	return err;
}

/* ---- reading -------------------------------------------------------------------- */

static int give(struct server *s, const PGresult *r, struct engine_tip *have, engine_rows_fn *rows,
                void *ctx)
{
	struct row_list list;
	int err = row_list_read(&s->pq, r, s->pq.rows(r), &list);
	if (err == STORE_EFORMAT)
		why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: the server sends a row that is no entry");
	if (err)
		return err;
	if (list.count > 0) {
		const struct entry *last = &list.rows[list.count - 1];
		err = rows(ctx, list.rows, list.count);
		have->next = last->seq + 1;
		memcpy(have->leaf, last->leaf_hash, HASH_SIZE);
	}
	row_list_release(&list);
	return err;
}

/* As many rows as come to 8 MiB, at least one, before `end`. */
static void add_rows(struct sql_text *t, int64_t next, int64_t end, int most)
{
	sql_add(t, "SELECT " SERVER_COLUMNS " FROM (SELECT e.*, sum(e.body_len) OVER (ORDER BY e.seq)"
	        " - e.body_len AS before FROM tape.entry e WHERE e.seq >= %lld AND e.seq < %lld"
	        " ORDER BY e.seq LIMIT %d) q WHERE before < 8388608 ORDER BY seq", (long long)next,
	        (long long)end, most);
}

/* How many there are, and the first of them; the flush behind is of both. */
static int pull_first(struct server *s, struct engine_tip *have, int64_t *next,
                      engine_rows_fn *rows, void *ctx)
{
	struct sql_text t = { 0 };
	PGresult *first, *last;
	add_tip(&t, have);
	sql_add(&t, "; ");
	add_rows(&t, have->next, INT64_MAX, FIRST_ROWS);
	sql_add(&t, "; CALL tape.flush(%lld)", (long long)have->next);
	int err = t.failed ? STORE_ENOMEM :
		link_ask(&s->line, t.bytes, false, link_clock() + READ_MS, &first, &last);
	sql_release(&t);
	if (err)
		return err;
	err = first ? read_tip(s, first, have, next) : STORE_EIO;
	if (!err)
		atomic_store(&s->known, *next);
	err = err ? err : give(s, last, have, rows, ctx);
	s->pq.clear(first);
	s->pq.clear(last);
	return err;
}

/* What is durable. */
static int pull_more(struct server *s, struct engine_tip *have, int64_t end, engine_rows_fn *rows,
                     void *ctx)
{
	struct sql_text t = { 0 };
	PGresult *last;
	int64_t before = have->next;
	add_rows(&t, have->next, end, MORE_ROWS);
	int err = t.failed ? STORE_ENOMEM :
		link_ask(&s->line, t.bytes, true, link_clock() + READ_MS, NULL, &last);
	sql_release(&t);
	if (err)
		return err;
	err = give(s, last, have, rows, ctx);
	s->pq.clear(last);
	if (err || have->next > before)
		return err;
	why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: entry %lld is missing on the server",
	        (long long)before);
	return STORE_EFORMAT;
}

static int server_pull(struct engine *e, const struct engine_tip *have, engine_rows_fn *rows,
                       void *ctx)
{
	struct server *s = of(e);
	struct engine_tip now = *have;
	int64_t next = 0;
	bool was = s->line.conn != NULL;
	s->line.slow_ms = READ_MS;
	int err = server_line(s, have, link_clock() + CONNECT_MS);
	err = err ? err : pull_first(s, &now, &next, rows, ctx);
	if (err == STORE_EAWAY && was) { /* the server was started anew, and nobody had told us */
		err = server_line(s, &now, link_clock() + CONNECT_MS);
		err = err ? err : pull_first(s, &now, &next, rows, ctx);
	}
	while (!err && now.next < next)
		err = pull_more(s, &now, next, rows, ctx);
	s->line.slow_ms = 0;
	note_line(s, err);
	return err;
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
		err = fork_found(s, 1, have->next, c->first);
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
	note_line(s, err);
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
			err = server_new_id(s);
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
	note_line(s, err);
	if (err == STORE_EMOVED) { /* it knows nothing of our numbers: nothing of them is there */
		link_close(&s->line);
		return server_new_id(s);
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

int server_ask(struct server *s, const struct engine_tip *have, struct sql_text *t,
               PGresult **last)
{
	int err = server_line(s, have, link_clock() + CONNECT_MS);
	err = err ? err : t->failed ? STORE_ENOMEM :
		link_ask(&s->line, t->bytes, false, link_clock() + READ_MS, NULL, last);
	sql_release(t);
	note_line(s, err);
	return err;
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
	err = err ? err : server_new_id(s);
	s->ear_id = s->id;
	if (err) {
		server_free(&s->engine);
		return err;
	}
	(void)snprintf(s->engine.name, sizeof s->engine.name, "%s", s->address.shown);
	*out = &s->engine;
	return 0;
}
