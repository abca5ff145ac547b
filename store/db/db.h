/* SPDX-License-Identifier: MIT */
/*
 * SQLite as the store uses it: how a connection is set up, how its errors
 * become STORE_ codes, how a row of the tape becomes a struct entry.
 * A connection and its statements belong to one thread at a time (NOMUTEX).
 */
#ifndef CINTA_DB_H
#define CINTA_DB_H

#include <sqlite3.h>

#include "store/array.h"
#include "store/base/base.h"
#include "store/db/bulk.h"
#include "store/db/copy.h"
#include "store/db/json_text.h"
#include "store/db/row.h"
#include "store/db/schema.h"
#include "store/db/still.h"
#include "store/entry.h"

enum db_mode {
	DB_WRITE,   /* append and make views; an authorizer keeps the tape from UPDATE and DELETE */
	DB_READ,    /* query only; where nothing can be written, as still.h has it */
	DB_REDACT   /* no authorizer, any schema: for tests that play the attacker */
};

/*
 * sqlite3_open_v2() for one thread at a time, waiting 20 s for another process's transaction.  An
 * SQLite code: SQLITE_CANTOPEN also where another file stands at a pinned name (file_id.h).  The
 * caller closes *db always, which is NULL where there was no memory for it.
 */
int db_connect(const char *path, int flags, sqlite3 **db);
/* The same of the file at `path`, opened by a URI that names it. */
int db_connect_as(const char *path, const char *uri, int flags, sqlite3 **db);
/*
 * Copies the write-ahead log back and empties it, as well as the cache.  It waits 100 ms for
 * readers, not longer, since writers want its lock: then STORE_EBUSY.
 */
int db_empty_wal(sqlite3 *db);
/*
 * True if the file at `path`, or its log, is shorter than what SQLite has written there: somebody
 * cut it.  *size: its bytes when this was asked last, and now.  By SQLite's own descriptor and
 * mapping, for to close another takes its locks.  Nobody else uses the connection meanwhile.
 */
bool db_is_cut(sqlite3 *db, const char *path, int64_t *size);
/*
 * What SQLite advises for files that somebody else may have made (sqlite.org/security.html), on a
 * connection that is just open: no view is read, no trigger runs, damage is looked for, nothing is
 * mapped, limits are those of what we do.  Each connection of the store gets it.  A statement that
 * takes more CPU time than any on a file of this size can need ends as damage does (STORE_EFORMAT):
 * pages that lead to each other can hold 2^63 rows in some kilobytes.
 */
int db_harden(sqlite3 *db);
/*
 * Compares tables, indexes, views and triggers with those this build makes: 0 equal, 1 different
 * (`detail` names one), negative on error.  Views of another version need only be harmless.
 */
int schema_compare(sqlite3 *db, char *detail, size_t size);
/* In an open transaction, the authorizer resting: a file of schema 1 becomes one of schema 2. */
int schema_upgrade(sqlite3 *db);
/* What is made of the tape is worth nothing: who opens the file next to write makes it anew. */
int schema_leave_views(sqlite3 *db);
/* Makes all tables in a file that is empty; of version 1 as that was. */
int schema_make(sqlite3 *db, int64_t version);
/* The same for the tables of entries and notes alone: whoever reads nothing else needs no more. */
int schema_compare_rows(sqlite3 *db, char *detail, size_t size);
/*
 * Opens a tape's file to read entries and notes, whatever else is in it or damaged.  Until it is
 * closed no other connection can open it, of any process (STORE_EBUSY if one has it open now);
 * where nothing can be written (db_is_still()) nobody is kept away.  Its log stays as it is when
 * it is closed.
 */
int db_open_alone(const char *path, sqlite3 **out, struct why *why);
/*
 * Opens a tape's file; it must exist, be of our version and have our schema: else STORE_EFORMAT.
 * If it has a log, no rebuild puts another file in its place until it is closed.
 */
int db_open(const char *path, enum db_mode mode, sqlite3 **out, struct why *why);
/*
 * Of a connection that has read, or tried to: true if its file's name leads to another now, or to
 * none, as after a rebuild that the read waited for.  Then it is closed, *db is NULL, and what
 * came of the read is nothing: the file is to be opened again.  What would be written there was
 * lost, and its log taken for the new file's.
 */
bool db_is_left(sqlite3 **db);
/* True if PATH-wal holds anything. */
bool db_log_waits(const char *path);
/* Removes PATH.ENDING and what SQLite put beside it. */
void db_remove_beside(const char *path, const char *ending);
/*
 * Makes the file if absent or empty, or a database without a table, with ours; 1: made, 0: was
 * there.
 */
int db_create(const char *path, struct why *why);
/* STORE_EFORMAT if the file of a memory that was there is empty, or gone, by what is beside it. */
int db_look_emptied(const char *path, struct why *why);

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

/* The guard of a connection: no foreign trigger runs, and while `on` the tape is not changed. */
void db_guard(sqlite3 *db, bool on);

/* What to type, or do, about a file that gave this code; ends in an act. */
const char *db_todo(int err);
/*
 * The WAL of an open connection, as the system has it: to be synced while another thread writes a
 * transaction, and to be written over while none does.  NULL: there is none.
 */
sqlite3_file *db_wal(sqlite3 *db);
int db_error(int rc); /* SQLite result code to STORE_ code; SQLITE_OK, _ROW, _DONE: 0 */
int db_exec(sqlite3 *db, const char *sql);
/*
 * While a file is filled that nobody else needs yet: pages are kept in ROOMY_KIB of memory, so that
 * each is written few times.  False: as ever, and the memory is given back.
 */
enum { ROOMY_KIB = 64 << 10 };
int db_roomy(sqlite3 *db, bool roomy);
/*
 * SQLite's own look at each page, `check` being "PRAGMA quick_check(1)" or integrity_check(1), and
 * ours at the list of free ones.
 * SQLITE_OK: *sound says which; else its code.  Not sound: `said` has SQLite's words.
 */
int db_look_at_pages(sqlite3 *db, const char *check, bool *sound, char *said, size_t size);
int db_begin(sqlite3 *db);    /* BEGIN IMMEDIATE */
int db_commit(sqlite3 *db);   /* rolls back when COMMIT fails */
void db_rollback(sqlite3 *db);
/* A long-lived statement; NULL on error. */
sqlite3_stmt *db_prepare(sqlite3 *db, const char *sql);
/* First column of the first row, or `missing`. */
int64_t db_int(sqlite3 *db, const char *sql, int64_t missing);
/* A column's text, "" for none; until the next step. */
const char *db_text(sqlite3_stmt *q, int column);
/* A hash, in hex; "": there is none. */
void db_hash(sqlite3_stmt *q, int column, char hex[2 * HASH_SIZE + 1]);
/* An agent, and in the next column its name of the conversation. */
void db_talk(sqlite3_stmt *q, int column, struct talk *out);
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
struct reader { /* rows of the tape are read by row_entry(&r->check, …) */
	sqlite3 *db;
	const struct sql *const *sql;
	sqlite3_stmt **stmt[SQL_ROOMS]; /* NULL: not yet */
	sqlite3_stmt *fails;            /* at its first step */
	struct row_check check;
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
 * One of its statements, prepared when first used; NULL: it says nothing here, as where nobody
 * could make an older cinta's views anew.  For want of memory, or of the file: one that fails when
 * stepped, so that what cannot be read is not taken for nothing.
 */
sqlite3_stmt *reader_stmt(struct reader *r, int which);

/* ---- PATH.side: what is no memory -------------------------------------- */

int side_new(struct store *s, int64_t (*entries)(const struct store *s));
void side_close(struct store *s);
void side_lock(struct store *s);
void side_unlock(struct store *s);
/* Locked: the connection, or NULL: then there is nothing and nothing is kept. */
sqlite3 *side_open(struct store *s);
/*
 * True once, after the file was removed or replaced while it was open: what was put into it is not
 * in this one.  Takes the lock.
 */
bool side_is_anew(struct store *s);
/* Locked: closes it, until it is needed again: nothing of its pages stays in memory. */
void side_shut(struct store *s);
/*
 * What is kept under a name, a number (store_mark_get() without making the file) or a line or two;
 * STORE_ENOENT: there is none.  They take the lock.
 */
int side_mark_look(struct store *s, const char *name, int64_t *value);
int side_note_get(struct store *s, const char *name, char *text, size_t size);
int side_note_set(struct store *s, const char *name, const char *text);
/* "side: …" with what to do, if it cannot be used where it should; else "". */
void side_trouble(const struct store *s, char *text, size_t size);
/* Writes the refusals that had no room, true if there is some now; or forgets them. */
bool side_put_waiting(struct store *s);
/* Whether files off the tape could be kept, a STORE_ code: for side_trouble().  Side locked. */
void side_unkept(struct store *s, int err);
bool side_is_unkept(const struct store *s);
void side_forget_waiting(struct store *s);
/* db_copy() of what is open; 0 and no file if nothing is.  Takes the lock. */
int side_copy(struct store *s, const char *to, struct why *why);
/* Deletes the row `id` with this statement; takes the lock for it.  STORE_ENOENT: there is none. */
int side_drop(struct store *s, const char *sql, int64_t id);

#endif
