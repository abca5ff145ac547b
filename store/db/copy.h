/* SPDX-License-Identifier: MIT */
/* A whole copy of an open database, by SQLite's online backup: also of a file without a name. */
#ifndef CINTA_STORE_COPY_H
#define CINTA_STORE_COPY_H

#include <sqlite3.h>

#include "store/entry.h"

/*
 * Makes an empty file for a database (mode 0600).  STORE_EEXIST: there is such a file, or a
 * write-ahead log of that name, which SQLite would take away; both stay.  `why` may be NULL.
 */
int db_make_new(const char *to, struct why *why);
/*
 * Writes what `from` holds, its write-ahead log included, to the new file `to` (mode 0600), which
 * is on the disk when this returns 0.  The caller alone uses `from`.  STORE_EEXIST: as
 * above; else a STORE_ code, and there is no file.  `why` may be NULL.
 */
int db_copy(sqlite3 *from, const char *to, struct why *why);

#endif
