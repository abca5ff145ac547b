/* SPDX-License-Identifier: MIT */
/* Facts as they were: after a save, at a time; free texts; the saves of a list. */
#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_read.h"
#include "store/facts/fact_read.h"

/* The first column of the only row; STORE_ENOENT. */
static int one_number(sqlite3_stmt *q, int64_t *value)
{
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW)
		*value = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

/* Where a save ends on the tape; *now: it is the newest.  A list never saved ends at 0. */
static int end_of(struct reader *r, int domain, int64_t save, int64_t *end, bool *now)
{
	struct fact_head head;
	int err = fact_head(r, domain, &head);
	*end = head.last_seq;
	*now = save == 0 || save == head.saves;
	if (err || *now)
		return err;
	sqlite3_bind_int64(r->stmt[READ_FACT_END], 1, domain);
	sqlite3_bind_int64(r->stmt[READ_FACT_END], 2, save);
	return one_number(r->stmt[READ_FACT_END], end);
}

static int facts_until(struct reader *r, int64_t domain, int64_t end, fact_fn *fn, void *ctx)
{
	sqlite3_stmt *q = r->stmt[READ_FACT_AT];
	sqlite3_bind_int64(q, 1, domain);
	sqlite3_bind_int64(q, 2, end);
	return fact_each(q, fn, ctx);
}

int store_fact_at(struct store *s, int domain, int64_t save, fact_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t end;
	bool now;
	int err = fact_begin(s, &r);
	if (err)
		return err;
	err = end_of(r, domain, save, &end, &now);
	if (!err && now) {
		sqlite3_bind_int64(r->stmt[READ_FACT_LIVE], 1, domain);
		err = fact_each(r->stmt[READ_FACT_LIVE], fn, ctx);
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
	int err = fact_begin(s, &r);
	if (err)
		return err;
	sqlite3_bind_int64(r->stmt[READ_FACT_END_AT], 1, time_us);
	err = one_number(r->stmt[READ_FACT_END_AT], &end);
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
	int rc = SQLITE_DONE, err = fact_begin(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = r->stmt[READ_FACT_TEXT];
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
	int err = doc_begin(s, &r);
	*save = 0;
	if (err)
		return err;
	sqlite3_bind_int64(r->stmt[READ_FACT_SAVE_AT], 1, domain);
	sqlite3_bind_int64(r->stmt[READ_FACT_SAVE_AT], 2, time_us);
	err = one_number(r->stmt[READ_FACT_SAVE_AT], save);
	reader_put(s, r);
	return err;
}

static void read_save(sqlite3_stmt *q, struct fact_save *v)
{
	const void *leaf = sqlite3_column_blob(q, 9);
	int64_t *const number[] = { &v->n, &v->seq, &v->time_us, &v->added, &v->retracted,
		&v->confirmed, &v->weighed };
	memset(v, 0, sizeof *v);
	for (int i = 0; i < 7; i++)
		*number[i] = sqlite3_column_int64(q, i);
	v->text = sqlite3_column_int64(q, 7) > 0;
	(void)snprintf(v->author, sizeof v->author, "%s", (const char *)sqlite3_column_text(q, 8));
	if (leaf && sqlite3_column_bytes(q, 9) == HASH_SIZE)
		hex_of(leaf, HASH_SIZE, v->hash);
}

int store_fact_history(struct store *s, int domain, fact_save_fn *fn, void *ctx)
{
	struct reader *r;
	int err = doc_begin(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = r->stmt[READ_FACT_HISTORY];
	int rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, domain);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct fact_save v;
		read_save(q, &v);
		fn(ctx, &v);
	}
	reader_put(s, r);
	return db_error(rc);
}
