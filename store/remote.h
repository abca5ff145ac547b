/* SPDX-License-Identifier: MIT */
/* Part of the store's door (store.h): a memory whose tape is on a server. */
#ifndef CINTA_REMOTE_H
#define CINTA_REMOTE_H

#include <limits.h>

#include "store/entry.h"

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

#endif
