/* SPDX-License-Identifier: MIT */
/* What documents say and said: contents, versions, and directories as they were. */
#include <string.h>

#include "store/documents/doc_body.h"
#include "store/documents/doc_read.h"

int store_doc_content(struct store *s, int64_t id, int64_t n, char **bytes, size_t *len)
{
	struct reader *r;
	struct doc_body b;
	int err = views_see_all(s); /* a redaction, too */
	if (err || (n > 0 && doc_cache_text(s->doc_cache, id, n, bytes, len)))
		return err;
	if ((err = views_reader(s, &r)))
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_BODY);
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, n);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW) {
		struct entry e;
		err = row_entry(&r->check, q, &e);
		err = err ? err : e.body ? doc_body_read(e.body, e.body_len, &b) : STORE_EIO;
		if (!err && (int64_t)b.len != sqlite3_column_int64(q, ENTRY_COLUMN_COUNT)) {
			doc_body_release(&b); /* not what the views saw: the row is damaged */
			err = STORE_EIO;
		}
	} else {
		err = rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	}
	reader_put_one(s, r, q);
	if (err)
		return err;
	*bytes = b.bytes;
	*len = b.len;
	b.bytes = NULL;
	doc_body_release(&b);
	return 0;
}

/* A row of VERSION_COLUMNS (doc_sql.c). */
static void read_version(sqlite3_stmt *q, struct doc_version *out)
{
	memset(out, 0, sizeof *out);
	out->n = sqlite3_column_int64(q, 0);
	out->seq = sqlite3_column_int64(q, 1);
	out->time_us = sqlite3_column_int64(q, 2);
	out->size = sqlite3_column_int64(q, 3);
	out->tokens = sqlite3_column_int64(q, 4);
	out->added = sqlite3_column_int64(q, 5);
	out->removed = sqlite3_column_int64(q, 6);
	(void)snprintf(out->author, sizeof out->author, "%s", db_text(q, 7));
	(void)snprintf(out->sha256, sizeof out->sha256, "%s", db_text(q, 8));
	db_hash(q, 9, out->hash);
	db_talk(q, 10, &out->talk);
	out->doc = sqlite3_column_int64(q, 12);
}

static int one_version(struct reader *r, int which, int64_t id, int64_t key,
                       struct doc_version *out)
{
	sqlite3_stmt *q = reader_stmt(r, which);
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, key);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW)
		read_version(q, out);
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

static int find_version(struct store *s, int which, int64_t id, int64_t key,
                        struct doc_version *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	err = one_version(r, which, id, key, out);
	reader_put(s, r);
	return err;
}

int store_doc_version(struct store *s, int64_t id, int64_t n, struct doc_version *out)
{
	return find_version(s, READ_DOC_VERSION, id, n, out);
}

int store_doc_version_at(struct store *s, int64_t id, int64_t time_us, struct doc_version *out)
{
	return find_version(s, READ_DOC_VERSION_AT, id, time_us, out);
}

struct versions {
	doc_version_fn *fn;
	void *ctx;
};

static void hand_version(sqlite3_stmt *row, void *ctx)
{
	const struct versions *to = ctx;
	struct doc_version v;
	read_version(row, &v);
	to->fn(to->ctx, &v);
}

int store_doc_history(struct store *s, int64_t id, doc_version_fn *fn, void *ctx)
{
	return views_each(s, READ_DOC_HISTORY, NULL, id, hand_version, &(struct versions){ fn, ctx });
}

int store_doc_saves(struct store *s, const char *talk, doc_version_fn *fn, void *ctx)
{
	return views_each(s, READ_DOC_SAVES, talk, 0, hand_version, &(struct versions){ fn, ctx });
}

/* The row of READ_DOC_PLACE or _NEXT: which document, and what it was then. */
static int as_then(struct reader *r, int which, int64_t time_us, const char *parent,
                   struct doc *out)
{
	struct doc_version v;
	char name[NAME_LIMIT + 1];
	sqlite3_stmt *q = reader_stmt(r, which);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, time_us);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	int64_t id = sqlite3_column_int64(q, 0);
	(void)snprintf(name, sizeof name, "%s", db_text(q, 1));
	sqlite3_bind_int64(reader_stmt(r, READ_DOC_ID), 1, id);
	int err = doc_row(reader_stmt(r, READ_DOC_ID), out);
	sqlite3_reset(reader_stmt(r, READ_DOC_ID));
	out->id = id;
	if (!err && !out->folder && !(err = one_version(r, READ_DOC_VERSION_AT, id, time_us, &v))) {
		out->versions = v.n;
		out->size = v.size;
		out->saved_us = v.time_us;
	}
	out->into = 0;
	(void)snprintf(out->parent, sizeof out->parent, "%s", parent);
	(void)snprintf(out->name, sizeof out->name, "%s", name);
	return err;
}

int store_doc_at_time(struct store *s, int64_t time_us, const char *parent, const char *name,
                      struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_bind_text(reader_stmt(r, READ_DOC_PLACE), 3, name, -1, SQLITE_STATIC);
	err = as_then(r, READ_DOC_PLACE, time_us, parent, out);
	reader_put(s, r);
	return err;
}

int store_doc_next_at_time(struct store *s, int64_t time_us, const char *parent, int64_t after,
                           struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_bind_int64(reader_stmt(r, READ_DOC_PLACE_NEXT), 3, after);
	err = as_then(r, READ_DOC_PLACE_NEXT, time_us, parent, out);
	reader_put(s, r);
	return err;
}

int store_doc_place_at_time(struct store *s, int64_t id, int64_t time_us, struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_PLACE_OF);
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, time_us);
	int rc = sqlite3_step(q);
	memset(out, 0, sizeof *out);
	if (rc == SQLITE_ROW && sqlite3_column_int(q, 2) == 0) {
		out->id = id;
		(void)snprintf(out->parent, sizeof out->parent, "%s", sqlite3_column_text(q, 0));
		(void)snprintf(out->name, sizeof out->name, "%s", sqlite3_column_text(q, 1));
	}
	reader_put(s, r);
	return out->id ? 0 : rc == SQLITE_DONE || rc == SQLITE_ROW ? STORE_ENOENT : db_error(rc);
}

int store_doc_dir_changed_at_time(struct store *s, const char *parent, int64_t time_us,
                                  int64_t *changed_us)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*changed_us = 0;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_DIR_AT);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, time_us);
	err = db_number(q, changed_us);
	reader_put(s, r);
	return err;
}

int store_touched_places(struct store *s, int64_t doc, int64_t seq, touched_place_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_ERROR;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_TOUCHED);
	sqlite3_bind_int64(q, 1, doc);
	sqlite3_bind_int64(q, 2, seq);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		fn(ctx, db_text(q, 0), db_text(q, 1));
	reader_put(s, r);
	return db_error(rc);
}
