/* SPDX-License-Identifier: MIT */
/*
 * A memory goes from a file onto a server: tables and entries in one transaction, so that there is
 * all of it or nothing.  The entries keep what they are, byte for byte.
 */
#include <string.h>

#include "store/server/server_state.h"

enum { ROWS = 500, BYTES = 4 << 20, LONG_MS = 600000 };

static const char tables_sql[] =
#include "store/server/server.inc"
;
static const char shown_sql[] =
#include "store/server/tables.inc"
;

struct filling {
	struct link link;
	struct why *why;
	sqlite3 *db;
	struct sql_text rows; /* of the next statement */
	int row_count;
};

static int fill_run(struct filling *f, const char *sql)
{
	return link_run(&f->link, sql, link_clock() + LONG_MS);
}

/* Bodies are UTF-8, and checked as such: another database would have to translate. */
static int check_encoding(struct filling *f)
{
	PGresult *r;
	int err = link_ask(&f->link, "SHOW server_encoding", false, link_clock() + LONG_MS, NULL, &r);
	if (err)
		return err;
	bool good = f->link.pq->rows(r) == 1 && strcmp(f->link.pq->value(r, 0, 0), "UTF8") == 0;
	f->link.pq->clear(r);
	if (good)
		return 0;
	why_set(f->why, "make one: createdb -E UTF8 -T template0 NAME", "the database is not in UTF8");
	return STORE_EINVAL;
}

static int make_tables(struct filling *f)
{
	int err = check_encoding(f);
	err = err ? err : fill_run(f, "BEGIN");
	err = err ? err : fill_run(f, tables_sql);
	err = err ? err : fill_run(f, shown_sql);
	if (err == STORE_EEXIST)
		why_set(f->why, "mount it, or name another database: createdb NAME",
		        "there is a memory, or a schema named tape, already");
	return err;
}

static int send_head(struct filling *f)
{
	struct sql_text t = { 0 };
	sqlite3_stmt *q = db_prepare(f->db, "SELECT max(seq) + 1, max(time_us),"
		" (SELECT json_extract(body, '$.origin') FROM tape WHERE seq = 0) FROM tape");
	int err = q && sqlite3_step(q) == SQLITE_ROW ? 0 : STORE_EFORMAT;
	if (!err) {
		sql_add(&t, "INSERT INTO tape.head (version, origin, next, last_us) VALUES (%d, ",
		        SERVER_VERSION);
		sql_add_quoted(&t, db_text(q, 2));
		sql_add(&t, ", %lld, %lld)", (long long)sqlite3_column_int64(q, 0),
		        (long long)sqlite3_column_int64(q, 1));
		err = t.failed ? STORE_ENOMEM : fill_run(f, t.bytes);
	}
	sqlite3_finalize(q);
	sql_release(&t);
	return err;
}

static int send_note(struct filling *f)
{
	struct sql_text t = { 0 };
	sqlite3_stmt *q = db_prepare(f->db, "SELECT size, note FROM tape_checkpoint"
		" ORDER BY size DESC LIMIT 1");
	int err = q ? 0 : STORE_EIO;
	if (q && sqlite3_step(q) == SQLITE_ROW) {
		sql_add(&t, "INSERT INTO tape.note (size, note) VALUES (%lld, ",
		        (long long)sqlite3_column_int64(q, 0));
		sql_add_quoted(&t, db_text(q, 1));
		sql_add(&t, ")");
		err = t.failed ? STORE_ENOMEM : fill_run(f, t.bytes);
	}
	sqlite3_finalize(q);
	sql_release(&t);
	return err;
}

static int send_rows(struct filling *f)
{
	struct sql_text *t = &f->rows;
	int err = t->failed ? STORE_ENOMEM : t->len ? fill_run(f, t->bytes) : 0;
	t->len = 0;
	return err;
}

static int send_row(void *ctx, const struct entry *e)
{
	struct filling *f = ctx;
	struct sql_text *t = &f->rows;
	sql_add(t, t->len ? ", " : "INSERT INTO tape.entry (" SERVER_COLUMNS ") VALUES ");
	sql_add_row(t, e);
	return ++f->row_count % ROWS == 0 || t->len > BYTES ? send_rows(f) : 0;
}

static int send_all(struct filling *f)
{
	int err = rows_strict(f->db, send_row, f);
	err = err ? err : send_rows(f);
	sql_release(&f->rows);
	return err;
}

/* A commit without an answer is nobody's failure: it may be there. */
static int fill(struct filling *f)
{
	int err = make_tables(f);
	err = err ? err : send_head(f);
	err = err ? err : send_all(f);
	err = err ? err : send_note(f);
	if (err)
		return err;
	err = fill_run(f, "SET LOCAL synchronous_commit = on; COMMIT");
	return err == STORE_EAWAY ? STORE_EUNKNOWN : err;
}

int store_to_server(const char *path, const char *url, struct why *why)
{
	struct libpq pq;
	struct address a;
	struct filling f = { .link = { .pq = &pq, .stop = -1, .why = why }, .why = why };
	int err = libpq_load(&pq, why);
	err = err ? err : address_parse(&pq, url, &a, why);
	err = err ? err : db_open(path, DB_READ, &f.db, why);
	err = err ? err : link_open(&f.link, &a, link_clock() + CONNECT_MS);
	err = err ? err : fill(&f);
	link_close(&f.link);
	sqlite3_close(f.db);
	if (err && !why->text[0])
		why_set(why, "see the server's log", "%s: %s", url, store_strerror(err));
	return err;
}
