/* SPDX-License-Identifier: MIT */
/* Which streams the newest entries are of, and which were redacted (store/touched.h). */
#include "store/views/views.h"

int store_touched(struct store *s, int64_t seq, int most, touched_stream_fn *fn, void *ctx)
{
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_TOUCHED);
	int rc = SQLITE_ERROR;
	sqlite3_bind_int64(q, 1, seq);
	sqlite3_bind_int64(q, 2, most);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const struct touched_stream t = { .stream = db_text(q, 0),
			.first = sqlite3_column_int64(q, 1),
			.last = sqlite3_column_int64(q, 2), .threads = sqlite3_column_int(q, 3) != 0 };
		fn(ctx, &t);
	}
	reader_put(s, r);
	return db_error(rc);
}

bool views_redacted_since(struct store *s, int64_t seq)
{
	struct reader *r = reader_get(s);
	sqlite3_stmt *q = r ? reader_stmt(r, READ_REDACTION) : NULL;
	bool may = !q || sqlite3_step(q) != SQLITE_ROW || sqlite3_column_int64(q, 0) >= seq;
	if (r)
		reader_put(s, r);
	return may;
}

int store_redacted(struct store *s, touched_entry_fn *fn, void *ctx)
{
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_REDACTED);
	int rc = SQLITE_ERROR;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		fn(ctx, sqlite3_column_int64(q, 0));
	reader_put(s, r);
	return db_error(rc);
}
