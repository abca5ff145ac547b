/* SPDX-License-Identifier: MIT */
/*
 * SQLite as the store uses it: how a connection is set up, how its errors
 * become STORE_ codes, how a row of the tape becomes a struct entry.
 * A connection and its statements belong to one thread at a time (NOMUTEX).
 */
#ifndef CINTA_DB_H
#define CINTA_DB_H

#include <sqlite3.h>

#include "store/db/schema.h"
#include "store/db/json_text.h"
#include "store/db/schema.h"
#include "store/entry.h"

enum db_mode {
	DB_WRITE,   /* append and make views; an authorizer keeps the tape from UPDATE and DELETE */
	DB_READ,    /* query only */
	DB_REDACT   /* no authorizer; the triggers still stand */
};

/* Opens a tape's file; it must exist and be of our version. */
int db_open(const char *path, enum db_mode mode, sqlite3 **out, struct why *why);
/* Removes PATH.ENDING and what SQLite put beside it. */
void db_remove_beside(const char *path, const char *ending);
/* Makes the file if absent or empty, with tables and views; 1: made, 0: was there. */
int db_create(const char *path, struct why *why);

/*
 * Statements, a list a sub-room: number n of room r is SQL_FIRST(r) + n, and SQL_N() of that is
 * its place in the list.
 */
enum sql_room { SQL_VIEWS, SQL_LOGS, SQL_DOCUMENTS, SQL_FACTS, SQL_CONTEXT, SQL_ROOMS };
#define SQL_FIRST(room) ((room) << 8)
#define SQL_ROOM(id) ((id) >> 8)
#define SQL_N(id) ((id) & 0xff)
struct sql {
	const char *const *text;
	int count;
};
#define SQL_OF(list) { list, sizeof (list) / sizeof *(list) }

/* True if the array has room for one element more than `count`; false: no memory. */
#define ARRAY_ROOM(of, room, count) array_room(&(of), &(room), count, sizeof *(of))
bool array_room(void *of, size_t *room, size_t count, size_t size);
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
/* A column's text, "" for none; until the next step. */
const char *db_text(sqlite3_stmt *q, int column);
/*
 * The first column of a bound statement's first row, 0 if that is NULL; resets it.  STORE_ENOENT:
 * there is no row, or no statement.
 */
int db_number(sqlite3_stmt *q, int64_t *value);
/*
 * How many of `count` rows are not later than a time, by bisection.  `q` takes a row's number as
 * parameter `n` and has its time in the first column.
 */
int db_count_until(sqlite3_stmt *q, int n, int64_t count, int64_t time_us, int64_t *out);

/* ---- readers: a few connections, lent to one thread at a time ------------ */

struct store;
struct readers;
enum { READERS = 4 };
struct reader {
	sqlite3 *db;
	const struct sql *const *sql;
	sqlite3_stmt **stmt[SQL_ROOMS]; /* NULL: not yet */
	bool busy;
};
/* `path` and `sql`, a list a sub-room, must outlive the readers. */
int readers_open(const char *path, const struct sql *const *sql, struct readers **out);
void readers_close(struct readers *all);
/* Closes each as soon as nobody has it; it is opened again when asked for.  STORE_EBUSY after so
 * many seconds.  No lock held, no reader lent to the caller. */
int readers_renew(struct readers *all, int seconds);
/*
 * Waits for a free one; NULL: cannot open.  A reader counts as a lock (lock.h): a thread that has
 * one takes no second one, and calls nothing that does.
 */
struct reader *reader_get(struct store *s);
void reader_put(struct store *s, struct reader *r);
/* The same when only this statement was used: there are many. */
void reader_put_one(struct store *s, struct reader *r, sqlite3_stmt *used);
/*
 * One of its statements, prepared when first used; NULL: it cannot be, as where nobody could make
 * an older cinta's views anew.
 */
sqlite3_stmt *reader_stmt(struct reader *r, int which);

/* ---- PATH.side: what is no memory -------------------------------------- */

int side_new(struct store *s, int64_t (*entries)(const struct store *s));
void side_close(struct store *s);
void side_lock(struct store *s);
void side_unlock(struct store *s);
/* Locked: the connection, or NULL: then there is nothing and nothing is kept. */
sqlite3 *side_open(struct store *s);
/* Locked: closes it, until it is needed again: nothing of its pages stays in memory. */
void side_shut(struct store *s);
/* Deletes the row `id` with this statement; takes the lock for it.  STORE_ENOENT: there is none. */
int side_drop(struct store *s, const char *sql, int64_t id);

/* ---- rows of the tape ---------------------------------------------------- */

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
