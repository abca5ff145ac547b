/* SPDX-License-Identifier: MIT */
/*
 * The door of the tape: appending, hashing, the tree and its signed notes.  What the tape must
 * ask of those that stand above it comes as `struct tape_hooks`, which the top fills in.
 */
#ifndef CINTA_TAPE_H
#define CINTA_TAPE_H

#include <sqlite3.h>

#include "store/store.h"
#include "store/proof/proof.h"
#include "store/signing/signing.h"
#include "store/tape/durable.h"
#include "store/tape/engine.h"
#include "store/tape/far.h"
#include "store/tape/head.h"
#include "store/tape/line.h"
#include "store/tape/moved.h"

#define REDACTED_MARK "redacted" /* redactions below left nothing behind: redact.c */

/* All are called with the commit lock held, by whoever holds it. */
struct tape_hooks {
	/* Lines and bytes of a log below what was left to be seen later; 0, 0: none. */
	int (*log_seen)(sqlite3 *db, struct log_id log, int64_t *lines, int64_t *bytes);
	/* True if entries of this stream must be seen in the transaction that appends them. */
	bool (*at_once)(const char *stream);
	/* Sees, in transactions of its own, all that is on the tape. */
	int (*before)(struct store *s);
	/* 1 if a message of that key is on the tape, as far as was seen; else 0. */
	int (*known)(struct store *s, const struct message_key *k);
	/* True if it is a message that was taken in from an agent: it makes no session current. */
	bool (*taken)(const struct draft *d);
	/* Sees all below `limit` in the open transaction; then it was committed, or rolled back. */
	int (*see)(struct store *s, int64_t limit);
	void (*seen)(struct store *s, int64_t limit);
	void (*undo)(struct store *s);
};

/* STORE_EINVAL with `why`: no tape can have this origin. */
int tape_check_origin(const char *origin, struct why *why);
/*
 * Opens or makes the file; says in s->read_only and s->trouble what its notes forbid.  `engine` is
 * the store's from now on; NULL: the file is the tape.
 */
int tape_open(struct store *s, struct engine *engine, struct why *why);
void tape_close(struct store *s);
void tape_status(const struct store *s, struct status *out);

/* Takes the commit lock; the writing connection, until it is given back. */
sqlite3 *tape_lock(struct store *s);
/* The same; NULL: somebody holds it. */
sqlite3 *tape_try_lock(struct store *s);
void tape_unlock(struct store *s);
/* Commit lock held: takes notice of other processes' rows; 1: there were some. */
int tape_refresh(struct store *s);
/* Commit lock held: the seq of the next entry. */
int64_t tape_next(const struct store *s);
/* Commit lock held. */
int tape_commit(struct store *s, struct append *list);
/*
 * Commit lock held.  One transaction: what `list` (one request) appends, the bodies of the entries
 * `seqs` go, and the views are made anew.
 */
int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count);

/* Any thread, no lock held: as tape_refresh(). */
void tape_see_others(struct store *s);
/* Committed entries that this process knows of. */
int64_t tape_entries(const struct store *s);
/* True if another process has appended since this was asked last: from that entry on. */
bool tape_others_wrote(struct store *s, int64_t *seq);
/* Any thread: true if it would say so, as far as is known. */
bool tape_others_wait(const struct store *s);
/* True if there is enough that no note covers. */
bool tape_sign_due(struct store *s);
/* For the walk in the background (verifying.c): the tape's origin, its key (NULL: none that means
 * something), its newest note (size 0: none). */
const char *tape_origin(const struct store *s);
const struct note_key *tape_key(const struct store *s);
void tape_newest(const struct store *s, struct checkpoint *out);
/* Rows below were walked and hold: they may be signed.  Of maintenance. */
void tape_checked(struct store *s, int64_t rows);
/* verified_make() by the owner's key; STORE_ENOENT: it is not here. */
int tape_verified(const struct store *s, const struct checkpoint *c, char text[VERIFIED_SIZE]);
/* The tape is not what was signed: nothing is signed any more, and `text` says why. */
void tape_distrust(struct store *s, const char *text);
/*
 * Of the owner, commit lock held, in no transaction: copies the WAL back when it has grown, so that
 * it is written over from its beginning.
 */
void tape_copy_wal_back(struct store *s);
/* store_append_wait() of drafts whose bodies `make` makes, for free(); NULL: STORE_EINVAL. */
int tape_append_made(struct store *s, struct append *a, struct draft *drafts,
                     char *(*make)(const void *ctx, size_t i), const void *ctx);
/* A line of errors.log, of cinta's own; who has read that is made to read it anew. */
void tape_tell(struct store *s, const char *code, const char *op, const char *path,
               const char *text, const char *todo);
/* Of maintenance: looks at the clocks; writes anew what a sync has lost. */
void tape_tick(struct store *s);
/* Why nothing is signed, in words; "" if it is. */
void tape_unsigned(const struct store *s, char *text, size_t size);
/* True if this process can redact: it may write and has the owner's key. */
bool tape_owned(const struct store *s);
/* redaction_make() for this tape. */
int tape_redaction(struct store *s, const struct redaction *r, char **body);
/* Commit lock held: nothing that was read stays in memory. */
void tape_forget(struct store *s);
/* What is wrong with syncs or clocks, in words; "" if nothing is. */
void tape_trouble(const struct store *s, char *text, size_t size);
/* Nobody else uses the store: the owner copies the WAL back. */
void tape_settle(struct store *s, bool owner);
/* Size and last time of a stream's log, if they are in memory. */
bool tape_log_stat(struct store *s, const char *stream, int64_t *bytes, int64_t *last_us);
/*
 * The session last written to, by this process if it wrote to one, else by any; 0: not known; and
 * what was found of it elsewhere.
 */
int64_t tape_current(const struct store *s);
bool tape_current_is_mine(const struct store *s);
void tape_set_current(struct store *s, int64_t session);

#endif
