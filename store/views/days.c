/* SPDX-License-Identifier: MIT */
/* Reads the view of days: for whoever shows how a memory grew. */
#include "store/views/views.h"

int store_days(struct store *s, int64_t from, int64_t to, day_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DAYS);
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, to);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const struct day d = { .day = sqlite3_column_int64(q, 0),
			.entries = sqlite3_column_int64(q, 1), .bytes = sqlite3_column_int64(q, 2),
			.messages = sqlite3_column_int64(q, 3), .tokens = sqlite3_column_int64(q, 4),
			.versions = sqlite3_column_int64(q, 5), .facts = sqlite3_column_int64(q, 6),
			.retracted = sqlite3_column_int64(q, 7) };
		fn(ctx, &d);
	}
	reader_put(s, r);
	return q ? db_error(rc) : STORE_EIO;
}

int store_day_streams(struct store *s, int64_t day, int64_t skip, int64_t most, stream_fn *fn,
                      void *ctx, int64_t *entries)
{
	struct reader *r;
	int64_t from = 0, to = 0, all;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	all = tape_entries(s);
	sqlite3_stmt *q = reader_stmt(r, READ_TIME), *streams = reader_stmt(r, READ_STREAMS);
	if (!q || !streams)
		err = STORE_EIO;
	if (!err && day > 0)
		err = db_count_until(q, 1, all, day * US_OF_DAY - 1, &from);
	if (!err)
		err = db_count_until(q, 1, all, (day + 1) * US_OF_DAY - 1, &to);
	*entries = err ? 0 : to - from;
	if (!err) {
		sqlite3_bind_int64(streams, 1, from + skip);
		sqlite3_bind_int64(streams, 2, to - from - skip > most ? from + skip + most : to);
		while ((rc = sqlite3_step(streams)) == SQLITE_ROW) {
			const char *stream = db_text(streams, 0);
			const struct day_stream d = { .session = store_stream_session(stream),
				.doc = store_stream_number(stream, 'd'),
				.entries = sqlite3_column_int64(streams, 1),
				.first = sqlite3_column_int64(streams, 2) + 1 };
			if (d.session || d.doc)
				fn(ctx, &d);
		}
		err = db_error(rc);
	}
	reader_put(s, r);
	return err;
}
