/* SPDX-License-Identifier: MIT */
/*
 * A connection to a server, and one query at a time on it, each with a time by which it must have
 * been answered: a server that has gone without a word must not keep a thread for ever.  Belongs to
 * one thread at a time.
 */
#ifndef CINTA_LINK_H
#define CINTA_LINK_H

#include <stdbool.h>

#include "store/server/libpq.h"

enum { URL_MOST = 1000 };

/* Where a server is: checked words of a URL, for libpq. */
struct address {
	char url[URL_MOST + 1];  /* as it was given */
	char shown[256];         /* the same without user and what stands behind "?" */
	bool strict;             /* the server must prove who it is: nobody said how, and it is far */
};

struct link {
	const struct libpq *pq;
	PGconn *conn;            /* NULL: not connected */
	int stop;                /* a descriptor that ends all waiting when it can be read, or -1 */
	struct why *why;         /* of the last failure */
	int slow_ms;             /* an answer may take so long between its parts; 0: only as said */
};

/* True if a word is meant as a server: it begins with postgresql:// or postgres://. */
bool address_is(const char *word);
/* 0, or STORE_EINVAL with `why`: no URL of a server, or there is a password in it. */
int address_parse(const struct libpq *pq, const char *url, struct address *a, struct why *why);

/* Fills `shown` from `url`. */
void address_show(struct address *a);

/* Milliseconds since boot. */
int64_t link_clock(void);
/* By then, on that clock.  0; STORE_EAWAY. */
int link_open(struct link *l, const struct address *a, int64_t until);
void link_close(struct link *l);

/*
 * Runs one query, or several parted by semicolons, as one transaction if there is no COMMIT among
 * them.  `binary`: one query, whose values come as the server has them.  Of the results that have
 * rows the last but one is *first if `first` is not NULL, and the last *last; NULL: there is none.
 * 0; STORE_EAWAY: the connection has gone, or it failed behind a COMMIT, and nobody knows what
 * became of it; else the server answered with an error, and nothing of it is done: STORE_EMOVED for
 * its own `refused` code CT001, …
 */
int link_ask(struct link *l, const char *sql, bool binary, int64_t until, PGresult **first,
             PGresult **last);
/*
 * Its halves, for who has something to do while the server works: what was sent must be taken
 * before anything else is asked, or the link closed.
 */
int link_send(struct link *l, const char *sql, bool binary, int64_t until);
int link_take(struct link *l, int64_t until, PGresult **first, PGresult **last);
/* As link_ask(), of one query with the value of its $1, which no log of the server shows. */
int link_ask_with(struct link *l, const char *sql, const char *value, int64_t until, PGresult **r);
/* The engine's code for a code of PostgreSQL (its five characters). */
int link_code(const char *state);
/* The same as link_ask() for what gives no rows. */
int link_run(struct link *l, const char *sql, int64_t until);
/* Notices, without waiting, that the server has ended an idle connection: then it is closed. */
void link_look(struct link *l);
/* Waits for the connection to be readable, until then: 1: it is; 0: time is over; STORE_EAWAY. */
int link_wait(struct link *l, int64_t until);

#endif
