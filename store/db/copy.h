/* SPDX-License-Identifier: MIT */
/* A whole copy of an open database, by SQLite's online backup: also of a file without a name. */
#ifndef CINTA_STORE_COPY_H
#define CINTA_STORE_COPY_H

#include <sqlite3.h>

#include "store/entry.h"

/*
 * Writes what `from` holds, its write-ahead log included, to the new file `to` (mode 0600), which
 * is on the disk when this returns 0.  The caller alone uses `from`.  STORE_EEXIST: there is such
 * a file, which stays; else a STORE_ code, and there is no file.  `why` may be NULL.
 */
int db_copy(sqlite3 *from, const char *to, struct why *why);

#endif
