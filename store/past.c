/* SPDX-License-Identifier: MIT */
/*
 * Logs and directories as they were.  These statements are asked for now and
 * then, so they are prepared when needed and not kept with each reader.
 */
#include "store/past.h"

#include <string.h>

#include "store/documents/doc_read.h"

/* A statement through a borrowed connection; given back as one. */
struct past_query {
	struct reader *r;
	sqlite3_stmt *q;
};

static int query_begin(struct store *s, const char *sql, struct past_query *out)
{
	int err = doc_begin(s, &out->r);
	out->q = NULL;
	if (err)
		return err;
	out->q = db_prepare(out->r->db, sql);
	if (out->q)
		return 0;
	reader_put(s, out->r);
	return STORE_EIO;
}

static int query_end(struct store *s, struct past_query *p, int err)
{
	sqlite3_finalize(p->q);
	reader_put(s, p->r);
	return err;
}

/* The first column of the only row, 0 if it is NULL. */
static int one_number(sqlite3_stmt *q, int64_t *value)
{
	int rc = sqlite3_step(q);
	*value = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

int store_newest_time(struct store *s, int64_t *time_us)
{
	struct past_query p;
	int err = query_begin(s, "SELECT time_us FROM tape ORDER BY seq DESC LIMIT 1", &p);
	return err ? err : query_end(s, &p, one_number(p.q, time_us));
}

/*
 * How many of `count` rows are not later than a time.  `q` takes a row's number
 * as parameter `n` and has its time in the first column.
 */
static int count_until(sqlite3_stmt *q, int n, int64_t count, int64_t time_us, int64_t *out)
{
	int64_t low = 0, high = count;
	while (low < high) {
		int64_t middle = low + (high - low) / 2, us;
		sqlite3_bind_int64(q, n, middle);
		int err = one_number(q, &us);
		sqlite3_reset(q);
		if (err)
			return err == STORE_ENOENT ? STORE_EIO : err;
		if (us <= time_us)
			low = middle + 1;
		else
			high = middle;
	}
	*out = low;
	return 0;
}

static void bind_log(sqlite3_stmt *q, struct log_id log)
{
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, log.id);
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
	static const char sql[] = "SELECT t.time_us, l.end, l.text_end FROM v_line l"
							  " JOIN tape t ON t.seq = l.seq"
							  " WHERE l.kind = ?1 AND l.id = ?2 AND l.n = ?3";
	struct past_query p;
	int err = doc_see_all(s);
	if (!err)
		err = store_group_by_id(s, log.kind, log.id, out);
	if (!err && out->made_us > time_us)
		err = STORE_ENOENT;
	if (err)
		return err;
	out->tokens = 0;
	if (out->last_us <= time_us) /* nothing came later */
		return 0;
	err = query_begin(s, sql, &p);
	if (err)
		return err;
	bind_log(p.q, log);
	err = count_until(p.q, 3, out->messages, time_us, &out->messages);
	return query_end(s, &p, err ? err : cut_group(p.q, out));
}

/* Tokens of the lines from `from` to before `to`, as view_message.c counts them. */
static int sum_tokens(struct store *s, struct log_id log, int64_t from, int64_t to, int64_t *sum)
{
	static const char sql[] =
		"SELECT coalesce(sum(CASE WHEN n >= 0 AND n < 1e12 THEN CAST(n AS INTEGER) ELSE 0 END), 0)"
		" FROM (SELECT CASE WHEN json_valid(t.body) AND json_type(t.body, '$.token_count')"
		" IN ('integer', 'real') THEN json_extract(t.body, '$.token_count') ELSE 0 END AS n"
		" FROM v_line l JOIN tape t ON t.seq = l.seq"
		" WHERE l.kind = ?1 AND l.id = ?2 AND l.n >= ?3 AND l.n < ?4)";
	struct past_query p;
	int err = query_begin(s, sql, &p);
	if (err)
		return err;
	bind_log(p.q, log);
	sqlite3_bind_int64(p.q, 3, from);
	sqlite3_bind_int64(p.q, 4, to);
	return query_end(s, &p, one_number(p.q, sum));
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

/* The session that the last entry about one, before entry `seq`, wrote to or made. */
static int session_before(struct store *s, int64_t seq, int64_t *id)
{
	struct past_query p;
	int err = query_begin(s, "SELECT stream, stream_seq FROM tape WHERE seq < ?1 AND"
	                         " (stream = 'sessions' OR stream GLOB 's[1-9]*')"
	                         " ORDER BY seq DESC", &p);
	int rc = SQLITE_DONE;
	*id = 0;
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, seq);
	while (!*id && (rc = sqlite3_step(p.q)) == SQLITE_ROW) {
		const char *stream = (const char *)sqlite3_column_text(p.q, 0);
		*id = strcmp(stream, "sessions") == 0 ? sqlite3_column_int64(p.q, 1) + 1 :
			store_stream_session(stream);
	}
	return query_end(s, &p, *id ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc));
}

int store_current_at_time(struct store *s, int64_t time_us, struct group *out)
{
	struct past_query p;
	int64_t seq = 0, id;
	int err = query_begin(s, "SELECT time_us FROM tape WHERE seq = ?1", &p);
	if (err)
		return err;
	err = query_end(s, &p, count_until(p.q, 1, atomic_load(&s->entries), time_us, &seq));
	if (!err)
		err = session_before(s, seq, &id);
	return err ? err : store_group_by_id(s, LOG_SESSION, id, out);
}

int store_groups_changed_at_time(struct store *s, struct log_id log, int64_t time_us,
                                 int64_t *made_us)
{
	struct past_query p;
	int err = query_begin(s, "SELECT max(made_us) FROM v_group WHERE kind = ?1 AND made_us <= ?2",
	                      &p);
	*made_us = 0;
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(p.q, 2, time_us);
	return query_end(s, &p, one_number(p.q, made_us));
}

int store_doc_place_at_time(struct store *s, int64_t id, int64_t time_us, struct doc *out)
{
	struct past_query p;
	int err = query_begin(s, "SELECT parent, name, gone FROM v_place WHERE doc = ?1"
	                         " AND time_us <= ?2 ORDER BY seq DESC LIMIT 1", &p);
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, id);
	sqlite3_bind_int64(p.q, 2, time_us);
	int rc = sqlite3_step(p.q);
	memset(out, 0, sizeof *out);
	if (rc == SQLITE_ROW && sqlite3_column_int(p.q, 2) == 0) {
		out->id = id;
		(void)snprintf(out->parent, sizeof out->parent, "%s", sqlite3_column_text(p.q, 0));
		(void)snprintf(out->name, sizeof out->name, "%s", sqlite3_column_text(p.q, 1));
	}
	return query_end(s, &p, out->id ? 0 : rc == SQLITE_DONE || rc == SQLITE_ROW ? STORE_ENOENT :
	                 db_error(rc));
}

int store_doc_dir_changed_at_time(struct store *s, const char *parent, int64_t time_us,
                                  int64_t *changed_us)
{
	/* A name came with its place, and went with that document's next one. */
	static const char sql[] =
		"SELECT max(coalesce((SELECT q.time_us FROM v_place q WHERE q.doc = p.doc AND q.seq > p.seq"
		" AND q.time_us <= ?2 ORDER BY q.seq LIMIT 1), p.time_us))"
		" FROM v_place p WHERE p.parent = ?1 AND p.time_us <= ?2";
	struct past_query p;
	int err = query_begin(s, sql, &p);
	*changed_us = 0;
	if (err)
		return err;
	sqlite3_bind_text(p.q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(p.q, 2, time_us);
	return query_end(s, &p, one_number(p.q, changed_us));
}
