/* SPDX-License-Identifier: MIT */
/*
 * Windows as they were (store/context.h).  A time is a place on the tape; rows that held
 * there are those with since <= place < until.
 */
#include <string.h>

#include "store/context/context_read.h"

struct past {
	struct reader *r;
	sqlite3_stmt *q;
	int64_t messages, end; /* of the session; entries on the tape */
};

static int begin(struct store *s, int64_t session, int64_t time_us, int which, struct past *out)
{
	struct group g;
	/* Before the transaction: what comes in between is later than the time or counts for both. */
	int err = store_group_at_time(s, (struct log_id){ LOG_SESSION, session }, time_us, &g);
	if (!err)
		err = context_begin(s, session, &out->r, &out->messages);
	if (err)
		return err;
	out->messages = g.messages;
	/* Entries not later than a time: times never go back along the tape. */
	int64_t count = db_int(out->r->db, "SELECT coalesce(max(seq), -1) + 1 FROM tape", 0);
	err = db_count_until(reader_stmt(out->r, READ_TIME), 1, count, time_us, &out->end);
	out->q = err ? NULL : reader_stmt(out->r, which);
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
	reader_put(s, p->r);
	return err > 0 ? 0 : err;
}

int store_context_state_at_time(struct store *s, int64_t session, int64_t time_us,
                                struct context_state *out)
{
	struct past p;
	memset(out, 0, sizeof *out);
	int err = begin(s, session, time_us, READ_CONTEXT_THEN, &p);
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
	sqlite3_stmt *q = reader_stmt(p.r, READ_CONTEXT_LAST_THEN);
	sqlite3_bind_int64(q, 4, session);
	sqlite3_bind_int64(q, 5, p.end);
	if (q && sqlite3_step(q) == SQLITE_ROW) {
		out->last_seq = sqlite3_column_int64(q, 0);
		out->last_us = sqlite3_column_int64(q, 1);
	}
	return end(s, &p, db_error(rc));
}

int store_summaries_at_time(struct store *s, int64_t session, int64_t time_us, int64_t from,
                            summary_fn *fn, void *ctx)
{
	struct past p;
	int err = begin(s, session, time_us, READ_SUMMARIES_THEN, &p);
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, from);
	return end(s, &p, context_each_summary(p.q, fn, ctx));
}

int store_active_back_at_time(struct store *s, int64_t session, int64_t time_us, each_turn_fn *fn,
                              void *ctx)
{
	struct past p;
	int err = begin(s, session, time_us, READ_TURNS_THEN, &p);
	if (err)
		return err;
	context_bind_turns(p.q, session, 1, p.messages);
	return end(s, &p, context_each_turn(p.r, p.q, true, fn, ctx));
}

int store_context_marked_at_time(struct store *s, int64_t session, int64_t time_us,
                                 enum context_mark mark, range_fn *fn, void *ctx)
{
	struct past p;
	int err = begin(s, session, time_us, READ_CONTEXT_MARKED_THEN, &p);
	if (err)
		return err;
	sqlite3_bind_int64(p.q, 1, mark);
	return end(s, &p, context_each_range(p.q, fn, ctx));
}
