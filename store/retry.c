/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): which refusal somebody who tries again should
 * be shown.  The last one only, and only while nothing of theirs was stored since:
 * a list of old errors costs tokens and helps nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/tape/tape.h"

enum { TEXTS = 7, ROWS_MOST = 1000 /* entries since: then it is no retry any more */ };

/* ?1 is an author, or a user: then any program of theirs. */
#define BY_AUTHOR                                                                                  \
	" (author = ?1 OR (instr(?1, ':') = 0 AND substr(author, 1, length(?1) + 1) = ?1 || ':'))"

struct last {
	int64_t time_us, entries;
	char *text[TEXTS];
};

static void last_release(struct last *l)
{
	for (int i = 0; i < TEXTS; i++)
		free(l->text[i]);
}

static int read_last(sqlite3_stmt *q, struct last *l)
{
	l->time_us = sqlite3_column_int64(q, 0);
	l->entries = sqlite3_column_int64(q, 1);
	for (int i = 0; i < TEXTS; i++) {
		const char *text = (const char *)sqlite3_column_text(q, 2 + i);
		l->text[i] = text ? strdup(text) : NULL;
		if (!l->text[i])
			return STORE_ENOMEM;
	}
	return 0;
}

/* Notes of what was stored all the same, or belongs to nobody, are no refusals. */
static int find_last(struct store *s, const char *author, struct last *l)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ?
		db_prepare(db, "SELECT time_us, entries, code, op, path, author, reason, todo, kept"
		               " FROM refusal WHERE code NOT IN ('CONFLICT', 'SCRATCH') AND" BY_AUTHOR
		               " ORDER BY id DESC LIMIT 1") : NULL;
	int err = STORE_EIO;
	if (q) {
		sqlite3_bind_text(q, 1, author, -1, SQLITE_STATIC);
		int rc = sqlite3_step(q);
		err = rc == SQLITE_ROW ? read_last(q, l) :
			rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
		sqlite3_finalize(q);
	}
	side_unlock(s);
	return err;
}

/* STORE_ENOENT if this author has stored anything since the tape had so many entries; 0: no. */
static int has_stored(struct store *s, const char *author, int64_t entries)
{
	tape_see_others(s);
	if (tape_entries(s) - entries > ROWS_MOST)
		return STORE_ENOENT;
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	sqlite3_stmt *q = db_prepare(r->db, "SELECT 1 FROM tape WHERE seq >= ?2 AND" BY_AUTHOR
	                                    " LIMIT 1");
	sqlite3_bind_text(q, 1, author, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, entries);
	int rc = sqlite3_step(q);
	sqlite3_finalize(q);
	reader_put(s, r);
	return rc == SQLITE_ROW ? STORE_ENOENT : db_error(rc);
}

int store_last_refusal(struct store *s, const char *author, refusal_fn *fn, void *ctx)
{
	struct last l = { 0 };
	int err = find_last(s, author, &l);
	if (!err)
		err = has_stored(s, author, l.entries);
	if (!err) {
		struct refusal r = { l.time_us, l.text[0], l.text[1], l.text[2], l.text[3], l.text[4],
			l.text[5], l.text[6] };
		fn(ctx, &r);
	}
	last_release(&l);
	return err;
}
