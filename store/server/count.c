/* SPDX-License-Identifier: MIT */
/*
 * How many entries the server has: a connection that asks nothing else, so that the question waits
 * for no append of ours, and an append for no question.  Asking it again makes it anew.
 */
#include "store/server/server_state.h"

static int ask(struct server *s, int64_t until, int64_t *next)
{
	PGresult *last;
	int err = link_ask(&s->counter, "SELECT next FROM tape.tip(0, '')", false, until, NULL, &last);
	if (err)
		return err;
	*next = result_number(&s->pq, last, 0, -1);
	s->pq.clear(last);
	return *next < 0 ? STORE_EIO : 0;
}

int server_head(struct engine *e, int ms, int64_t *next, struct why *why)
{
	struct server *s = (struct server *)e;
	int64_t until = link_clock() + ms;
	bool was = s->counter.conn != NULL;
	int err = was ? 0 : link_open(&s->counter, &s->address, until);
	err = err ? err : ask(s, until, next);
	if (err == STORE_EAWAY && was) { /* the server was started anew, and nobody had told us */
		err = link_open(&s->counter, &s->address, until);
		err = err ? err : ask(s, until, next);
	}
	if (err)
		*why = s->counter_why;
	return err;
}
