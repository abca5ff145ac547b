/* SPDX-License-Identifier: MIT */
/* More rows (engine.h): what the server has and this machine has not. */
#include <string.h>

#include "store/server/server_state.h"

enum { FIRST_ROWS = 200, MORE_ROWS = 2000 };

static int read_rows(struct server *s, const PGresult *r, struct row_list *list)
{
	int err = row_list_read(&s->pq, r, s->pq.rows(r), list);
	if (err == STORE_EFORMAT)
		why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: the server sends a row that is no entry");
	return err;
}

static int give(const struct row_list *list, struct engine_tip *have, engine_rows_fn *rows,
                void *ctx)
{
	if (list->count == 0)
		return 0;
	const struct entry *last = &list->rows[list->count - 1];
	int err = rows(ctx, list->rows, list->count);
	if (err)
		return err;
	have->next = last->seq + 1;
	memcpy(have->leaf, last->leaf_hash, HASH_SIZE);
	return 0;
}

/*
 * As many rows as come to 8 MiB, at least one, of those up to `most` from `next` on, before `end`.
 * They are bounded by number: of a table that nobody has analyzed PostgreSQL may sort all rows from
 * `next` on before it looks at a LIMIT, and a new machine of a long tape would wait for ever.
 */
static void add_rows(struct sql_text *t, int64_t next, int64_t end, int most)
{
	sql_add(t, "SELECT " SERVER_COLUMNS " FROM (SELECT e.*, sum(e.body_len) OVER (ORDER BY e.seq)"
	        " - e.body_len AS before FROM tape.entry e WHERE e.seq >= %lld AND e.seq < %lld"
	        ") q WHERE before < 8388608 ORDER BY seq", (long long)next,
	        (long long)(end - next > most ? next + most : end));
}

/* How many there are, and the first of them; the flush behind is of both. */
static int pull_first(struct server *s, struct engine_tip *have, int64_t *next,
                      engine_rows_fn *rows, void *ctx)
{
	struct sql_text t = { 0 };
	struct row_list list = { 0 };
	PGresult *first, *last;
	server_add_tip(&t, have);
	sql_add(&t, "; ");
	add_rows(&t, have->next, INT64_MAX, FIRST_ROWS);
	sql_add(&t, "; CALL tape.flush(%lld)", (long long)have->next);
	int err = t.failed ? STORE_ENOMEM :
		link_ask(&s->line, t.bytes, false, link_clock() + READ_MS, &first, &last);
	sql_release(&t);
	if (err)
		return err;
	err = first ? server_read_tip(s, first, have, next) : STORE_EIO;
	if (!err)
		atomic_store(&s->known, *next);
	err = err ? err : read_rows(s, last, &list);
	err = err ? err : give(&list, have, rows, ctx);
	row_list_release(&list);
	s->pq.clear(first);
	s->pq.clear(last);
	return err;
}

/* What is durable: asked for here, taken by pull_more(). */
static int ask_more(struct server *s, int64_t next, int64_t end)
{
	struct sql_text t = { 0 };
	add_rows(&t, next, end, MORE_ROWS);
	int err = t.failed ? STORE_ENOMEM :
		link_send(&s->line, t.bytes, true, link_clock() + READ_MS);
	sql_release(&t);
	return err;
}

/* The rows that were asked for; the server makes those behind them ready while these are stored. */
static int pull_more(struct server *s, struct engine_tip *have, int64_t end, engine_rows_fn *rows,
                     void *ctx)
{
	struct row_list list = { 0 };
	PGresult *r;
	int err = link_take(&s->line, link_clock() + READ_MS, NULL, &r);
	if (err)
		return err;
	err = read_rows(s, r, &list);
	int64_t last = list.count > 0 ? list.rows[list.count - 1].seq : -1;
	if (!err && (last < have->next || last >= end)) {
		why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: entry %lld is missing on the server",
		        (long long)have->next);
		err = STORE_EFORMAT;
	}
	bool more = !err && last + 1 < end;
	int asked = more ? ask_more(s, last + 1, end) : 0;
	err = err ? err : give(&list, have, rows, ctx);
	if (err && more) /* nobody will take them */
		link_close(&s->line);
	row_list_release(&list);
	s->pq.clear(r);
	return err ? err : asked;
}

static int pull_all(struct server *s, struct engine_tip *now, engine_rows_fn *rows, void *ctx)
{
	int64_t next = 0;
	int err = server_line(s, now, link_clock() + CONNECT_MS);
	err = err ? err : pull_first(s, now, &next, rows, ctx);
	if (!err && now->next < next)
		err = ask_more(s, now->next, next);
	while (!err && now->next < next)
		err = pull_more(s, now, next, rows, ctx);
	return err;
}

int server_pull(struct engine *e, const struct engine_tip *have, engine_rows_fn *rows, void *ctx)
{
	struct server *s = (struct server *)e;
	struct engine_tip now = *have;
	int64_t before = now.next;
	bool was = s->line.conn != NULL; /* the server was started anew, and nobody had told us */
	s->line.slow_ms = READ_MS;
	int err = pull_all(s, &now, rows, ctx);
	/* Nor does a server wait for long until who stores slowly has read what it sent. */
	while (err == STORE_EAWAY && (was || now.next > before)) {
		was = false;
		before = now.next;
		err = pull_all(s, &now, rows, ctx);
	}
	s->line.slow_ms = 0;
	server_note_line(s, err);
	return err;
}
