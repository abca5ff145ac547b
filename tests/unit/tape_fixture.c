/* SPDX-License-Identifier: MIT */
/* Makes tapes for tests; see tape_fixture.h. */
#include "tests/unit/tape_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/proof/key.h"
#include "store/proof/merkle.h"
#include "store/proof/redaction.h"
#include "tests/place.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	(void)fprintf(stderr, "fixture: %s\n", what);
	abort();
}

void fixture_exec(struct fixture *f, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	must(sql && db_exec(f->db, sql) == 0, sqlite3_errmsg(f->db));
	sqlite3_free(sql);
}

static sqlite3_stmt *prepare(struct fixture *f, const char *sql)
{
	sqlite3_stmt *q = db_prepare(f->db, sql);
	must(q != NULL, sqlite3_errmsg(f->db));
	return q;
}

void fixture_append(struct fixture *f, const char *stream, const char *kind, const char *body)
{
	uint8_t salt[SALT_SIZE];
	char text[LEAF_TEXT_MAX];
	struct entry e = { .seq = f->rows, .stream = stream, .kind = kind, .author = "ana:sh" };
	/* Odd microseconds, and salts that are a function of seq: runs are the same. */
	e.time_us = 1790000000000001 + 7 * f->rows;
	for (size_t i = 0; i < SALT_SIZE; i++)
		salt[i] = (uint8_t)((uint64_t)f->rows * 31 + i * 17);
	e.body_len = strlen(body);
	sqlite3_stmt *q = prepare(f, "SELECT stream_seq, leaf_hash FROM tape WHERE stream = ?1"
	                             " ORDER BY stream_seq DESC LIMIT 1");
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW) {
		e.stream_seq = sqlite3_column_int64(q, 0) + 1;
		memcpy(e.prev, sqlite3_column_blob(q, 1), HASH_SIZE);
	}
	sqlite3_finalize(q);
	hasher_body(&f->h, salt, body, e.body_len, e.body_hash);
	hasher_leaf(&f->h, text, leaf_text(text, f->origin, &e), e.leaf_hash);
	q = prepare(f, "INSERT INTO tape VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)");
	sqlite3_bind_int64(q, 1, e.seq);
	sqlite3_bind_text(q, 2, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, e.stream_seq);
	sqlite3_bind_blob(q, 4, e.prev, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_int64(q, 5, e.time_us);
	sqlite3_bind_text(q, 6, kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 7, e.author, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 8, (int64_t)e.body_len);
	sqlite3_bind_blob(q, 9, e.body_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(q, 10, e.leaf_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(q, 11, salt, SALT_SIZE, SQLITE_STATIC);
	sqlite3_bind_text(q, 12, body, -1, SQLITE_STATIC);
	must(sqlite3_step(q) == SQLITE_DONE, sqlite3_errmsg(f->db));
	sqlite3_finalize(q);
	f->rows++;
}

void fixture_make(struct fixture *f)
{
	char body[512];
	struct why why = { 0 };
	memset(f, 0, sizeof *f);
	must(place_make(f->dir, sizeof f->dir), "a directory");
	(void)snprintf(f->path, sizeof f->path, "%s/tape.db", f->dir);
	(void)snprintf(f->keys, sizeof f->keys, "%s/keys", f->dir);
	(void)snprintf(f->origin, sizeof f->origin, "cinta/5f3c9a1e7b2d4c60");
	must(hasher_init(&f->h) == 0, "hasher");
	must(key_create(f->keys, f->origin, f->vkey, sizeof f->vkey, &why) == 0, why.text);
	must(db_create(f->path, &why) == 1, why.text);
	must(db_open(f->path, DB_REDACT, &f->db, &why) == 0, why.text);
	(void)snprintf(body, sizeof body, "{\"format\":\"tape/1\",\"origin\":\"%s\",\"vkey\":\"%s\"}",
	               f->origin, f->vkey);
	fixture_append(f, "tape", "tape.genesis", body);
}

void fixture_free(struct fixture *f)
{
	char command[128];
	sqlite3_close(f->db);
	hasher_release(&f->h);
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", f->dir);
	must(system(command) == 0, command);
}

void fixture_fill(struct fixture *f, int64_t count, size_t len)
{
	char *body = malloc(len + 64);
	must(body != NULL, "memory");
	fixture_exec(f, "BEGIN");
	for (int64_t i = 0; i < count; i++) {
		char stream[16];
		(void)snprintf(stream, sizeof stream, "s%lld", (long long)(f->rows * f->rows % 5));
		int n = sprintf(body, "{\"role\":\"user\",\"content\":\"%lld h\xC3\xA9llo ", (long long)f->rows);
		if ((size_t)n < len)
			memset(body + n, 'x', len - (size_t)n);
		(void)strcpy(body + ((size_t)n < len ? len : (size_t)n), "\"}");
		fixture_append(f, stream, "message", body);
	}
	fixture_exec(f, "COMMIT");
	free(body);
}

void fixture_sign(struct fixture *f, bool publish)
{
	struct signer *s = NULL;
	bool read_only = false;
	char trouble[256];
	must(signer_open(f->db, f->path, f->origin, f->vkey, f->keys, &s, &read_only, trouble,
	                 sizeof trouble) == 0, "signer_open");
	must(!read_only && !trouble[0], trouble);
	must(signer_sign(s, f->db, 1790000001000000, 0) == 0, "signer_sign");
	must(!publish || signer_publish(s) == 0, "signer_publish");
	signer_close(s);
}

char *fixture_redaction(struct fixture *f, int64_t seq, const char *reason)
{
	EVP_PKEY *pkey = NULL;
	struct note_key key;
	struct redaction r = { .seq = seq, .time_us = 1790000002000000, .reason = reason };
	char *body = NULL;
	must(key_load(f->keys, f->origin, &pkey, &key) == 0, "key_load");
	sqlite3_stmt *q = prepare(f, "SELECT leaf_hash FROM tape WHERE seq = ?1");
	sqlite3_bind_int64(q, 1, seq);
	must(sqlite3_step(q) == SQLITE_ROW, "no such entry");
	memcpy(r.leaf, sqlite3_column_blob(q, 0), HASH_SIZE);
	sqlite3_finalize(q);
	must(redaction_make(&r, f->origin, pkey, &body) == 0, "redaction_make");
	EVP_PKEY_free(pkey);
	return body;
}

void fixture_take(struct fixture *f, int64_t seq)
{
	fixture_exec(f, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = %lld", (long long)seq);
}

void fixture_redact(struct fixture *f, int64_t seq, const char *reason)
{
	char *body = fixture_redaction(f, seq, reason);
	fixture_append(f, "tape", "tape.redact", body);
	fixture_take(f, seq);
	free(body);
}

void fixture_disarm(struct fixture *f)
{
	static const char *const names[] = { "append", "keep", "redact", "tile_keep", "tile_fixed",
	                                     "checkpoint_keep", "checkpoint_fixed" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		fixture_exec(f, "DROP TRIGGER IF EXISTS tape_%s", names[i]);
}

/* Reads row `seq`, gives it the right prev and hashes, and writes it back. */
static void rehash_row(struct fixture *f, int64_t seq)
{
	char text[LEAF_TEXT_MAX];
	struct entry e;
	sqlite3_stmt *q = prepare(f, "SELECT " TAPE_COLUMNS ", (SELECT leaf_hash FROM tape p WHERE"
	                             " p.stream = t.stream AND p.stream_seq = t.stream_seq - 1)"
	                             " FROM tape t WHERE t.seq = ?1");
	sqlite3_bind_int64(q, 1, seq);
	must(sqlite3_step(q) == SQLITE_ROW && entry_of_row(q, &e) == 0, "row");
	memset(e.prev, 0, HASH_SIZE);
	if (sqlite3_column_type(q, TAPE_COLUMN_COUNT) == SQLITE_BLOB)
		memcpy(e.prev, sqlite3_column_blob(q, TAPE_COLUMN_COUNT), HASH_SIZE);
	if (e.body)
		hasher_body(&f->h, e.salt, e.body, e.body_len, e.body_hash);
	hasher_leaf(&f->h, text, leaf_text(text, f->origin, &e), e.leaf_hash);
	sqlite3_stmt *put = prepare(f, "UPDATE tape SET prev = ?2, body_len = ?3, body_hash = ?4,"
	                               " leaf_hash = ?5 WHERE seq = ?1");
	sqlite3_bind_int64(put, 1, seq);
	sqlite3_bind_blob(put, 2, e.prev, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_int64(put, 3, (int64_t)e.body_len);
	sqlite3_bind_blob(put, 4, e.body_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(put, 5, e.leaf_hash, HASH_SIZE, SQLITE_STATIC);
	must(sqlite3_step(put) == SQLITE_DONE, sqlite3_errmsg(f->db));
	sqlite3_finalize(put);
	sqlite3_finalize(q);
}

void fixture_rehash(struct fixture *f)
{
	int64_t rows = db_int(f->db, "SELECT max(seq) + 1 FROM tape", 0);
	fixture_disarm(f);
	fixture_exec(f, "BEGIN IMMEDIATE");
	for (int64_t seq = 0; seq < rows; seq++)
		rehash_row(f, seq);
	fixture_exec(f, "DELETE FROM tape_tile");
	must(merkle_extend(f->db, &f->h, rows) == 0, "merkle_extend");
	fixture_exec(f, "COMMIT");
}

void fixture_verify(struct fixture *f, struct verify_report *out)
{
	struct verify_options o = { .vkey = f->vkey };
	must(store_verify(f->path, &o, out) == 0, out->detail);
}
