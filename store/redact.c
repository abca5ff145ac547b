/* SPDX-License-Identifier: MIT */
/*
 * Taking bodies out for good.  The transaction is any process's that has the key; what
 * comes after it is the owner's: nobody else may copy the WAL back, and only the owner
 * has served what is gone.
 *
 *   store_redact ── commit ──► v_redacted has rows above `settled`
 *                                   │ redact_notice(): the same process at once,
 *                                   │ another's maintenance within a tick, a new owner at start
 *                                   ▼
 *   settle: caches, readers, fs ─ search index, vectors ─ side ─ VACUUM, WAL ─► mark
 *
 * Invariant: the mark is set only when all steps were done; a step that failed, or a
 * process that died, leaves it, and the next owner does them again.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/documents/documents.h"
#include "store/salvage/salvage.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"
#include "store/views/views.h"

enum { BATCH = 500, VECTOR_SECONDS = 60, READER_SECONDS = 10 };

/* ---- the transaction -------------------------------------------------------- */

/* The signed body for one entry; what cannot be redacted says why. */
static int make_one(struct store *s, sqlite3_stmt *q, int64_t seq, const struct redact *r,
                    char **body, struct why *why)
{
	struct entry e;
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	if (rc != SQLITE_ROW) {
		why_set(why, "see .cinta/tape.jsonl", "there is no entry %lld", (long long)seq);
		return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	}
	int err = entry_of_row(q, &e);
	if (err)
		return err;
	if (strcmp(e.stream, REDACTION_STREAM) == 0) {
		why_set(why, "entries of the tape itself, as its first and all redactions, stay",
		        "entry %lld cannot be redacted", (long long)seq);
		return STORE_EINVAL;
	}
	char *keep = e.body ? stand_in_keep(e.kind, e.body, e.body_len, r->secret, r->ctx) : NULL;
	struct redaction one = { .seq = seq, .time_us = store_time(s), .reason = r->reason,
		.keep = keep };
	memcpy(one.leaf, e.leaf_hash, HASH_SIZE);
	err = tape_redaction(s, &one, body);
	free(keep);
	return err;
}

static int make_all(struct store *s, const struct redact *r, struct draft *drafts, struct why *why)
{
	sqlite3 *db = NULL;
	int err = db_open(s->path, DB_READ, &db, why);
	sqlite3_stmt *q =
		err ? NULL : db_prepare(db, "SELECT " TAPE_COLUMNS " FROM tape t WHERE t.seq = ?1");
	if (!err && !q)
		err = STORE_EIO;
	for (size_t i = 0; !err && i < r->count; i++) {
		char *body = NULL;
		err = make_one(s, q, r->seqs[i], r, &body, why);
		sqlite3_reset(q);
		drafts[i] = (struct draft){ .stream = REDACTION_STREAM, .kind = REDACTION_KIND,
			.author = r->author, .body = body, .body_len = body ? strlen(body) : 0 };
	}
	sqlite3_finalize(q);
	sqlite3_close(db);
	return err;
}

int store_redact(struct store *s, const struct redact *r, struct why *why)
{
	if (!tape_owned(s) || !views_kept(s)) {
		why_set(why, "only its owner can redact: see cinta status DB",
		        "there is no key for this tape, or it cannot be written");
		return STORE_ENOENT;
	}
	if (!redaction_reason_ok(r->reason)) {
		why_set(why, "say it in one line of at most 200 bytes",
		        "the reason is not one line of text");
		return STORE_EINVAL;
	}
	struct draft *drafts = calloc(r->count + 1, sizeof *drafts);
	int err = drafts ? make_all(s, r, drafts, why) : STORE_ENOMEM;
	struct append a = { .drafts = drafts, .count = r->count, .expect = -1 };
	if (!err && far_has(s)) { /* bodies go as the entries arrive, here and on all machines */
		err = store_append_wait(s, &a);
		if (err == STORE_EROFS)
			why_set(why, "as who owns the schema: SELECT tape.admit('ROLE', 'own')",
			        "the server lets only an owner take a body out");
		if (err == STORE_EBUSY) {
			why_set(why, "end that transaction, then redact: see pg_locks",
			        "somebody has locked a table on the server: nothing is taken out");
			err = STORE_EAWAY;
		}
		if (err == STORE_EINVAL || err == STORE_EIO || err == STORE_ENOENT)
			why_set(why, "see the server's log: perhaps another table refers to one in log or cto",
			        "the server's tables keep what is to go: nothing is taken out");
	} else if (!err) {
		(void)tape_lock(s);
		err = tape_redact(s, &a, r->seqs, r->count);
		tape_unlock(s);
	}
	for (size_t i = 0; drafts && i < r->count; i++)
		free((char *)drafts[i].body);
	free(drafts);
	if (!err && (s->config.flags & STORE_OWNER)) {
		(void)redact_notice(s);
		return store_redact_wait(s, 0);
	}
	return err;
}

/* ---- afterwards --------------------------------------------------------------- */

static int64_t newest(struct store *s)
{
	int64_t by = db_int(tape_lock(s), "SELECT max(by) + 1 FROM v_redacted", 0);
	tape_unlock(s);
	return by;
}

static void pause_ms(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };
	(void)nanosleep(&t, NULL);
}

static int64_t seconds(void)
{
	return clock_since_boot() / 1000000;
}

static void forget_caches(struct store *s)
{
	(void)tape_lock(s);
	views_undo(s);
	doc_cache_forget(s->doc_cache);
	tape_forget(s);
	tape_unlock(s);
}

/* The index is made anew; vectors cost money, so only those of what is gone go. */
static int settle_search(struct store *s)
{
	char vectors[PATH_MAX + 16];
	int64_t left = 1, until = seconds() + VECTOR_SECONDS;
	int err = 0;
	(void)snprintf(vectors, sizeof vectors, "%s.vectors", s->path);
	lock_take(&s->index->lock);
	search_close(s->index->search);
	vectors_close(s->index->vectors);
	s->index->search = NULL;
	s->index->vectors = NULL;
	search_remove(s->path);
	atomic_store(&s->index->searched, 0);
	lock_give(&s->index->lock);
	while (!err && left > 0 && access(vectors, F_OK) == 0) {
		lock_take(&s->index->lock);
		err = vectors_keep_up(s, BATCH, &left);
		lock_give(&s->index->lock);
		if (seconds() >= until)
			return STORE_EBUSY;
	}
	return err;
}

/* Free pages, and what is left between rows of pages that were split. */
static int vacuum(sqlite3 *db)
{
	return db_exec(db, "PRAGMA temp_store=FILE; VACUUM; PRAGMA temp_store=MEMORY");
}

static int settle_side(struct store *s)
{
	side_lock(s);
	sqlite3 *side = side_open(s);
	int err = side ? vacuum(side) : STORE_EIO;
	err = err ? err : db_empty_wal(side);
	side_shut(s);
	side_unlock(s);
	return err;
}

/* Where the WAL cannot be trusted it is not copied back (durable.h). */
static int truncate_tape(struct store *s)
{
	sqlite3 *db = tape_lock(s);
	int err = durable_mend(s);
	err = err ? err : db_empty_wal(db);
	if (err == STORE_EIO) /* perhaps it was the sync */
		durable_failed(s);
	tape_unlock(s);
	return err;
}

static int settle_tape(struct store *s)
{
	int64_t until = seconds() + READER_SECONDS;
	sqlite3 *db = tape_lock(s);
	int err = durable_mend(s);
	db_guard(db, false); /* VACUUM copies every table */
	err = err ? err : vacuum(db);
	db_guard(db, true);
	tape_unlock(s);
	if (err)
		return err;
	while ((err = truncate_tape(s)) == STORE_EBUSY && seconds() < until)
		pause_ms(100);
	return err;
}

/* Their pages hold what was read. */
static int close_readers(struct store *s)
{
	return readers_renew(s->readers, READER_SECONDS);
}

static int settle(struct store *s)
{
	forget_caches(s);
	side_forget_waiting(s);
	int err = close_readers(s);
	if (s->config.on_redacted)
		s->config.on_redacted(s->config.ctx);
	salvage_sweep(s->path); /* what a rebuild that was killed left: the owner is alone */
	err = err ? err : settle_search(s);
	err = err ? err : settle_side(s);
	err = err ? err : settle_tape(s);
	return err ? err : close_readers(s);
}

int redact_notice(struct store *s)
{
	int64_t before, by = 0, entries = tape_entries(s);
	lock_take(&s->settle_lock);
	if (s->settled < 0 && store_mark_get(s, REDACTED_MARK, &before) == 0)
		s->settled = before;
	int err = store_catch_up(s);
	/* One ahead of the tape is of another, in whose place this one was put back. */
	if (!err && (by = newest(s)) != s->settled && (by > 0 || s->settled > 0)) {
		err = by > 0 ? settle(s) : 0;
		if (!err)
			(void)store_sign(s); /* covered at once; else at the next tick */
		if (!err && (err = store_mark_set(s, REDACTED_MARK, by)) == 0)
			s->settled = by;
	}
	if (!err)
		far_set_clean(s, entries);
	lock_give(&s->settle_lock);
	return err;
}

int store_redact_wait(struct store *s, int most)
{
	int64_t until = seconds() + most, by = newest(s), done = 0;
	for (;;) {
		if (by == 0 || (store_mark_get(s, REDACTED_MARK, &done) == 0 && done >= by))
			return 0;
		if (seconds() >= until)
			return STORE_EBUSY;
		pause_ms(20);
	}
}

/* ---- looking for what is to go --------------------------------------------------- */

int store_entries_each(struct store *s, int64_t from, each_entry_fn *fn, void *ctx)
{
	sqlite3 *db = NULL; /* its own: `fn` may ask the store, which lends one reader a thread */
	int err = db_open(s->path, DB_READ, &db, NULL), rc = SQLITE_DONE;
	/* Few rows a statement, whose budget the time of `fn` is counted for; of one snapshot. */
	sqlite3_stmt *q = err || db_exec(db, "BEGIN") ? NULL : db_prepare(db, "SELECT " ENTRY_COLUMNS
		" FROM tape t WHERE t.seq >= ?1 ORDER BY t.seq LIMIT 32");
	bool more = err || q;
	if (!more)
		err = STORE_EIO;
	for (struct entry e; !err && more; sqlite3_reset(q)) {
		sqlite3_bind_int64(q, 1, from);
		for (more = false; (rc = sqlite3_step(q)) == SQLITE_ROW; from = e.seq + 1)
			if ((err = entry_of_row(q, &e)) || !(more = fn(ctx, &e) == 0))
				break;
	}
	sqlite3_finalize(q);
	sqlite3_close(db);
	return err ? err : db_error(rc);
}

/* A table of PATH.side, what is looked at in its rows, and what they are called. */
static const struct {
	const char *select, *drop;
} side_tables[] = {
	{ "SELECT id, 'rejected/' || name, bytes, reason, '' FROM rejected",
	  "DELETE FROM rejected WHERE id = ?1" },
	{ "SELECT id, 'errors.log, line of ' || op, reason, path, todo FROM refusal",
	  "DELETE FROM refusal WHERE id = ?1" },
	{ "SELECT id, 'scratch or logs/: ' || name, bytes, name, '' FROM scratch",
	  "DELETE FROM scratch WHERE id = ?1" },
};

static bool row_is_secret(sqlite3_stmt *q, secret_fn *secret, void *ctx)
{
	for (int i = 2; i < 5; i++) {
		const char *text = sqlite3_column_blob(q, i);
		size_t len = (size_t)sqlite3_column_bytes(q, i);
		if (text && len > 0 && secret(ctx, text, len))
			return true;
	}
	return false;
}

int store_side_forget(struct store *s, secret_fn *secret, void *ctx, bool forget,
                      side_found_fn *fn, void *fn_ctx)
{
	char path[PATH_MAX + 8];
	int err = 0;
	(void)snprintf(path, sizeof path, "%s.side", s->path);
	if (access(path, F_OK) != 0)
		return 0;
	side_lock(s);
	sqlite3 *db = side_open(s);
	for (size_t i = 0; db && !err && i < sizeof side_tables / sizeof *side_tables; i++) {
		sqlite3_stmt *q = db_prepare(db, side_tables[i].select);
		sqlite3_stmt *drop = db_prepare(db, side_tables[i].drop);
		int rc = q && drop ? SQLITE_DONE : SQLITE_ERROR;
		while (q && drop && (rc = sqlite3_step(q)) == SQLITE_ROW) {
			if (!row_is_secret(q, secret, ctx))
				continue;
			fn(fn_ctx, (const char *)sqlite3_column_text(q, 1));
			sqlite3_bind_int64(drop, 1, sqlite3_column_int64(q, 0));
			if (forget)
				(void)sqlite3_step(drop);
			sqlite3_reset(drop);
		}
		err = db_error(rc);
		sqlite3_finalize(q);
		sqlite3_finalize(drop);
	}
	side_unlock(s);
	return db ? err : STORE_EIO;
}
