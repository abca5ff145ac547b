/* SPDX-License-Identifier: MIT */
/*
 * The store's views catch up: when somebody reads, when the maintenance thread has time, and in
 * the transaction of what cannot wait (struct tape_hooks).
 */
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/tape/tape.h"
#include "store/views/views.h"

static const char *const texts[] = {
	[SQL_N(READ_MARK)] = "SELECT start FROM v_mark WHERE k = ?1",
	[SQL_N(READ_STATE)] = "SELECT upto, tape_bytes FROM v_state",
	[SQL_N(READ_TIME)] = "SELECT time_us FROM tape WHERE seq = ?1",
	/* 'g' is behind all digits. */
	[SQL_N(READ_HASH)] = "SELECT seq FROM v_hash WHERE hash >= ?1 AND hash < ?1 || 'g' LIMIT 2",
	[SQL_N(READ_DAYS)] =
		"SELECT day, entries, bytes, messages, tokens, versions, facts, retracted FROM v_day"
		" WHERE day >= ?1 AND day <= ?2 ORDER BY day",
	[SQL_N(READ_STREAMS)] =
		"SELECT stream, count(*), min(stream_seq) FROM tape WHERE seq >= ?1 AND seq < ?2"
		" AND kind IN ('message', 'document') GROUP BY stream ORDER BY min(seq)",
	[SQL_N(READ_TOUCHED)] =
		"SELECT stream, min(stream_seq), max(stream_seq),"
		" max(kind = 'message' AND coalesce(instr(body, '\"thread\"'), 0) > 0)"
		" FROM tape WHERE seq >= ?1 GROUP BY +stream LIMIT ?2", /* +: else all of its index */
	[SQL_N(READ_REDACTED)] = "SELECT seq FROM v_redacted",
	[SQL_N(READ_REDACTION)] = "SELECT seq FROM tape WHERE stream = '" REDACTION_STREAM "'"
		" ORDER BY stream_seq DESC LIMIT 1",
	[SQL_N(READ_TIME_LAST)] = "SELECT time_us FROM tape ORDER BY seq DESC LIMIT 1",
};
const struct sql view_queries = SQL_OF(texts);

struct views {
	struct view *view;      /* the commit lock guards it; NULL: nothing can be written */
	_Atomic int64_t viewed; /* rows it has seen */
	_Atomic bool wanted;    /* a read had to walk far past the views */
};

enum {
	BATCH = 500,       /* entries a transaction: an append waits no longer than that */
	FILL_LEAST = 100   /* entries of a new replica that are worth another way */
};

int views_open(struct store *s, const struct view_table *table, sqlite3 *db)
{
	int err = s->read_only ? 0 : views_renew(db);
	if (!err && !s->read_only)
		err = view_open(db, table, s->config.text_size, &s->views->view);
	if (!err && s->views->view) {
		s->views->view->check.damage = &s->damage;
		s->views->view->doc_cache = s->doc_cache;
	}
	int64_t upto = err ? 0 : views_upto(db);
	if (!err)
		atomic_store(&s->views->viewed, upto < tape_next(s) ? upto : tape_next(s));
	return err;
}

int views_new(struct store *s)
{
	s->views = calloc(1, sizeof *s->views);
	return s->views ? 0 : STORE_ENOMEM;
}

void views_close(struct store *s)
{
	if (s->views)
		view_close(s->views->view);
	free(s->views);
}

bool views_kept(const struct store *s)
{
	return s->views && s->views->view;
}

int64_t views_at(const struct store *s)
{
	return atomic_load(&s->views->viewed);
}

void views_want(struct store *s)
{
	atomic_store(&s->views->wanted, true);
}

bool views_wanted(struct store *s)
{
	return atomic_exchange(&s->views->wanted, false);
}

/* Commit lock held: the views see at most `rows` entries. */
static int catch_up(struct store *s, int64_t rows)
{
	int64_t upto = atomic_load(&s->views->viewed);
	bool may = s->views->view && (!s->read_only || moved_takes_views(s));
	int err = may ? view_catch_up(s->views->view, rows, tape_next(s), &upto) : STORE_EROFS;
	if (!err)
		atomic_store(&s->views->viewed, upto);
	return err;
}

void views_fill(struct store *s)
{
	int64_t upto;
	sqlite3 *db = tape_lock(s);
	if (s->views->view && !s->read_only && views_at(s) == 0 && tape_next(s) > FILL_LEAST &&
	    view_fill(s->views->view, tape_next(s), &upto) == 0)
		atomic_store(&s->views->viewed, upto);
	(void)db_roomy(db, false);
	tape_unlock(s);
}

int store_catch_up(struct store *s)
{
	const int64_t until = tape_entries(s); /* who writes on does not keep us waiting */
	int err = 0;
	while (!err && atomic_load(&s->views->viewed) < until) {
		(void)tape_lock(s);
		if (atomic_load(&s->views->viewed) < tape_next(s))
			err = catch_up(s, BATCH);
		tape_copy_wal_back(s); /* of all entries it would be four times the file */
		tape_unlock(s);
	}
	/* A disk that takes no view still shows what the views have. */
	return err == STORE_ENOSPC || err == STORE_EROFS ? 0 : err;
}

int views_see_all(struct store *s)
{
	if (!(s->config.flags & STORE_OWNER)) { /* nothing else tells of what other processes append */
		tape_see_others(s);
	}
	return store_catch_up(s);
}

int views_reader(struct store *s, struct reader **r)
{
	int err = views_see_all(s);
	*r = err ? NULL : reader_get(s);
	return *r ? 0 : err ? err : STORE_EIO;
}

int views_before(struct store *s)
{
	int err = 0;
	while (!err && atomic_load(&s->views->viewed) < tape_next(s))
		err = catch_up(s, BATCH);
	return err;
}

struct view *views_made(struct store *s)
{
	return s->views->view;
}

int views_within(struct store *s, int64_t limit)
{
	return view_see(s->views->view, limit);
}

void views_seen(struct store *s, int64_t limit)
{
	atomic_store(&s->views->viewed, limit);
}

void views_undo(struct store *s)
{
	if (s->views->view)
		view_forget(s->views->view);
}

int views_snapshot(struct store *s, struct reader **r)
{
	int err = views_reader(s, r);
	if (err)
		return err;
	err = db_exec((*r)->db, "BEGIN");
	if (err)
		reader_put(s, *r);
	return err;
}

int views_each(struct store *s, int which, const char *text, int64_t number,
               void (*row)(sqlite3_stmt *row, void *ctx), void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, which);
	if (text)
		sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_int64(q, 1, number);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		row(q, ctx);
	reader_put(s, r);
	return db_error(rc);
}

int store_entry_by_hash(struct store *s, const char *prefix, int64_t *seq)
{
	struct reader *r;
	size_t len = strlen(prefix), count = 0;
	*seq = 0;
	if (len < HASH_PREFIX || len > 2 * HASH_SIZE || prefix[strspn(prefix, "0123456789abcdef")])
		return STORE_EINVAL;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_HASH);
	sqlite3_bind_text(q, 1, prefix, -1, SQLITE_STATIC);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		*seq = sqlite3_column_int64(q, 0);
		count++;
	}
	reader_put(s, r);
	err = q ? db_error(rc) : STORE_EIO;
	return err ? err : count == 0 ? STORE_ENOENT : count > 1 ? STORE_EEXIST : 0;
}
