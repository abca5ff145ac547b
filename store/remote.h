/* SPDX-License-Identifier: MIT */
/* Part of the store's door (store.h): a memory whose tape is on a server. */
#ifndef CINTA_REMOTE_H
#define CINTA_REMOTE_H

#include <limits.h>

#include "store/entry.h"
#include "store/tokens/tokens.h"

struct store;

/*
 * A memory may live on a PostgreSQL server, "postgresql://host/database".  Each machine that opens
 * it keeps a replica in a file of its own, an ordinary database with PATH.server beside it that
 * says of which server: opened like any, it appends there.
 */

/* True if a word is meant as a server. */
bool store_is_server(const char *word);
/* 0 if a memory is at `url` and can be asked; else a STORE_ code with `why`.  Changes nothing. */
int store_server_answers(const char *url, struct why *why);
/*
 * Where this machine's replica of the memory at `url` is; a new one is empty until it is opened.
 * STORE_ENOENT: there is no memory, or no libpq; STORE_EAWAY: it is not reached, and there is no
 * replica; STORE_EINVAL: no URL; with `why`.
 */
int store_replica(const char *url, char path[PATH_MAX], struct why *why);
/*
 * A place for the replica of a memory that is made now, with its origin (NULL: a new one), for
 * store_open() with both.
 */
int store_replica_new(const char *origin, char chosen[FIELD_MAX + 1], char path[PATH_MAX],
                      struct why *why);
/*
 * Puts the memory in the file `path` onto the server, whole or not at all.  STORE_EEXIST: there is
 * one already; STORE_EUNKNOWN: nobody knows whether it is there; with `why`.
 */
int store_to_server(const char *path, const char *url, struct why *why);
/* From now on the file is the replica of that server's memory. */
int store_replica_of(const char *path, const char *url, struct why *why);
/*
 * Takes the entries of a replica away, which nobody has open, so that it is taken anew from its
 * server; what was refused and kept beside it stays.  0, or STORE_EROFS with `why`.
 */
int store_replica_forget(const char *path, struct why *why);

/* A machine that keeps a replica of this memory, and was seen within 30 days. */
struct machine {
	const char *host, *place; /* its file there */
	const char *seen;         /* when last, in words */
	int64_t behind;           /* entries that it had not then */
	bool clean;               /* nothing is left there of what was redacted */
	bool here;                /* seen within a minute */
};
typedef void machine_fn(void *ctx, const struct machine *m);
/* Each of them, as the server knows them; nothing without a server. */
int store_machines(struct store *s, machine_fn *fn, void *ctx);

struct sync_state {
	int64_t entries;           /* there are here */
	uint8_t leaf[HASH_SIZE];   /* hash of the last one, zeros: there is none */
	int64_t away_us;           /* since when the server cannot be asked; 0: this is all it has */
};
/*
 * A barrier: all that was on the server when it was called is here when it returns 0; in views as
 * ever, when they are read.  Without a server that is so at once.  STORE_EAWAY: it cannot be
 * reached, STORE_EFORMAT: ROLLBACK or FORK (status says more); *out says what is here all the same.
 */
int store_catch_up_far(struct store *s, struct sync_state *out);

/*
 * What others have appended up to now, to a memory on a server, is here when it returns, and
 * config.on_foreign was called of what of it has come since the last time: true if it was.  A
 * server that does not answer within some seconds is not asked again until it does; meanwhile this
 * returns at once, and status says so.  Without `asks` it is not asked where store_share() makes
 * that needless.  For one thread at a time, no lock held.
 */
bool store_fresh(struct store *s, bool asks);
/*
 * A mount more that is to show, unasked, what any other of these has stored (a memory on a server;
 * fresh=write), or one less.  While there is one, appends return when all of them do; at most four
 * seconds later, by when one that cannot be reached asks before it shows anything.
 */
void store_share(struct store *s, bool shares);

/* What became of an entry that a server has lost. */
enum came {
	CAME_BACK,   /* it was appended anew */
	CAME_THERE,  /* it, or what stands for it, is there already */
	CAME_LEFT    /* it cannot come back */
};
struct come_back {
	const char *file; /* a database that has entries which the server has not; it stays as it is */
	/*
	 * The line of a log as it was shown, without newline, to the body it gets when it is appended
	 * anew: *body is malloc'ed.  Nonzero: no log takes it.  fs_line_again().
	 */
	int (*line_again)(const char *line, size_t len, bool record, store_count_fn *count, char **body,
	                  size_t *body_len);
	/* For each of them: its number on the server, 0: none of its own; why it was left out. */
	void (*tell)(void *ctx, const struct entry *e, enum came what, int64_t seq, const char *why);
	void *ctx;
	/* out */
	int64_t first;                   /* the first entry that the server has not */
	int64_t lost, back, there, left; /* lost is the sum of the others */
	int64_t above;                   /* documents whose newer version was appended once more */
};
/*
 * Appends to the memory of a server what a file has of it and the server has lost, in order, under
 * new numbers; the lines of logs with the old hash under "source".  What came to the server since
 * stays as it is, and what has come back already does not come twice.  `s` may write, and has all
 * that the server has.  STORE_EINVAL: the file is of another memory; with `why`.
 */
int store_bring_back(struct store *s, struct come_back *how, struct why *why);

#endif
