/* SPDX-License-Identifier: MIT */
/*
 * Rows of the tape by the pages they lie in, for those to which no page leads any more: a damaged
 * interior page takes hundreds of leaves with it that are whole.  Each page of the database, and of
 * its write-ahead log, is looked at by itself; a row is one that holds what its own hashes say, so
 * neither order nor age of the pages matters.  For salvage_read.c alone.
 */
#ifndef CINTA_SALVAGE_PAGES_H
#define CINTA_SALVAGE_PAGES_H

#include "store/salvage/salvage.h"

struct pages;

/*
 * Looks at all pages of `db`, through its own files: one that is opened and closed beside them
 * would end SQLite's locks.  Only rows below `end` are looked for.  `made` has the rows before
 * the one that is asked for: what a packed body wants for a dictionary.  STORE_ENOMEM; what cannot
 * be read is passed by.
 */
int pages_open(sqlite3 *db, sqlite3 *made, int64_t end, struct pages **out);
void pages_close(struct pages *p);
/* One more than the highest row that was found; 0: none. */
int64_t pages_end(const struct pages *p);
/*
 * Hands entry `seq` to `fn`, columns as STORED_COLUMNS; *taken: it was found, and `fn` returned
 * 0.  One without a body goes before others: what was redacted stays so.
 */
int pages_take(struct pages *p, int64_t seq, salvage_row_fn *fn, void *ctx, bool *taken);

#endif
