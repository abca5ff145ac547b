/* SPDX-License-Identifier: MIT */
/* How far something has read the tape: numbers and texts by name, in the side database. */
#include <limits.h>
#include <unistd.h>

#include "store/internal.h"

int store_mark_get(struct store *s, const char *name, int64_t *value)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, "SELECT value FROM mark WHERE name = ?1") : NULL;
	int rc = SQLITE_ERROR;
	if (q) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW)
			*value = sqlite3_column_int64(q, 0);
		sqlite3_finalize(q);
	}
	side_unlock(s);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : STORE_EIO;
}

static int set(struct store *s, const char *sql, const char *name, const char *text, int64_t value)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, sql) : NULL;
	int rc = SQLITE_ERROR;
	if (q) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		if (text)
			sqlite3_bind_text(q, 2, text, -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(q, 2, value);
		rc = sqlite3_step(q);
	}
	sqlite3_finalize(q);
	side_unlock(s);
	return rc == SQLITE_DONE ? 0 : STORE_EIO;
}

int store_mark_set(struct store *s, const char *name, int64_t value)
{
	return set(s, "INSERT OR REPLACE INTO mark(name, value) VALUES(?1, ?2)", name, NULL, value);
}

/* Who only looks at a memory leaves nothing: the file is not made for that. */
static bool is_there(const struct store *s)
{
	char path[PATH_MAX + 8];
	(void)snprintf(path, sizeof path, "%s.side", s->path);
	return access(path, R_OK) == 0;
}

int side_mark_look(struct store *s, const char *name, int64_t *value)
{
	return is_there(s) ? store_mark_get(s, name, value) : STORE_ENOENT;
}

int side_note_get(struct store *s, const char *name, char *text, size_t size)
{
	if (!is_there(s))
		return STORE_ENOENT;
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, "SELECT text FROM note WHERE name = ?1") : NULL;
	int rc = SQLITE_DONE;
	if (q) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		rc = sqlite3_step(q);
	}
	if (rc == SQLITE_ROW)
		(void)snprintf(text, size, "%s", db_text(q, 0));
	sqlite3_finalize(q);
	side_unlock(s);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

int side_note_set(struct store *s, const char *name, const char *text)
{
	return set(s, "INSERT OR REPLACE INTO note(name, text) VALUES(?1, ?2)", name, text, 0);
}
