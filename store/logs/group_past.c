/* SPDX-License-Identifier: MIT */
/* Logs as they were (store/past.h). */
#include "store/past.h"

#include <string.h>

#include "store/logs/log_read.h"

int store_newest_time(struct store *s, int64_t *time_us)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	err = db_number(reader_stmt(r, READ_TIME_LAST), time_us);
	reader_put(s, r);
	return err;
}

static sqlite3_stmt *of_log(struct reader *r, int which, struct log_id log)
{
	sqlite3_stmt *q = reader_stmt(r, which);
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, log.id);
	return q;
}

/* Sizes and times of a log whose first g->messages lines count. */
static int cut_group(sqlite3_stmt *q, struct group *g)
{
	const int64_t ends[] = { g->messages - 1, 0 };
	g->bytes = g->text_bytes = g->first_us = g->last_us = 0;
	for (int i = 0; i < 2 && g->messages > 0; i++) {
		sqlite3_bind_int64(q, 3, ends[i]);
		int rc = sqlite3_step(q);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? STORE_EIO : db_error(rc);
		if (i == 0) {
			g->last_us = sqlite3_column_int64(q, 0);
			g->bytes = sqlite3_column_int64(q, 1);
			g->text_bytes = sqlite3_column_int64(q, 2);
		} else {
			g->first_us = sqlite3_column_int64(q, 0);
		}
		sqlite3_reset(q);
	}
	return 0;
}

int store_group_at_time(struct store *s, struct log_id log, int64_t time_us, struct group *out)
{
	struct reader *r;
	int err = views_see_all(s);
	if (!err)
		err = store_group_by_id(s, log.kind, log.id, out);
	if (!err && out->made_us > time_us)
		err = STORE_ENOENT;
	if (err)
		return err;
	out->tokens = 0;
	if (out->last_us <= time_us) /* nothing came later */
		return 0;
	err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = of_log(r, READ_LINE_TIME, log);
	err = db_count_until(q, 3, out->messages, time_us, &out->messages);
	err = err ? err : cut_group(q, out);
	reader_put(s, r);
	return err;
}

/* Tokens of the lines from `from` to before `to`, as view_message.c counts them. */
static int sum_tokens(struct store *s, struct log_id log, int64_t from, int64_t to, int64_t *sum)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = of_log(r, READ_LINE_TOKENS, log);
	sqlite3_bind_int64(q, 3, from);
	sqlite3_bind_int64(q, 4, to);
	err = db_number(q, sum);
	reader_put(s, r);
	return err;
}

int store_tokens_of_first(struct store *s, struct log_id log, int64_t messages, int64_t *tokens)
{
	struct group now;
	int64_t sum;
	int err = store_group_by_id(s, log.kind, log.id, &now);
	*tokens = 0;
	if (err || log.kind == LOG_RECORD)
		return err;
	bool front = messages < now.messages / 2; /* the shorter part is counted */
	err = front ? sum_tokens(s, log, 0, messages, &sum) :
		sum_tokens(s, log, messages, now.messages, &sum);
	*tokens = front ? sum : now.tokens - sum;
	return err;
}

/* The session that was last written to before entry `seq`. */
static int session_before(struct reader *r, int64_t seq, int64_t *id)
{
	sqlite3_stmt *q = reader_stmt(r, READ_SESSION_BEFORE);
	int rc = SQLITE_DONE;
	*id = 0;
	sqlite3_bind_int64(q, 1, seq);
	while (!*id && (rc = sqlite3_step(q)) == SQLITE_ROW)
		*id = store_stream_session((const char *)sqlite3_column_text(q, 0));
	return *id ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

int store_current_at_time(struct store *s, int64_t time_us, struct group *out)
{
	struct reader *r;
	int64_t seq = 0, id;
	int err = views_reader(s, &r);
	if (err)
		return err;
	err = db_count_until(reader_stmt(r, READ_TIME), 1, tape_entries(s), time_us, &seq);
	err = err ? err : session_before(r, seq, &id);
	reader_put(s, r);
	return err ? err : store_group_by_id(s, LOG_SESSION, id, out);
}

int store_groups_changed_at_time(struct store *s, struct log_id log, int64_t time_us,
                                 int64_t *made_us)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*made_us = 0;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_GROUP_MADE);
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, time_us);
	err = db_number(q, made_us);
	reader_put(s, r);
	return err;
}
