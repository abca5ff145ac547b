/* SPDX-License-Identifier: MIT */
/*
 * A VFS above the system's that writes a transaction's frames to the WAL at once: SQLite writes
 * header and page of each apart, six calls an append, eighteen a saved document.
 * What it must never do: let a commit return before its bytes are in the file, or keep an error of
 * writing them to itself.
 */
#ifndef CINTA_WAL_H
#define CINTA_WAL_H

#include <sqlite3.h>
#include <stdbool.h>

/* Its name for sqlite3_open_v2(), registered when it is first asked for; NULL: without it. */
const char *wal_vfs(void);
/* True if this connection has a log by it, and so DB-shm is mapped; false without it. */
bool wal_vfs_is_open(sqlite3 *db);

#endif
