/* SPDX-License-Identifier: MIT */
/* Connecting and asking, never without an end (link.h). */
#include "store/server/link.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"
#include "store/store.h"

int64_t link_clock(void)
{
	return clock_since_boot() / 1000;
}

/* ---- addresses -------------------------------------------------------------- */

bool address_is(const char *word)
{
	return strncmp(word, "postgresql://", 13) == 0 || strncmp(word, "postgres://", 11) == 0;
}

/* Scheme, host, port and database: nothing that is secret stands in these. */
void address_show(struct address *a)
{
	const char *rest = strstr(a->url, "://");
	rest = rest ? rest + 3 : "";
	size_t len = strcspn(rest, "/?"), before = 0;
	for (size_t i = 0; i < len; i++)
		if (rest[i] == '@')
			before = i + 1;
	rest += before;
	(void)snprintf(a->shown, sizeof a->shown, "postgresql://%.*s", (int)strcspn(rest, "?"), rest);
}

static const char *word_of(const PQconninfoOption *all, const char *name)
{
	for (const PQconninfoOption *o = all; o->keyword; o++)
		if (strcmp(o->keyword, name) == 0)
			return o->val && o->val[0] ? o->val : NULL;
	return NULL;
}

static bool is_near(const char *host)
{
	return host[0] == '/' || host[0] == '@' || strcmp(host, "localhost") == 0 ||
	       strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

/* Each host of a list. */
static bool all_near(const char *hosts)
{
	char one[256];
	for (const char *p = hosts; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
		(void)snprintf(one, sizeof one, "%.*s", (int)strcspn(p, ","), p);
		if (one[0] && !is_near(one))
			return false;
	}
	return true;
}

/* libpq would talk to anybody who answers: that is right for a socket, and for this machine. */
static bool must_prove(const PQconninfoOption *all)
{
	const char *host = word_of(all, "host"), *addr = word_of(all, "hostaddr");
	host = host ? host : getenv("PGHOST");
	addr = addr ? addr : getenv("PGHOSTADDR");
	bool said = word_of(all, "sslmode") || getenv("PGSSLMODE") || word_of(all, "service") ||
		getenv("PGSERVICE");
	return !said && ((host && !all_near(host)) || (addr && !all_near(addr)));
}

int address_parse(const struct libpq *pq, const char *url, struct address *a, struct why *why)
{
	char *bad = NULL;
	if (snprintf(a->url, sizeof a->url, "%s", url) >= (int)sizeof a->url || !address_is(url) ||
	    strpbrk(url, "\n\r")) {
		why_set(why, "give one like postgresql://host/database", "not a server's URL");
		return STORE_EINVAL;
	}
	PQconninfoOption *all = pq->conninfo_parse(url, &bad);
	if (!all) {
		why_set(why, "give one like postgresql://host/database", "%.200s", bad ? bad : url);
		why->text[strcspn(why->text, "\n")] = '\0';
		pq->freemem(bad);
		return STORE_EINVAL;
	}
	bool secret = word_of(all, "password") != NULL;
	a->strict = must_prove(all);
	pq->conninfo_free(all);
	address_show(a);
	if (!secret)
		return 0;
	why_set(why, "put it into ~/.pgpass, or name a service of ~/.pg_service.conf",
	        "a password in the URL would be seen by all");
	return STORE_EINVAL;
}

/* ---- waiting ------------------------------------------------------------------ */

/* 1: ready; 0: time is over; STORE_EAWAY: we are to stop. */
static int wait_for(struct link *l, short events, int64_t until)
{
	struct pollfd p[2] = { { l->pq->socket(l->conn), events, 0 }, { l->stop, POLLIN, 0 } };
	int64_t left = until - link_clock();
	int n = poll(p, l->stop < 0 ? 1 : 2, left > 0 ? (int)left : 0);
	if (n > 0 && l->stop >= 0 && p[1].revents)
		return STORE_EAWAY;
	return n > 0;
}

int link_wait(struct link *l, int64_t until)
{
	return wait_for(l, POLLIN, until);
}

/* libpq ends its words with a newline, and may have several lines. */
static int gone(struct link *l, const char *todo, const char *text)
{
	why_set(l->why, todo, "%.240s", text && *text ? text : "no answer in time");
	for (char *p = l->why->text; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = p[1] ? ' ' : '\0';
	link_close(l);
	return STORE_EAWAY;
}

#define TODO_AWAY "see that the server runs and can be reached: psql URL"

void link_close(struct link *l)
{
	if (l->conn)
		l->pq->finish(l->conn);
	l->conn = NULL;
}

int link_open(struct link *l, const struct address *a, int64_t until)
{
	/* A cable that is pulled is noticed in seconds, not in the minutes of the kernel's own. */
	const char *const words[] = { "dbname", "fallback_application_name", "keepalives_idle",
		"keepalives_interval", "keepalives_count", "tcp_user_timeout", "target_session_attrs",
		a->strict ? "sslmode" : NULL, NULL };
	const char *const values[] = { a->url, "cinta", "2", "1", "3", "3000", "read-write",
		a->strict ? "verify-full" : NULL, NULL };
	link_close(l);
	l->conn = l->pq->connect_start(words, values, 1);
	if (!l->conn)
		return gone(l, "end other programs", "out of memory");
	PostgresPollingStatusType is = PGRES_POLLING_WRITING;
	while (is == PGRES_POLLING_READING || is == PGRES_POLLING_WRITING) {
		if (l->pq->status(l->conn) == CONNECTION_BAD)
			break;
		int ready = wait_for(l, is == PGRES_POLLING_READING ? POLLIN : POLLOUT, until);
		if (ready <= 0)
			return gone(l, TODO_AWAY, l->pq->error_message(l->conn));
		is = l->pq->connect_poll(l->conn);
	}
	if (is != PGRES_POLLING_OK || l->pq->set_nonblocking(l->conn, 1))
		return gone(l, TODO_AWAY, l->pq->error_message(l->conn));
	return link_run(l, "SET standard_conforming_strings = on; SET lock_timeout = '10s';"
	                   " SET tcp_user_timeout = 5000; SET tcp_keepalives_idle = 3;"
	                   " SET client_encoding = 'UTF8';"
	                   " SET default_transaction_isolation = 'read committed';"
	                   " SET client_min_messages = warning; SET bytea_output = hex", until);
}

/* ---- asking -------------------------------------------------------------------- */

/* By SQLSTATE, appendix A of PostgreSQL's manual; -: by its class. */
int link_code(const char *state)
{
	static const struct {
		const char *state;
		int code;
	} codes[] = {
		{ "CT001", STORE_EMOVED }, { "53100", STORE_ENOSPC }, { "53200", STORE_ENOMEM },
		{ "55P03", STORE_EBUSY }, { "40001", STORE_EBUSY }, { "40P01", STORE_EBUSY },
		{ "25006", STORE_EROFS }, { "42501", STORE_EROFS },
		{ "3F000", STORE_ENOENT }, { "42P01", STORE_ENOENT }, { "42883", STORE_ENOENT },
		{ "42P06", STORE_EEXIST },
		{ "P0001", STORE_EINVAL }, /* a trigger of somebody's own refuses */
	};
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(codes[i].state, state) == 0)
			return codes[i].code;
	bool odd = strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0 ||
		strncmp(state, "54", 2) == 0;
	return odd ? STORE_EINVAL : STORE_EIO;
}

/* An error that the server answered with; what ends the connection tells nothing of the query. */
static int refused(struct link *l, PGresult *r)
{
	const char *state = l->pq->error_field(r, PG_DIAG_SQLSTATE);
	const char *text = l->pq->error_field(r, PG_DIAG_MESSAGE_PRIMARY);
	if (!state || strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0 ||
	    l->pq->status(l->conn) == CONNECTION_BAD)
		return STORE_EAWAY;
	why_set(l->why, "see the server's log", "the server answers: %.200s", text ? text : state);
	return link_code(state);
}

static int send_all(struct link *l, int64_t until)
{
	int left;
	while ((left = l->pq->flush(l->conn)) > 0) {
		/* It may answer, with an error, while it is still being sent to. */
		int ready = wait_for(l, POLLOUT | POLLIN, until);
		if (ready <= 0 || !l->pq->consume_input(l->conn))
			return STORE_EAWAY;
	}
	return left < 0 ? STORE_EAWAY : 0;
}

/* The next result, or NULL after the last. */
static int next_result(struct link *l, int64_t until, PGresult **out)
{
	while (l->pq->is_busy(l->conn)) {
		int ready = wait_for(l, POLLIN, until);
		if (ready <= 0 || !l->pq->consume_input(l->conn))
			return STORE_EAWAY;
		if (l->slow_ms && until < link_clock() + l->slow_ms)
			until = link_clock() + l->slow_ms;
	}
	*out = l->pq->get_result(l->conn);
	return 0;
}

static int read_all(struct link *l, int64_t until, PGresult **first, PGresult **last)
{
	PGresult *r = NULL;
	int err, answer = 0;
	bool committed = false;
	while ((err = next_result(l, until, &r)) == 0 && r) {
		ExecStatusType is = l->pq->result_status(r);
		if (is == PGRES_COPY_IN || is == PGRES_COPY_OUT || is == PGRES_COPY_BOTH) {
			l->pq->clear(r); /* nobody asked for rows in that way, and it never ends by itself */
			return STORE_EAWAY;
		}
		if (is != PGRES_TUPLES_OK) {
			if (is == PGRES_COMMAND_OK)
				committed |= strcmp(l->pq->command(r), "COMMIT") == 0;
			else
				answer = answer ? answer : committed ? STORE_EAWAY : refused(l, r);
			l->pq->clear(r);
			continue;
		}
		if (first && *first)
			l->pq->clear(*first);
		if (first)
			*first = *last;
		else if (*last)
			l->pq->clear(*last);
		*last = r;
	}
	return err ? err : answer;
}

static void drop(struct link *l, PGresult **r)
{
	if (r && *r)
		l->pq->clear(*r);
	if (r)
		*r = NULL;
}

static int ended(struct link *l, int err)
{
	return err != STORE_EAWAY ? err :
		gone(l, TODO_AWAY, l->conn ? l->pq->error_message(l->conn) : "");
}

int link_send(struct link *l, const char *sql, bool binary, int64_t until)
{
	int sent = !l->conn ? 0 : !binary ? l->pq->send_query(l->conn, sql) :
		l->pq->send_query_params(l->conn, sql, 0, NULL, NULL, NULL, NULL, 1);
	return ended(l, sent ? send_all(l, until) : STORE_EAWAY);
}

int link_take(struct link *l, int64_t until, PGresult **first, PGresult **last)
{
	if (first)
		*first = NULL;
	*last = NULL;
	int err = read_all(l, until, first, last);
	if (err) {
		drop(l, first);
		drop(l, last);
	}
	return ended(l, err);
}

int link_ask(struct link *l, const char *sql, bool binary, int64_t until, PGresult **first,
             PGresult **last)
{
	if (first)
		*first = NULL;
	*last = NULL;
	int err = link_send(l, sql, binary, until);
	return err ? err : link_take(l, until, first, last);
}

int link_ask_with(struct link *l, const char *sql, const char *value, int64_t until, PGresult **r)
{
	*r = NULL;
	int sent = l->conn && l->pq->send_query_params(l->conn, sql, 1, NULL, &value, NULL, NULL, 0);
	int err = ended(l, sent ? send_all(l, until) : STORE_EAWAY);
	return err ? err : link_take(l, until, NULL, r);
}

void link_look(struct link *l)
{
	if (wait_for(l, POLLIN, 0) == 1 &&
	    (!l->pq->consume_input(l->conn) || l->pq->status(l->conn) == CONNECTION_BAD))
		link_close(l);
}

int link_run(struct link *l, const char *sql, int64_t until)
{
	PGresult *r;
	int err = link_ask(l, sql, false, until, NULL, &r);
	drop(l, &r);
	return err;
}
