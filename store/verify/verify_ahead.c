/* SPDX-License-Identifier: MIT */
/*
 * Reads the rows of the tape ahead of the walk that checks them: reading takes SQLite about as
 * long as checking takes, so two cores do both at once.
 *
 * The reader's thread fills one batch after another in a ring; the walk empties them, in order.
 *
 *	reader   batch[filled % BATCHES], while filled - emptied < BATCHES
 *	walk     batch[emptied % BATCHES], while emptied < filled
 *
 * Nobody touches the other's batches, so `lock` guards the numbers alone.  A connection serves one
 * thread at a time: the reader holds `turn` while it steps, and the walk takes it for a question
 * of its own (rows_pause).  On one core, or where no thread can be had, the walk fills a batch
 * itself when none is left.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/lock.h"
#include "store/verify/verify.h"

enum { BATCHES = 4, BATCH_ROWS = 256, BATCH_BYTES = 1 << 20 };

struct row {
	struct entry e;   /* its strings: see unpack() */
	size_t stored;    /* bytes of body */
	int64_t beside;   /* the entry whose body it is packed with; -1: none */
	size_t at;        /* where its bytes begin in those of the batch */
	uint8_t stream, kind, author; /* their sizes, with the NUL */
	bool strict;      /* if not, no more is known of it */
};

struct batch {
	struct row rows[BATCH_ROWS];
	int count;
	bool last; /* nothing follows */
	char *bytes; /* of each row: stream, kind, author, each with its NUL; salt, body */
	size_t len, cap;
};

struct rows {
	sqlite3 *db;
	sqlite3_stmt *select;
	bool threaded;
	pthread_t thread;
	struct lock turn; /* to use `db` */
	struct lock lock; /* filled, emptied, stop */
	pthread_cond_t changed;
	unsigned filled, emptied;
	bool stop;
	struct batch *now; /* that is being emptied; NULL: none yet */
	int at;            /* its next row */
	int rc;            /* SQLITE_DONE, or why the reader ended; valid after the last batch */
	char said[160];    /* of SQLite, then */
	struct batch batch[BATCHES];
};

/* ---- one row ---------------------------------------------------------------- */

static bool has_room(struct batch *b, size_t more)
{
	if (b->cap - b->len >= more)
		return true;
	size_t cap = b->cap + BATCH_BYTES / 2 + more;
	char *bytes = realloc(b->bytes, cap);
	if (!bytes)
		return false;
	b->bytes = bytes;
	b->cap = cap;
	return true;
}

static void add(struct batch *b, const void *bytes, size_t len)
{
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

static int64_t beside_of(sqlite3_stmt *select)
{
	const void *name = sqlite3_column_blob(select, TAPE_COLUMN_COUNT); /* NULL: it is text */
	return name ? pack_wants(name, (size_t)sqlite3_column_bytes(select, TAPE_COLUMN_COUNT)) : -1;
}

/* The row that the statement stands on becomes one of the batch's; false: no memory. */
static bool pack(struct batch *b, sqlite3_stmt *select)
{
	struct row *r = &b->rows[b->count];
	const struct entry *e = &r->e;
	r->at = b->len;
	r->strict = row_strict(select, &r->e, &r->stored);
	r->beside = beside_of(select);
	if (r->strict) {
		size_t stream = strlen(e->stream) + 1, kind = strlen(e->kind) + 1;
		size_t author = strlen(e->author) + 1;
		if (!has_room(b, stream + kind + author + SALT_SIZE + r->stored))
			return false;
		r->stream = (uint8_t)stream;
		r->kind = (uint8_t)kind;
		r->author = (uint8_t)author;
		add(b, e->stream, stream);
		add(b, e->kind, kind);
		add(b, e->author, author);
		if (e->salt)
			add(b, e->salt, SALT_SIZE);
		if (e->body)
			add(b, e->body, r->stored);
	}
	b->count++;
	return true;
}

/* Only when the batch is full: its bytes move while it grows. */
static void unpack(const struct batch *b, struct row *r)
{
	struct entry *e = &r->e;
	e->stream = b->bytes + r->at;
	e->kind = e->stream + r->stream;
	e->author = e->kind + r->kind;
	const char *rest = e->author + r->author;
	if (e->salt) {
		e->salt = (const uint8_t *)rest;
		rest += SALT_SIZE;
	}
	if (e->body)
		e->body = rest;
}

/* ---- the reader -------------------------------------------------------------- */

/* Its turn is taken, so what SQLite says is of this statement. */
static void fill(struct rows *s, struct batch *b)
{
	int rc = SQLITE_ROW;
	b->count = 0;
	b->len = 0;
	while (rc == SQLITE_ROW && b->count < BATCH_ROWS && b->len < BATCH_BYTES) {
		rc = sqlite3_step(s->select);
		if (rc == SQLITE_ROW && !pack(b, s->select))
			rc = SQLITE_NOMEM;
	}
	b->last = rc != SQLITE_ROW;
	if (b->last) {
		s->rc = rc;
		(void)snprintf(s->said, sizeof s->said, "%s", sqlite3_errmsg(s->db));
	}
}

static void *read_ahead(void *arg)
{
	struct rows *s = arg;
	bool last = false;
	while (!last) {
		lock_take(&s->lock);
		while (s->filled - s->emptied == BATCHES && !s->stop)
			lock_wait(&s->lock, &s->changed);
		bool stop = s->stop;
		lock_give(&s->lock);
		if (stop)
			break;
		struct batch *b = &s->batch[s->filled % BATCHES];
		lock_take(&s->turn);
		fill(s, b);
		lock_give(&s->turn);
		last = b->last;
		lock_take(&s->lock);
		s->filled++;
		pthread_cond_signal(&s->changed);
		lock_give(&s->lock);
	}
	return NULL;
}

/* ---- the walk ------------------------------------------------------------------ */

static bool has_two_cores(void)
{
	cpu_set_t may;
	return sched_getaffinity(0, sizeof may, &may) == 0 && CPU_COUNT(&may) > 1;
}

int rows_open(struct verify *v)
{
	struct rows *s = calloc(1, sizeof *s);
	if (!s)
		return STORE_ENOMEM;
	s->db = v->db;
	s->select = db_prepare(v->db, "SELECT " TAPE_COLUMNS ", CASE typeof(t.body) WHEN 'blob' THEN"
	                              " substr(t.body, 1, 8) END FROM tape t ORDER BY t.seq");
	if (!s->select) {
		free(s);
		return verify_sqlite(v, -1);
	}
	lock_init(&s->turn, RANK_VERIFY_TURN);
	lock_init(&s->lock, RANK_VERIFY_ROWS);
	pthread_cond_init(&s->changed, NULL);
	s->threaded = has_two_cores() && pthread_create(&s->thread, NULL, read_ahead, s) == 0;
	v->rows = s;
	return 0;
}

static void next_batch(struct rows *s)
{
	lock_take(&s->lock);
	if (s->now)
		s->emptied++;
	pthread_cond_signal(&s->changed);
	while (s->threaded && s->filled == s->emptied)
		lock_wait(&s->lock, &s->changed);
	lock_give(&s->lock);
	s->now = &s->batch[s->emptied % BATCHES];
	s->at = 0;
	if (!s->threaded) {
		fill(s, s->now);
		s->filled++;
	}
}

bool rows_next(struct rows *s, struct entry *e, size_t *stored, bool *strict)
{
	while (!s->now || s->at == s->now->count) {
		if (s->now && s->now->last)
			return false;
		next_batch(s);
	}
	struct row *r = &s->now->rows[s->at++];
	*strict = r->strict;
	if (r->strict)
		unpack(s->now, r);
	*e = r->e;
	*stored = r->stored;
	return true;
}

int64_t rows_beside(const struct rows *s)
{
	return s->now->rows[s->at - 1].beside;
}

int rows_ended(const struct rows *s, const char **said)
{
	*said = s->said;
	return s->rc;
}

void rows_pause(struct rows *s)
{
	if (s)
		lock_take(&s->turn);
}

void rows_resume(struct rows *s)
{
	if (s)
		lock_give(&s->turn);
}

void rows_close(struct rows *s)
{
	if (!s)
		return;
	if (s->threaded) {
		lock_take(&s->lock);
		s->stop = true;
		pthread_cond_signal(&s->changed);
		lock_give(&s->lock);
		pthread_join(s->thread, NULL);
	}
	sqlite3_finalize(s->select);
	for (int i = 0; i < BATCHES; i++)
		free(s->batch[i].bytes);
	pthread_cond_destroy(&s->changed);
	lock_destroy(&s->lock);
	lock_destroy(&s->turn);
	free(s);
}
