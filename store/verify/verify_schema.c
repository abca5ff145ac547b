/* SPDX-License-Identifier: MIT */
/*
 * What `verify --all` adds: SQLite's own integrity check, the texts of tables and
 * triggers, and the views made again.  None of it is proof; it finds what the
 * tree cannot see, because the tree covers rows alone.
 */
#include <string.h>

#include "store/db/db.h"
#include "store/search/search.h"
#include "store/verify/verify.h"
#include "store/views/views.h"

/* Asked of both databases; SQLite's own objects have no text of ours. */
static const char objects_sql[] =
	"SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
	" WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name";
/* Views of another version are made anew when the file is next written: the tape alone counts. */
static const char tape_objects_sql[] =
	"SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
	" WHERE tbl_name LIKE 'tape%' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
	" AND name <> 'v_gone' ORDER BY type, name";

/* <0, 0, >0 as the one object sorts before, with, or after the other. */
static int compare_names(sqlite3_stmt *a, sqlite3_stmt *b)
{
	int order = strcmp(db_text(a, 0), db_text(b, 0));
	return order ? order : strcmp(db_text(a, 1), db_text(b, 1));
}

static void tell(char *detail, size_t size, sqlite3_stmt *row, const char *what)
{
	(void)snprintf(detail, size, "%s %.100s %s", db_text(row, 0), db_text(row, 1), what);
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
		if (order < 0) {
			tell(detail, size, ours, "is missing");
			return 1;
		}
		if (order > 0) {
			tell(detail, size, theirs, "does not belong here");
			return 1;
		}
		if (strcmp(db_text(ours, 2), db_text(theirs, 2)) != 0 ||
		    strcmp(db_text(ours, 3), db_text(theirs, 3)) != 0) {
			tell(detail, size, theirs, "is not the one this version makes");
			return 1;
		}
	}
}

int schema_compare(sqlite3 *db, char *detail, size_t size)
{
	sqlite3 *fresh = NULL;
	sqlite3_stmt *ours = NULL, *theirs = NULL;
	int err = STORE_EIO;
	if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	        SQLITE_OK ||
	    db_exec(fresh, schema_sql) != 0 || db_exec(fresh, views_sql) != 0 ||
	    db_exec(fresh, gone_sql) != 0)
		goto out;
	const char *sql = views_version(db) == VIEWS_VERSION ? objects_sql : tape_objects_sql;
	ours = db_prepare(fresh, sql);
	theirs = db_prepare(db, sql);
	if (ours && theirs)
		err = compare_objects(ours, theirs, detail, size);
out:
	sqlite3_finalize(ours);
	sqlite3_finalize(theirs);
	sqlite3_close(fresh);
	return err;
}

static int check_integrity(struct verify *v)
{
	sqlite3_stmt *q = db_prepare(v->db, "PRAGMA integrity_check(1)");
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	int err = 0;
	if (rc != SQLITE_ROW)
		err = verify_sqlite(v, -1);
	else if (strcmp(db_text(q, 0), "ok") != 0)
		err = verify_fault(v, VERDICT_DERIVED, -1, "the rows hold, but the file is damaged: %.300s",
		                   db_text(q, 0));
	sqlite3_finalize(q);
	return err;
}

int verify_all(struct verify *v)
{
	char detail[256] = "";
	int err = check_integrity(v);
	if (err)
		return err;
	err = schema_compare(v->db, detail, sizeof detail);
	if (!err)
		err = view_compare(v->db, v->views, v->options->text_size, detail, sizeof detail);
	if (!err)
		err = search_compare(sqlite3_db_filename(v->db, "main"), v->options->plain_text, detail,
		                     sizeof detail);
	return err == 1 ? verify_fault(v, VERDICT_DERIVED, -1, "%s", detail) : err;
}
