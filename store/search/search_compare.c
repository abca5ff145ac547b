/* SPDX-License-Identifier: MIT */
/*
 * Whether the search index is what the tape says: makes its texts anew in a temporary file, adds up
 * every word of each, and walks both.  And making it anew in its place.
 */
#include <stdio.h>
#include <string.h>

#include "store/search/search_index.h"
#include "store/views/views.h"
#include "store/store.h"

enum { BATCH = 10000 };

/* What stands beside FTS5's own tables, which are another SQLite's affair. */
#define TABLES "SELECT type, name, tbl_name, sql FROM sqlite_schema" \
	" WHERE name NOT LIKE 'word\\_%' ESCAPE '\\'" \
	" AND name NOT LIKE 'page\\_%' ESCAPE '\\' ORDER BY name, type"
#define TEXTS "SELECT seq, session, n, words, flags, day, doc, root, name, sum, said" \
	" FROM text ORDER BY seq"
#define WORDS(table, number) "SELECT " number ", term, doc," \
	" CASE col WHEN 'body' THEN 0 WHEN 'scope' THEN 1 ELSE 2 END, offset FROM temp." table

static bool same_value(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
	int bytes = sqlite3_column_bytes(a, column);
	const void *x = sqlite3_column_blob(a, column), *y = sqlite3_column_blob(b, column);
	return sqlite3_column_type(a, column) == sqlite3_column_type(b, column) &&
		bytes == sqlite3_column_bytes(b, column) &&
		(bytes == 0 || memcmp(x, y, (size_t)bytes) == 0);
}

/* 1 when they differ. */
static int walk(sqlite3 *ours, sqlite3 *theirs, const char *sql)
{
	sqlite3_stmt *a = db_prepare(ours, sql), *b = db_prepare(theirs, sql);
	int err = a && b ? 0 : STORE_EFORMAT, x = SQLITE_ROW;
	while (!err && x == SQLITE_ROW) {
		x = sqlite3_step(a);
		int y = sqlite3_step(b);
		if (db_error(x) || db_error(y))
			err = db_error(x) ? db_error(x) : db_error(y);
		else if (x != y)
			err = 1;
		for (int c = 0; !err && x == SQLITE_ROW && c < sqlite3_column_count(a); c++)
			err = !same_value(a, b, c);
	}
	sqlite3_finalize(a);
	sqlite3_finalize(b);
	return err;
}

/* All words that stand in the index, whatever texts it has. */
static int sum_index(sqlite3 *db, struct search_sum *sum)
{
	int err = db_exec(db,
		"CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'word', 'instance');"
		"CREATE VIRTUAL TABLE temp.pages USING fts5vocab('main', 'page', 'instance')");
	sqlite3_stmt *q = err ? NULL : db_prepare(db, WORDS("words", "0") " UNION ALL "
	                                          WORDS("pages", "1"));
	int rc = q ? SQLITE_DONE : SQLITE_CORRUPT;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		search_sum_put(sum, sqlite3_column_int(q, 0), sqlite3_column_blob(q, 1),
		               (size_t)sqlite3_column_bytes(q, 1), sqlite3_column_int64(q, 2),
		               sqlite3_column_int(q, 3), sqlite3_column_int64(q, 4));
	sqlite3_finalize(q);
	return err ? err : db_error(rc);
}

static int compare(struct search *fresh, struct search *x, char *detail, size_t size)
{
	struct search_sum sum;
	search_sum_like(&sum, fresh->sum);
	int err = walk(fresh->db, x->db, TABLES);
	if (err == 1)
		(void)snprintf(detail, size, "the tables of the search index are not ours");
	if (!err && (err = walk(fresh->db, x->db, TEXTS)) == 1)
		(void)snprintf(detail, size, "a text in the search index is not what the tape says");
	err = err ? err : sum_index(x->db, &sum);
	if (!err && !search_sum_same(&sum, fresh->sum)) {
		(void)snprintf(detail, size, "a word in the search index is not what the tape says");
		err = 1;
	}
	if (err == STORE_EFORMAT) { /* what cannot be read is not right */
		(void)snprintf(detail, size, "the search index is damaged");
		err = 1;
	}
	return err;
}

static int make_all(struct search *x)
{
	int64_t left = 1;
	int err = 0;
	while (!err && left > 0)
		err = search_catch_up(x, BATCH, &left);
	return err;
}

int search_compare(const char *path, plain_text_fn *plain, char *detail, size_t size)
{
	struct search *x = NULL, *fresh = NULL;
	struct search_sum sum;
	int64_t left = 0;
	int err = search_open(path, SEARCH_READ, plain, &x);
	if (err == STORE_ENOENT)
		return 0;
	if (!err)
		err = search_catch_up(x, 0, &left); /* of this tape, as far as the views */
	if (!err && left == 0)
		err = db_exec(x->db, "BEGIN");
	if (!err && left == 0)
		err = search_open(path, SEARCH_PRIVATE, plain, &fresh);
	if (!err && fresh)
		err = search_sum_begin(fresh->sum = &sum);
	if (!err && fresh)
		err = make_all(fresh);
	/* While somebody writes on, the two may have seen different ends: then nothing is said. */
	if (!err && fresh && db_int(x->db, "SELECT upto FROM state", -1) ==
	    db_int(fresh->db, "SELECT upto FROM state", -2))
		err = compare(fresh, x, detail, size);
	else if (err < 0 && err != STORE_ENOMEM)
		err = 0; /* of another version or tape, or not to be read: the next search makes it anew */
	search_close(x);
	search_close(fresh);
	return err;
}

int search_rebuild(const char *path, plain_text_fn *plain)
{
	struct search *x = NULL;
	int err = search_open(path, SEARCH_WRITE, plain, &x);
	if (err == STORE_EFORMAT) {
		search_remove(path);
		err = search_open(path, SEARCH_WRITE, plain, &x);
	}
	if (!err)
		err = search_reset(x, views_upto(x->tape));
	if (!err)
		err = make_all(x);
	search_close(x);
	return err;
}
