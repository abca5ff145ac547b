/* SPDX-License-Identifier: MIT */
/* Facts as they were: after a save, at a time; free texts; the saves of a list. */
#include <stdlib.h>
#include <string.h>

#include "store/facts/fact_read.h"

/* Where a save ends on the tape; *now: it is the newest.  A list never saved ends at 0. */
static int end_of(struct reader *r, int domain, int64_t save, int64_t *end, bool *now)
{
	struct fact_head head;
	int err = fact_head(r, domain, &head);
	*end = head.last_seq;
	*now = save == 0 || save == head.saves;
	if (err || *now)
		return err;
	sqlite3_bind_int64(reader_stmt(r, READ_FACT_END), 1, domain);
	sqlite3_bind_int64(reader_stmt(r, READ_FACT_END), 2, save);
	return db_number(reader_stmt(r, READ_FACT_END), end);
}

static int facts_until(struct reader *r, int64_t domain, int64_t end, fact_fn *fn, void *ctx)
{
	sqlite3_stmt *q = reader_stmt(r, READ_FACT_AT);
	sqlite3_bind_int64(q, 1, domain);
	sqlite3_bind_int64(q, 2, end);
	return fact_each(q, fn, ctx);
}

int store_fact_at(struct store *s, int domain, int64_t save, fact_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t end;
	bool now;
	int err = views_snapshot(s, &r);
	if (err)
		return err;
	err = end_of(r, domain, save, &end, &now);
	if (!err && now) {
		sqlite3_bind_int64(reader_stmt(r, READ_FACT_LIVE), 1, domain);
		err = fact_each(reader_stmt(r, READ_FACT_LIVE), fn, ctx);
	} else if (!err) {
		err = facts_until(r, domain, end, fn, ctx);
	}
	reader_put(s, r);
	return err;
}

int store_fact_all_at_time(struct store *s, int64_t time_us, fact_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t end = 0;
	int err = views_snapshot(s, &r);
	if (err)
		return err;
	sqlite3_bind_int64(reader_stmt(r, READ_FACT_END_AT), 1, time_us);
	err = db_number(reader_stmt(r, READ_FACT_END_AT), &end);
	if (!err)
		err = facts_until(r, 0, end, fn, ctx);
	reader_put(s, r);
	return err == STORE_ENOENT ? 0 : err; /* its views know no facts */
}

int store_fact_frame(struct store *s, int domain, int64_t save, char **text, size_t *len)
{
	struct reader *r;
	int64_t end;
	bool now;
	int rc = SQLITE_DONE, err = views_snapshot(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_FACT_TEXT);
	err = end_of(r, domain, save, &end, &now);
	if (!err && q) {
		sqlite3_bind_int64(q, 1, domain);
		sqlite3_bind_int64(q, 2, end);
		rc = sqlite3_step(q);
		err = db_error(rc);
	}
	if (!err) {
		const char *found = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : "";
		*text = found ? strdup(found) : NULL;
		*len = *text ? strlen(*text) : 0;
		err = *text ? 0 : STORE_ENOMEM;
	}
	reader_put(s, r);
	return err;
}

int store_fact_save_at(struct store *s, int domain, int64_t time_us, int64_t *save)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*save = 0;
	if (err)
		return err;
	sqlite3_bind_int64(reader_stmt(r, READ_FACT_SAVE_AT), 1, domain);
	sqlite3_bind_int64(reader_stmt(r, READ_FACT_SAVE_AT), 2, time_us);
	err = db_number(reader_stmt(r, READ_FACT_SAVE_AT), save);
	reader_put(s, r);
	return err;
}

static void read_save(sqlite3_stmt *q, struct fact_save *v)
{
	int64_t *const number[] = { &v->n, &v->seq, &v->time_us, &v->added, &v->retracted,
		&v->confirmed, &v->weighed };
	memset(v, 0, sizeof *v);
	v->domain = sqlite3_column_int(q, 0);
	for (int i = 0; i < 7; i++)
		*number[i] = sqlite3_column_int64(q, 1 + i);
	v->text = sqlite3_column_int64(q, 8) > 0;
	(void)snprintf(v->author, sizeof v->author, "%s", db_text(q, 9));
	db_hash(q, 10, v->hash);
	db_talk(q, 11, &v->talk);
}

struct saves {
	fact_save_fn *fn;
	void *ctx;
};

static void hand_save(sqlite3_stmt *row, void *ctx)
{
	const struct saves *to = ctx;
	struct fact_save v;
	read_save(row, &v);
	to->fn(to->ctx, &v);
}

int store_fact_history(struct store *s, int domain, fact_save_fn *fn, void *ctx)
{
	return views_each(s, READ_FACT_HISTORY, NULL, domain, hand_save, &(struct saves){ fn, ctx });
}

int store_fact_talk(struct store *s, const char *talk, fact_save_fn *fn, void *ctx)
{
	return views_each(s, READ_FACT_TALK, talk, 0, hand_save, &(struct saves){ fn, ctx });
}
