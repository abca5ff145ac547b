/* SPDX-License-Identifier: MIT */
/*
 * Writing operations.  Each is checked against the window as it would be after
 * those before it, by the rules that the view keeps (view_context.c): what is
 * written here has its effect there.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/context/context_body.h"
#include "store/context/context_read.h"

enum { MOST_TRIES = 1000, TOLD = 8 };

/* What the checks look at. */
struct check {
	struct reader *r;
	int64_t session, messages, entries;
	const struct context_op *ops;
	size_t done; /* operations that count as written */
};

static bool has(const struct context_op *op, int64_t n)
{
	size_t low = 0, high = op->count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (op->range[mid].last < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low < op->count && op->range[low].first <= n;
}

/* What the operations before say of a message: 1 pinned, 0 not, -1 nothing. */
static int said_pinned(const struct check *c, int64_t n)
{
	for (size_t i = c->done; i-- > 0;) {
		const struct context_op *op = &c->ops[i];
		if ((op->verb == CONTEXT_PIN || op->verb == CONTEXT_UNPIN) && has(op, n))
			return op->verb == CONTEXT_PIN;
	}
	return -1;
}

/* Some of the pinned messages that an operation must not touch, as "3 7". */
struct pinned {
	char text[128];
	size_t len;
	int count;
};

static void pinned_tell(struct pinned *p, int64_t n)
{
	char number[32];
	(void)snprintf(number, sizeof number, " %lld", (long long)n);
	if (p->count++ >= TOLD || strstr(p->text, number))
		return;
	int len = snprintf(p->text + p->len, sizeof p->text - p->len, "%s", number);
	p->len += (size_t)len;
}

/* Those that have the mark on the tape and are not unpinned since. */
static int find_held(const struct check *c, int64_t mark, struct context_range r,
                     struct pinned *out)
{
	sqlite3_stmt *q = reader_stmt(c->r, READ_CONTEXT_HELD);
	int rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, c->session);
	sqlite3_bind_int64(q, 2, mark);
	sqlite3_bind_int64(q, 3, r.first);
	sqlite3_bind_int64(q, 4, r.last);
	while (out->count < TOLD && q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		if (said_pinned(c, sqlite3_column_int64(q, 0)) != 0)
			pinned_tell(out, sqlite3_column_int64(q, 0));
	sqlite3_reset(q);
	return db_error(rc);
}

/* Those that this write has pinned itself. */
static void find_pinned_here(const struct check *c, struct context_range r, struct pinned *out)
{
	for (size_t i = 0; i < c->done; i++) {
		const struct context_op *op = &c->ops[i];
		for (size_t k = 0; op->verb == CONTEXT_PIN && k < op->count; k++) {
			int64_t n = op->range[k].first > r.first ? op->range[k].first : r.first;
			for (; out->count < TOLD && n <= op->range[k].last && n <= r.last; n++)
				if (said_pinned(c, n) == 1)
					pinned_tell(out, n);
		}
	}
}

static int check_pinned(const struct check *c, const struct context_op *op, struct why *why)
{
	struct pinned p = { .len = 0 };
	int err = 0;
	for (size_t i = 0; !err && i < op->count; i++) {
		err = find_held(c, MARK_PINNED, op->range[i], &p);
		find_pinned_here(c, op->range[i], &p);
	}
	if (err || p.count == 0)
		return err;
	why_set(why, "leave them, or first: unpin IDS", "pinned messages stay in the window:%s%s",
	        p.text, p.count >= TOLD ? " …" : "");
	return STORE_EPINNED;
}

/* A pin is there to hold what an agent would take out. */
static int check_kept(const struct check *c, const struct context_op *op, struct why *why)
{
	struct pinned p = { .len = 0 };
	int err = 0;
	for (size_t i = 0; !err && op->agent && *op->agent && i < op->count; i++)
		err = find_held(c, MARK_KEPT, op->range[i], &p);
	if (err || p.count == 0)
		return err;
	why_set(why, "leave them, or ask who pinned them: a person's own shell takes a pin out",
	        "a person has pinned these, not an agent:%s%s", p.text, p.count >= TOLD ? " …" : "");
	return STORE_EPINNED;
}

static bool meets(struct context_range a, struct context_range b)
{
	return a.first <= b.last && b.first <= a.last;
}

static int check_meets(const struct check *c, const struct context_op *op, struct why *why)
{
	struct context_range over = { 0, 0 }, own = op->range[0];
	size_t i = c->done;
	for (; i > 0 && c->ops[i - 1].verb != CONTEXT_RESET && !over.first; i--)
		if (c->ops[i - 1].verb == CONTEXT_SUMMARIZE && meets(c->ops[i - 1].range[0], own))
			over = c->ops[i - 1].range[0];
	int rc = SQLITE_DONE;
	sqlite3_stmt *q = reader_stmt(c->r, READ_SUMMARIES_BACK);
	if (!over.first && i == 0 && q) { /* no reset in this write: what is on the tape holds */
		sqlite3_bind_int64(q, 1, c->session);
		sqlite3_bind_int64(q, 2, own.last);
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW && sqlite3_column_int64(q, 2) >= own.first)
			over = (struct context_range){ sqlite3_column_int64(q, 1),
				sqlite3_column_int64(q, 2) };
		sqlite3_reset(q);
	}
	if (!over.first)
		return db_error(rc);
	why_set(why, "summarize messages that no summary covers; `reset` dissolves all summaries",
	        "a summary is written once, and %lld-%lld is summarized already",
	        (long long)over.first, (long long)over.last);
	return STORE_EEXIST;
}

/* A digest is written once, and what this write has said already counts. */
static int check_digest(const struct check *c, const struct context_op *op, struct why *why)
{
	struct context_range own = op->range[0];
	bool there = false;
	for (size_t i = 0; i < c->done; i++)
		there |= c->ops[i].verb == CONTEXT_DIGEST && c->ops[i].range[0].first == own.first &&
		         c->ops[i].range[0].last == own.last;
	sqlite3_stmt *q = reader_stmt(c->r, READ_DIGEST);
	int rc = SQLITE_DONE;
	if (q && !there) {
		sqlite3_bind_int64(q, 1, c->session);
		sqlite3_bind_int64(q, 2, own.first);
		sqlite3_bind_int64(q, 3, own.last);
		rc = sqlite3_step(q);
		sqlite3_reset(q);
	}
	if (!there && rc != SQLITE_ROW)
		return db_error(rc);
	why_set(why, "leave it", "%lld-%lld has a digest already", (long long)own.first,
	        (long long)own.last);
	return STORE_EEXIST;
}

static int check_sound(const struct context_op *op, struct why *why)
{
	if (context_op_is_sound(op))
		return 0;
	if (op->verb == CONTEXT_WINDOW)
		why_set(why, "window N, or window auto", "a window has 1 to %d turns", CONTEXT_WINDOW_MOST);
	else if (op->verb == CONTEXT_SUMMARIZE || op->verb == CONTEXT_DIGEST)
		why_set(why, "summarize A-B TEXT", "a summary has a range and a text of 1 to %d bytes",
		        CONTEXT_TEXT_MOST);
	else if (op->verb == CONTEXT_REFER)
		why_set(why, "refer 12 context:HASH accountant:17", "it takes a message and 1 to %d"
		        " references of type context, accountant or secretary", CONTEXT_REFS_MOST);
	else
		why_set(why, "name messages by number, as in: 3 4 7-9", "no messages are named");
	return STORE_EINVAL;
}

static int check_op(const struct check *c, const struct context_op *op, struct why *why)
{
	int err = check_sound(op, why);
	int64_t last = op->count && op->verb != CONTEXT_WINDOW ? op->range[op->count - 1].last : 0;
	if (!err && last > c->messages) {
		why_set(why, "the first is 1, the last is in log.jsonl", c->messages ?
		        "there is no message %lld: the session has %lld" :
		        "there is no message %lld: the session has none", (long long)last,
		        (long long)c->messages);
		return STORE_EINVAL;
	}
	if (!err && (op->verb == CONTEXT_PRUNE || op->verb == CONTEXT_SUMMARIZE))
		err = check_pinned(c, op, why);
	if (!err && op->verb == CONTEXT_UNPIN)
		err = check_kept(c, op, why);
	if (!err && op->verb == CONTEXT_SUMMARIZE)
		err = check_meets(c, op, why);
	if (!err && op->verb == CONTEXT_DIGEST)
		err = check_digest(c, op, why);
	return err;
}

static int check_all(struct store *s, struct check *c, size_t count, struct why *why)
{
	int err = count > CONTEXT_OPS_MOST ? STORE_EINVAL : 0;
	if (err) {
		why_set(why, "write them in parts", "more than %d commands at once", CONTEXT_OPS_MOST);
		return err;
	}
	err = context_begin(s, c->session, &c->r, &c->messages);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(c->r, READ_CONTEXT);
	sqlite3_bind_int64(q, 1, c->session);
	c->entries = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	for (c->done = 0; !err && c->done < count; c->done++) {
		err = check_op(c, &c->ops[c->done], why);
		if (err && why)
			why->line = c->ops[c->done].line;
	}
	reader_put(s, c->r);
	return err;
}

int store_context_check(struct store *s, int64_t session, const struct context_op *ops,
                        size_t count, struct why *why)
{
	struct check c = { .session = session, .ops = ops };
	return check_all(s, &c, count, why);
}

static char *body_of(const void *ctx, size_t i)
{
	const struct context_op *ops = ctx;
	return context_body_make(&ops[i]);
}

static int append(struct store *s, struct check *c, struct draft *d, size_t count, int64_t *seq)
{
	struct append a = { .count = count, .expect = c->entries };
	int err = tape_append_made(s, &a, d, body_of, c->ops);
	if (!err && seq)
		*seq = a.first_seq;
	return err;
}

int store_context_commit(struct store *s, int64_t session, const struct context_op *ops,
                         size_t count, const char *author, int64_t *seq, struct why *why)
{
	struct check c = { .session = session, .ops = ops };
	char stream[24];
	assert(count > 0);
	(void)snprintf(stream, sizeof stream, "c%lld", (long long)session);
	int err = check_all(s, &c, count, why);
	struct draft *d = err ? NULL : calloc(count, sizeof *d);
	if (!err && !d)
		err = STORE_ENOMEM;
	for (size_t i = 0; !err && i < count; i++)
		d[i] = (struct draft){ .stream = stream, .kind = "context", .author = author };
	for (int tries = 1; !err; tries++) {
		err = append(s, &c, d, count, seq);
		if (err != STORE_EMOVED || tries == MOST_TRIES)
			break;
		err = check_all(s, &c, count, why); /* somebody was faster */
	}
	free(d);
	return err;
}
