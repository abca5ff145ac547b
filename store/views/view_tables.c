/* SPDX-License-Identifier: MIT */
/* The tables of all views in a file: their version, how far they are, and fresh ones. */
#include "store/views/views.h"

int64_t views_upto(sqlite3 *db)
{
	return db_int(db, "SELECT upto FROM v_state", 0);
}

int64_t views_version(sqlite3 *db)
{
	int64_t version = db_int(db, "SELECT version FROM v_made", 0); /* since version 2 */
	return version ? version : db_int(db, "SELECT version FROM v_state", -1);
}

/* In a transaction: out with the old tables, in with new ones. */
static int replace_views(sqlite3 *db)
{
	char *script = sqlite3_mprintf("%s", "");
	int err = 0;
	sqlite3_stmt *list =
		db_prepare(db, "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view')"
					   " AND (name LIKE 'v\\_%' ESCAPE '\\' OR name LIKE 'log\\_%' ESCAPE '\\'"
					   " OR name LIKE 'cto\\_%' ESCAPE '\\' OR name IN ('components', 'facts'))");
	while (list && sqlite3_step(list) == SQLITE_ROW) {
		char *more = sqlite3_mprintf("%sDROP %s \"%w\";", script, sqlite3_column_text(list, 0),
		                             sqlite3_column_text(list, 1));
		sqlite3_free(script);
		script = more;
	}
	sqlite3_finalize(list);
	if (!list || !script)
		err = STORE_EIO;
	if (!err)
		err = db_exec(db, script);
	if (!err)
		err = db_exec(db, views_sql);
	if (!err)
		err = db_exec(db, gone_sql);
	sqlite3_free(script);
	return err;
}

int views_reset(sqlite3 *db)
{
	int err = db_begin(db);
	if (err)
		return err;
	err = replace_views(db);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err;
}

/*
 * True if they are of this version and have seen no more than there is; else they are of another
 * tape, or damaged.  Asked in one statement: others append, and see what they appended, meanwhile.
 */
static bool are_ours(sqlite3 *db)
{
	return views_version(db) == VIEWS_VERSION &&
	       db_int(db, "SELECT coalesce((SELECT upto FROM v_state), 0) BETWEEN 0"
	                  " AND (SELECT coalesce(max(seq), -1) + 1 FROM tape)", 0) != 0;
}

int views_renew(sqlite3 *db)
{
	if (are_ours(db))
		return 0;
	int err = db_begin(db);
	if (err)
		return err;
	if (!are_ours(db)) /* else another process was faster */
		err = replace_views(db);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err;
}
