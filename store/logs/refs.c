/* SPDX-License-Identifier: MIT */
/* References of messages: those of a session, and what begins and ends at each of its messages. */
#include "store/logs/log_read.h"

int store_refs(struct store *s, int64_t session, ref_fn *fn, void *ctx)
{
	int err = store_catch_up(s);
	struct reader *r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_REFS);
	sqlite3_bind_int64(q, 1, session);
	int rc;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct ref ref = { .id = sqlite3_column_int64(q, 0), .message = sqlite3_column_int64(q, 1),
			.position = sqlite3_column_int64(q, 5), .added_us = sqlite3_column_int64(q, 7) };
		const unsigned char *thread = sqlite3_column_text(q, 6);
		(void)snprintf(ref.message_hash, sizeof ref.message_hash, "%s", sqlite3_column_text(q, 2));
		(void)snprintf(ref.ref_hash, sizeof ref.ref_hash, "%s", sqlite3_column_text(q, 3));
		(void)snprintf(ref.ref_type, sizeof ref.ref_type, "%s", sqlite3_column_text(q, 4));
		(void)snprintf(ref.thread_hash, sizeof ref.thread_hash, "%s",
		               thread ? (const char *)thread : "");
		fn(ctx, &ref);
	}
	reader_put(s, r);
	return db_error(rc);
}

/* Rows of READ_REFS_FROM or READ_REFS_TO. */
static int ends(sqlite3_stmt *q, struct ref_end *end, ref_end_fn *fn, void *ctx)
{
	int rc = SQLITE_DONE;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		end->type = db_text(q, 0);
		end->hash = db_text(q, 1);
		end->label = db_text(q, 2);
		end->stream = db_text(q, 3);
		end->seq = *end->stream ? sqlite3_column_int64(q, 4) : -1;
		end->stream_seq = sqlite3_column_int64(q, 5);
		fn(ctx, end);
	}
	if (q)
		sqlite3_reset(q);
	return q ? db_error(rc) : STORE_EIO;
}

/* Of the message in the row of READ_REFS_OF. */
static int ends_of(struct reader *r, sqlite3_stmt *message, const struct ref_ends *which,
                   ref_end_fn *fn, void *ctx)
{
	sqlite3_stmt *from = reader_stmt(r, READ_REFS_FROM), *to = reader_stmt(r, READ_REFS_TO);
	struct ref_end end = { .n = sqlite3_column_int64(message, 0) + 1 };
	if (!from || !to)
		return STORE_EIO;
	sqlite3_bind_int64(from, 1, which->session);
	sqlite3_bind_int64(from, 2, sqlite3_column_int64(message, 1));
	sqlite3_bind_int64(from, 3, which->most_from);
	int err = ends(from, &end, fn, ctx);
	if (err)
		return err;
	end.back = true;
	sqlite3_bind_text(to, 1, db_text(message, 2), -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(to, 2, which->most_to);
	return ends(to, &end, fn, ctx);
}

int store_ref_ends(struct store *s, const struct ref_ends *which, ref_end_fn *fn, void *ctx)
{
	struct reader *r;
	char stream[24];
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_REFS_OF);
	store_session_stream(which->session, stream);
	err = q ? 0 : STORE_EIO;
	if (!err) {
		sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(q, 2, which->first - 1);
		sqlite3_bind_int64(q, 3, which->last - 1);
	}
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = ends_of(r, q, which, fn, ctx);
	reader_put(s, r);
	return err ? err : db_error(rc);
}
