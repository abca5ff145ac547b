/* SPDX-License-Identifier: MIT */
/* Are the views in the file what the tape says?  Makes them anew in memory and compares. */
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
	while (!err && upto < limit)
		err = view_catch_up(v, 10000, limit, &upto);
	view_close(v);
	return err;
}

/* 1 when a row stands on one side only. */
static int differ(sqlite3 *fresh, const char *table)
{
	char sql[256];
	(void)snprintf(sql, sizeof sql,
	               "SELECT EXISTS(SELECT * FROM main.%s EXCEPT SELECT * FROM file.%s)"
	               " OR EXISTS(SELECT * FROM file.%s EXCEPT SELECT * FROM main.%s)",
	               table, table, table, table);
	return (int)db_int(fresh, sql, STORE_EIO);
}

/*
 * Each table, except the one beside.  A file of an older version is compared in what it has; how
 * it says its version is not what it has.
 */
static int compare_tables(sqlite3 *fresh, bool older, const char *beside, char *detail, size_t size)
{
	sqlite3_stmt *q = db_prepare(fresh,
		"SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> ?1 AND (NOT ?2 OR"
		" (name <> 'v_made' AND name IN (SELECT name FROM file.sqlite_schema)))");
	int err = q ? 0 : STORE_EIO;
	sqlite3_bind_text(q, 1, beside, -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 2, older);
	while (!err && sqlite3_step(q) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 0);
		err = differ(fresh, name);
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
	char *attach = NULL;
	int err = STORE_EIO;
	if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    !(attach = sqlite3_mprintf("ATTACH %Q AS file", sqlite3_db_filename(db, "main"))))
		goto out;
	sqlite3_busy_timeout(fresh, 20000);
	if ((err = db_exec(fresh, views_sql)) || (err = db_exec(fresh, attach)) ||
	    (err = db_exec(fresh, "BEGIN"))) /* one state of the file, while a daemon writes on */
		goto out;
	/* `tape` is only in the file, so the views read it there and write here. */
	int64_t limit = db_int(fresh, "SELECT upto FROM file.v_state", -1);
	err = limit < 0 ? STORE_EFORMAT : make_anew(fresh, table, text_size, limit);
	if (!err)
		err = compare_tables(fresh, views_version(db) < VIEWS_VERSION, table->beside, detail,
		                     size);
out:
	sqlite3_free(attach);
	sqlite3_close(fresh);
	return err;
}
