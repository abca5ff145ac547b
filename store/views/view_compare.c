/* SPDX-License-Identifier: MIT */
/* Whether the views in the file are what the tape says: makes them in memory and compares. */
#include "store/views/views.h"

static int make_anew(sqlite3 *fresh, const struct view_table *table,
                     size_t (*text_size)(const struct entry *), int64_t limit)
{
	struct view *v = NULL;
	int64_t upto = 0;
	int err = view_open(fresh, table, text_size, &v);
	/* As far as the file's views have looked: they may be on their way. */
	int64_t known = db_int(fresh, "SELECT max(by) + 1 FROM file.v_redacted", 0);
	if (!err)
		view_know_redactions(v, known > limit ? known : limit);
	for (int64_t before = -1; !err && upto < limit && upto != before;) {
		before = upto;
		err = view_catch_up(v, 10000, limit, &upto);
	}
	view_close(v);
	return err;
}

/*
 * The columns that the file's table has; freed by sqlite3_free().  NULL: no memory.  `but`: without
 * these, TABLE.COLUMN, a blank after each.
 */
static char *columns_of(sqlite3 *fresh, const char *table, const char *but)
{
	sqlite3_stmt *q = db_prepare(fresh,
		"SELECT group_concat(printf('\"%w\"', name), ', ')"
		" FROM pragma_table_info(?1, 'file') WHERE NOT instr(?2, ?1 || '.' || name || ' ')");
	char *columns = NULL;
	if (q && sqlite3_bind_text(q, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
	    sqlite3_bind_text(q, 2, but, -1, SQLITE_STATIC) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		columns = sqlite3_mprintf("%s", sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return columns;
}

/* 1 when a row stands on one side only. */
static int differ(sqlite3 *fresh, const char *table, const char *but)
{
	char *columns = columns_of(fresh, table, but);
	char *sql = columns ? sqlite3_mprintf(
		"SELECT EXISTS(SELECT %s FROM main.%s EXCEPT SELECT %s FROM file.%s)"
		" OR EXISTS(SELECT %s FROM file.%s EXCEPT SELECT %s FROM main.%s)", columns, table,
		columns, table, columns, table, columns, table) : NULL;
	int64_t found = sql ? db_int(fresh, sql, STORE_EIO) : STORE_ENOMEM;
	sqlite3_free(sql);
	sqlite3_free(columns);
	return (int)found;
}

/*
 * Each table, except the one beside.  A file of an older version is compared in what it has; how
 * it says its version is not what it has.
 */
static int compare_tables(sqlite3 *fresh, bool older, const struct view_table *table, char *detail,
                          size_t size)
{
	sqlite3_stmt *q = db_prepare(fresh,
		"SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> ?1 AND (NOT ?2 OR"
		" (name <> 'v_made' AND name IN (SELECT name FROM file.sqlite_schema)))");
	int err = q ? 0 : STORE_EIO;
	sqlite3_bind_text(q, 1, table->beside, -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 2, older);
	while (!err && sqlite3_step(q) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 0);
		err = differ(fresh, name, older ? table->sized : "");
		if (err == 1)
			(void)snprintf(detail, size, "view %s is not what the tape says", name);
	}
	sqlite3_finalize(q);
	return err;
}

int view_compare(sqlite3 *db, const struct view_table *table,
                 size_t (*text_size)(const struct entry *e), char *detail, size_t size)
{
	sqlite3 *fresh = NULL;
	int err = STORE_EIO;
	if (db_connect(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, &fresh))
		goto out;
	if ((err = db_harden(fresh)) || (err = db_exec(fresh, views_sql)) ||
	    (err = db_error(db_attach_file(fresh, sqlite3_db_filename(db, "main")))) ||
	    (err = db_exec(fresh, "BEGIN"))) /* one state of the file, while a daemon writes on */
		goto out;
	/* `tape` is only in the file, so the views read it there and write here. */
	int64_t limit = db_int(fresh, "SELECT upto FROM file.v_state", -1);
	if (limit < 0)
		(void)snprintf(detail, size, "view v_state is not what the tape says");
	err = limit < 0 ? 1 : make_anew(fresh, table, text_size, limit);
	if (!err)
		err = compare_tables(fresh, views_version(db) < VIEWS_VERSION, table, detail, size);
out:
	sqlite3_close(fresh);
	return err;
}
