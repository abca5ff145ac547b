/* SPDX-License-Identifier: MIT */
/*
 * Opening a database file where nothing can be written: on a read-only disk, without the
 * permission, or on a full one.  Nothing is made beside it and no byte of it changes.
 *
 *   DB-shm is there    the index of the log is shared with who writes, or, when nobody does,
 *                      made in memory (SQLite's readonly_shm)
 *   DB-wal alone       it is read with an index in memory, without locks: who could write would
 *                      have made DB-shm
 *   neither            the file is all there is, and does not change (immutable)
 */
#ifndef CINTA_STORE_STILL_H
#define CINTA_STORE_STILL_H

#include <sqlite3.h>
#include <stdbool.h>

/* True if this process may not write the file, or SQLite could not make its files beside it. */
bool db_is_still(const char *path);
/* Opens it for reading; an SQLite code, as db_connect().  The caller closes *db always. */
int db_open_still(const char *path, sqlite3 **db);
/* The same, as the database `file` of a connection opened with SQLITE_OPEN_URI. */
int db_attach_file(sqlite3 *db, const char *path);
/*
 * db_connect() with these flags, or db_open_still() where db_is_still().  SQLITE_CANTOPEN for
 * what is no plain file: a FIFO would be waited for.
 */
int db_open_file(const char *path, int flags, sqlite3 **db);

#endif
