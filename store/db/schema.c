/* SPDX-License-Identifier: MIT */
/* SQL texts of the tables, as the build makes them C strings; their versions and comparison. */
#include "store/db/schema.h"

#include <string.h>

#include "store/db/db.h"
#include "store/store.h"

const char schema_sql[] =
#include "store/tape/tape.inc"
	;
const char views_sql[] =
#include "store/views/views.inc"
	;
const char gone_sql[] = "CREATE INDEX IF NOT EXISTS v_gone ON tape (seq) WHERE body IS NULL";

/* ---- versions ------------------------------------------------------------------ */

/* Schema 1 had no packed bodies. */
static const struct {
	const char *name, *first, *second;
} changed[] = {
	{ "tape", "body       TEXT,", "body       ANY," },
	{ "tape_redact", "WHEN NOT (NEW.salt IS NULL AND NEW.body IS NULL\n",
	  "WHEN NOT ((NEW.salt IS NULL AND NEW.body IS NULL\n"
	  "           OR NEW.salt IS OLD.salt AND (typeof(OLD.body), typeof(NEW.body)) IN"
	  " (VALUES ('text', 'blob'), ('blob', 'text')))\n" },
};

static int change(sqlite3 *db, bool up)
{
	sqlite3_stmt *q = db_prepare(db, "UPDATE sqlite_schema SET sql = replace(sql, ?2, ?3)"
	                                 " WHERE name = ?1");
	int err = q ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < sizeof changed / sizeof *changed; i++) {
		sqlite3_bind_text(q, 1, changed[i].name, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, up ? 2 : 3, changed[i].first, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, up ? 3 : 2, changed[i].second, -1, SQLITE_STATIC);
		err = db_error(sqlite3_step(q));
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return err;
}

/* The texts alone change: rows are stored the same way.  All connections read them anew. */
static int rewrite(sqlite3 *db, bool up)
{
	char sql[96];
	(void)snprintf(sql, sizeof sql, "PRAGMA user_version=%d; PRAGMA schema_version=%lld",
	               up ? 2 : 1, (long long)db_int(db, "PRAGMA schema_version", 0) + 1);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL);
	int err = db_exec(db, "PRAGMA writable_schema=ON");
	err = err ? err : change(db, up);
	err = err ? err : db_exec(db, sql);
	int reset = db_exec(db, "PRAGMA writable_schema=RESET");
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	return err ? err : reset;
}

int schema_upgrade(sqlite3 *db)
{
	return db_int(db, "PRAGMA user_version", SCHEMA_VERSION) >= SCHEMA_VERSION ? 0 :
		rewrite(db, true);
}

int schema_make(sqlite3 *db, int64_t version)
{
	int err = db_exec(db, schema_sql);
	err = err ? err : db_exec(db, views_sql);
	err = err ? err : db_exec(db, gone_sql);
	return err || version >= SCHEMA_VERSION ? err : rewrite(db, false);
}

int schema_leave_views(sqlite3 *db)
{
	return db_exec(db, "UPDATE v_made SET version = -1");
}

/* ---- comparison ----------------------------------------------------------------- */

/*
 * A trigger, a view in a table's place or a generated column of somebody else would run when we
 * only mean to read or to append, so each opening does this before it asks anything of the file;
 * so does `verify --all`.
 */

/*
 * Asked of both databases.  SQLite's own are the indexes that a table's text already says, and what
 * ANALYZE counts.  A name says nothing: where somebody wrote into sqlite_schema it may be any.
 */
#define OBJECTS "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema" \
	" WHERE NOT (type = 'index' AND sql IS NULL" \
	" AND name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\')" \
	" AND coalesce(sql, '') NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)'," \
	" 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')"
static const char objects_sql[] = OBJECTS " ORDER BY type, name";
/* Views of another version are made anew when the file is next written: the tape alone counts … */
static const char tape_objects_sql[] = OBJECTS " AND (tbl_name LIKE 'tape%' OR type = 'trigger')"
	" AND NOT (type = 'index' AND name = 'v_gone') ORDER BY type, name";
/* … and that nothing of them computes: then they can be read, and dropped.  `Table` is no type. */
static const char odd_sql[] = OBJECTS " AND tbl_name NOT LIKE 'tape%'"
	" AND (type NOT IN ('table', 'index', 'view')"
	" OR NOT (name LIKE 'v\\_%' ESCAPE '\\' OR name LIKE 'log\\_%' ESCAPE '\\'"
	" OR name LIKE 'cto\\_%' ESCAPE '\\' OR name IN ('components', 'facts'))"
	" OR (type = 'view' AND name LIKE 'v\\_%' ESCAPE '\\' AND name <> 'v_content')"
	" OR (type = 'table' AND (sql LIKE 'CREATE VIRTUAL%' OR sql LIKE '%GENERATED%'"
	" OR sql LIKE '%) AS (%' OR sql LIKE '% AS (%'))) LIMIT 1";

/* <0, 0, >0 as the one object sorts before, with, or after the other. */
static int compare_names(sqlite3_stmt *a, sqlite3_stmt *b)
{
	int order = strcmp(db_text(a, 0), db_text(b, 0));
	return order ? order : strcmp(db_text(a, 1), db_text(b, 1));
}

static int schema_tell(char *detail, size_t size, sqlite3_stmt *row, const char *what)
{
	const char *on = strcmp(db_text(row, 0), "table") == 0 ? "" : db_text(row, 2);
	(void)snprintf(detail, size, "%s %.100s%s%.100s %s", db_text(row, 0), db_text(row, 1),
	               *on ? " on " : "", on, what);
	return 1;
}

/* Walks the two sorted lists side by side. */
static int compare_objects(sqlite3_stmt *ours, sqlite3_stmt *theirs, char *detail, size_t size)
{
	for (;;) {
		int a = sqlite3_step(ours), b = sqlite3_step(theirs);
		if ((a != SQLITE_ROW && a != SQLITE_DONE) || (b != SQLITE_ROW && b != SQLITE_DONE))
			return STORE_EIO;
		if (a == SQLITE_DONE && b == SQLITE_DONE)
			return 0;
		int order = a == SQLITE_DONE ? 1 : b == SQLITE_DONE ? -1 : compare_names(ours, theirs);
		if (order < 0)
			return schema_tell(detail, size, ours, "is missing");
		if (order > 0)
			return schema_tell(detail, size, theirs, "does not belong here");
		if (strcmp(db_text(ours, 2), db_text(theirs, 2)) != 0 ||
		    strcmp(db_text(ours, 3), db_text(theirs, 3)) != 0)
			return schema_tell(detail, size, theirs, "is not the one this version makes");
	}
}

/* As a file of the version that `db` says it is would be made. */
static int make_fresh(sqlite3 *db, sqlite3 **fresh)
{
	int err = db_error(db_connect(":memory:", SQLITE_OPEN_READWRITE, fresh));
	return err ? err : schema_make(*fresh, db_int(db, "PRAGMA user_version", SCHEMA_VERSION));
}

/* What a rebuild reads, and nothing but that. */
static const char rows_sql[] = OBJECTS " AND name IN ('tape', 'tape_checkpoint')"
	" ORDER BY type, name";

static int compare(sqlite3 *fresh, sqlite3 *db, const char *sql, char *detail, size_t size)
{
	sqlite3_stmt *ours = db_prepare(fresh, sql), *theirs = db_prepare(db, sql);
	int err = ours && theirs ? compare_objects(ours, theirs, detail, size) :
		db_error(sqlite3_errcode(db));
	sqlite3_finalize(ours);
	sqlite3_finalize(theirs);
	return err;
}

/* The version of the views, read only from a table that is the one we make; -1: another. */
static int64_t version_of(sqlite3 *fresh, sqlite3 *db)
{
	static const char made_sql[] = OBJECTS " AND name = 'v_made'";
	char detail[256];
	if (compare(fresh, db, made_sql, detail, sizeof detail) != 0)
		return -1;
	return db_int(db, "SELECT version FROM v_made", -1);
}

static int find_odd(sqlite3 *db, char *detail, size_t size)
{
	sqlite3_stmt *q = db_prepare(db, odd_sql);
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	int err = rc == SQLITE_ROW ?
		schema_tell(detail, size, q, "does not belong here") : db_error(rc);
	sqlite3_finalize(q);
	return err;
}

int schema_compare(sqlite3 *db, char *detail, size_t size)
{
	sqlite3 *fresh = NULL;
	int err = make_fresh(db, &fresh);
	if (!err && version_of(fresh, db) == VIEWS_VERSION) {
		err = compare(fresh, db, objects_sql, detail, size);
	} else if (!err) {
		err = compare(fresh, db, tape_objects_sql, detail, size);
		err = err ? err : find_odd(db, detail, size);
	}
	sqlite3_close(fresh);
	return err;
}

int schema_compare_rows(sqlite3 *db, char *detail, size_t size)
{
	sqlite3 *fresh = NULL;
	int err = make_fresh(db, &fresh);
	err = err ? err : compare(fresh, db, rows_sql, detail, size);
	sqlite3_close(fresh);
	return err;
}
