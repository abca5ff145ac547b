/* SPDX-License-Identifier: MIT */
/* Windows as they stand now: states, turns, summaries (context.h). */
#include <jansson.h>
#include <string.h>

#include "store/context/context_read.h"
#include "store/documents/documents.h"

int context_begin(struct store *s, int64_t session, struct reader **r, int64_t *messages)
{
	int err = views_snapshot(s, r);
	if (err)
		return err;
	err = log_length(*r, session, messages);
	if (err)
		reader_put(s, *r);
	return err;
}

void context_count(struct context_state *state)
{
	state->active = state->messages - state->pruned - state->summarized;
}

int store_context_state(struct store *s, int64_t session, struct context_state *out)
{
	struct reader *r;
	memset(out, 0, sizeof *out);
	int err = context_begin(s, session, &r, &out->messages);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_CONTEXT);
	sqlite3_bind_int64(q, 1, session);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW) {
		int64_t *const number[] = { &out->pruned, &out->pinned, &out->summaries,
			&out->summarized, &out->last_seq, &out->last_us };
		out->window = sqlite3_column_int(q, 1);
		for (int i = 0; i < 6; i++)
			*number[i] = sqlite3_column_int64(q, 2 + i);
	}
	reader_put(s, r);
	context_count(out);
	return db_error(rc);
}

/* ---- turns ----------------------------------------------------------- */

/* A member as a name: itself when a string, its `name` when an object; NULL: neither. */
static const char *name_of(const json_t *value)
{
	return json_is_object(value) ? json_string_value(json_object_get(value, "name")) :
		json_string_value(value);
}

/* Said, and neither false nor empty. */
static bool says_something(const json_t *value)
{
	return value && !json_is_null(value) && !json_is_false(value) &&
	       !(json_is_string(value) && json_string_length(value) == 0);
}

static void take_body(struct turn *t, const json_t *body)
{
	const json_t *content = json_object_get(body, "content");
	const char *role = json_string_value(json_object_get(body, "role"));
	const char *tool = name_of(json_object_get(body, "tool"));
	t->role = role ? role : "";
	t->tool = tool ? tool : "";
	t->error = says_something(json_object_get(body, "error"));
	t->tokens = doc_body_number(json_object_get(body, "token_count"));
	t->content = json_is_string(content) ? json_string_value(content) : "";
	t->len = json_is_string(content) ? json_string_length(content) : 0;
}

static bool is_active(int64_t marks, int64_t summary)
{
	return !(marks & MARK_PRUNED) && (summary == 0 || (marks & MARK_SHOWN));
}

int context_each_turn(struct reader *r, sqlite3_stmt *q, bool active_only, each_turn_fn *fn,
                      void *ctx)
{
	int rc = SQLITE_DONE, stop = 0;
	while (!stop && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		int64_t marks = sqlite3_column_int64(q, ENTRY_COLUMN_COUNT);
		int64_t summary = sqlite3_column_int64(q, ENTRY_COLUMN_COUNT + 1);
		int err = row_entry(&r->check, q, &e);
		if (err)
			return err;
		if (active_only && !is_active(marks, summary))
			continue;
		struct turn t = { .n = e.stream_seq + 1, .seq = e.seq, .time_us = e.time_us,
			.author = e.author, .active = is_active(marks, summary),
			.pinned = (marks & MARK_PINNED) != 0, .pruned = (marks & MARK_PRUNED) != 0,
			.kept = (marks & MARK_KEPT) != 0, .summary = summary };
		json_t *body = e.body ? json_loadb(e.body, e.body_len,
		                                   JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL) : NULL;
		take_body(&t, body);
		if (e.damaged) {
			t.content = DAMAGED_TEXT;
			t.len = sizeof DAMAGED_TEXT - 1;
			t.tokens = 16;
		}
		struct saying said;
		log_said(body, &e, &said);
		t.time_us = said.time_us;
		t.by = said.by;
		stop = fn(ctx, &t);
		json_decref(body);
	}
	return stop ? 1 : db_error(rc);
}

void context_bind_turns(sqlite3_stmt *q, int64_t session, int64_t from, int64_t to)
{
	char stream[24];
	store_session_stream(session, stream);
	sqlite3_reset(q);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(q, 2, from - 1);
	sqlite3_bind_int64(q, 3, to - 1);
	sqlite3_bind_int64(q, 4, session);
}

static int turns(struct store *s, int which, int64_t session, int64_t from, int64_t to,
                 each_turn_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t messages;
	int err = context_begin(s, session, &r, &messages);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, which);
	context_bind_turns(q, session, from > 0 ? from : 1, to < messages ? to : messages);
	err = context_each_turn(r, q, false, fn, ctx);
	reader_put(s, r);
	return err > 0 ? 0 : err;
}

int store_turns(struct store *s, int64_t session, int64_t from, int64_t to, each_turn_fn *fn,
                void *ctx)
{
	return turns(s, READ_TURNS, session, from, to, fn, ctx);
}

int store_pinned(struct store *s, int64_t session, each_turn_fn *fn, void *ctx)
{
	return turns(s, READ_TURNS_PINNED, session, 1, INT64_MAX, fn, ctx);
}

/* The last summary that begins at `n` or before; *first 0: there is none. */
static int summary_before(struct reader *r, int64_t session, int64_t n, struct context_range *out)
{
	sqlite3_stmt *q = reader_stmt(r, READ_SUMMARIES_BACK);
	*out = (struct context_range){ 0, 0 };
	sqlite3_bind_int64(q, 1, session);
	sqlite3_bind_int64(q, 2, n);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW)
		*out = (struct context_range){ sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2) };
	sqlite3_reset(q);
	return db_error(rc);
}

/* The last message of a range that is shown beside its summary; 0: none. */
static int shown_before(struct reader *r, int64_t session, int64_t first, int64_t n, int64_t *shown)
{
	sqlite3_stmt *q = reader_stmt(r, READ_CONTEXT_SHOWN);
	sqlite3_bind_int64(q, 1, session);
	sqlite3_bind_int64(q, 2, first);
	sqlite3_bind_int64(q, 3, n);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	*shown = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return db_error(rc);
}

/* What a summary covers is stepped over whole: only what is shown beside it is looked at. */
static int active_back(struct reader *r, int64_t session, int64_t n, each_turn_fn *fn, void *ctx)
{
	sqlite3_stmt *q = reader_stmt(r, READ_TURNS_ACTIVE);
	int err = 0;
	while (!err && n >= 1) {
		struct context_range over;
		int64_t shown = 0;
		err = summary_before(r, session, n, &over);
		bool covered = over.first > 0 && over.last >= n;
		if (!err && covered)
			err = shown_before(r, session, over.first, n, &shown);
		if (err)
			break;
		int64_t from = covered ? shown : over.last + 1, to = covered ? shown : n;
		if (!covered || shown) {
			context_bind_turns(q, session, from, to);
			err = context_each_turn(r, q, true, fn, ctx);
		}
		n = covered && !shown ? over.first - 1 : from - 1;
	}
	return err;
}

int store_active_back(struct store *s, int64_t session, int64_t from, each_turn_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t messages;
	int err = context_begin(s, session, &r, &messages);
	if (err)
		return err;
	err = active_back(r, session, from > 0 && from < messages ? from : messages, fn, ctx);
	reader_put(s, r);
	return err > 0 ? 0 : err;
}

/* ---- summaries and marks ---------------------------------------------- */

int context_each_summary(sqlite3_stmt *q, summary_fn *fn, void *ctx)
{
	int rc = SQLITE_DONE, stop = 0;
	while (!stop && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct summary y = { .seq = sqlite3_column_int64(q, 0),
			.first = sqlite3_column_int64(q, 1), .last = sqlite3_column_int64(q, 2),
			.time_us = sqlite3_column_int64(q, 3),
			.author = (const char *)sqlite3_column_text(q, 4),
			.text = (const char *)sqlite3_column_text(q, 5) };
		y.len = (size_t)sqlite3_column_bytes(q, 5);
		if (!y.author || !y.text)
			return STORE_ENOMEM;
		stop = fn(ctx, &y);
	}
	return stop ? 1 : db_error(rc);
}

static int summaries(struct store *s, int which, int64_t session, int64_t from,
                     summary_fn *fn, void *ctx)
{
	struct reader *r;
	int64_t messages;
	int err = context_begin(s, session, &r, &messages);
	if (err)
		return err;
	sqlite3_bind_int64(reader_stmt(r, which), 1, session);
	sqlite3_bind_int64(reader_stmt(r, which), 2, from);
	err = context_each_summary(reader_stmt(r, which), fn, ctx);
	reader_put(s, r);
	return err > 0 ? 0 : err;
}

int store_summaries(struct store *s, int64_t session, int64_t from, summary_fn *fn, void *ctx)
{
	return summaries(s, READ_SUMMARIES, session, from, fn, ctx);
}

int store_summaries_back(struct store *s, int64_t session, int64_t from, summary_fn *fn, void *ctx)
{
	return summaries(s, READ_SUMMARIES_BACK, session, from > 0 ? from : INT64_MAX, fn, ctx);
}

struct one_summary {
	summary_fn *fn;
	void *ctx;
	bool found;
};

static int hand_on(void *ctx, const struct summary *y)
{
	struct one_summary *one = ctx;
	one->found = true;
	return one->fn ? one->fn(one->ctx, y) : 0;
}

int context_one_summary(sqlite3_stmt *q, summary_fn *fn, void *ctx)
{
	struct one_summary one = { fn, ctx, false };
	int err = context_each_summary(q, hand_on, &one);
	return err < 0 ? err : one.found ? 0 : STORE_ENOENT;
}

int store_summary(struct store *s, int64_t seq, int64_t *session, summary_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_snapshot(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_SUMMARY);
	sqlite3_bind_int64(q, 1, seq);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW && session)
		*session = sqlite3_column_int64(q, 6);
	sqlite3_reset(q);
	err = context_one_summary(q, fn, ctx);
	reader_put(s, r);
	return err;
}

int context_each_range(sqlite3_stmt *q, range_fn *fn, void *ctx)
{
	struct context_range r = { 0, 0 };
	int rc = SQLITE_DONE, stop = 0;
	while (!stop && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t n = sqlite3_column_int64(q, 0);
		if (r.first && n == r.last + 1) {
			r.last = n;
			continue;
		}
		stop = r.first ? fn(ctx, r) : 0;
		r = (struct context_range){ n, n };
	}
	if (!stop && r.first && db_error(rc) == 0)
		stop = fn(ctx, r);
	return stop ? 1 : db_error(rc);
}

int store_context_marked(struct store *s, int64_t session, enum context_mark mark, range_fn *fn,
                         void *ctx)
{
	struct reader *r;
	int64_t messages;
	int err = context_begin(s, session, &r, &messages);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_CONTEXT_HELD);
	sqlite3_bind_int64(q, 1, session);
	sqlite3_bind_int64(q, 2, mark);
	sqlite3_bind_int64(q, 3, 1);
	sqlite3_bind_int64(q, 4, INT64_MAX);
	err = context_each_range(q, fn, ctx);
	reader_put(s, r);
	return err > 0 ? 0 : err;
}
