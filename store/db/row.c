/* SPDX-License-Identifier: MIT */
/* Rows of the tape: read, and held against their own hashes.  See row.h. */
#include "store/db/row.h"

#include <string.h>

#include "store/db/db.h"
#include "store/store.h"

/* ---- which rows failed ------------------------------------------------------ */

void damage_init(struct damage *d)
{
	lock_init(&d->lock, RANK_DAMAGE);
}

static bool is_known(const struct damage *d, int64_t seq)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->seq[i] == seq)
			return true;
	return false;
}

void damage_add(struct damage *d, int64_t seq)
{
	lock_take(&d->lock);
	if (d->count < DAMAGE_MOST && !is_known(d, seq))
		d->seq[d->count++] = seq;
	atomic_store(&d->any, true);
	lock_give(&d->lock);
}

bool damage_next(struct damage *d, int64_t *seq)
{
	if (!atomic_load(&d->any))
		return false;
	lock_take(&d->lock);
	bool more = d->told < d->count;
	if (more)
		*seq = d->seq[d->told++];
	lock_give(&d->lock);
	return more;
}

int64_t damage_first(struct damage *d)
{
	int64_t first = INT64_MAX;
	if (!atomic_load(&d->any))
		return first;
	lock_take(&d->lock);
	for (size_t i = 0; i < d->count; i++)
		first = d->seq[i] < first ? d->seq[i] : first;
	lock_give(&d->lock);
	return first;
}

void damage_text(const struct damage *d, char *text, size_t size)
{
	struct lock *lock = (struct lock *)&d->lock; /* the one part of a const one that changes */
	text[0] = '\0';
	if (!atomic_load(&d->any))
		return;
	lock_take(lock);
	if (d->count == 1)
		(void)snprintf(text, size, "DAMAGED: entry %lld is not the one that was hashed, and is not"
		               " shown (cinta verify DB)", (long long)d->seq[0]);
	else
		(void)snprintf(text, size, "DAMAGED: entry %lld and %s%zu more are not those that were"
		               " hashed, and are not shown (cinta verify DB)", (long long)d->seq[0],
		               d->count == DAMAGE_MOST ? "at least " : "", d->count - 1);
	lock_give(lock);
}

/* ---- checking ------------------------------------------------------------------ */

int row_check_open(struct row_check *c, sqlite3 *db, struct damage *damage)
{
	int err = hasher_init(&c->hasher);
	sqlite3_stmt *q = db_prepare(db, "SELECT CASE WHEN json_valid(body) THEN"
	                                 " json_extract(body, '$.origin') END FROM tape WHERE seq = 0");
	if (q && sqlite3_step(q) == SQLITE_ROW)
		(void)snprintf(c->origin, sizeof c->origin, "%s", db_text(q, 0));
	sqlite3_finalize(q);
	c->damage = damage;
	return err;
}

void row_check_release(struct row_check *c)
{
	hasher_release(&c->hasher);
	c->origin[0] = '\0';
}

enum row_fault row_fault(struct hasher *h, const char *origin, const struct entry *e, size_t stored)
{
	char text[LEAF_TEXT_MAX];
	uint8_t hash[HASH_SIZE];
	if (e->salt) {
		hasher_body(h, e->salt, e->body, stored, hash);
		if (stored != e->body_len || memcmp(hash, e->body_hash, HASH_SIZE) != 0)
			return ROW_BODY;
	}
	hasher_leaf(h, text, leaf_text(text, origin, e), hash);
	return memcmp(hash, e->leaf_hash, HASH_SIZE) == 0 ? ROW_GOOD : ROW_HEADER;
}

/* Fields that no row of ours has: the leaf's text has no room for them. */
static bool can_hash(const struct entry *e)
{
	return e->seq >= 0 && e->time_us >= 0 && e->hashed_len <= INT64_MAX &&
	       field_ok(e->stream, strlen(e->stream), FIELD_MAX) &&
	       field_ok(e->kind, strlen(e->kind), KIND_MAX) &&
	       field_ok(e->author, strlen(e->author), FIELD_MAX);
}

/* What stands for a body that is gone has no salt: only the header can be hashed. */
static bool holds(struct row_check *c, const struct entry *e, bool gone)
{
	struct entry as_hashed = *e;
	as_hashed.body_len = e->hashed_len;
	return can_hash(e) && (e->salt == NULL) == gone && (!e->salt || e->body) &&
	       row_fault(&c->hasher, c->origin, &as_hashed, e->body_len) == ROW_GOOD;
}

int row_entry(struct row_check *c, sqlite3_stmt *row, struct entry *e)
{
	int err = entry_of_row(row, e);
	if (err || !c->origin[0] || holds(c, e, sqlite3_column_int(row, ENTRY_COLUMN_COUNT - 1) != 0))
		return err;
	e->damaged = true;
	e->body = NULL;
	e->salt = NULL;
	if (c->damage)
		damage_add(c->damage, e->seq);
	return 0;
}

/* ---- reading ------------------------------------------------------------------- */

static bool copy_hash(sqlite3_stmt *row, int column, uint8_t out[HASH_SIZE])
{
	const void *blob = sqlite3_column_blob(row, column);
	if (!blob || sqlite3_column_bytes(row, column) != HASH_SIZE)
		return false;
	memcpy(out, blob, HASH_SIZE);
	return true;
}

int entry_of_row(sqlite3_stmt *row, struct entry *e)
{
	e->seq = sqlite3_column_int64(row, 0);
	e->stream = (const char *)sqlite3_column_text(row, 1);
	e->stream_seq = sqlite3_column_int64(row, 2);
	e->time_us = sqlite3_column_int64(row, 4);
	e->kind = (const char *)sqlite3_column_text(row, 5);
	e->author = (const char *)sqlite3_column_text(row, 6);
	e->body_len = e->hashed_len = (size_t)sqlite3_column_int64(row, 7);
	e->damaged = false;
	e->room = 0;
	e->session = NULL;
	e->salt = sqlite3_column_blob(row, 10);
	if (e->salt && sqlite3_column_bytes(row, 10) != SALT_SIZE)
		return STORE_EFORMAT;
	e->body = (const char *)sqlite3_column_text(row, 11);
	if (e->body)
		e->body_len = (size_t)sqlite3_column_bytes(row, 11);
	if (!copy_hash(row, 3, e->prev) || !copy_hash(row, 8, e->body_hash) ||
	    !copy_hash(row, 9, e->leaf_hash) || !e->stream || !e->kind || !e->author ||
	    e->stream_seq < 0)
		return STORE_EFORMAT;
	return 0;
}

/* ---- writing ------------------------------------------------------------------- */

void entry_to_row(sqlite3_stmt *put, const struct entry *e)
{
	sqlite3_bind_int64(put, 1, e->seq);
	sqlite3_bind_text(put, 2, e->stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(put, 3, e->stream_seq);
	sqlite3_bind_blob(put, 4, e->prev, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_int64(put, 5, e->time_us);
	sqlite3_bind_text(put, 6, e->kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 7, e->author, -1, SQLITE_STATIC);
	sqlite3_bind_int64(put, 8, (int64_t)e->hashed_len);
	sqlite3_bind_blob(put, 9, e->body_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(put, 10, e->leaf_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(put, 11, e->salt, SALT_SIZE, SQLITE_STATIC);
	sqlite3_bind_text(put, 12, e->salt ? e->body : NULL, (int)e->body_len, SQLITE_STATIC);
}

/* ---- as verify reads ------------------------------------------------------------ */

/* The hot loop of verify: each column is looked up once. */

static bool read_field(sqlite3_stmt *row, int column, size_t max, const char **out)
{
	sqlite3_value *v = sqlite3_column_value(row, column);
	if (sqlite3_value_type(v) != SQLITE_TEXT)
		return false;
	*out = (const char *)sqlite3_value_text(v);
	return *out && field_ok(*out, (size_t)sqlite3_value_bytes(v), max);
}

static bool read_int(sqlite3_stmt *row, int column, int64_t *out)
{
	sqlite3_value *v = sqlite3_column_value(row, column);
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return false;
	*out = sqlite3_value_int64(v);
	return *out >= 0;
}

static const void *read_blob(sqlite3_stmt *row, int column, int size)
{
	sqlite3_value *v = sqlite3_column_value(row, column);
	if (sqlite3_value_type(v) != SQLITE_BLOB || sqlite3_value_bytes(v) != size)
		return NULL;
	return sqlite3_value_blob(v);
}

bool row_strict(sqlite3_stmt *row, struct entry *e, size_t *stored)
{
	return row_strict_of(row, TAPE_COLUMN_COUNT - 1, e, stored);
}

bool row_strict_of(sqlite3_stmt *row, int body_at, struct entry *e, size_t *stored)
{
	int64_t body_len = 0;
	const void *prev = read_blob(row, 3, HASH_SIZE);
	const void *body_hash = read_blob(row, 8, HASH_SIZE);
	const void *leaf_hash = read_blob(row, 9, HASH_SIZE);
	if (!prev || !body_hash || !leaf_hash || !read_int(row, 0, &e->seq) ||
	    !read_field(row, 1, FIELD_MAX, &e->stream) || !read_int(row, 2, &e->stream_seq) ||
	    !read_int(row, 4, &e->time_us) || !read_field(row, 5, KIND_MAX, &e->kind) ||
	    !read_field(row, 6, FIELD_MAX, &e->author) || !read_int(row, 7, &body_len))
		return false;
	memcpy(e->prev, prev, HASH_SIZE);
	memcpy(e->body_hash, body_hash, HASH_SIZE);
	memcpy(e->leaf_hash, leaf_hash, HASH_SIZE);
	e->body_len = (size_t)body_len;
	e->salt = NULL;
	e->body = NULL;
	*stored = 0;
	sqlite3_value *body = sqlite3_column_value(row, body_at);
	int type = sqlite3_value_type(body);
	if (type == SQLITE_NULL && sqlite3_column_type(row, 10) == SQLITE_NULL)
		return true;
	e->salt = read_blob(row, 10, SALT_SIZE);
	if (!e->salt || type != SQLITE_TEXT)
		return false;
	e->body = (const char *)sqlite3_value_text(body);
	*stored = (size_t)sqlite3_value_bytes(body);
	return e->body != NULL;
}

int rows_strict(sqlite3 *db, int (*fn)(void *ctx, const struct entry *e), void *ctx)
{
	struct entry e;
	size_t stored;
	int rc = SQLITE_DONE, err = 0;
	sqlite3_stmt *q = db_prepare(db, "SELECT " TAPE_COLUMNS " FROM tape t ORDER BY t.seq");
	if (!q)
		return STORE_EIO;
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		if (!row_strict(q, &e, &stored)) {
			err = STORE_EFORMAT;
			break;
		}
		e.hashed_len = e.body_len;
		e.body_len = stored;
		err = fn(ctx, &e);
	}
	sqlite3_finalize(q);
	return err ? err : db_error(rc);
}
