/* SPDX-License-Identifier: MIT */
/* What doc.c and doc_past.c share: reading documents through a borrowed connection. */
#ifndef CINTA_DOC_READ_H
#define CINTA_DOC_READ_H

#include "store/internal.h"

/* The views have seen what is committed, by other processes too. */
int doc_see_all(struct store *s);
/* The same, and a reader, for reader_put() if it returns 0. */
int doc_begin(struct store *s, struct reader **r);
/*
 * One row of DOC_COLUMNS (reader.c); STORE_ENOENT.  `out` may be NULL, and so may
 * `q`: then the file's views know no documents.
 */
int doc_row(sqlite3_stmt *q, struct doc *out);

#endif
