/* SPDX-License-Identifier: MIT */
/* What fact.c and fact_past.c share: reading facts through a borrowed connection. */
#ifndef CINTA_FACT_READ_H
#define CINTA_FACT_READ_H

#include "store/facts/facts.h"
#include "store/internal.h"

enum {
	READ_FACT_LIST = SQL_FIRST(SQL_FACTS), READ_FACT_LIVE, READ_FACT_ID, READ_FACT_ALL,
	READ_FACT_AT, READ_FACT_END, READ_FACT_END_AT, READ_FACT_TEXT, READ_FACT_SAVE_AT,
	READ_FACT_HISTORY, READ_FACT_HELD, READ_FACT_ENDED, READ_FACT_SAID_IN, READ_FACT_ENDED_IN,
	READ_FACT_OLDEST, READ_FACT_CONFIRMED, READ_FACT_COUNT, READ_FACT_TALK
};

/* How a list stands; all 0 when nothing was ever in it. */
struct fact_head {
	int64_t saves, entries, last_us, last_seq;
};
int fact_head(struct reader *r, int domain, struct fact_head *out);
/* Each row of a bound statement; `q` may be NULL: then the file's views know no facts. */
int fact_each(sqlite3_stmt *q, fact_fn *fn, void *ctx);

#endif
