/* SPDX-License-Identifier: MIT */
/*
 * The view of windows: what each session's operations have made of it (context.h).
 *
 *                 prune                     summarize (its range)
 *   ┌────────┐ ──────────► ┌────────┐ ───────────────────────────► ┌────────────┐
 *   │ active │ ◄────────── │ pruned │                              │ summarized │
 *   └────────┘ restore,pin └────────┘            prune ┌───────┐   └────────────┘
 *       │                                        ┌─────│ shown │◄────────┘ restore, pin
 *       └── summarize ──► summarized ◄───────────┘     └───────┘
 *                         a shown message is active, beside its summary
 *
 * Invariants
 *   1. No message is pruned and covered by a summary; none is shown and not covered.
 *   2. No pinned message is pruned, or covered and not shown.
 *   3. Summaries that hold do not meet.
 *   4. v_context counts what the rows that still hold say.
 *   5. An operation has its whole effect or, if it breaks a rule, none.
 */
#include <string.h>

#include "store/context/context.h"
#include "store/context/context_body.h"

enum {
	VIEW_CONTEXT = SQL_FIRST(SQL_CONTEXT), VIEW_PUT_CONTEXT, VIEW_CONTEXT_MESSAGE,
	VIEW_CONTEXT_HELD, VIEW_CONTEXT_MARK, VIEW_CONTEXT_UNMARK, VIEW_CONTEXT_UNMARK_RANGE,
	VIEW_CONTEXT_UNMARK_ALL, VIEW_CONTEXT_OVER, VIEW_CONTEXT_SUMMARY, VIEW_CONTEXT_DISSOLVE,
	VIEW_CONTEXT_WINDOW, VIEW_CONTEXT_UNFIX, VIEW_CONTEXT_DIGEST
};

static const char *const view_sql[] = {
	[SQL_N(VIEW_CONTEXT)] =
		"SELECT entries, size, pruned, pinned, summaries, summarized, last_seq,"
		" last_us FROM v_context WHERE session = ?1",
	[SQL_N(VIEW_PUT_CONTEXT)] =
		"INSERT OR REPLACE INTO v_context VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[SQL_N(VIEW_CONTEXT_MESSAGE)] =
		"SELECT (SELECT coalesce(sum(mark), 0) FROM v_context_mark WHERE session = ?1"
		" AND message = ?2 AND" STILL "),"
		" (SELECT last >= ?2 FROM v_context_summary WHERE session = ?1 AND" STILL
		" AND first <= ?2 ORDER BY first DESC LIMIT 1)",
	[SQL_N(VIEW_CONTEXT_HELD)] =
		"SELECT 1 FROM v_context_mark INDEXED BY v_context_held"
		" WHERE session = ?1 AND mark = ?2 AND message BETWEEN ?3 AND ?4 AND"
		STILL " LIMIT 1",
	[SQL_N(VIEW_CONTEXT_MARK)] =
		"INSERT INTO v_context_mark VALUES(?1, ?2, ?3, ?4, " FOR_EVER ")",
	[SQL_N(VIEW_CONTEXT_UNMARK)] =
		"UPDATE v_context_mark SET until = ?4 WHERE session = ?1"
		" AND message = ?2 AND mark = ?3 AND" STILL,
	[SQL_N(VIEW_CONTEXT_UNMARK_RANGE)] =
		"UPDATE v_context_mark SET until = ?4 WHERE session = ?1"
		" AND mark = " PRUNED_SQL " AND message BETWEEN ?2 AND ?3 AND" STILL,
	[SQL_N(VIEW_CONTEXT_UNMARK_ALL)] =
		"UPDATE v_context_mark SET until = ?2 WHERE session = ?1"
		" AND mark IN (" PRUNED_SQL ", " SHOWN_SQL ") AND" STILL,
	[SQL_N(VIEW_CONTEXT_OVER)] =
		"SELECT last >= ?2 FROM v_context_summary WHERE session = ?1 AND" STILL
		" AND first <= ?3 ORDER BY first DESC LIMIT 1",
	[SQL_N(VIEW_CONTEXT_SUMMARY)] =
		"INSERT INTO v_context_summary VALUES(?1, ?2, ?3, ?4, " FOR_EVER ", ?5, ?6, ?7)",
	[SQL_N(VIEW_CONTEXT_DISSOLVE)] =
		"UPDATE v_context_summary SET until = ?2 WHERE session = ?1 AND" STILL,
	[SQL_N(VIEW_CONTEXT_WINDOW)] =
		"INSERT INTO v_context_window VALUES(?1, ?2, " FOR_EVER ", ?3)",
	[SQL_N(VIEW_CONTEXT_UNFIX)] =
		"UPDATE v_context_window SET until = ?2 WHERE session = ?1 AND" STILL,
	[SQL_N(VIEW_CONTEXT_DIGEST)] =
		"INSERT OR IGNORE INTO v_context_digest VALUES(?2, ?3, ?4, ?1, ?5, ?6, ?7)",
};

struct window {
	int64_t session, messages; /* how many it has, as the tape stands here */
	int64_t entries, size, pruned, pinned, summaries, summarized, last_seq, last_us;
};

static int get(struct view *v, int64_t session, struct window *w)
{
	struct view_group *g;
	int err = view_group_get(v, GROUP_SESSION, session, &g);
	*w = (struct window){ .session = session, .messages = err ? 0 : g->messages };
	if (err && err != STORE_ENOENT)
		return err;
	sqlite3_stmt *q = view_stmt(v, VIEW_CONTEXT);
	sqlite3_bind_int64(q, 1, session);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		int64_t *const number[] = { &w->entries, &w->size, &w->pruned, &w->pinned,
			&w->summaries, &w->summarized, &w->last_seq, &w->last_us };
		for (int i = 0; i < 8; i++)
			*number[i] = sqlite3_column_int64(q, i);
	}
	sqlite3_reset(q);
	return db_error(rc);
}

static int window_put(struct view *v, const struct window *w)
{
	const int64_t number[] = { w->session, w->entries, w->size, w->pruned, w->pinned,
		w->summaries, w->summarized, w->last_seq, w->last_us };
	for (int i = 0; i < 9; i++)
		sqlite3_bind_int64(view_stmt(v, VIEW_PUT_CONTEXT), 1 + i, number[i]);
	return view_run(v, VIEW_PUT_CONTEXT);
}

/* One of the statements that take up to four numbers. */
static int window_run(struct view *v, int which, int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t number[] = { a, b, c, d };
	int most = sqlite3_bind_parameter_count(view_stmt(v, which));
	for (int i = 0; i < 4 && i < most; i++)
		sqlite3_bind_int64(view_stmt(v, which), 1 + i, number[i]);
	return view_run(v, which);
}

/* The same of one that asks: the first column of its first row, 0: there is none. */
static int ask(struct view *v, int which, int64_t a, int64_t b, int64_t c, int64_t d,
               bool *yes)
{
	sqlite3_stmt *q = view_stmt(v, which);
	const int64_t number[] = { a, b, c, d };
	for (int i = 0; i < 4 && i < sqlite3_bind_parameter_count(q); i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	int rc = sqlite3_step(q);
	*yes = rc == SQLITE_ROW && sqlite3_column_int64(q, 0) != 0;
	sqlite3_reset(q);
	return db_error(rc);
}

static int marks_of(struct view *v, const struct window *w, int64_t n, int64_t *marks,
                    bool *covered)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_CONTEXT_MESSAGE);
	sqlite3_bind_int64(q, 1, w->session);
	sqlite3_bind_int64(q, 2, n);
	int rc = sqlite3_step(q);
	*marks = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	*covered = rc == SQLITE_ROW && sqlite3_column_int(q, 1) != 0;
	sqlite3_reset(q);
	return db_error(rc);
}

static int mark(struct view *v, const struct window *w, int64_t n, int64_t which, int64_t seq)
{
	return window_run(v, VIEW_CONTEXT_MARK, w->session, n, which, seq);
}

static int unmark(struct view *v, const struct window *w, int64_t n, int64_t which, int64_t seq)
{
	return window_run(v, VIEW_CONTEXT_UNMARK, w->session, n, which, seq);
}

static int prune(struct view *v, struct window *w, int64_t n, int64_t marks, bool covered,
                 int64_t seq)
{
	if (covered && (marks & MARK_SHOWN)) {
		w->summarized++;
		return unmark(v, w, n, MARK_SHOWN, seq);
	}
	if (covered || (marks & MARK_PRUNED))
		return 0;
	w->pruned++;
	return mark(v, w, n, MARK_PRUNED, seq);
}

static int restore(struct view *v, struct window *w, int64_t n, int64_t marks, bool covered,
                   int64_t seq)
{
	if (marks & MARK_PRUNED) {
		w->pruned--;
		return unmark(v, w, n, MARK_PRUNED, seq);
	}
	if (!covered || (marks & MARK_SHOWN))
		return 0;
	w->summarized--;
	return mark(v, w, n, MARK_SHOWN, seq);
}

static bool by_agent(const struct context_op *op)
{
	return op->agent && *op->agent;
}

static int pin(struct view *v, struct window *w, int64_t n, int64_t marks, bool person, int64_t seq)
{
	int err = 0;
	if (!(marks & MARK_PINNED)) {
		w->pinned++;
		err = mark(v, w, n, MARK_PINNED, seq);
	}
	return err || !person || (marks & MARK_KEPT) ? err : mark(v, w, n, MARK_KEPT, seq);
}

static int unpin(struct view *v, struct window *w, int64_t n, int64_t marks, int64_t seq)
{
	int err = marks & MARK_KEPT ? unmark(v, w, n, MARK_KEPT, seq) : 0;
	if (err || !(marks & MARK_PINNED))
		return err;
	w->pinned--;
	return unmark(v, w, n, MARK_PINNED, seq);
}

/* A verb's effect on one message. */
static int change(struct view *v, struct window *w, const struct context_op *op, int64_t n,
                  int64_t seq)
{
	enum context_verb verb = op->verb;
	int64_t marks;
	bool covered;
	int err = marks_of(v, w, n, &marks, &covered);
	if (err)
		return err;
	if (verb == CONTEXT_PRUNE)
		return prune(v, w, n, marks, covered, seq);
	if (verb == CONTEXT_UNPIN)
		return unpin(v, w, n, marks, seq);
	if (verb == CONTEXT_PIN)
		err = pin(v, w, n, marks, !by_agent(op), seq);
	return err ? err : restore(v, w, n, marks, covered, seq);
}

/* Rules 1 and 2 of context.h. */
static int is_allowed(struct view *v, const struct window *w, const struct context_op *op,
                      bool *yes)
{
	bool pinned = false, meets = false;
	int err = 0;
	*yes = op->count == 0 || op->range[op->count - 1].last <= w->messages;
	bool unpins = op->verb == CONTEXT_UNPIN && by_agent(op);
	if (op->verb != CONTEXT_PRUNE && op->verb != CONTEXT_SUMMARIZE && !unpins)
		return 0;
	for (size_t i = 0; *yes && !err && !pinned && i < op->count; i++)
		err = ask(v, VIEW_CONTEXT_HELD, w->session, unpins ? MARK_KEPT : MARK_PINNED,
		          op->range[i].first, op->range[i].last, &pinned);
	if (!err && *yes && op->verb == CONTEXT_SUMMARIZE)
		err = ask(v, VIEW_CONTEXT_OVER, w->session, op->range[0].first, op->range[0].last, 0,
		          &meets);
	*yes = *yes && !pinned && !meets;
	return err;
}

/* A text for a range of messages, by one of two statements. */
static int put_text(struct view *v, int which, const struct window *w,
                    const struct context_op *op, const struct entry *e)
{
	sqlite3_stmt *q = view_stmt(v, which);
	const int64_t number[] = { e->seq, w->session, op->range[0].first, op->range[0].last,
		e->time_us };
	for (int i = 0; i < 5; i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	sqlite3_bind_text(q, 6, e->author, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 7, op->text, (int)op->len, SQLITE_STATIC);
	return view_run(v, which);
}

static int summarize(struct view *v, struct window *w, const struct context_op *op,
                     const struct entry *e)
{
	const struct context_range r = op->range[0];
	int err = window_run(v, VIEW_CONTEXT_UNMARK_RANGE, w->session, r.first, r.last, e->seq);
	w->pruned -= err ? 0 : sqlite3_changes64(v->db);
	w->summarized += r.last - r.first + 1;
	w->summaries++;
	return err ? err : put_text(v, VIEW_CONTEXT_SUMMARY, w, op, e);
}

static int set_window(struct view *v, struct window *w, int64_t size, int64_t seq)
{
	int err = w->size ? window_run(v, VIEW_CONTEXT_UNFIX, w->session, seq, 0, 0) : 0;
	w->size = size;
	return err || !size ? err : window_run(v, VIEW_CONTEXT_WINDOW, w->session, seq, size, 0);
}

static int reset(struct view *v, struct window *w, int64_t seq)
{
	int err = window_run(v, VIEW_CONTEXT_UNMARK_ALL, w->session, seq, 0, 0);
	if (!err)
		err = window_run(v, VIEW_CONTEXT_DISSOLVE, w->session, seq, 0, 0);
	w->pruned = w->summaries = w->summarized = 0;
	return err ? err : set_window(v, w, 0, seq);
}

static int apply(struct view *v, struct window *w, const struct context_body *body,
                 const struct entry *e)
{
	const struct context_op *op = &body->op;
	int err = 0;
	switch (op->verb) {
	case CONTEXT_SUMMARIZE:
		return summarize(v, w, op, e);
	case CONTEXT_RESET:
		return reset(v, w, e->seq);
	case CONTEXT_WINDOW:
		return set_window(v, w, op->window, e->seq);
	case CONTEXT_DIGEST:
		return put_text(v, VIEW_CONTEXT_DIGEST, w, op, e);
	case CONTEXT_REFER:
		return log_refer(v, e, w->session, op->range[0].first, body->refs);
	default:
		for (size_t i = 0; i < op->count; i++)
			for (int64_t n = op->range[i].first; !err && n <= op->range[i].last; n++)
				err = change(v, w, op, n, e->seq);
		return err;
	}
}

static int see_entry(struct view *v, const struct entry *e, int64_t session)
{
	struct context_body body;
	struct window w;
	bool allowed = false;
	int err = get(v, session, &w);
	w.entries = e->stream_seq + 1;
	if (!err && strcmp(e->kind, "context") == 0 &&
	    context_body_read(e->body, e->body_len, &body)) {
		err = is_allowed(v, &w, &body.op, &allowed);
		if (!err && allowed) {
			err = apply(v, &w, &body, e);
			/* Else the window is as it was. */
			if (body.op.verb != CONTEXT_DIGEST && body.op.verb != CONTEXT_REFER) {
				w.last_seq = e->seq;
				w.last_us = e->time_us;
			}
		}
		context_body_release(&body);
	}
	return err ? err : window_put(v, &w);
}

static bool said_by_agent(const struct entry *e)
{
	json_t *body = e->body ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
	struct talk talk;
	(void)log_talk(body, &talk);
	json_decref(body);
	return *talk.agent != '\0';
}

int context_pinned(struct view *v, const struct entry *e, int64_t session, int64_t n)
{
	struct window w;
	int err = get(v, session, &w);
	if (!err)
		err = pin(v, &w, n, 0, !said_by_agent(e), e->seq);
	return err ? err : window_put(v, &w);
}

static const struct view_kind kinds[] = { { .letter = 'c', .see = see_entry, .at_once = true } };
const struct view_room context_views = { .sql = SQL_OF(view_sql), .kinds = kinds,
	.kind_count = 1 };
