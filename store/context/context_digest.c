/* SPDX-License-Identifier: MIT */
/* Digests: texts for messages that leave the window as it is (context.h). */
#include "store/context/context_read.h"

/* A reader with one of the statements that ask for a range bound to it. */
static int begin(struct store *s, int which, int64_t session, struct context_range x,
                 struct reader **r)
{
	int64_t messages;
	int err = context_begin(s, session, r, &messages);
	sqlite3_stmt *q = err ? NULL : reader_stmt(*r, which);
	if (!q)
		return err;
	sqlite3_bind_int64(q, 1, session);
	sqlite3_bind_int64(q, 2, x.first);
	sqlite3_bind_int64(q, 3, x.last);
	return 0;
}

int store_digest(struct store *s, int64_t session, struct context_range r, summary_fn *fn,
                 void *ctx)
{
	struct reader *reader;
	int err = begin(s, READ_DIGEST, session, r, &reader);
	if (err)
		return err;
	err = context_one_summary(reader_stmt(reader, READ_DIGEST), fn, ctx);
	reader_put(s, reader);
	return err;
}

int store_context_untouched(struct store *s, int64_t session, struct context_range r, bool *yes)
{
	struct reader *reader;
	*yes = false;
	int err = begin(s, READ_CONTEXT_TOUCHED, session, r, &reader);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(reader, READ_CONTEXT_TOUCHED);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	*yes = rc == SQLITE_ROW && sqlite3_column_int(q, 0) == 0;
	reader_put(s, reader);
	return db_error(rc);
}
