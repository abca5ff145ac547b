/* SPDX-License-Identifier: MIT */
/*
 * A walk over the tape, to be gone on with: each row's hashes, its place among the others, the hash
 * it names before it, and the tree.  Maintenance walks to the head after an opening; the signer
 * walks what it is about to sign.  Reads only; what it finds is judged by who walks.
 */
#ifndef CINTA_WALK_H
#define CINTA_WALK_H

#include <sqlite3.h>

#include "store/db/db.h"
#include "store/proof/merkle.h"

enum { WALK_HEADS = 256 };

struct walk_head { /* of a stream: where its next entry goes on */
	char stream[FIELD_MAX + 1];
	int64_t next;
	uint8_t last[HASH_SIZE];
};

struct walk {
	sqlite3_stmt *rows, *leaves, *before; /* from walk_begin() to walk_end() */
	struct hasher hasher;
	const char *origin;            /* borrowed */
	struct merkle tree;            /* of the rows so far; tree.size is the next row */
	int64_t bad;                   /* the first row whose hashes do not hold, -1: none */
	struct damage *damage;         /* who is told of such rows; may be NULL */
	char wrong[160];               /* after STORE_EFORMAT: what */
	struct walk_head *heads;       /* a cache of WALK_HEADS */
};

/* From the first row on; who begins further on sets the tree.  0 or STORE_ENOMEM. */
int walk_init(struct walk *w, const char *origin, struct damage *damage);
void walk_release(struct walk *w);
/* A connection to go on by, until walk_end(): nothing of what was read stays with the walk. */
int walk_begin(struct walk *w, sqlite3 *db);
void walk_end(struct walk *w);
/*
 * Walks on to before row `limit`, or until a time since boot.  0, though rows may have been bad;
 * STORE_EFORMAT: a row is missing, or does not follow the one it should.
 */
int walk_on(struct walk *w, int64_t limit, int64_t until_us);

/* The same over leaf hashes alone, for rows that were walked another time: the tree and no more. */
int walk_leaves(struct walk *w, int64_t limit, int64_t until_us);

/* Rows `from` to before `to`: STORE_EFORMAT, and in words why, unless each of them holds. */
int walk_holds(sqlite3 *db, const char *origin, int64_t from, int64_t to, char wrong[160]);

#endif
