/* SPDX-License-Identifier: MIT */
/*
 * v_access: a copy of the uses of memories (memories.h) in the memory's own file, because an SQL
 * view cannot look into another file.  It is for people with a sqlite3 shell: nothing here reads
 * it, no entry makes it, verify does not look at it, and it may be some seconds behind.
 */
#include <stdlib.h>

#include "store/internal.h"
#include "store/tape/tape.h"
#include "store/memories/memories.h"

/* What a row has to become; uses -1: nothing. */
struct changes {
	struct access *items;
	size_t count, room;
};

static int add(struct changes *c, struct access a)
{
	if (!ARRAY_ROOM(c->items, c->room, c->count))
		return STORE_ENOMEM;
	c->items[c->count++] = a;
	return 0;
}

/* Both are sorted by document: walks side by side. */
static int find_changes(sqlite3 *db, const struct access *of, size_t count, struct changes *c)
{
	sqlite3_stmt *q = db_prepare(db, "SELECT doc, uses, last_us FROM v_access ORDER BY doc");
	int err = q ? 0 : STORE_EIO, rc = q ? sqlite3_step(q) : SQLITE_DONE;
	size_t i = 0;
	while (!err && (rc == SQLITE_ROW || i < count)) {
		int64_t doc = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : INT64_MAX;
		bool ours = i < count && of[i].doc <= doc;
		bool theirs = rc == SQLITE_ROW && (i == count || doc <= of[i].doc);
		if (ours && !(theirs && sqlite3_column_int64(q, 1) == of[i].uses &&
		              sqlite3_column_int64(q, 2) == of[i].last_us))
			err = add(c, of[i]);
		else if (!ours)
			err = add(c, (struct access){ doc, -1, 0 });
		i += ours;
		rc = theirs ? sqlite3_step(q) : rc;
	}
	sqlite3_finalize(q);
	return err ? err : db_error(rc);
}

static int write_changes(sqlite3 *db, const struct changes *c)
{
	int err = c->count ? db_begin(db) : 0;
	if (err || c->count == 0)
		return err;
	sqlite3_stmt *put = db_prepare(db, "REPLACE INTO v_access VALUES(?1, ?2, ?3)");
	sqlite3_stmt *drop = db_prepare(db, "DELETE FROM v_access WHERE doc = ?1");
	err = put && drop ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < c->count; i++) {
		sqlite3_stmt *q = c->items[i].uses < 0 ? drop : put;
		sqlite3_bind_int64(q, 1, c->items[i].doc);
		if (q == put) {
			sqlite3_bind_int64(q, 2, c->items[i].uses);
			sqlite3_bind_int64(q, 3, c->items[i].last_us);
		}
		err = db_error(sqlite3_step(q));
		sqlite3_reset(q);
	}
	sqlite3_finalize(put);
	sqlite3_finalize(drop);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err;
}

int access_copy(struct store *s, const struct access *of, size_t count)
{
	struct changes c = { .count = 0 };
	struct reader *r = s->read_only ? NULL : reader_get(s);
	if (!r)
		return s->read_only ? 0 : STORE_EIO;
	int err = find_changes(r->db, of, count, &c);
	reader_put(s, r);
	if (!err && c.count > 0) {
		err = write_changes(tape_lock(s), &c);
		tape_unlock(s);
	}
	free(c.items);
	return err;
}

int access_copy_to(sqlite3 *db, const struct access *of, size_t count)
{
	struct changes c = { .count = 0 };
	int err = find_changes(db, of, count, &c);
	err = err ? err : write_changes(db, &c);
	free(c.items);
	return err;
}
