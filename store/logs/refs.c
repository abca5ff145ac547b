/* SPDX-License-Identifier: MIT */
/* References of messages: those of a session, and what begins and ends at each of its messages. */
#include "store/logs/log_read.h"

#include <string.h>

#include "store/logs/view_logs.h"

/* A type that was cut ends with a whole character. */
void ref_set_type(struct ref *ref, const char *type)
{
	size_t len = strlen(type), most = sizeof ref->ref_type - 1;
	if (len > most)
		for (len = most; len > 0 && ((unsigned char)type[len] & 0xC0) == 0x80; len--)
			;
	memcpy(ref->ref_type, type, len);
	ref->ref_type[len] = '\0';
}

static void copy_hash(char dst[2 * HASH_SIZE + 1], const char *hash)
{
	(void)snprintf(dst, 2 * HASH_SIZE + 1, "%s", hash);
}

/* A row of READ_REFS; *end: where its line ends. */
static void ref_of_row(sqlite3_stmt *q, struct ref *ref, int64_t *end)
{
	*ref = (struct ref){ .id = sqlite3_column_int64(q, 0), .message = sqlite3_column_int64(q, 1),
		.position = sqlite3_column_int64(q, 5), .added_us = sqlite3_column_int64(q, 7) };
	copy_hash(ref->message_hash, db_text(q, 2));
	copy_hash(ref->ref_hash, db_text(q, 3));
	ref_set_type(ref, db_text(q, 4));
	copy_hash(ref->thread_hash, db_text(q, 6));
	*end = sqlite3_column_int64(q, 8);
}

static sqlite3_stmt *refs_from(struct reader *r, int64_t session, int64_t offset)
{
	sqlite3_stmt *q = reader_stmt(r, READ_REFS);
	sqlite3_bind_int64(q, 1, session);
	sqlite3_bind_int64(q, 2, offset);
	return q;
}

int store_refs(struct store *s, int64_t session, ref_fn *fn, void *ctx)
{
	int err = store_catch_up(s);
	struct reader *r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	sqlite3_stmt *q = refs_from(r, session, 0);
	int rc = SQLITE_DONE;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct ref ref;
		int64_t end;
		ref_of_row(q, &ref, &end);
		fn(ctx, &ref);
	}
	reader_put(s, r);
	return db_error(rc);
}

size_t store_ref_line(const struct ref *ref, char dst[REF_LINE_MOST])
{
	return ref_line(ref, dst);
}

int store_refs_size(struct store *s, int64_t session, int64_t *bytes)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*bytes = 0;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_REFS_SIZE);
	sqlite3_bind_int64(q, 1, session);
	err = db_number(q, bytes);
	reader_put(s, r);
	return err;
}

/* What of a line that ends at `end` lies in the window goes there; returns where that ends. */
static size_t copy_line(const struct ref *ref, int64_t end, int64_t offset, char *dst, size_t size,
                        size_t done)
{
	char line[REF_LINE_MOST];
	size_t len = ref_line(ref, line);
	int64_t start = end - (int64_t)len;
	size_t skip = start < offset + (int64_t)done ? (size_t)(offset + (int64_t)done - start) : 0;
	if (skip >= len)
		return done;
	size_t part = len - skip < size - done ? len - skip : size - done;
	memcpy(dst + done, line + skip, part);
	return done + part;
}

ssize_t store_refs_read(struct store *s, int64_t session, int64_t offset, char *dst, size_t size)
{
	struct reader *r;
	size_t done = 0;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = refs_from(r, session, offset);
	while (done < size && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct ref ref;
		int64_t end;
		ref_of_row(q, &ref, &end);
		done = copy_line(&ref, end, offset, dst, size, done);
	}
	reader_put(s, r);
	err = db_error(rc);
	return err ? err : (ssize_t)done;
}

/* Rows of READ_REFS_FROM or READ_REFS_TO. */
static int ends(sqlite3_stmt *q, struct ref_end *end, ref_end_fn *fn, void *ctx)
{
	int rc = SQLITE_DONE;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		end->type = db_text(q, 0);
		end->hash = db_text(q, 1);
		end->label = db_text(q, 2);
		end->stream = db_text(q, 3);
		end->seq = *end->stream ? sqlite3_column_int64(q, 4) : -1;
		end->stream_seq = sqlite3_column_int64(q, 5);
		fn(ctx, end);
	}
	if (q)
		sqlite3_reset(q);
	return q ? db_error(rc) : STORE_EIO;
}

/* Of the message in the row of READ_REFS_OF. */
static int ends_of(struct reader *r, sqlite3_stmt *message, const struct ref_ends *which,
                   ref_end_fn *fn, void *ctx)
{
	sqlite3_stmt *from = reader_stmt(r, READ_REFS_FROM), *to = reader_stmt(r, READ_REFS_TO);
	struct ref_end end = { .n = sqlite3_column_int64(message, 0) + 1 };
	if (!from || !to)
		return STORE_EIO;
	sqlite3_bind_int64(from, 1, which->session);
	sqlite3_bind_int64(from, 2, sqlite3_column_int64(message, 1));
	sqlite3_bind_int64(from, 3, which->most_from);
	int err = ends(from, &end, fn, ctx);
	if (err)
		return err;
	end.back = true;
	sqlite3_bind_text(to, 1, db_text(message, 2), -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(to, 2, which->most_to);
	return ends(to, &end, fn, ctx);
}

int store_ref_ends(struct store *s, const struct ref_ends *which, ref_end_fn *fn, void *ctx)
{
	struct reader *r;
	char stream[24];
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_REFS_OF);
	store_session_stream(which->session, stream);
	err = q ? 0 : STORE_EIO;
	if (!err) {
		sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(q, 2, which->first - 1);
		sqlite3_bind_int64(q, 3, which->last - 1);
	}
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = ends_of(r, q, which, fn, ctx);
	reader_put(s, r);
	return err ? err : db_error(rc);
}
