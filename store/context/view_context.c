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

#include "store/context/context_body.h"
#include "store/internal.h"
#include "store/views/view_internal.h"

enum { PRUNED = 1, PINNED = 2, SHOWN = 4 };

struct window {
	int64_t session, messages; /* how many it has, as the tape stands here */
	int64_t entries, size, pruned, pinned, summaries, summarized, last_seq, last_us;
};

static int get(struct view *v, int64_t session, struct window *w)
{
	struct view_group *g;
	int err = view_group_get(v, KIND_SESSION, session, &g);
	*w = (struct window){ .session = session, .messages = err ? 0 : g->messages };
	if (err && err != STORE_ENOENT)
		return err;
	sqlite3_stmt *q = v->stmt[VIEW_CONTEXT];
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

static int put(struct view *v, const struct window *w)
{
	const int64_t number[] = { w->session, w->entries, w->size, w->pruned, w->pinned,
		w->summaries, w->summarized, w->last_seq, w->last_us };
	for (int i = 0; i < 9; i++)
		sqlite3_bind_int64(v->stmt[VIEW_PUT_CONTEXT], 1 + i, number[i]);
	return view_run(v, VIEW_PUT_CONTEXT);
}

/* One of the statements that take up to four numbers. */
static int run(struct view *v, enum view_stmt which, int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t number[] = { a, b, c, d };
	int most = sqlite3_bind_parameter_count(v->stmt[which]);
	for (int i = 0; i < 4 && i < most; i++)
		sqlite3_bind_int64(v->stmt[which], 1 + i, number[i]);
	return view_run(v, which);
}

/* The same of one that asks: the first column of its first row, 0: there is none. */
static int ask(struct view *v, enum view_stmt which, int64_t a, int64_t b, int64_t c, int64_t d,
               bool *yes)
{
	sqlite3_stmt *q = v->stmt[which];
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
	sqlite3_stmt *q = v->stmt[VIEW_CONTEXT_MESSAGE];
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
	return run(v, VIEW_CONTEXT_MARK, w->session, n, which, seq);
}

static int unmark(struct view *v, const struct window *w, int64_t n, int64_t which, int64_t seq)
{
	return run(v, VIEW_CONTEXT_UNMARK, w->session, n, which, seq);
}

static int prune(struct view *v, struct window *w, int64_t n, int64_t marks, bool covered,
                 int64_t seq)
{
	if (covered && (marks & SHOWN)) {
		w->summarized++;
		return unmark(v, w, n, SHOWN, seq);
	}
	if (covered || (marks & PRUNED))
		return 0;
	w->pruned++;
	return mark(v, w, n, PRUNED, seq);
}

static int restore(struct view *v, struct window *w, int64_t n, int64_t marks, bool covered,
                   int64_t seq)
{
	if (marks & PRUNED) {
		w->pruned--;
		return unmark(v, w, n, PRUNED, seq);
	}
	if (!covered || (marks & SHOWN))
		return 0;
	w->summarized--;
	return mark(v, w, n, SHOWN, seq);
}

/* A verb's effect on one message. */
static int change(struct view *v, struct window *w, enum context_verb verb, int64_t n, int64_t seq)
{
	int64_t marks;
	bool covered;
	int err = marks_of(v, w, n, &marks, &covered);
	if (err)
		return err;
	if (verb == CONTEXT_PRUNE)
		return prune(v, w, n, marks, covered, seq);
	if (verb == CONTEXT_UNPIN && (marks & PINNED)) {
		w->pinned--;
		return unmark(v, w, n, PINNED, seq);
	}
	if (verb == CONTEXT_PIN && !(marks & PINNED)) {
		w->pinned++;
		err = mark(v, w, n, PINNED, seq);
	}
	if (err || verb == CONTEXT_UNPIN)
		return err;
	return restore(v, w, n, marks, covered, seq);
}

/* Rules 1 and 2 of context.h. */
static int is_allowed(struct view *v, const struct window *w, const struct context_op *op,
                      bool *yes)
{
	bool pinned = false, meets = false;
	int err = 0;
	*yes = op->count == 0 || op->range[op->count - 1].last <= w->messages;
	if (op->verb != CONTEXT_PRUNE && op->verb != CONTEXT_SUMMARIZE)
		return 0;
	for (size_t i = 0; *yes && !err && !pinned && i < op->count; i++)
		err = ask(v, VIEW_CONTEXT_HELD, w->session, PINNED, op->range[i].first, op->range[i].last,
		          &pinned);
	if (!err && *yes && op->verb == CONTEXT_SUMMARIZE)
		err = ask(v, VIEW_CONTEXT_OVER, w->session, op->range[0].first, op->range[0].last, 0,
		          &meets);
	*yes = *yes && !pinned && !meets;
	return err;
}

/* A text for a range of messages, by one of two statements. */
static int put_text(struct view *v, enum view_stmt which, const struct window *w,
                    const struct context_op *op, const struct entry *e)
{
	sqlite3_stmt *q = v->stmt[which];
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
	int err = run(v, VIEW_CONTEXT_UNMARK_RANGE, w->session, r.first, r.last, e->seq);
	w->pruned -= err ? 0 : sqlite3_changes64(v->db);
	w->summarized += r.last - r.first + 1;
	w->summaries++;
	return err ? err : put_text(v, VIEW_CONTEXT_SUMMARY, w, op, e);
}

static int set_window(struct view *v, struct window *w, int64_t size, int64_t seq)
{
	int err = w->size ? run(v, VIEW_CONTEXT_UNFIX, w->session, seq, 0, 0) : 0;
	w->size = size;
	return err || !size ? err : run(v, VIEW_CONTEXT_WINDOW, w->session, seq, size, 0);
}

static int reset(struct view *v, struct window *w, int64_t seq)
{
	int err = run(v, VIEW_CONTEXT_UNMARK_ALL, w->session, seq, 0, 0);
	if (!err)
		err = run(v, VIEW_CONTEXT_DISSOLVE, w->session, seq, 0, 0);
	w->pruned = w->summaries = w->summarized = 0;
	return err ? err : set_window(v, w, 0, seq);
}

static int apply(struct view *v, struct window *w, const struct context_op *op,
                 const struct entry *e)
{
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
	default:
		for (size_t i = 0; i < op->count; i++)
			for (int64_t n = op->range[i].first; !err && n <= op->range[i].last; n++)
				err = change(v, w, op->verb, n, e->seq);
		return err;
	}
}

int view_context_entry(struct view *v, const struct entry *e, int64_t session)
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
			err = apply(v, &w, &body.op, e);
			if (body.op.verb != CONTEXT_DIGEST) { /* the window is as it was */
				w.last_seq = e->seq;
				w.last_us = e->time_us;
			}
		}
		context_body_release(&body);
	}
	return err ? err : put(v, &w);
}

int view_context_pinned(struct view *v, const struct entry *e, int64_t session, int64_t n)
{
	struct window w;
	int err = get(v, session, &w);
	if (!err)
		err = mark(v, &w, n, PINNED, e->seq);
	w.pinned++;
	return err ? err : put(v, &w);
}
