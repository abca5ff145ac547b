/* SPDX-License-Identifier: MIT */
/*
 * What `verify --all` adds: SQLite's own integrity check, the texts of tables and
 * triggers, and the views made again.  None of it is proof; it finds what the
 * tree cannot see, because the tree covers rows alone: the file's header, too.
 */
#include <string.h>

#include "store/db/db.h"
#include "store/search/search.h"
#include "store/verify/verify.h"
#include "store/views/views.h"

static int check_integrity(struct verify *v)
{
	bool sound;
	char said[301];
	int rc = db_look_at_pages(v->db, "PRAGMA integrity_check(1)", &sound, said, sizeof said);
	if (rc != SQLITE_OK)
		return verify_sqlite_said(v, -1, rc, said);
	return sound ? 0 : verify_fault(v, VERDICT_DERIVED, -1,
	                                "the rows hold, but the file is damaged: %s", said);
}

/* A number of the file's header, which no row holds: with a higher one no mount opens it. */
static int check_version(struct verify *v)
{
	int64_t version = db_int(v->db, "PRAGMA user_version", -1);
	if (version >= 1 && version <= SCHEMA_VERSION)
		return 0;
	return verify_fault(v, VERDICT_DERIVED, -1,
	                    "the rows hold, but user_version is %lld, and this cinta knows 1 to %d",
	                    (long long)version, SCHEMA_VERSION);
}

int verify_all(struct verify *v)
{
	char detail[256] = "";
	/* First: SQLite's check computes what a foreign index is of, which may take for ever. */
	int err = schema_compare(v->db, detail, sizeof detail);
	if (err != 1) {
		int found = check_integrity(v);
		found = found ? found : check_version(v);
		if (found)
			return found;
	}
	if (!err)
		err = view_compare(v->db, v->views, v->options->text_size, detail, sizeof detail);
	if (!err)
		err = search_compare(sqlite3_db_filename(v->db, "main"), v->options->plain_text, detail,
		                     sizeof detail);
	return err == 1 ? verify_fault(v, VERDICT_DERIVED, -1, "%s", detail) : err;
}
