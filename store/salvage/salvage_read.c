/* SPDX-License-Identifier: MIT */
/*
 * Rows of a tape in order, around what is damaged.  A walk goes on from row to row until SQLite
 * meets a page it cannot use; then the next entry is asked for by its number, which leads by
 * another way through the tree to the pages behind.  An entry to which no way leads may still lie
 * in a page that is whole: at the first damage all pages are looked at for such (pages.h).  So each
 * entry is lost for itself alone, and the cost is one search in the tree for each that is.
 *
 * A file that was made to deceive may claim any numbers.  Entries are asked for one by one only as
 * far as the file has room for them; what lies behind is found by walking, or not at all.
 */
#include "store/salvage/salvage.h"

#include "store/salvage/pages.h"

enum { ROW_LEAST = 64 /* bytes: three hashes alone are more */ };

struct walk_tape {
	sqlite3 *db, *made;
	sqlite3_stmt *from, *one; /* rows from ?1 on; row ?1 */
	salvage_row_fn *fn;
	void *ctx;
	struct missing *missing, *found;
	struct pages *pages; /* from the first damage on */
	int64_t next; /* the entry that is looked for */
	int64_t end;  /* entries below may be asked for one by one */
};

/* True for what a damaged page, or a disk that cannot read it, gives. */
static bool is_damage(int rc)
{
	int kind = rc & 0xff;
	return kind == SQLITE_CORRUPT || kind == SQLITE_TOOBIG ||
	       (kind == SQLITE_IOERR && rc != SQLITE_IOERR_NOMEM);
}

/* Entry w->next from the page it lies in, or it is missing. */
static int take_lost(struct walk_tape *w)
{
	bool taken = false;
	int err = w->pages ? 0 : pages_open(w->db, w->made, w->end, &w->pages);
	if (!err)
		err = pages_take(w->pages, w->next, w->fn, w->ctx, &taken);
	if (!err)
		err = missing_add(taken ? w->found : w->missing, w->next, w->next);
	w->next++;
	return err;
}

/* The row that `q` is at. */
static int row_take(struct walk_tape *w, sqlite3_stmt *q)
{
	int err = w->fn(w->ctx, q);
	if (err == SALVAGE_LOST)
		return take_lost(w);
	w->next++;
	return err;
}

/* Entry w->next alone; *rc is of its step. */
static int take_one(struct walk_tape *w, int *rc)
{
	sqlite3_bind_int64(w->one, 1, w->next);
	*rc = sqlite3_step(w->one);
	int err = 0;
	if (*rc == SQLITE_ROW && sqlite3_column_int64(w->one, 0) == w->next)
		err = row_take(w, w->one);
	else if (*rc != SQLITE_ROW && *rc != SQLITE_DONE && !is_damage(*rc))
		err = db_error(*rc);
	else
		*rc = SQLITE_DONE;
	sqlite3_reset(w->one);
	return err;
}

/* The walk has passed them by: asked for one by one, as far as that may be. */
static int take_gap(struct walk_tape *w, int64_t until)
{
	int err = 0, rc;
	while (!err && w->next < until && w->next < w->end) {
		int64_t seq = w->next;
		err = take_one(w, &rc);
		if (!err && w->next == seq)
			err = take_lost(w);
	}
	if (!err && w->next < until) {
		err = missing_add(w->missing, w->next, until - 1);
		w->next = until;
	}
	return err;
}

/* From w->next until the walk ends or meets damage: *rc. */
static int walk(struct walk_tape *w, int *rc)
{
	int err = 0;
	sqlite3_bind_int64(w->from, 1, w->next);
	while (!err && (*rc = sqlite3_step(w->from)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(w->from, 0);
		if (seq < w->next || seq == INT64_MAX) { /* the order of its pages is wrong */
			*rc = SQLITE_CORRUPT;
			break;
		}
		err = take_gap(w, seq);
		err = err ? err : row_take(w, w->from);
	}
	sqlite3_reset(w->from);
	return err;
}

/* As many rows as the file can hold. */
static int64_t room_for(sqlite3 *db)
{
	return db_int(db, "PRAGMA page_count", 0) * db_int(db, "PRAGMA page_size", 0) / ROW_LEAST;
}

int64_t salvage_guess(sqlite3 *db)
{
	return db_int(db, "SELECT max(seq) + 1 FROM tape", 0);
}

/*
 * Where the tape ends, as its last page and the notes say.  A note that stands at another size than
 * its own was put there by somebody, and tells of no entry.
 */
static int64_t end_of(sqlite3 *db)
{
	int64_t last = salvage_guess(db);
	int64_t noted = db_int(db, "SELECT size FROM tape_checkpoint WHERE"
		" substr(note, instr(note, char(10)) + 1, length(size) + 1) = size || char(10)"
		" ORDER BY size DESC LIMIT 1", 0);
	return last > noted ? last : noted;
}

/* The same as the index of streams says, which is asked when the tape ends in damage. */
static int64_t end_of_index(sqlite3 *db, int64_t room)
{
	int64_t end = 0;
	sqlite3_stmt *q = db_prepare(db, "SELECT seq FROM tape INDEXED BY sqlite_autoindex_tape_1"
	                                 " ORDER BY stream, stream_seq");
	while (q && sqlite3_step(q) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		if (seq >= end && seq < room)
			end = seq + 1;
	}
	sqlite3_finalize(q);
	return end;
}

static bool is_last(const struct missing *m, int64_t seq)
{
	return m->count > 0 && m->items[m->count - 1].last == seq;
}

/* Where the tape ends when that cannot be read: as the index says, or the last row of any page. */
static int end_anew(struct walk_tape *w, int64_t *end)
{
	int err = w->pages ? 0 : pages_open(w->db, w->made, w->end, &w->pages);
	if (err)
		return err;
	int64_t index = end_of_index(w->db, w->end), last = pages_end(w->pages);
	*end = index > last ? index : last;
	if (*end <= w->next && !is_last(w->missing, w->next - 1) && !is_last(w->found, w->next - 1))
		*end = w->next + 1; /* something was there, though nobody knows what */
	return 0;
}

static int walk_all(struct walk_tape *w, sqlite3 *db)
{
	int64_t end = end_of(db);
	bool asked = false;
	int err = 0, rc = SQLITE_CORRUPT;
	while (!err) {
		err = walk(w, &rc);
		if (err || rc == SQLITE_DONE)
			break;
		if (!is_damage(rc))
			return db_error(rc);
		if (w->next >= end && asked)
			break;
		if (w->next >= end) {
			asked = true;
			err = end_anew(w, &end);
		}
		if (err || w->next >= w->end || w->next >= end)
			break;
		err = take_gap(w, w->next + 1);
	}
	return err ? err : take_gap(w, end);
}

int salvage_rows(sqlite3 *db, sqlite3 *made, salvage_row_fn *fn, void *ctx, struct missing *m,
                 struct missing *found)
{
	struct walk_tape w = { .db = db, .made = made, .fn = fn, .ctx = ctx, .missing = m,
		.found = found, .end = room_for(db) };
	w.from = db_prepare(db, "SELECT " STORED_COLUMNS " FROM tape t WHERE t.seq >= ?1"
	                     " ORDER BY t.seq");
	w.one = db_prepare(db, "SELECT " STORED_COLUMNS " FROM tape t WHERE t.seq = ?1");
	int err = w.from && w.one ? walk_all(&w, db) : db_error(sqlite3_errcode(db));
	sqlite3_finalize(w.from);
	sqlite3_finalize(w.one);
	pages_close(w.pages);
	return err;
}

/* Notes from one end; *at: the last size that was read.  *rc: how it ended. */
static int notes_from(sqlite3 *db, const char *sql, int64_t stop, salvage_row_fn *fn, void *ctx,
                      int64_t *at, int *rc)
{
	sqlite3_stmt *q = db_prepare(db, sql);
	int err = 0;
	*rc = q ? SQLITE_ROW : sqlite3_errcode(db);
	if (q)
		sqlite3_bind_int64(q, 1, stop);
	while (!err && q && (*rc = sqlite3_step(q)) == SQLITE_ROW) {
		err = fn(ctx, q);
		*at = sqlite3_column_int64(q, 0);
		if (err == SALVAGE_LOST) {
			*rc = SQLITE_CORRUPT;
			break;
		}
	}
	sqlite3_finalize(q);
	return err == SALVAGE_LOST ? 0 : err;
}

int salvage_notes(sqlite3 *db, salvage_row_fn *fn, void *ctx, int64_t *lost)
{
	int64_t at = INT64_MIN;
	int rc, err = notes_from(db, "SELECT size, note FROM tape_checkpoint WHERE size > ?1"
	                             " ORDER BY size", INT64_MIN, fn, ctx, &at, &rc);
	*lost = 0;
	if (err || rc == SQLITE_DONE)
		return err;
	if (!is_damage(rc))
		return db_error(rc);
	*lost = 1;
	return notes_from(db, "SELECT size, note FROM tape_checkpoint WHERE size > ?1"
	                      " ORDER BY size DESC", at, fn, ctx, &at, &rc);
}
