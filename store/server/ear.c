/* SPDX-License-Identifier: MIT */
/*
 * Hearing of others' entries: a connection that listens.  A hint, never the truth: the follower
 * also asks by itself, every second, and five times a second where a pooler in between swallows
 * what is told.  Such a one accepts LISTEN, and may even deliver what the same connection says in
 * the same breath, so we say something on another one first, and hear it or not.
 */
#include <poll.h>
#include <stdlib.h>

#include "store/server/server_state.h"

enum { RETRY_MS = 1000, ECHO_MS = 1000, DEAF_MS = 200, DEAF_AGAIN_MS = 600000, APART_MS = 20 };

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

/*
 * Whether what another connection says is not heard: a pooler swallows it.  Where there can be no
 * other one, it is taken for heard.
 */
static bool is_deaf(struct server *s)
{
	char sql[64];
	bool any = false;
	int64_t until = link_clock() + CONNECT_MS;
	struct link other = { .pq = &s->pq, .stop = s->end, .why = &s->ear_why };
	(void)snprintf(sql, sizeof sql, "NOTIFY \"cinta_%lld\"", (long long)s->ear_id);
	bool said = link_open(&other, &s->address, until) == 0 && link_run(&other, sql, until) == 0;
	link_close(&other);
	for (until = link_clock() + ECHO_MS; said && !any && link_wait(&s->ear, until) == 1;) {
		if (!s->pq.consume_input(s->ear.conn))
			return false; /* it has gone: who waits on it finds out */
		(void)heard(s, &any);
	}
	return said && !any;
}

static int listen_to_it(struct server *s)
{
	char sql[128];
	int64_t until = link_clock() + CONNECT_MS;
	int err = link_open(&s->ear, &s->address, until);
	(void)snprintf(sql, sizeof sql, "LISTEN cinta_tape; LISTEN \"cinta_%lld\"",
	               (long long)s->ear_id);
	err = err ? err : link_run(&s->ear, sql, until);
	s->deaf = !err && is_deaf(s);
	if (s->deaf) /* the pooler's connection is another client's next */
		(void)link_run(&s->ear, "UNLISTEN *", link_clock() + CONNECT_MS);
	if (err || s->deaf)
		link_close(&s->ear);
	return err;
}

static void sleep_until(struct server *s, int64_t until)
{
	struct pollfd p = { s->end, POLLIN, 0 };
	int64_t left = until - link_clock();
	(void)poll(&p, 1, left > 0 ? (int)left : 0);
}

/*
 * Where much is told one after the other it is answered together: each answer is a question to the
 * server, of every machine.  Not where a writer waits for it (fresh=write).
 */
static int64_t together(struct server *s, int64_t upto)
{
	bool any;
	int64_t next = s->heard_at + APART_MS;
	if (upto > 0 && !atomic_load(&s->shows) && link_clock() < next) {
		sleep_until(s, next);
		int64_t more = s->pq.consume_input(s->ear.conn) ? heard(s, &any) : 0;
		upto = more > upto ? more : upto;
	}
	if (upto > 0)
		s->heard_at = link_clock();
	return upto;
}

int64_t server_wait(struct engine *e, int ms)
{
	struct server *s = (struct server *)e;
	int64_t until = link_clock() + ms, upto;
	bool any = false;
	if (!s->ear.conn && link_clock() >= s->ear_next) {
		int again = listen_to_it(s) ? RETRY_MS : DEAF_AGAIN_MS;
		s->ear_next = link_clock() + again; /* counts if there is no connection now */
		return 0; /* what came before it listened */
	}
	if (s->deaf && until > link_clock() + DEAF_MS)
		until = link_clock() + DEAF_MS;
	if (!s->ear.conn) {
		sleep_until(s, until < s->ear_next ? until : s->ear_next);
		return 0;
	}
	upto = heard(s, &any);
	if (upto > 0 || link_wait(&s->ear, until) != 1)
		return together(s, upto);
	if (!s->pq.consume_input(s->ear.conn)) {
		link_close(&s->ear);
		s->ear_next = link_clock() + RETRY_MS / 10;
		return 0;
	}
	return together(s, heard(s, &any));
}
