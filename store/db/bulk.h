/* SPDX-License-Identifier: MIT */
/* Reading a file from one end to the other.  Part of the door of store/db. */
#ifndef CINTA_BULK_H
#define CINTA_BULK_H

#include <sqlite3.h>

/*
 * From now on this connection reads its file in pieces of BULK_SIZE where it goes forward, not page
 * by page: for who goes over a whole table.  What it read is good for one transaction.  0, or
 * STORE_ENOMEM; then nothing has changed.
 */
enum { BULK_SIZE = 64 << 10 };
int bulk_read(sqlite3 *db);

#endif
