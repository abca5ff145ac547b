/* SPDX-License-Identifier: MIT */
/*
 * What SQLite alone does with the same rows: the limit that tests/bench/run
 * holds beside appending and verifying.  No hashes, no triggers, no views.
 *
 *   raw insert DB COUNT   COUNT transactions of one row (WAL, NORMAL, checkpoints
 *                         as SQLite does them by itself); makes the table
 *   raw scan DB           reads every column of the table `tape` once
 *
 * Prints seconds, and for `scan` the number of rows.  Never run on a memory's
 * database other than to scan it.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BODY = 305, COLUMNS = 12 };

static const char table[] =
	"CREATE TABLE IF NOT EXISTS tape (seq INTEGER PRIMARY KEY, stream TEXT NOT NULL, "
	"stream_seq INTEGER NOT NULL, prev BLOB NOT NULL, time_us INTEGER NOT NULL, "
	"kind TEXT NOT NULL, author TEXT NOT NULL, body_len INTEGER NOT NULL, "
	"body_hash BLOB NOT NULL, leaf_hash BLOB NOT NULL, salt BLOB, body TEXT, "
	"UNIQUE (stream, stream_seq)) STRICT";

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(sqlite3 *db, int rc)
{
	if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
		return;
	fprintf(stderr, "raw: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q;
	check(db, sqlite3_prepare_v2(db, sql, -1, &q, NULL));
	return q;
}

static sqlite3_int64 rows_of(sqlite3 *db)
{
	sqlite3_stmt *q = prepare(db, "SELECT coalesce(max(seq) + 1, 0) FROM tape");
	check(db, sqlite3_step(q));
	sqlite3_int64 rows = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return rows;
}

static void insert(sqlite3 *db, long count)
{
	char body[BODY];
	unsigned char hash[32];
	memset(body, 'x', sizeof body);
	check(db, sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL, NULL,
	                       NULL));
	check(db, sqlite3_exec(db, table, NULL, NULL, NULL));
	sqlite3_int64 seq = rows_of(db);
	sqlite3_stmt *q = prepare(db, "INSERT INTO tape VALUES (?,'s1',?,?,?,'message','user:bench',?,?,"
	                              "?,?,?)");
	double start = now();
	for (long i = 0; i < count; i++, seq++) {
		sqlite3_randomness(sizeof hash, hash);
		sqlite3_bind_int64(q, 1, seq);
		sqlite3_bind_int64(q, 2, seq);
		sqlite3_bind_blob(q, 3, hash, sizeof hash, SQLITE_STATIC);
		sqlite3_bind_int64(q, 4, 1700000000000000 + seq);
		sqlite3_bind_int64(q, 5, BODY);
		sqlite3_bind_blob(q, 6, hash, sizeof hash, SQLITE_STATIC);
		sqlite3_bind_blob(q, 7, hash, sizeof hash, SQLITE_STATIC);
		sqlite3_bind_blob(q, 8, hash, 16, SQLITE_STATIC);
		sqlite3_bind_text(q, 9, body, sizeof body, SQLITE_STATIC);
		check(db, sqlite3_step(q));
		check(db, sqlite3_reset(q));
	}
	printf("%.9f\n", now() - start);
	sqlite3_finalize(q);
}

static void scan(sqlite3 *db)
{
	double start = now();
	sqlite3_stmt *q = prepare(db, "SELECT seq, stream, stream_seq, prev, time_us, kind, author, "
	                              "body_len, body_hash, leaf_hash, salt, body FROM tape ORDER BY seq");
	long rows = 0;
	size_t sum = 0;
	int rc;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		for (int i = 0; i < COLUMNS; i++) {
			const unsigned char *bytes = sqlite3_column_blob(q, i);
			if (bytes)
				sum += bytes[0];
		}
		rows++;
	}
	check(db, rc);
	sqlite3_finalize(q);
	printf("%.9f %ld\n", now() - start, rows);
	if (sum == 0)
		exit(1); /* nothing was read */
}

int main(int argc, char **argv)
{
	sqlite3 *db;
	if (argc == 4 && strcmp(argv[1], "insert") == 0) {
		check(NULL, sqlite3_open(argv[2], &db));
		insert(db, atol(argv[3]));
	} else if (argc == 3 && strcmp(argv[1], "scan") == 0) {
		check(NULL, sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READWRITE, NULL));
		check(db, sqlite3_exec(db, "PRAGMA wal_autocheckpoint=0", NULL, NULL, NULL));
		scan(db);
	} else {
		fprintf(stderr, "usage: raw insert DB COUNT | raw scan DB\n");
		return 2;
	}
	check(db, sqlite3_close(db));
	return 0;
}
