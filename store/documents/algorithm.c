/* SPDX-License-Identifier: MIT */
/* The versions of algorithms (memories.h): for who lists or compares them. */
#include "store/documents/doc_read.h"
#include "store/memories.h"

int store_algorithms(struct store *s, const char *code, algorithm_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_ALGORITHMS);
	int rc = SQLITE_DONE, stop = 0;
	sqlite3_bind_text(q, 1, code, -1, SQLITE_STATIC);
	while (!stop && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const struct algorithm a = { .id = sqlite3_column_int64(q, 0), .code = db_text(q, 1),
			.name = db_text(q, 2), .status = db_text(q, 3), .config = db_text(q, 4),
			.scores = sqlite3_column_int(q, 5) != 0, .saved_us = sqlite3_column_int64(q, 6) };
		stop = fn(ctx, &a);
	}
	reader_put(s, r);
	return db_error(rc);
}

sqlite3_stmt *doc_memories(struct reader *r)
{
	return reader_stmt(r, READ_DOC_MEMORIES);
}

sqlite3_stmt *doc_scoring(struct reader *r)
{
	return reader_stmt(r, READ_DOC_SCORING);
}
