/* SPDX-License-Identifier: MIT */
/*
 * Windows as they were (store/context.h).  A time is a place on the tape; rows that held
 * there are those with since <= place < until.
 */
#include <string.h>

#include "store/context/context_body.h"
#include "store/context/context_read.h"

struct past {
	struct reader *r;
	sqlite3_stmt *q;
	int64_t session, messages, end; /* its messages; entries on the tape */
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
	out->session = session;
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

/* As view_context.c allows it; what that was asked is asked of what held before the entry. */
static int was_allowed(struct past *p, const struct context_op *op, int64_t seq, bool *yes)
{
	bool agent = op->agent && *op->agent, summary = op->verb == CONTEXT_SUMMARIZE;
	int rc = SQLITE_ROW, mark = op->verb == CONTEXT_PRUNE || summary ? MARK_PINNED :
		op->verb == CONTEXT_UNPIN && agent ? MARK_KEPT : 0;
	*yes = true;
	for (size_t i = 0; *yes && rc == SQLITE_ROW && i < op->count; i++) {
		sqlite3_stmt *q = reader_stmt(p->r, READ_CONTEXT_BARRED_THEN);
		const int64_t number[] = { mark, op->range[i].first, op->range[i].last, p->session, seq,
			summary };
		for (int k = 0; q && k < 6; k++)
			sqlite3_bind_int64(q, 1 + k, number[k]);
		rc = q ? sqlite3_step(q) : SQLITE_ERROR;
		*yes = rc == SQLITE_ROW && !sqlite3_column_int(q, 0);
		sqlite3_reset(q);
	}
	return rc == SQLITE_ROW ? 0 : db_error(rc);
}

/* The last operation up to then that changed the window, or could have: not all leave a row. */
static int find_last(struct past *p, struct context_state *out)
{
	sqlite3_stmt *q = reader_stmt(p->r, READ_CONTEXT_LAST_THEN);
	int rc = SQLITE_ERROR, err = 0;
	sqlite3_bind_int64(q, 4, p->session);
	sqlite3_bind_int64(q, 5, p->end);
	while (!err && !out->last_seq && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct context_body body;
		struct entry e;
		bool allowed = false;
		err = row_entry(&p->r->check, q, &e);
		if (err || strcmp(e.kind, "context") != 0 || !context_body_read(e.body, e.body_len, &body))
			continue;
		if (body.op.verb != CONTEXT_DIGEST && body.op.verb != CONTEXT_REFER)
			err = was_allowed(p, &body.op, e.seq, &allowed);
		if (!err && allowed) {
			out->last_seq = e.seq;
			out->last_us = e.time_us;
		}
		context_body_release(&body);
	}
	return err ? err : db_error(rc);
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
	err = db_error(rc);
	return end(s, &p, err ? err : find_last(&p, out));
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
