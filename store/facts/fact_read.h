/* SPDX-License-Identifier: MIT */
/* What fact.c and fact_past.c share: reading facts through a borrowed connection. */
#ifndef CINTA_FACT_READ_H
#define CINTA_FACT_READ_H

#include "store/internal.h"

/* How a list stands; all 0 when nothing was ever in it. */
struct fact_head {
	int64_t saves, entries, last_us, last_seq;
};
/*
 * The views have seen what is committed; a reader, for reader_put() if it returns 0,
 * in a transaction, so that all it reads is of one moment.
 */
int fact_begin(struct store *s, struct reader **r);
int fact_head(struct reader *r, int domain, struct fact_head *out);
/* Each row of a bound statement; `q` may be NULL: then the file's views know no facts. */
int fact_each(sqlite3_stmt *q, fact_fn *fn, void *ctx);

#endif
