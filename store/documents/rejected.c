/* SPDX-License-Identifier: MIT */
/* Part of the store's door (store.h): what was offered and refused, rows of PATH.side. */
#include <string.h>

#include "store/internal.h"

/* One row of `rejected` by a query with one parameter. */
static int find(struct store *s, const char *sql, const char *name, int64_t id,
                struct rejected *out)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, sql) : NULL;
	int rc = SQLITE_DONE;
	if (q) {
		if (name)
			sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(q, 1, id);
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW) {
			out->id = sqlite3_column_int64(q, 0);
			(void)snprintf(out->name, sizeof out->name, "%s", sqlite3_column_text(q, 1));
			out->time_us = sqlite3_column_int64(q, 2);
			out->size = sqlite3_column_int64(q, 3);
			(void)snprintf(out->reason, sizeof out->reason, "%s", sqlite3_column_text(q, 4));
		}
		sqlite3_finalize(q);
	}
	side_unlock(s);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

int store_rejected_by_name(struct store *s, const char *name, struct rejected *out)
{
	return find(s, "SELECT id, name, time_us, size, reason FROM rejected WHERE name = ?1", name, 0,
				out);
}

int store_rejected_by_id(struct store *s, int64_t id, struct rejected *out)
{
	return find(s, "SELECT id, name, time_us, size, reason FROM rejected WHERE id = ?1", NULL, id,
				out);
}

int store_rejected_next(struct store *s, int64_t after, struct rejected *out)
{
	return find(
		s, "SELECT id, name, time_us, size, reason FROM rejected WHERE id > ?1 ORDER BY id LIMIT 1",
		NULL, after, out);
}

ssize_t store_rejected_read(struct store *s, int64_t id, int64_t offset, char *dst, size_t size)
{
	sqlite3_blob *blob = NULL;
	ssize_t got = STORE_ENOENT;
	side_lock(s);
	sqlite3 *db = side_open(s);
	if (db && sqlite3_blob_open(db, "main", "rejected", "bytes", id, 0, &blob) == SQLITE_OK) {
		int64_t left = sqlite3_blob_bytes(blob) - offset;
		size_t want = left <= 0 ? 0 : (int64_t)size < left ? size : (size_t)left;
		int rc = want ? sqlite3_blob_read(blob, dst, (int)want, (int)offset) : SQLITE_OK;
		got = rc == SQLITE_OK ? (ssize_t)want : db_error(rc);
	}
	sqlite3_blob_close(blob);
	side_unlock(s);
	return got;
}

int store_rejected_drop(struct store *s, int64_t id)
{
	return side_drop(s, "DELETE FROM rejected WHERE id = ?1", id);
}
