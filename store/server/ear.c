/* SPDX-License-Identifier: MIT */
/*
 * Hearing of others' entries: a connection that listens.  A hint, never the truth: the follower
 * also asks by itself, every second, and five times a second where a pooler in between swallows
 * what is told (it accepts LISTEN and then delivers nothing, so we tell ourselves something first).
 */
#include <poll.h>
#include <stdlib.h>

#include "store/server/server_state.h"

enum { RETRY_MS = 1000, ECHO_MS = 1000, DEAF_MS = 200 };

/* The highest number told; 0: nothing was. */
static int64_t heard(struct server *s, bool *any)
{
	PGnotify *n;
	int64_t upto = 0;
	while ((n = s->pq.notifies(s->ear.conn))) {
		int64_t told = strtoll(n->extra, NULL, 10);
		upto = told > upto ? told : upto;
		*any = true;
		s->pq.freemem(n);
	}
	return upto;
}

static int listen_to_it(struct server *s)
{
	char sql[160];
	int64_t until = link_clock() + CONNECT_MS;
	int err = link_open(&s->ear, &s->address, until);
	(void)snprintf(sql, sizeof sql, "LISTEN cinta_tape; LISTEN \"cinta_%lld\";"
	               " NOTIFY \"cinta_%lld\"", (long long)s->ear_id, (long long)s->ear_id);
	err = err ? err : link_run(&s->ear, sql, until);
	if (err) {
		link_close(&s->ear);
		return err;
	}
	bool any = false;
	(void)heard(s, &any);
	for (until = link_clock() + ECHO_MS; !any && link_wait(&s->ear, until) == 1;) {
		if (!s->pq.consume_input(s->ear.conn))
			break;
		(void)heard(s, &any);
	}
	s->deaf = !any;
	return 0;
}

static void sleep_until(struct server *s, int64_t until)
{
	struct pollfd p = { s->end, POLLIN, 0 };
	int64_t left = until - link_clock();
	(void)poll(&p, 1, left > 0 ? (int)left : 0);
}

int64_t server_wait(struct engine *e, int ms)
{
	struct server *s = (struct server *)e;
	int64_t until = link_clock() + ms, upto;
	bool any = false;
	if (!s->ear.conn && link_clock() >= s->ear_next) {
		if (listen_to_it(s))
			s->ear_next = link_clock() + RETRY_MS;
		return 0; /* what came before it listened */
	}
	if (!s->ear.conn) {
		sleep_until(s, until < s->ear_next ? until : s->ear_next);
		return 0;
	}
	if (s->deaf && until > link_clock() + DEAF_MS)
		until = link_clock() + DEAF_MS;
	upto = heard(s, &any);
	if (upto > 0 || link_wait(&s->ear, until) != 1)
		return upto;
	if (!s->pq.consume_input(s->ear.conn)) {
		link_close(&s->ear);
		s->ear_next = link_clock() + RETRY_MS / 10;
		return 0;
	}
	return heard(s, &any);
}
