/* SPDX-License-Identifier: MIT */
/* Some of the facts, by their state and times, without a look at the others (facts.h). */
#include <string.h>

#include "store/facts/fact_read.h"

/* The statement with its first parameters bound; the reader is to be given back. */
static int start(struct store *s, int which, const int64_t *values, int count, struct reader **r,
                 sqlite3_stmt **q)
{
	int err = views_reader(s, r);
	if (err)
		return err;
	*q = reader_stmt(*r, which);
	for (int i = 0; *q && i < count; i++)
		sqlite3_bind_int64(*q, i + 1, values[i]);
	if (*q)
		return 0;
	reader_put(s, *r);
	return STORE_EIO;
}

static int each_of(struct store *s, int which, const int64_t *values, int count, fact_fn *fn,
                   void *ctx)
{
	struct reader *r;
	sqlite3_stmt *q;
	int err = start(s, which, values, count, &r, &q);
	if (err)
		return err;
	err = fact_each(q, fn, ctx);
	reader_put(s, r);
	return err;
}

int store_fact_page(struct store *s, bool ended, int64_t skip, int64_t most, fact_fn *fn, void *ctx)
{
	const int64_t values[3] = { most, skip };
	return each_of(s, ended ? READ_FACT_ENDED : READ_FACT_HELD, values, 2, fn, ctx);
}

int store_fact_between(struct store *s, bool ended, const int64_t time_us[2], int64_t skip,
                       int64_t most, fact_fn *fn, void *ctx)
{
	const int64_t values[] = { time_us[0], time_us[1], most, skip };
	return each_of(s, ended ? READ_FACT_ENDED_IN : READ_FACT_SAID_IN, values, 4, fn, ctx);
}

int store_fact_oldest(struct store *s, int64_t from_us, int64_t to_us, int64_t most, fact_fn *fn,
                      void *ctx)
{
	const int64_t values[3] = { from_us, to_us, most };
	return each_of(s, READ_FACT_OLDEST, values, 3, fn, ctx);
}

int store_fact_confirmed(struct store *s, int64_t from_us, int64_t to_us,
                         int64_t count[CONFIDENCE_HIGH + 1])
{
	const int64_t values[] = { from_us, to_us };
	struct reader *r;
	sqlite3_stmt *q;
	memset(count, 0, (CONFIDENCE_HIGH + 1) * sizeof *count);
	int err = start(s, READ_FACT_CONFIRMED, values, 2, &r, &q), rc = SQLITE_DONE;
	if (err)
		return err;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		int confidence = sqlite3_column_int(q, 0);
		if (confidence >= 0 && confidence <= CONFIDENCE_HIGH)
			count[confidence] = sqlite3_column_int64(q, 1);
	}
	reader_put(s, r);
	return db_error(rc);
}

int store_fact_count(struct store *s, int64_t *held, int64_t *ended)
{
	struct reader *r;
	sqlite3_stmt *q;
	*held = *ended = 0;
	int err = start(s, READ_FACT_COUNT, NULL, 0, &r, &q);
	if (err)
		return err;
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		*held = sqlite3_column_int64(q, 0);
		*ended = sqlite3_column_int64(q, 1);
	}
	reader_put(s, r);
	return rc == SQLITE_ROW ? 0 : db_error(rc);
}
