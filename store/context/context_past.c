/* SPDX-License-Identifier: MIT */
/*
 * Windows as they were (context.h).  A time is a place on the tape; rows that held
 * there are those with since <= place < until.  These statements are prepared when
 * they are asked for, as those of past.c.
 */
#include <string.h>

#include "store/context/context_read.h"
#include "store/past.h"

/* Held when the tape ended before entry ?5. */
#define HELD(t) " " t "since < ?5 AND " t "until >= ?5"

/*
 * Of the last summary held then that begins at or before a message: no two of those meet, so it
 * alone can reach that far.  Walks the index back over those that were not held.
 */
#define HELD_UPTO(what, message)                                                                   \
	"(SELECT " what " FROM v_context_summary INDEXED BY v_context_first WHERE session = ?4"        \
	" AND first <= " message " AND" HELD("") " ORDER BY first DESC LIMIT 1)"

struct past {
	struct reader *r;
	sqlite3_stmt *q;
	int64_t messages, end; /* of the session; entries on the tape */
};

/* Entries not later than a time: times never go back along the tape. */
static int find_end(struct reader *r, int64_t time_us, int64_t *end)
{
	sqlite3_stmt *q = db_prepare(r->db, "SELECT time_us FROM tape WHERE seq = ?1");
	int64_t low = 0, high = db_int(r->db, "SELECT coalesce(max(seq), -1) + 1 FROM tape", 0);
	int err = q ? 0 : STORE_EIO;
	while (!err && low < high) {
		int64_t middle = low + (high - low) / 2;
		sqlite3_bind_int64(q, 1, middle);
		int rc = sqlite3_step(q);
		bool then = rc == SQLITE_ROW && sqlite3_column_int64(q, 0) <= time_us;
		err = rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_EIO : db_error(rc);
		sqlite3_reset(q);
		low = then ? middle + 1 : low;
		high = then ? high : middle;
	}
	sqlite3_finalize(q);
	*end = low;
	return err;
}

static int begin(struct store *s, int64_t session, int64_t time_us, const char *sql,
                 struct past *out)
{
	struct group g;
	/* Before the transaction: what comes in between is later than the time or counts for both. */
	int err = store_group_at_time(s, (struct log_id){ LOG_SESSION, session }, time_us, &g);
	if (!err)
		err = context_begin(s, session, &out->r, &out->messages);
	if (err)
		return err;
	out->messages = g.messages;
	err = find_end(out->r, time_us, &out->end);
	out->q = err ? NULL : db_prepare(out->r->db, sql);
	if (!out->q) {
		reader_put(s, out->r);
		return err ? err : STORE_EIO;
	}
	sqlite3_bind_int64(out->q, 4, session);
	sqlite3_bind_int64(out->q, 5, out->end);
	return 0;
}

static int end(struct store *s, struct past *p, int err)
{
	sqlite3_finalize(p->q);
	reader_put(s, p->r);
	return err > 0 ? 0 : err;
}

int store_context_state_at_time(struct store *s, int64_t session, int64_t time_us,
                                struct context_state *out)
{
	static const char sql[] =
		"SELECT coalesce(sum(mark = 1), 0), coalesce(sum(mark = 2), 0),"
		" (SELECT count(*) FROM v_context_summary WHERE session = ?4 AND" HELD("") "),"
		" (SELECT coalesce(sum(last - first + 1), 0) FROM v_context_summary"
		" WHERE session = ?4 AND" HELD("") ") - coalesce(sum(mark = 4), 0),"
		" coalesce((SELECT size FROM v_context_window WHERE session = ?4 AND" HELD("") "), 0)"
		" FROM v_context_mark WHERE session = ?4 AND" HELD("");
	struct past p;
	memset(out, 0, sizeof *out);
	int err = begin(s, session, time_us, sql, &p);
	if (err)
		return err;
	int rc = sqlite3_step(p.q);
	if (rc == SQLITE_ROW) {
		int64_t *const number[] = { &out->pruned, &out->pinned, &out->summaries,
			&out->summarized };
		for (int i = 0; i < 4; i++)
			*number[i] = sqlite3_column_int64(p.q, i);
		out->window = sqlite3_column_int(p.q, 4);
	}
	out->messages = p.messages;
	context_count(out);
	/* The last operation up to then left a trace as beginning or end of a row, or none. */
	sqlite3_stmt *q = db_prepare(p.r->db,
		"SELECT t.seq, t.time_us FROM tape t WHERE t.stream = 'c' || ?4 AND t.seq < ?5"
		" ORDER BY t.stream_seq DESC LIMIT 1");
	sqlite3_bind_int64(q, 4, session);
	sqlite3_bind_int64(q, 5, p.end);
	if (q && sqlite3_step(q) == SQLITE_ROW) {
		out->last_seq = sqlite3_column_int64(q, 0);
		out->last_us = sqlite3_column_int64(q, 1);
	}
	sqlite3_finalize(q);
	return end(s, &p, db_error(rc));
}

int store_summaries_at_time(struct store *s, int64_t session, int64_t time_us, int64_t from,
                            summary_fn *fn, void *ctx)
{
	struct past p;
	int err = begin(s, session, time_us,
	                "SELECT since, first, last, time_us, author, text FROM v_context_summary"
	                " WHERE session = ?4 AND" HELD("") " AND first >= coalesce("
	                HELD_UPTO("iif(last >= ?1, first, NULL)", "?1") ", ?1) ORDER BY first", &p);
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, from);
	return end(s, &p, context_each_summary(p.q, fn, ctx));
}

int store_active_back_at_time(struct store *s, int64_t session, int64_t time_us, each_turn_fn *fn,
                              void *ctx)
{
	static const char sql[] =
		"SELECT " ENTRY_COLUMNS ", (SELECT coalesce(sum(k.mark), 0) FROM v_context_mark k"
		" WHERE k.session = ?4 AND k.message = t.stream_seq + 1 AND" HELD("k.") ") AS marks,"
		" coalesce(" HELD_UPTO("iif(last > t.stream_seq, first, 0)", "t.stream_seq + 1") ", 0)"
		" AS over"
		" FROM tape t WHERE t.stream = ?1 AND t.stream_seq BETWEEN ?2 AND ?3"
		" ORDER BY t.stream_seq DESC";
	struct past p;
	int err = begin(s, session, time_us, sql, &p);
	if (err)
		return err;
	context_bind_turns(p.q, session, 1, p.messages);
	return end(s, &p, context_each_turn(p.q, true, fn, ctx));
}

int store_context_marked_at_time(struct store *s, int64_t session, int64_t time_us,
                                 enum context_mark mark, range_fn *fn, void *ctx)
{
	struct past p;
	int err = begin(s, session, time_us,
	                "SELECT message FROM v_context_mark WHERE session = ?4 AND mark = ?1 AND"
	                HELD("") " ORDER BY message", &p);
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, mark);
	return end(s, &p, context_each_range(p.q, fn, ctx));
}
