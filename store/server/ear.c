/* SPDX-License-Identifier: MIT */
/*
 * Hearing of others' entries: a connection that listens.  A hint, never the truth: the follower
 * also asks by itself, every second, and five times a second where a pooler in between swallows
 * what is told.  Such a one accepts LISTEN, and may even deliver what the same connection says in
 * the same breath, so we say something on another one first, and hear it or not.
 *
 *   hearing ── many at once ──► asking, every 20 ms in which no call of ours brings the rows
 *      ▲                          │
 *      └── nothing new for 0.2 s, or a writer waits (fresh=write) ◄──┘
 *
 * A notice wakes every machine, and a connection of each at the server, which costs more than the
 * entry that it tells of.
 */
#include <poll.h>
#include <stdlib.h>

#include "store/server/server_state.h"

enum { RETRY_MS = 1000, ECHO_MS = 1000, DEAF_MS = 200, DEAF_AGAIN_MS = 600000,
	APART_MS = 20, MANY = 4, CALM_MS = 200 };

/* The highest number told, and how often something was; 0: nothing was. */
static int64_t heard(struct server *s, int *count)
{
	PGnotify *n;
	int64_t upto = 0;
	while ((n = s->pq.notifies(s->ear.conn))) {
		int64_t told = strtoll(n->extra, NULL, 10);
		upto = told > upto ? told : upto;
		++*count;
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
	int count = 0;
	int64_t until = link_clock() + CONNECT_MS;
	struct link other = { .pq = &s->pq, .stop = s->end, .why = &s->ear_why };
	(void)snprintf(sql, sizeof sql, "NOTIFY \"cinta_%lld\"", (long long)s->ear_id);
	bool said = link_open(&other, &s->address, until) == 0 && link_run(&other, sql, until) == 0;
	link_close(&other);
	for (until = link_clock() + ECHO_MS; said && count == 0 && link_wait(&s->ear, until) == 1;) {
		if (!s->pq.consume_input(s->ear.conn))
			return false; /* it has gone: who waits on it finds out */
		(void)heard(s, &count);
	}
	return said && count == 0;
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

/* Where one thing is told after the other it is answered together, unless a writer waits for it. */
static int64_t together(struct server *s)
{
	int count = 0;
	int64_t upto = heard(s, &count), more;
	if (count > 0 && link_clock() < s->heard_at + APART_MS && !atomic_load(&s->shows)) {
		sleep_until(s, s->heard_at + APART_MS);
		more = s->pq.consume_input(s->ear.conn) ? heard(s, &count) : 0;
		upto = more > upto ? more : upto;
		if (count >= MANY)
			s->asks = link_run(&s->ear, "UNLISTEN *", link_clock() + CONNECT_MS) == 0;
		s->asked_at = link_clock();
	}
	if (count > 0)
		s->heard_at = link_clock();
	return upto;
}

/* As server_wait(). */
static int64_t ask_again(struct server *s)
{
	int64_t known = atomic_load(&s->known), now = link_clock();
	if (known != s->asked) {
		s->asked = known;
		s->asked_at = now;
	}
	if (now - s->asked_at >= CALM_MS || atomic_load(&s->shows)) {
		s->asks = false;
		(void)link_run(&s->ear, "LISTEN cinta_tape", now + CONNECT_MS); /* else it has gone */
		return 0; /* what came before it listened */
	}
	sleep_until(s, now + APART_MS);
	bool ours = atomic_load(&s->calls) || link_clock() - atomic_load(&s->brought_at) < APART_MS;
	return ours ? atomic_load(&s->known) : 0;
}

int64_t server_wait(struct engine *e, int ms)
{
	struct server *s = (struct server *)e;
	int64_t until = link_clock() + ms, upto;
	if (!s->ear.conn && link_clock() >= s->ear_next) {
		int again = listen_to_it(s) ? RETRY_MS : DEAF_AGAIN_MS;
		s->ear_next = link_clock() + again; /* counts if there is no connection now */
		s->asks = false;
		return 0; /* what came before it listened */
	}
	if (s->deaf && until > link_clock() + DEAF_MS)
		until = link_clock() + DEAF_MS;
	if (!s->ear.conn) {
		sleep_until(s, until < s->ear_next ? until : s->ear_next);
		return 0;
	}
	if (s->asks)
		return ask_again(s);
	upto = together(s);
	if (upto > 0 || link_wait(&s->ear, until) != 1)
		return upto;
	if (!s->pq.consume_input(s->ear.conn)) {
		link_close(&s->ear);
		s->ear_next = link_clock() + RETRY_MS / 10;
		return 0;
	}
	return together(s);
}
