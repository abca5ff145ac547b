/* SPDX-License-Identifier: MIT */
/*
 * The door of the tape: appending, hashing, the tree and its signed notes.  What the tape must
 * ask of those that stand above it comes as `struct tape_hooks`, which the top fills in.
 */
#ifndef CINTA_TAPE_H
#define CINTA_TAPE_H

#include <sqlite3.h>

#include "store/store.h"
#include "store/tape/durable.h"
#include "store/tape/chain.h"
#include "store/tape/head.h"
#include "store/tape/key.h"
#include "store/tape/line.h"
#include "store/tape/merkle.h"
#include "store/tape/mine.h"
#include "store/tape/note.h"
#include "store/tape/redaction.h"
#include "store/tape/signer.h"

/* All are called with the commit lock held. */
struct tape_hooks {
	/* Lines and bytes of a log below what was left to be seen later; 0, 0: none. */
	int (*log_seen)(sqlite3 *db, struct log_id log, int64_t *lines, int64_t *bytes);
	/* True if entries of this stream must be seen in the transaction that appends them. */
	bool (*at_once)(const char *stream);
	/* Sees, in transactions of its own, all that is on the tape. */
	int (*before)(struct store *s);
	/* Sees all below `limit` in the open transaction; then it was committed, or rolled back. */
	int (*see)(struct store *s, int64_t limit);
	void (*seen)(struct store *s, int64_t limit);
	void (*undo)(struct store *s);
};

int tape_open(struct store *s, struct why *why);
void tape_close(struct store *s);
/* Takes the commit lock for it. */
int tape_genesis(struct store *s, struct why *why);
/* Commit lock held: takes notice of other processes' rows; 1: there were some. */
int tape_refresh(struct store *s);
/* The same; takes the commit lock for it. */
void tape_see_others(struct store *s);
/* Commit lock held. */
int tape_commit(struct store *s, struct append *list);
/*
 * Commit lock held.  One transaction: what `list` (one request) appends, the bodies of the entries
 * `seqs` go, and the views are made anew.
 */
int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count);

/* N of the stream "sN" for first 's'; 0: it is another's. */
int64_t store_stream_number(const char *stream, char first);

#endif
