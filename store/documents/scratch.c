/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (documents.h): editors' files as rows of PATH.side, so that
 * a daemon that died does not take them along.  Never on the tape.
 */
#include <stdio.h>
#include <string.h>

#include "store/internal.h"
#include "store/tape/tape.h"

/* Binds a row and runs the statement, which stays. */
static int scratch_put(sqlite3 *db, sqlite3_stmt *q, struct scratch_row *row)
{
	sqlite3_bind_int64(q, 1, row->id);
	sqlite3_bind_int64(q, 2, (int64_t)row->dir);
	sqlite3_bind_text(q, 3, row->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, row->mode);
	sqlite3_bind_int64(q, 5, row->changed_us);
	sqlite3_bind_blob64(q, 6, row->len ? row->bytes : "", row->len, SQLITE_STATIC);
	sqlite3_bind_int64(q, 7, row->touched_us);
	int err = db_error(sqlite3_step(q));
	sqlite3_reset(q);
	if (!err && row->id == 0)
		row->id = sqlite3_last_insert_rowid(db);
	return err;
}

static int put_all(sqlite3 *db, struct scratch_row *row, size_t count)
{
	sqlite3_stmt *q = db_prepare(db, "INSERT OR REPLACE INTO scratch(id, dir, name, mode,"
	                                 " changed_us, bytes, touched_us)"
	                                 " VALUES(nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7)");
	int err = !q ? STORE_EIO : count > 1 ? db_begin(db) : 0;
	bool began = !err && count > 1;
	for (size_t i = 0; !err && i < count; i++)
		err = scratch_put(db, q, &row[i]);
	sqlite3_finalize(q);
	if (began && !err)
		err = db_commit(db);
	else if (began)
		db_rollback(db);
	return err;
}

int store_scratch_put(struct store *s, struct scratch_row *row, size_t count)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	int err = db ? put_all(db, row, count) : STORE_EIO;
	if (err)
		side_unkept(s, err);
	side_unlock(s);
	return err;
}

void store_scratch_kept(struct store *s)
{
	if (!side_is_unkept(s))
		return;
	side_lock(s);
	side_unkept(s, 0);
	side_unlock(s);
}

bool store_scratch_lost(struct store *s)
{
	bool lost = side_is_anew(s);
	if (lost)
		tape_tell(s, "SIDE", "write", "/",
		          "DB.side was removed or replaced while it was mounted: errors.log and rejected/"
		          " of before went with it; files off the tape are kept in the new one",
		          "unmount first to begin anew");
	return lost;
}

int store_scratch_drop(struct store *s, int64_t id)
{
	return side_drop(s, "DELETE FROM scratch WHERE id = ?1", id);
}

/* Of a trouble "side: …" or "scratch: …", what is behind the word. */
void store_scratch_why(const struct store *s, char *text, size_t size)
{
	char trouble[256];
	side_trouble(s, trouble, sizeof trouble);
	const char *words = strstr(trouble, ": ");
	(void)snprintf(text, size, "%s", words ? words + 2 :
		"they cannot be written beside the database; make room there");
}

int store_scratch_each(struct store *s, scratch_fn *fn, void *ctx)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, "SELECT id, dir, name, mode, changed_us, bytes,"
	                                      " touched_us FROM scratch ORDER BY id") : NULL;
	int rc = db && !q ? SQLITE_ERROR : SQLITE_DONE;
	bool damaged = false; /* rows that come round and round would all be kept */
	for (int64_t last = INT64_MIN; q && !damaged && (rc = sqlite3_step(q)) == SQLITE_ROW;) {
		struct scratch_row row = { .id = sqlite3_column_int64(q, 0),
			.dir = (uint64_t)sqlite3_column_int64(q, 1),
			.name = db_text(q, 2),
			.mode = (uint32_t)sqlite3_column_int64(q, 3), .changed_us = sqlite3_column_int64(q, 4),
			.bytes = sqlite3_column_blob(q, 5), .len = (size_t)sqlite3_column_bytes(q, 5),
			.touched_us = sqlite3_column_int64(q, 6) };
		if (!row.bytes)
			row.bytes = "";
		damaged = row.id <= last;
		last = row.id;
		if (!damaged && row.name[0])
			fn(ctx, &row);
	}
	sqlite3_finalize(q);
	side_unlock(s);
	return damaged ? STORE_EFORMAT : db_error(rc);
}
