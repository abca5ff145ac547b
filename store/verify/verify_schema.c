/* SPDX-License-Identifier: MIT */
/*
 * What `verify --all` adds: SQLite's own integrity check, the texts of tables and
 * triggers, and the views made again.  None of it is proof; it finds what the
 * tree cannot see, because the tree covers rows alone: the file's header, too.  The search index
 * is half of the work, and is compared in a thread of its own, over connections of its own.
 */
#include <pthread.h>
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

/* The comparison of the index, which is waited for in every case. */
struct beside {
	pthread_t thread;
	bool runs; /* of who starts it */
	const char *path;
	plain_text_fn *plain;
	char detail[256];
	int err;
};

static void *compare_index(void *arg)
{
	struct beside *b = arg;
	b->err = search_compare(b->path, b->plain, b->detail, sizeof b->detail);
	return NULL;
}

static int check_rest(struct verify *v)
{
	char detail[256] = "";
	int err = check_integrity(v);
	err = err ? err : check_version(v);
	if (err)
		return err;
	err = view_compare(v->db, v->views, v->options->text_size, detail, sizeof detail);
	return err == 1 ? verify_fault(v, VERDICT_DERIVED, -1, "%s", detail) : err;
}

int verify_all(struct verify *v)
{
	struct beside index = { .path = sqlite3_db_filename(v->db, "main"),
		.plain = v->options->plain_text };
	char detail[256] = "";
	/* First: SQLite's check computes what a foreign index is of, which may take for ever. */
	int err = schema_compare(v->db, detail, sizeof detail);
	if (err == 1)
		return verify_fault(v, VERDICT_DERIVED, -1, "%s", detail);
	if (err) {
		int found = check_integrity(v);
		found = found ? found : check_version(v);
		return found ? found : err;
	}
	index.runs = pthread_create(&index.thread, NULL, compare_index, &index) == 0;
	err = check_rest(v);
	if (index.runs)
		pthread_join(index.thread, NULL);
	else if (!err)
		(void)compare_index(&index);
	if (!err && index.err == 1)
		return verify_fault(v, VERDICT_DERIVED, -1, "%s", index.detail);
	return err ? err : index.err;
}
