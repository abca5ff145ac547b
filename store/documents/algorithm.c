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

sqlite3_stmt *doc_memories(struct reader *r, int64_t most)
{
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_MEMORIES), *back = NULL;
	int64_t from = 0;
	if (q && most > 0 && (back = reader_stmt(r, READ_DOC_MEMORY_BACK)) != NULL) {
		sqlite3_bind_int64(back, 1, most - 1);
		if (sqlite3_step(back) == SQLITE_ROW)
			from = sqlite3_column_int64(back, 0);
		sqlite3_reset(back);
	}
	if (q)
		sqlite3_bind_int64(q, 1, from);
	return q;
}

sqlite3_stmt *doc_memory(struct reader *r)
{
	return reader_stmt(r, READ_DOC_MEMORY);
}

void doc_memory_of(sqlite3_stmt *q, struct doc_memory *out)
{
	*out = (struct doc_memory){ .id = sqlite3_column_int64(q, 0), .type = db_text(q, 1),
		.name = db_text(q, 2), .summary = db_text(q, 3),
		.importance = sqlite3_column_double(q, 4), .status = db_text(q, 5),
		.expires_us = sqlite3_column_int64(q, 6), .link = sqlite3_column_int64(q, 7),
		.made_us = sqlite3_column_int64(q, 8), .saved_us = sqlite3_column_int64(q, 9),
		.tokens = sqlite3_column_int64(q, 10), .owner_hash = db_text(q, 11),
		.owner_label = db_text(q, 12), .newest = sqlite3_column_int64(q, 13),
		.names_heir = sqlite3_column_int(q, 14) != 0 };
}

sqlite3_stmt *doc_since(struct reader *r)
{
	return reader_stmt(r, READ_DOC_SINCE);
}

sqlite3_stmt *doc_leaf(struct reader *r)
{
	return reader_stmt(r, READ_DOC_LEAF);
}

sqlite3_stmt *doc_life(struct reader *r)
{
	return reader_stmt(r, READ_DOC_LIFE);
}

sqlite3_stmt *doc_scoring(struct reader *r)
{
	return reader_stmt(r, READ_DOC_SCORING);
}
