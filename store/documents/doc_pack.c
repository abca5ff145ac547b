/* SPDX-License-Identifier: MIT */
/* Packs older versions, a batch a transaction.  See doc_pack.h. */
#include "store/documents/doc_pack.h"

#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_read.h"
#include "store/tape/tape.h"

enum {
	BATCH = 64,      /* bodies a transaction, and … */
	BYTES = 1 << 20, /* … how long they are: an append waits no longer than that */
	STEP = 4000,     /* entries looked at at once */
	MUCH = 20000,    /* entries after which it goes on while others write */
	SLICE_US = 20000,
	FAILED_TICKS = 600,
	KEEP_EVERY = 20000, KEEP_LEAST = 1000 /* entries: looking at them again is cheap */
};
static const char mark[] = "packed";

struct pack {
	int64_t seq, beside; /* beside: the entry whose body it needs; its own: none */
	void *bytes;
	size_t len;
};

/* True if column `at` holds the body of a row with that salt and hash, in the two behind it. */
static bool is_hashed(struct hasher *h, sqlite3_stmt *q, int at)
{
	uint8_t hash[HASH_SIZE];
	const void *salt = sqlite3_column_blob(q, at + 1), *said = sqlite3_column_blob(q, at + 2);
	if (sqlite3_column_type(q, at) != SQLITE_TEXT || !salt || !said ||
	    sqlite3_column_bytes(q, at + 1) != SALT_SIZE ||
	    sqlite3_column_bytes(q, at + 2) != HASH_SIZE)
		return false;
	const char *body = db_text(q, at);
	hasher_body(h, salt, body, (size_t)sqlite3_column_bytes(q, at), hash);
	return memcmp(hash, said, HASH_SIZE) == 0;
}

/* Packed, unless it is not worth it, or does not come out the same again. */
static void pack_with(struct pack *p, const struct pack_dictionary *d, const char *body, size_t len)
{
	struct pack made = { .seq = p->seq, .beside = d ? d->seq : p->seq };
	made.bytes = pack_bytes(body, len, d, &made.len);
	char *again = made.bytes ? malloc(len) : NULL;
	if (again && pack_open(made.bytes, made.len, d, again, len) && memcmp(again, body, len) == 0 &&
	    (!p->bytes || made.len < p->len)) {
		free(p->bytes);
		*p = made;
	} else {
		free(made.bytes);
	}
	free(again);
}

/* Of a row of READ_DOC_PACKABLE that is what was hashed; else bytes stays NULL. */
static void pack_row(struct hasher *h, sqlite3_stmt *q, struct pack *p)
{
	const char *body = db_text(q, 2);
	size_t len = (size_t)sqlite3_column_bytes(q, 2);
	struct pack_dictionary d = { .seq = sqlite3_column_int64(q, 5), .bytes = db_text(q, 6),
		.len = (size_t)sqlite3_column_bytes(q, 6) };
	*p = (struct pack){ .seq = sqlite3_column_int64(q, 0) };
	if (!is_hashed(h, q, 2))
		return;
	if (d.seq != p->seq && len <= PACK_BESIDE && d.len <= PACK_BESIDE && is_hashed(h, q, 6))
		pack_with(p, &d, body, len);
	if (!p->bytes || p->len > len / 8)
		pack_with(p, NULL, body, len);
}

/* The next of them; *at goes on behind what was looked at. */
static int read_some(struct store *s, struct pack *items, size_t *count, int64_t *at, int64_t end)
{
	struct reader *r = reader_get(s);
	sqlite3_stmt *q = r ? reader_stmt(r, READ_DOC_PACKABLE) : NULL;
	int64_t stop = end - *at > STEP ? *at + STEP : end;
	int rc = SQLITE_ERROR;
	int rows = 0, bytes = 0;
	*count = 0;
	if (q) {
		sqlite3_bind_int64(q, 1, *at);
		sqlite3_bind_int64(q, 2, stop);
		sqlite3_bind_int(q, 3, BATCH);
	}
	for (; q && (rc = sqlite3_step(q)) == SQLITE_ROW; rows++) {
		pack_row(&r->check.hasher, q, &items[*count]);
		*count += items[*count].bytes != NULL;
		bytes += sqlite3_column_bytes(q, 2);
		if (rows + 1 == BATCH || bytes > BYTES) {
			stop = sqlite3_column_int64(q, 1);
			rc = SQLITE_DONE;
			break;
		}
	}
	if (r)
		reader_put_one(s, r, q);
	if (rc == SQLITE_DONE)
		*at = stop;
	return db_error(rc);
}

/*
 * A body that was redacted meanwhile stays so; and none is packed beside one that was, or that is
 * itself packed beside another: what stands by another's help helps nobody.
 */
static int put_all(sqlite3 *db, const struct pack *items, size_t count)
{
	sqlite3_stmt *q = db_prepare(db, "UPDATE tape SET body = ?2 WHERE seq = ?1"
		" AND typeof(body) = 'text'"
		" AND EXISTS (SELECT 1 FROM tape k WHERE k.seq = ?3"
		" AND (typeof(k.body) = 'text' OR substr(k.body, 1, 1) = x'78'))");
	int err = q ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < count; i++) {
		sqlite3_bind_int64(q, 1, items[i].seq);
		sqlite3_bind_blob64(q, 2, items[i].bytes, items[i].len, SQLITE_STATIC);
		sqlite3_bind_int64(q, 3, items[i].beside);
		err = db_error(sqlite3_step(q));
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return err;
}

static int write_some(struct store *s, const struct pack *items, size_t count)
{
	sqlite3 *db = tape_lock(s);
	int err = s->read_only ? STORE_EROFS : db_begin(db);
	if (!err) {
		db_guard(db, false);
		err = schema_upgrade(db);
		err = err ? err : put_all(db, items, count);
		db_guard(db, true);
		if (err)
			db_rollback(db);
		else
			err = db_commit(db);
	}
	if (!err)
		tape_copy_wal_back(s);
	tape_unlock(s);
	return err;
}

static int pack_some(struct store *s, int64_t *at, int64_t end)
{
	struct pack items[BATCH];
	size_t count;
	int64_t next = *at;
	int err = read_some(s, items, &count, &next, end);
	if (!err && count > 0)
		err = write_some(s, items, count);
	for (size_t i = 0; i < count; i++)
		free(items[i].bytes);
	if (!err)
		*at = next;
	return err;
}

static void keep(struct store *s, struct doc_packing *p, int64_t least)
{
	if (p->known && p->at - p->kept >= least && store_mark_set(s, mark, p->at) == 0)
		p->kept = p->at;
}

void doc_pack(struct store *s, struct doc_packing *p, bool rest)
{
	int64_t end = tape_entries(s), began = clock_since_boot();
	if (p->wait > 0 && p->wait--)
		return;
	if (!p->known) {
		p->known = true;
		if (side_mark_look(s, mark, &p->kept) != 0 || p->kept < 0 || p->kept > end)
			p->kept = 0;
		p->at = p->kept;
	}
	while ((rest ? p->at < end : end - p->at > MUCH) && clock_since_boot() - began < SLICE_US) {
		if (pack_some(s, &p->at, end)) {
			p->wait = FAILED_TICKS;
			return;
		}
	}
	keep(s, p, KEEP_EVERY);
}

void doc_pack_end(struct store *s, struct doc_packing *p)
{
	keep(s, p, KEEP_LEAST);
}
