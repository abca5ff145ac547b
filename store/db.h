/* SPDX-License-Identifier: MIT */
/*
 * SQLite as the store uses it: how a connection is set up, how its errors
 * become STORE_ codes, how a row of the tape becomes a struct entry.
 * A connection and its statements belong to one thread at a time (NOMUTEX).
 */
#ifndef CINTA_DB_H
#define CINTA_DB_H

#include <sqlite3.h>

#include "store/entry.h"

enum db_mode {
	DB_WRITE,   /* append and make views; an authorizer keeps the tape from UPDATE and DELETE */
	DB_READ,    /* query only */
	DB_REDACT   /* no authorizer; the triggers still stand */
};

/* Opens a tape's file; it must exist and be of our version. */
int db_open(const char *path, enum db_mode mode, sqlite3 **out, struct why *why);
/* Makes the file if absent or empty, with tables and views; 1: made, 0: was there. */
int db_create(const char *path, struct why *why);
/* Replaces the views by fresh empty ones, in one transaction. */
int db_reset_views(sqlite3 *db);
/* The same if another version of cinta made those in the file. */
int db_renew_views(sqlite3 *db);
/* The version of the views in the file (VIEWS_VERSION), -1: there are none. */
int64_t db_views_version(sqlite3 *db);

/* Puts the guard against UPDATE and DELETE of the tape on a connection, or takes it off. */
void db_guard(sqlite3 *db, bool on);

int db_error(int rc); /* SQLite result code to STORE_ code; SQLITE_OK, _ROW, _DONE: 0 */
int db_exec(sqlite3 *db, const char *sql);
int db_begin(sqlite3 *db);    /* BEGIN IMMEDIATE */
int db_commit(sqlite3 *db);   /* rolls back when COMMIT fails */
void db_rollback(sqlite3 *db);
/* A long-lived statement; NULL on error. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *sql);
/* First column of the first row, or `missing`. */
int64_t db_int(sqlite3 *db, const char *sql, int64_t missing);

/* A row of the tape as it is stored. */
#define TAPE_COLUMNS "t.seq, t.stream, t.stream_seq, t.prev, t.time_us, t.kind, t.author, " \
	"t.body_len, t.body_hash, t.leaf_hash, t.salt, t.body"
/* The body of row `t`, or what stands in its place since it was redacted; NULL: it is missing. */
#define SHOWN_BODY \
	"coalesce(t.body, (SELECT gone.body FROM v_redacted gone WHERE gone.seq = t.seq))"
/* What entry_of_row() expects first in a row's columns. */
#define ENTRY_COLUMNS "t.seq, t.stream, t.stream_seq, t.prev, t.time_us, t.kind, t.author, " \
	"t.body_len, t.body_hash, t.leaf_hash, t.salt, " SHOWN_BODY
enum { ENTRY_COLUMN_COUNT = 12 };
/* Borrows from the statement until its next step; STORE_EFORMAT for a malformed row. */
int entry_of_row(sqlite3_stmt *row, struct entry *e);

#endif
