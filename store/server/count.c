/* SPDX-License-Identifier: MIT */
/*
 * How many entries the server has, and who shows how many: a connection that asks nothing else, so
 * that a question waits for no append of ours, and an append for no question.  Asking it again
 * makes it anew.
 */
#include "store/server/server_state.h"

static int ask_number(struct server *s, const char *sql, int64_t until, int64_t *out)
{
	PGresult *last;
	int err = link_ask(&s->counter, sql, false, until, NULL, &last);
	if (err)
		return err;
	*out = result_number(&s->pq, last, 0, -1);
	s->pq.clear(last);
	return 0;
}

static int ask(struct engine *e, const char *sql, int ms, int64_t *out, struct why *why)
{
	struct server *s = (struct server *)e;
	int64_t until = link_clock() + ms;
	bool was = s->counter.conn != NULL;
	int err = was ? 0 : link_open(&s->counter, &s->address, until);
	err = err ? err : ask_number(s, sql, until, out);
	if (err == STORE_EAWAY && was) { /* the server was started anew, and nobody had told us */
		err = link_open(&s->counter, &s->address, until);
		err = err ? err : ask_number(s, sql, until, out);
	}
	if (err)
		*why = s->counter_why;
	return err;
}

int server_head(struct engine *e, int ms, int64_t *next, struct why *why)
{
	int err = ask(e, "SELECT next FROM tape.tip(0, '')", ms, next, why);
	return err || *next >= 0 ? err : STORE_EIO;
}

int server_show(struct engine *e, int ms, int64_t upto, struct why *why)
{
	char sql[96], number[24] = "NULL";
	int64_t none;
	atomic_store(&((struct server *)e)->shows, upto >= 0);
	if (upto >= 0)
		(void)snprintf(number, sizeof number, "%lld", (long long)upto);
	(void)snprintf(sql, sizeof sql, "SELECT tape.show(%lld, %s)",
	               (long long)((struct server *)e)->id, number);
	return ask(e, sql, ms, &none, why);
}

int server_unseen(struct engine *e, int ms, int64_t upto, int64_t *count, struct why *why)
{
	char sql[96];
	(void)snprintf(sql, sizeof sql, "SELECT tape.unseen(%lld, %lld)",
	               (long long)((struct server *)e)->id, (long long)upto);
	int err = ask(e, sql, ms, count, why);
	return err || *count >= 0 ? err : STORE_EIO;
}
