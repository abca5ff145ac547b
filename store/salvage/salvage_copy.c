/* SPDX-License-Identifier: MIT */
/*
 * The new file: what the tape's rows were goes in as it was, type by type and byte by byte, and is
 * read again and compared by one hash over all of it.  No trigger runs here (db_harden()): rows
 * come in their old places, which the triggers would refuse where one is missing.
 */
#include <openssl/evp.h>
#include <string.h>

#include "store/proof/proof.h"
#include "store/salvage/salvage.h"
#include "store/tape/tape.h"

enum { BATCH = 1000 /* rows between two questions whether to go on */ };

/* One table's way into the new file. */
struct copy {
	sqlite3_stmt *put;
	struct hasher *hash;   /* over all that went in; NULL: of notes, which are signed */
	int columns;
	int64_t rows, all;
	const struct rebuild_options *o;
};

/* What a column holds, so that no two rows give one text. */
static void hash_column(struct hasher *h, sqlite3_stmt *q, int column)
{
	int64_t number = 0;
	int type = sqlite3_column_type(q, column);
	const void *bytes = NULL;
	if (type == SQLITE_INTEGER) {
		number = sqlite3_column_int64(q, column);
	} else {
		bytes = sqlite3_column_blob(q, column);
		number = sqlite3_column_bytes(q, column);
	}
	(void)EVP_DigestUpdate(h->ctx, &type, sizeof type);
	(void)EVP_DigestUpdate(h->ctx, &number, sizeof number);
	if (bytes)
		(void)EVP_DigestUpdate(h->ctx, bytes, (size_t)number);
}

static void hash_row(struct hasher *h, sqlite3_stmt *q, int columns)
{
	for (int i = 0; i < columns; i++)
		hash_column(h, q, i);
}

static bool goes_on(const struct rebuild_options *o, enum rebuild_step step, int64_t done,
                    int64_t all)
{
	return !o->go_on || o->go_on(o->ctx, step, done, all);
}

/* A row that breaks a rule of the table is none that cinta wrote. */
static int put_row(void *ctx, sqlite3_stmt *row)
{
	struct copy *c = ctx;
	for (int i = 0; i < c->columns; i++)
		sqlite3_bind_value(c->put, i + 1, sqlite3_column_value(row, i));
	int rc = sqlite3_step(c->put);
	sqlite3_reset(c->put);
	if ((rc & 0xff) == SQLITE_CONSTRAINT || (rc & 0xff) == SQLITE_MISMATCH)
		return SALVAGE_LOST;
	if (rc != SQLITE_DONE)
		return db_error(rc) ? db_error(rc) : STORE_EIO;
	if (c->hash)
		hash_row(c->hash, row, c->columns);
	c->rows++;
	return c->rows % BATCH || goes_on(c->o, REBUILD_ROWS, c->rows, c->all) ? 0 : STORE_EBUSY;
}

int salvage_create(struct salvage_file *f)
{
	char pragmas[160];
	(void)snprintf(pragmas, sizeof pragmas, "PRAGMA encoding='UTF-8'; PRAGMA application_id=%d;"
	               "PRAGMA user_version=%d", APPLICATION_ID, SCHEMA_VERSION);
	int err = db_error(db_connect(f->path, SQLITE_OPEN_READWRITE, &f->db));
	err = err ? err : db_harden(f->db);
	/* Nobody sees it before it is whole, and then it is synced: no journal has to last. */
	err = err ? err : db_exec(f->db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
	                                 "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536");
	err = err ? err : db_exec(f->db, pragmas);
	return err ? err : schema_make(f->db, SCHEMA_VERSION);
}

/* Hashes a table of the new file, to be compared. */
static int read_again(sqlite3 *db, const char *sql, int columns, struct hasher *h)
{
	sqlite3_stmt *q = db_prepare(db, sql);
	int rc = q ? SQLITE_ROW : sqlite3_errcode(db);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		hash_row(h, q, columns);
	sqlite3_finalize(q);
	return db_error(rc);
}

static int begin_hash(struct hasher *h)
{
	int err = hasher_init(h);
	return err ? err : EVP_DigestInit_ex(h->ctx, h->md, NULL) == 1 ? 0 : STORE_ENOMEM;
}

static int copy_both(sqlite3 *from, sqlite3 *to, struct copy *rows, struct copy *notes,
                     struct rebuild_report *out, struct missing *m, struct missing *found)
{
	int err = salvage_rows(from, to, put_row, rows, m, found);
	out->entries = rows->rows;
	out->found = found->entries;
	out->lost = m->entries;
	out->first_lost = m->count ? m->items[0].first : -1;
	return err ? err : salvage_notes(from, put_row, notes, &out->notes_lost);
}

static int copy_tables(sqlite3 *from, sqlite3 *to, const struct rebuild_options *o,
                       struct rebuild_report *out, struct missing *m, struct missing *found)
{
	static const char put_tape[] = "INSERT INTO tape VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
		" ?10, ?11, ?12)";
	static const char all_tape[] = "SELECT " STORED_COLUMNS " FROM tape t ORDER BY t.seq";
	struct hasher in = { 0 }, back = { 0 };
	uint8_t wanted[HASH_SIZE], got[HASH_SIZE];
	struct copy rows = { .hash = &in, .columns = TAPE_COLUMN_COUNT, .o = o,
		.all = salvage_guess(from) };
	struct copy notes = { .columns = 2, .o = o };
	int err = begin_hash(&in);
	err = err ? err : begin_hash(&back);
	rows.put = db_prepare(to, put_tape);
	notes.put = db_prepare(to, "INSERT INTO tape_checkpoint VALUES(?1, ?2)");
	if (!err)
		err = rows.put && notes.put ? db_begin(to) : STORE_EIO;
	err = err ? err : copy_both(from, to, &rows, &notes, out, m, found);
	err = err ? err : db_commit(to);
	err = err ? err : read_again(to, all_tape, TAPE_COLUMN_COUNT, &back);
	if (!err && (EVP_DigestFinal_ex(in.ctx, wanted, NULL) != 1 ||
	             EVP_DigestFinal_ex(back.ctx, got, NULL) != 1 ||
	             memcmp(wanted, got, HASH_SIZE) != 0))
		err = STORE_EIO; /* the disk gives back other bytes than it got */
	if (!err && o->salvage)
		out->leaning = db_int(to, "SELECT count(*) FROM tape t WHERE typeof(t.body) = 'blob'"
		                          " AND typeof(" PLAIN_BODY ") = 'blob'", 0);
	sqlite3_finalize(rows.put);
	sqlite3_finalize(notes.put);
	hasher_release(&in);
	hasher_release(&back);
	return err;
}

int salvage_tiles(sqlite3 *db, int64_t entries)
{
	struct hasher h;
	int64_t size = db_int(db, "SELECT max(size) FROM tape_checkpoint", 0);
	int err = hasher_init(&h);
	if (err)
		return err;
	if (size > 0 && size <= entries)
		err = merkle_extend(db, &h, size);
	hasher_release(&h);
	return err;
}

static int make_tiles(sqlite3 *db, int64_t entries)
{
	int err = db_begin(db);
	err = err ? err : salvage_tiles(db, entries);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err;
}

/* The tape's own key, as its first entry names it. */
static bool key_of(sqlite3 *db, struct note_key *key)
{
	sqlite3_stmt *q = db_prepare(db, "SELECT json_extract(body, '$.vkey') FROM tape WHERE seq = 0");
	bool known = q && sqlite3_step(q) == SQLITE_ROW && note_key_parse(key, db_text(q, 0));
	sqlite3_finalize(q);
	return known;
}

/* A body that is there though its owner has taken it out: somebody put it back; it stays out. */
static int leave_redacted(sqlite3 *db, const struct note_key *key)
{
	size_t count;
	int err = db_exec(db, "PRAGMA secure_delete=ON");
	return err ? err : gone_take_again(db, key, &count);
}

/*
 * Notes that the key did not sign for the size they stand at are taken out of the new file:
 * somebody put them there, and they say nothing of the tape.  One that it did sign stays, whatever
 * it says of the rows.  If none is signed it is the key that is wrong, and all stay.
 */
static int leave_false(sqlite3 *db, const struct note_key *key, int64_t *count)
{
	int err = 0, rc = SQLITE_ERROR;
	bool any = false;
	sqlite3_stmt *q = db_prepare(db, "SELECT size, note FROM tape_checkpoint ORDER BY size");
	sqlite3_stmt *out = db_prepare(db, "DELETE FROM tape_checkpoint WHERE size = ?1");
	while (!err && q && out && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct checkpoint c;
		const char *note = sqlite3_column_blob(q, 1);
		const int64_t size = sqlite3_column_int64(q, 0);
		enum note_error bad = note_checkpoint(note ? note : "",
			(size_t)sqlite3_column_bytes(q, 1), key, &c);
		if (bad == NOTE_FAILED)
			err = STORE_ENOMEM;
		any |= bad == NOTE_OK;
		if (bad == NOTE_OK && c.size == size)
			continue;
		sqlite3_bind_int64(out, 1, size);
		err = err ? err : db_error(sqlite3_step(out));
		sqlite3_reset(out);
		++*count;
	}
	sqlite3_finalize(q);
	sqlite3_finalize(out);
	if (any || err)
		return err ? err : db_error(rc);
	*count = 0;
	return STORE_ENOENT;
}

static int leave_notes(sqlite3 *db, const struct note_key *key, int64_t *count)
{
	int err = db_begin(db);
	if (err)
		return err;
	err = leave_false(db, key, count);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err == STORE_ENOENT ? 0 : err;
}

int salvage_copy(sqlite3 *from, struct salvage_file *f, const struct rebuild_options *o,
                 struct rebuild_report *out, struct missing *m, struct missing *found)
{
	struct note_key key;
	int err = copy_tables(from, f->db, o, out, m, found);
	if (!err && key_of(f->db, &key)) {
		err = leave_redacted(f->db, &key);
		err = err || !o->salvage ? err : leave_notes(f->db, &key, &out->notes_false);
	}
	return err || m->count > 0 ? err : make_tiles(f->db, out->entries);
}
