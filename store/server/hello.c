/* SPDX-License-Identifier: MIT */
/* The line that appends and reads: connected, and the tape there is the one that we have. */
#include <string.h>
#include <unistd.h>

#include "store/server/server_state.h"

int server_fork_found(struct server *s, int wrong, int64_t have, int64_t next)
{
	if (wrong == 1)
		why_set(&s->engine.why, ENGINE_TODO_FORK, "ROLLBACK: the server's tape has %lld"
		        " entries, this machine has had %lld", (long long)next, (long long)have);
	else
		why_set(&s->engine.why, ENGINE_TODO_FORK, "FORK: entry %lld on the server is not the"
		        " one that this machine has", (long long)have - 1);
	return STORE_EFORMAT;
}

void server_add_tip(struct sql_text *t, const struct engine_tip *have)
{
	sql_add(t, "SELECT next, wrong FROM tape.tip(%lld, ", (long long)have->next);
	sql_add_bytes(t, have->leaf, HASH_SIZE);
	sql_add(t, ")");
}

int server_read_tip(struct server *s, const PGresult *r, const struct engine_tip *have,
                    int64_t *next)
{
	*next = result_number(&s->pq, r, 0, -1);
	int64_t wrong = result_number(&s->pq, r, 1, 2);
	return *next >= 0 && wrong == 0 ? 0 : server_fork_found(s, (int)wrong, have->next, *next);
}

static int check_hello(struct server *s, const PGresult *r)
{
	const char *origin = s->pq.rows(r) > 0 && s->pq.columns(r) == 2 ? s->pq.value(r, 0, 1) : "";
	int64_t version = result_number(&s->pq, r, 0, 0);
	if (version != SERVER_VERSION) {
		why_set(&s->engine.why, version > SERVER_VERSION ? "install the newer cinta here, too" :
		        "cinta copy a replica of it to a new database",
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
		return server_fork_found(s, 1, have->next, 0);
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
	server_add_tip(&t, have);
	int err = t.failed ? STORE_ENOMEM : link_ask(&s->line, t.bytes, false, until, &first, &last);
	sql_release(&t);
	if (err)
		return err == STORE_ENOENT ? no_tape(s, have) : err;
	err = first ? check_hello(s, first) : STORE_EIO;
	err = err ? err : server_read_tip(s, last, have, &next);
	s->pq.clear(first);
	s->pq.clear(last);
	return err;
}

void server_note_line(struct server *s, int err)
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
	server_note_line(s, err);
	return err;
}

int server_ask(struct server *s, const struct engine_tip *have, struct sql_text *t,
               PGresult **last)
{
	int err = server_line(s, have, link_clock() + CONNECT_MS);
	err = err ? err : t->failed ? STORE_ENOMEM :
		link_ask(&s->line, t->bytes, false, link_clock() + READ_MS, NULL, last);
	sql_release(t);
	server_note_line(s, err);
	return err;
}
