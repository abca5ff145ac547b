/* SPDX-License-Identifier: MIT */
/*
 * Reading logs and transcripts at any offset.
 *
 * The views know where each line they have seen ends; what they have not seen
 * is at most a short tail.  So a read is: seek by bisection in v_line (or
 * v_mark for the tape), then walk the rows of the tape, sizing each line by
 * arithmetic, until the wanted bytes are filled.  No read of a session's log
 * or of records waits for the views.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/logs/log_read.h"

enum {
	FAR = 500 /* rows walked before the first wanted one: time for the views to catch up */
};

/* A place to start walking: line `n` begins at byte `start`. */
struct place {
	int64_t n, start;
};

struct measure {
	size_t (*size)(const struct entry *e);
	void (*write)(const struct entry *e, char *dst);
};
static const struct measure log_measure = { line_size, line_write };
static const struct measure tape_measure = { tape_line_size, tape_line_write };

static int line_end(struct reader *r, struct log_id log, int64_t n, bool text, int64_t *end)
{
	sqlite3_stmt *q = reader_stmt(r, READ_LINE);
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, log.id);
	sqlite3_bind_int64(q, 3, n);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*end = sqlite3_column_int64(q, text ? 1 : 0);
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_EIO : db_error(rc);
}

/* The line that holds `offset`, or the place after the last line the views know. */
static int seek_line(struct reader *r, struct log_id log, int64_t offset, bool text,
                     struct place *place)
{
	sqlite3_stmt *q = reader_stmt(r, READ_GROUP_ID);
	int64_t count = 0, bytes = 0;
	sqlite3_bind_int64(q, 1, store_kind_number(log.kind));
	sqlite3_bind_int64(q, 2, log.id);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		count = sqlite3_column_int64(q, 4);
		bytes = sqlite3_column_int64(q, text ? 7 : 6);
	}
	sqlite3_reset(q);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return db_error(rc);
	*place = (struct place){ count, bytes };
	if (offset >= bytes)
		return 0;
	int64_t low = 0, high = count - 1; /* the answer is in [low, high] */
	place->start = 0;
	while (low < high) {
		int64_t middle = low + (high - low) / 2, end = 0;
		int err = line_end(r, log, middle, text, &end);
		if (err)
			return err;
		if (end > offset) {
			high = middle;
		} else {
			low = middle + 1;
			place->start = end;
		}
	}
	place->n = low;
	return 0;
}

static int mark(struct reader *r, int64_t k, int64_t *start)
{
	sqlite3_stmt *q = reader_stmt(r, READ_MARK);
	sqlite3_bind_int64(q, 1, k);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*start = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_EIO : db_error(rc);
}

static int seek_tape(struct reader *r, int64_t offset, struct place *place)
{
	sqlite3_stmt *q = reader_stmt(r, READ_STATE);
	int rc = sqlite3_step(q);
	int64_t upto = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	int64_t bytes = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_EIO : db_error(rc);
	*place = (struct place){ upto, bytes };
	if (offset >= bytes)
		return 0;
	int64_t low = 0, high = (upto - 1) / MARK_EVERY;
	place->start = 0;
	while (low < high) { /* the last mark that is not after offset */
		int64_t middle = low + (high - low + 1) / 2, start = 0;
		int err = mark(r, middle, &start);
		if (err)
			return err;
		if (start <= offset) {
			low = middle;
			place->start = start;
		} else {
			high = middle - 1;
		}
	}
	place->n = low * MARK_EVERY;
	return 0;
}

/* The statement that walks a log from line n on. */
static sqlite3_stmt *walk_from(struct reader *r, struct log_id log, int64_t n)
{
	sqlite3_stmt *q;
	char stream[24];
	switch (log.kind) {
	case LOG_SESSION:
	case LOG_RECORD:
		q = reader_stmt(r, READ_STREAM);
		store_log_stream(log, stream);
		sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(q, 2, n);
		return q;
	case LOG_THREAD:
		q = reader_stmt(r, READ_THREAD);
		sqlite3_bind_int64(q, 1, log.id);
		sqlite3_bind_int64(q, 2, n);
		return q;
	default:
		q = reader_stmt(r, READ_TAPE);
		sqlite3_bind_int64(q, 1, n);
		return q;
	}
}

/* In a transaction, so that what is read from there on is of the same moment. */
static int seek(struct reader *r, struct log_id log, int64_t offset, bool text,
                struct place *place)
{
	int err = db_exec(r->db, "BEGIN");
	return err ? err : log.kind == LOG_TAPE ? seek_tape(r, offset, place) :
	                                          seek_line(r, log, offset, text, place);
}

/*
 * The line at a place of a log, or with `text` its part of the transcript.  The tape's own lines
 * show rows as they are; elsewhere one that fails its check keeps the room it had.
 */
static int read_line(struct reader *r, struct log_id log, const struct place *at, bool text,
                     sqlite3_stmt *q, struct entry *e)
{
	int64_t end;
	int err = log.kind == LOG_TAPE ? entry_of_row(q, e) : row_entry(&r->check, q, e);
	if (!err && log.kind == LOG_THREAD)
		e->session = db_text(q, ENTRY_COLUMN_COUNT);
	if (!err && e->damaged && line_end(r, log, at->n, text, &end) == 0 && end > at->start)
		e->room = (size_t)(end - at->start);
	return err;
}

/* Copies what of [start, start+size) lies in the wanted window. */
static int copy_part(const struct measure *m, const struct entry *e, int64_t start, size_t size,
                     int64_t offset, char *dst, size_t want)
{
	size_t skip = offset > start ? (size_t)(offset - start) : 0;
	size_t at = start > offset ? (size_t)(start - offset) : 0;
	if (skip == 0 && at + size <= want) {
		m->write(e, dst + at);
		return 0;
	}
	char *line = malloc(size);
	if (!line)
		return STORE_ENOMEM;
	m->write(e, line);
	size_t part = size - skip < want - at ? size - skip : want - at;
	memcpy(dst + at, line + skip, part);
	free(line);
	return 0;
}

static ssize_t fill(struct store *s, struct reader *r, struct log_id log, int64_t offset, char *dst,
                    size_t want)
{
	const struct measure *m = log.kind == LOG_TAPE ? &tape_measure : &log_measure;
	struct place place;
	int err = seek(r, log, offset, false, &place);
	if (err)
		return err;
	int64_t skipped = 0;
	sqlite3_stmt *q = walk_from(r, log, place.n);
	int rc = SQLITE_DONE;
	while (place.start < offset + (int64_t)want && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		if ((err = read_line(r, log, &place, false, q, &e)))
			return err;
		size_t size = m->size(&e);
		int64_t start = place.start;
		place.start += (int64_t)size;
		place.n++;
		if (place.start <= offset && ++skipped == FAR)
			views_want(s);
		if (place.start > offset && (err = copy_part(m, &e, start, size, offset, dst, want)))
			return err;
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return db_error(rc);
	int64_t got = place.start - offset;
	return got <= 0 ? 0 : got > (int64_t)want ? (ssize_t)want : (ssize_t)got;
}

ssize_t store_log_read(struct store *s, struct log_id log, int64_t offset, char *dst, size_t size)
{
	if (log.kind == LOG_THREAD) { /* only the views know who belongs to a thread */
		int err = store_catch_up(s);
		if (err)
			return err;
	}
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	ssize_t got = fill(s, r, log, offset, dst, size);
	reader_put(s, r);
	return got;
}

/* Walks from the last place the views know to the end. */
static int measure_log(struct reader *r, struct log_id log, struct log_stat *out)
{
	const struct measure *m = log.kind == LOG_TAPE ? &tape_measure : &log_measure;
	struct place place;
	int err = seek(r, log, INT64_MAX, false, &place);
	if (err)
		return err;
	/* One line back, for the time of the last entry. */
	bool back = place.n > 0;
	sqlite3_stmt *q = walk_from(r, log, place.n - back);
	int rc;
	out->last_us = 0;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		if ((err = read_line(r, log, &place, false, q, &e)))
			return err;
		if (!back)
			place.start += (int64_t)m->size(&e);
		place.n += !back;
		back = false;
		out->last_us = e.time_us;
	}
	out->bytes = place.start;
	return db_error(rc);
}

int store_log_stat(struct store *s, struct log_id log, struct log_stat *out)
{
	char stream[24];
	if (log.kind == LOG_SESSION || log.kind == LOG_RECORD) {
		store_log_stream(log, stream);
		if (tape_log_stat(s, stream, &out->bytes, &out->last_us))
			return 0;
	} else {
		int err = store_catch_up(s);
		if (err)
			return err;
	}
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	int err = measure_log(r, log, out);
	reader_put(s, r);
	return err;
}

static int each_text(struct reader *r, struct log_id log, int64_t offset,
                     size_t (*text_size)(const struct entry *), text_fn *fn, void *ctx)
{
	struct place place;
	int err = seek(r, log, offset, true, &place);
	if (err)
		return err;
	sqlite3_stmt *q = walk_from(r, log, place.n);
	int rc;
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		if ((err = read_line(r, log, &place, true, q, &e)))
			return err;
		int64_t start = place.start;
		place.start += (int64_t)text_size(&e);
		place.n++;
		if (place.start > offset && fn(ctx, &e, start))
			return 0;
	}
	return db_error(rc);
}

int store_text_each(struct store *s, struct log_id log, int64_t offset, text_fn *fn, void *ctx)
{
	assert(log.kind != LOG_TAPE);
	int err = store_catch_up(s);
	struct reader *r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	err = each_text(r, log, offset, s->config.text_size, fn, ctx);
	reader_put(s, r);
	return err;
}

/* The first row of a bound statement. */
static int one_entry(struct reader *r, sqlite3_stmt *q, entry_fn *fn, void *ctx)
{
	struct entry e;
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	if (rc == SQLITE_ROW && !(err = row_entry(&r->check, q, &e)))
		fn(ctx, &e);
	return err;
}

int store_message_seq(struct store *s, int64_t session, int64_t n, int64_t *seq)
{
	char stream[24];
	struct reader *r = n < 1 ? NULL : reader_get(s);
	if (!r)
		return n < 1 ? STORE_ENOENT : STORE_EIO;
	store_session_stream(session, stream);
	sqlite3_stmt *q = reader_stmt(r, READ_MESSAGE_SEQ);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(q, 2, n - 1);
	int rc = sqlite3_step(q);
	*seq = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
	reader_put(s, r);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

/* 1: its session has no name, and the views lack entries that may say it. */
static int named_message(struct reader *r, int64_t seq, bool behind, entry_fn *fn, void *ctx)
{
	struct entry e;
	sqlite3_stmt *q = reader_stmt(r, READ_MESSAGE);
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	const char *session = (const char *)sqlite3_column_text(q, ENTRY_COLUMN_COUNT);
	if (!session && behind)
		return 1;
	int err = row_entry(&r->check, q, &e);
	if (!err) {
		e.session = session;
		fn(ctx, &e);
	}
	return err;
}

int store_message(struct store *s, int64_t seq, entry_fn *fn, void *ctx)
{
	bool behind = views_at(s) < tape_entries(s);
	struct reader *r = seq < 0 || seq >= tape_entries(s) ? NULL : reader_get(s);
	if (!r)
		return STORE_ENOENT;
	int err = named_message(r, seq, behind, fn, ctx);
	reader_put(s, r);
	if (err != 1)
		return err;
	err = store_catch_up(s);
	r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	err = named_message(r, seq, false, fn, ctx);
	reader_put(s, r);
	return err;
}

int store_entry(struct store *s, int64_t seq, entry_fn *fn, void *ctx)
{
	struct reader *r = seq < 0 || seq >= tape_entries(s) ? NULL : reader_get(s);
	if (!r)
		return STORE_ENOENT;
	sqlite3_stmt *q = reader_stmt(r, READ_TAPE);
	sqlite3_bind_int64(q, 1, seq);
	int err = one_entry(r, q, fn, ctx);
	reader_put(s, r);
	return err;
}

struct one_of_many {
	entries_fn *fn;
	void *ctx;
	size_t i;
};

static void hand_one(void *ctx, const struct entry *e)
{
	struct one_of_many *o = ctx;
	o->fn(o->ctx, o->i, e, 0);
}

int store_entries_at(struct store *s, const int64_t *seqs, size_t count, entries_fn *fn, void *ctx)
{
	struct one_of_many o = { fn, ctx, 0 };
	struct reader *r = count ? reader_get(s) : NULL;
	if (!r)
		return count ? STORE_EIO : 0;
	sqlite3_stmt *q = reader_stmt(r, READ_TAPE);
	for (; o.i < count; o.i++) {
		sqlite3_reset(q);
		sqlite3_bind_int64(q, 1, seqs[o.i]);
		int err = one_entry(r, q, hand_one, &o);
		if (err)
			fn(ctx, o.i, NULL, err);
	}
	reader_put(s, r);
	return 0;
}

int store_said_each(struct store *s, int64_t from, int64_t stop, each_entry_fn *fn, void *ctx)
{
	int err = 0, rc = SQLITE_DONE;
	struct reader *r = from >= stop ? NULL : reader_get(s);
	if (!r)
		return from >= stop ? 0 : STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_SAID);
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, stop);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		err = row_entry(&r->check, q, &e);
		if (!err && fn(ctx, &e))
			break;
	}
	reader_put(s, r);
	return err ? err : db_error(rc);
}
