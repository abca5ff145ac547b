/* SPDX-License-Identifier: MIT */
/* An engine on a server: private to store/server. */
#ifndef CINTA_SERVER_STATE_H
#define CINTA_SERVER_STATE_H

#include "store/server/link.h"
#include "store/server/server.h"
#include "store/server/text.h"

enum {
	SERVER_VERSION = 7,  /* of server.sql */
	CONNECT_MS = 4000,
	READ_MS = 5000,      /* for the next part of what is read */
	BUSY_MS = 1500,      /* for what may wait for a lock of one second (tape.forget) … */
	SETTLE_MS = 12000    /* … or of ten */
};

struct server {
	struct engine engine;
	struct libpq pq;
	struct address address;
	struct link line;      /* appends and reads */
	int end;               /* eventfd: readable once all waiting is to end */
	_Atomic int64_t id;    /* of this opening */
	int64_t call;          /* the number of its last call that was answered */
	bool pending;          /* call + 1 was sent and not answered */
	bool answered;         /* of a call: the server has said what it stored */
	int64_t down_since;    /* by link_clock(): when the line failed, 0: it works */

	struct link ear;       /* the follower's: hears of entries */
	struct why ear_why;
	int64_t ear_id;        /* what it tells itself by */
	int64_t ear_next;      /* when it is tried to connect again */
	int64_t heard_at;      /* when it last heard something, by link_clock() */
	bool asks;             /* it does not listen, for too much is told: it asks … */
	int64_t asked;         /* … and there were so many entries … */
	int64_t asked_at;      /* … since then */
	_Atomic int64_t known;      /* entries of the tape, as far as any answer told */
	bool crowded;          /* others' entries came between our last calls */
	_Atomic bool calls;    /* a call is under way: with its answer come all that came before it */
	_Atomic int64_t brought_at; /* when all of them had come with an answer to a call of ours */
	_Atomic bool shows;    /* others' writes may wait for this machine (server_show) */
	bool deaf;             /* a pooler in between: nothing is heard, so it is asked often */

	struct link counter;   /* count.c: what is asked beside appends */
	struct why counter_why;
};

/* hello.c.  Connected, known to be the tape that the file is a prefix of; else an engine's code. */
int server_line(struct server *s, const struct engine_tip *have, int64_t until);
/* The question how long the tape is, and whether it goes on from what this machine has. */
void server_add_tip(struct sql_text *t, const struct engine_tip *have);
/* Its answer.  0; STORE_EFORMAT with `why`: it does not go on from there. */
int server_read_tip(struct server *s, const PGresult *r, const struct engine_tip *have,
                    int64_t *next);
/* STORE_EFORMAT and its `why`; `wrong` as tape.tip() has it: 1 shorter than ours, 2 another. */
int server_fork_found(struct server *s, int wrong, int64_t have, int64_t next);
/* Since when the line has been down, by what a use of it ended with. */
void server_note_line(struct server *s, int err);
/* One question, which it releases; the answer is the caller's to clear. */
int server_ask(struct server *s, const struct engine_tip *have, struct sql_text *t,
               PGresult **last);
/* pull.c: a member of engine_ops. */
int server_pull(struct engine *e, const struct engine_tip *have, engine_rows_fn *rows, void *ctx);
/* news.c: the same. */
int server_exchange(struct engine *e, const struct engine_tip *have, struct engine_news *n);
int server_tables(struct engine *e, const struct engine_tip *have, int64_t version, int64_t seen,
                  int64_t at[2]);
int server_fill(struct engine *e, const struct engine_tip *have, const char *what,
                int64_t seen, int64_t known, const char *rows);
int server_machines(struct engine *e, const struct engine_tip *have, machine_fn *fn, void *ctx);
int64_t server_wait(struct engine *e, int ms);
/* count.c */
int server_head(struct engine *e, int ms, int64_t *next, struct why *why);
int server_show(struct engine *e, int ms, int64_t upto, struct why *why);
int server_unseen(struct engine *e, int ms, int64_t upto, int64_t *count, struct why *why);
/* The engine of a URL.  0, or STORE_ENOENT (no libpq), STORE_EINVAL (no URL), with `why`. */
int server_new(const char *url, struct engine **out, struct why *why);

#endif
