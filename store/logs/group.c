/* SPDX-License-Identifier: MIT */
/* Sessions and threads: finding, listing, making. */
#include <assert.h>
#include <string.h>

#include "store/logs/log_read.h"

#define CURRENT_MARK "current"

int64_t store_kind_number(enum log_kind kind)
{
	assert(kind != LOG_TAPE);
	return kind == LOG_SESSION ? GROUP_SESSION : kind == LOG_THREAD ? GROUP_THREAD : GROUP_RECORD;
}

int log_seen(sqlite3 *db, struct log_id log, int64_t *lines, int64_t *bytes)
{
	sqlite3_stmt *q =
		db_prepare(db, "SELECT messages, bytes FROM v_group WHERE kind = ?1 AND id = ?2");
	if (!q)
		return STORE_EIO;
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, log.id);
	int rc = sqlite3_step(q);
	*lines = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	*bytes = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
	sqlite3_finalize(q);
	return db_error(rc);
}

int log_length(struct reader *r, int64_t session, int64_t *messages)
{
	sqlite3_stmt *q = reader_stmt(r, READ_GROUP_ID);
	sqlite3_bind_int64(q, 1, GROUP_SESSION);
	sqlite3_bind_int64(q, 2, session);
	int rc = sqlite3_step(q);
	*messages = rc == SQLITE_ROW ? sqlite3_column_int64(q, 4) : 0;
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

void log_totals(struct reader *r, struct status *out)
{
	sqlite3_stmt *q = reader_stmt(r, READ_GROUP_TOTALS);
	if (q && sqlite3_step(q) == SQLITE_ROW) {
		out->sessions = sqlite3_column_int64(q, 0);
		out->threads = sqlite3_column_int64(q, 1);
		out->messages = sqlite3_column_int64(q, 2);
	}
	sqlite3_reset(q);
}

static void group_of_row(sqlite3_stmt *q, struct group *out)
{
	out->id = sqlite3_column_int64(q, 0);
	(void)snprintf(out->name, sizeof out->name, "%s", db_text(q, 1));
	out->made_us = sqlite3_column_int64(q, 2);
	(void)snprintf(out->author, sizeof out->author, "%s", db_text(q, 3));
	out->messages = sqlite3_column_int64(q, 4);
	out->tokens = sqlite3_column_int64(q, 5);
	out->bytes = sqlite3_column_int64(q, 6);
	out->text_bytes = sqlite3_column_int64(q, 7);
	out->first_us = sqlite3_column_int64(q, 8);
	out->last_us = sqlite3_column_int64(q, 9);
}

static int read_group(sqlite3_stmt *q, struct group *out)
{
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW && out)
		group_of_row(q, out);
	return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

static int query_once(struct store *s, int which, enum log_kind kind,
                      const char *name, int64_t id, struct group *out)
{
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, which);
	sqlite3_bind_int64(q, 1, store_kind_number(kind));
	if (name)
		sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
	else if (which != READ_GROUP_LAST && which != READ_GROUP_NEWEST)
		sqlite3_bind_int64(q, 2, id);
	int err = read_group(q, out);
	reader_put(s, r);
	return err;
}

/* A group once seen keeps its name and number, so only a miss needs the newest views. */
static int query(struct store *s, int which, enum log_kind kind, const char *name,
                 int64_t id, struct group *out)
{
	int64_t viewed = views_at(s); /* before the look: another may catch up after it */
	int err = query_once(s, which, kind, name, id, out);
	if (err == STORE_ENOENT && viewed < tape_entries(s)) {
		err = store_catch_up(s);
		err = err ? err : query_once(s, which, kind, name, id, out);
	}
	return err;
}

int store_group_by_name(struct store *s, enum log_kind kind, const char *name, struct group *out)
{
	return query(s, READ_GROUP_NAME, kind, name, 0, out);
}

int store_group_by_id(struct store *s, enum log_kind kind, int64_t id, struct group *out)
{
	return query(s, READ_GROUP_ID, kind, NULL, id, out);
}

int store_group_next(struct store *s, enum log_kind kind, int64_t after, struct group *out)
{
	int err = store_catch_up(s);
	return err ? err : query_once(s, READ_GROUP_NEXT, kind, NULL, after, out);
}

int store_group_newest(struct store *s, enum log_kind kind, struct group *out)
{
	int err = store_catch_up(s);
	return err ? err : query_once(s, READ_GROUP_NEWEST, kind, NULL, 0, out);
}

int store_sessions_back(struct store *s, int64_t before, int most, session_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_SESSIONS_BACK);
	sqlite3_bind_int64(q, 1, before > 0 ? before : INT64_MAX);
	sqlite3_bind_int64(q, 2, most);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct session_span span = { .from_us = sqlite3_column_int64(q, 10),
			.to_us = sqlite3_column_int64(q, 11) };
		group_of_row(q, &span.group);
		(void)snprintf(span.agent, sizeof span.agent, "%s", db_text(q, 12));
		fn(ctx, &span);
	}
	reader_put(s, r);
	return q ? db_error(rc) : STORE_EIO;
}

int store_thread_lines(struct store *s, int64_t thread, int64_t from, int most, line_fn *fn,
                       void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_THREAD_LINES);
	sqlite3_bind_int64(q, 1, thread);
	sqlite3_bind_int64(q, 2, from - 1);
	sqlite3_bind_int64(q, 3, most);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		fn(ctx, store_stream_session(db_text(q, 0)), sqlite3_column_int64(q, 1) + 1);
	reader_put(s, r);
	return q ? db_error(rc) : STORE_EIO;
}

void log_keep_current(struct store *s, int64_t *kept)
{
	int64_t now = tape_current(s);
	if (now != *kept && tape_current_is_mine(s))
		(void)store_mark_set(s, CURRENT_MARK, *kept = now);
}

int store_touched_threads(struct store *s, int64_t seq, touched_thread_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_ERROR;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_THREADS_SINCE);
	sqlite3_bind_int64(q, 1, seq);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		fn(ctx, sqlite3_column_int64(q, 0));
	reader_put(s, r);
	return db_error(rc);
}

int store_group_current(struct store *s, struct group *out)
{
	int64_t id = tape_current(s);
	if (id > 0)
		return store_group_by_id(s, LOG_SESSION, id, out);
	if (side_mark_look(s, CURRENT_MARK, &id) == 0 &&
	    store_group_by_id(s, LOG_SESSION, id, out) == 0) {
		tape_set_current(s, id);
		return 0;
	}
	int err = store_catch_up(s);
	err = err ? err : query_once(s, READ_GROUP_LAST, LOG_SESSION, NULL, 0, out);
	if (!err)
		tape_set_current(s, out->id);
	return err;
}

int store_session_make(struct store *s, const char *name, const char *body, size_t body_len,
                       const char *author, int64_t *id)
{
	struct draft d = { .stream = "sessions", .kind = "session", .author = author, .body = body,
		.body_len = body_len };
	struct append a = { .drafts = &d, .count = 1 };
	int err;
	do {
		struct reader *r = reader_get(s);
		if (!r)
			return STORE_EIO;
		/* First the count, then the name: who makes a session in between moves the head. */
		err = db_number(reader_stmt(r, READ_SESSION_COUNT), &a.expect);
		reader_put(s, r);
		if (err)
			return err;
		/* What was counted must be seen: the name may be among what other processes made. */
		tape_see_others(s);
		err = store_group_by_name(s, LOG_SESSION, name, NULL);
		if (err != STORE_ENOENT)
			return err ? err : STORE_EEXIST;
		err = store_append_wait(s, &a);
	} while (err == STORE_EMOVED);
	if (!err)
		*id = a.expect + 1;
	return err;
}
