/* SPDX-License-Identifier: MIT */
/* What machines tell each other through the server beside entries: notes, and how each stands. */
#include <stdlib.h>
#include <string.h>

#include "store/server/server_state.h"

enum { SLOWEST = 32, SLOW_MS = 15000 }; /* bytes a millisecond that the way takes; no longer */

static void add_news(struct sql_text *t, const struct server *s, const struct engine_tip *have,
                     const struct engine_news *n)
{
	sql_add(t, "SELECT size, note, signs FROM tape.exchange(%lld, %lld, %lld, %s, %lld, ",
	        (long long)s->id, (long long)have->next, (long long)n->clean,
	        n->can_sign ? "true" : "false", (long long)n->size);
	if (n->note)
		sql_add_quoted(t, n->note);
	sql_add(t, n->note ? ")" : "NULL)");
}

int server_exchange(struct engine *e, const struct engine_tip *have, struct engine_news *n)
{
	struct server *s = (struct server *)e;
	struct sql_text t = { 0 };
	PGresult *last;
	n->newer[0] = '\0';
	add_news(&t, s, have, n);
	int err = server_ask(s, have, &t, &last);
	if (err)
		return err;
	if (result_number(&s->pq, last, 0, -1) >= n->size)
		(void)snprintf(n->newer, sizeof n->newer, "%s", s->pq.value(last, 0, 1));
	n->signs = s->pq.rows(last) > 0 && strcmp(s->pq.value(last, 0, 2), "t") == 0;
	s->pq.clear(last);
	return 0;
}

int server_machines(struct engine *e, const struct engine_tip *have, machine_fn *fn,
                           void *ctx)
{
	struct server *s = (struct server *)e;
	struct sql_text t = { 0 };
	PGresult *last;
	sql_add(&t, "SELECT host, place, behind, clean, seen > now() - interval '1 minute',"
	        " to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS \"UTC\"')"
	        " FROM tape.machines()");
	int err = server_ask(s, have, &t, &last);
	if (err)
		return err;
	for (int i = 0; i < s->pq.rows(last); i++) {
		const struct machine m = { .host = s->pq.value(last, i, 0),
			.place = s->pq.value(last, i, 1), .behind = strtoll(s->pq.value(last, i, 2), NULL, 10),
			.clean = s->pq.value(last, i, 3)[0] == 't', .here = s->pq.value(last, i, 4)[0] == 't',
			.seen = s->pq.value(last, i, 5) };
		fn(ctx, &m);
	}
	s->pq.clear(last);
	return 0;
}

int server_tables(struct engine *e, const struct engine_tip *have, int64_t version, int64_t seen,
                  int64_t at[2])
{
	struct server *s = (struct server *)e;
	struct sql_text t = { 0 };
	PGresult *last;
	sql_add(&t, "SELECT * FROM tape.tables_upto(%lld, %lld, %lld)", (long long)s->id,
	        (long long)version, (long long)seen);
	int err = server_ask(s, have, &t, &last);
	if (err)
		return err;
	at[0] = result_number(&s->pq, last, 0, -1);
	at[1] = result_number(&s->pq, last, 1, 0);
	s->pq.clear(last);
	return 0;
}

/*
 * The rows are a value, not part of the query: what fails, or is killed, stands in the server's own
 * log.  No lock of the tape is held by it (server.c), and none of the tables for long: all of the
 * question is sent at once.
 */
int server_fill(struct engine *e, const struct engine_tip *have, const char *what,
                int64_t seen, int64_t known, const char *rows)
{
	struct server *s = (struct server *)e;
	char sql[128], state[6];
	PGresult *last;
	(void)snprintf(sql, sizeof sql, "SELECT tape.fill(%lld, '%s', %lld, %lld, $1)",
	               (long long)s->id, what, (long long)seen, (long long)known);
	int err = server_line(s, have, link_clock() + CONNECT_MS);
	int64_t slow = (int64_t)strlen(rows) / SLOWEST;
	int64_t most = READ_MS + (slow < SLOW_MS ? slow : SLOW_MS);
	err = err ? err : link_ask_with(&s->line, sql, rows, link_clock() + most, &last);
	server_note_line(s, err);
	if (err)
		return err;
	bool done = s->pq.rows(last) == 1 && s->pq.is_null(last, 0, 0);
	(void)snprintf(state, sizeof state, "%s", done ? "" : s->pq.value(last, 0, 0));
	s->pq.clear(last);
	return done ? 0 : link_code(state);
}
