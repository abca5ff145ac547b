/* SPDX-License-Identifier: MIT */
/*
 * Opening PATH.vectors.  It is not a view that can be made again from the tape, but a cache: what
 * is damaged, of another version or of another machine is removed, and paid for again.
 */
#include "store/vectors/vector_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/base/base.h"

static const char schema[] =
	"CREATE TABLE state(version INTEGER NOT NULL, one BLOB NOT NULL, upto INTEGER NOT NULL,"
	" clean INTEGER NOT NULL, leaf BLOB);"
	"CREATE TABLE hash(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE);"
	"CREATE TABLE text(seq INTEGER NOT NULL, id INTEGER NOT NULL, doc INTEGER, sum INTEGER,"
	" flags INTEGER NOT NULL, live INTEGER NOT NULL, PRIMARY KEY(seq, id)) WITHOUT ROWID;"
	"CREATE INDEX text_doc ON text(doc) WHERE doc IS NOT NULL;"
	"CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL, dims INTEGER NOT NULL,"
	" UNIQUE(name, dims));"
	"CREATE TABLE pack(model INTEGER NOT NULL, n INTEGER NOT NULL, have INTEGER NOT NULL,"
	" none INTEGER NOT NULL, data INTEGER NOT NULL, PRIMARY KEY(model, n)) WITHOUT ROWID;"
	"CREATE TABLE data(id INTEGER PRIMARY KEY, vectors BLOB NOT NULL);";

static const char *const vectors_sql[VECTORS_STMTS] = {
	[VECTORS_STATE] = "SELECT upto, clean, leaf FROM state",
	[VECTORS_SET_STATE] = "UPDATE state SET upto = ?1, leaf = ?2",
	[VECTORS_CHANGED] = "PRAGMA data_version",
	[VECTORS_FIND] = "SELECT id FROM hash WHERE hash = ?1",
	[VECTORS_NUMBER] = "INSERT INTO hash(hash) VALUES(?1)",
	[VECTORS_FORGET] = "DELETE FROM hash WHERE id = ?1",
	/* Only redactions leave numbers out; many more are missing where the file is damaged. */
	[VECTORS_LAST] = "SELECT iif(max(id) > 16 * count(*) + 1000000, -1, max(id)) FROM hash",
	[VECTORS_SAVE_TEXT] = "INSERT OR REPLACE INTO text VALUES(?1, ?2, ?3, ?4, ?5, 1)",
	[VECTORS_DOC] = "SELECT seq, sum FROM text WHERE doc = ?1 AND live",
	[VECTORS_END_DOC] = "UPDATE text SET live = 0 WHERE doc = ?1 AND live",
	/* HIT_FACT */
	[VECTORS_END] = "UPDATE text SET live = 0 WHERE seq = ?1 AND live AND flags & 3 = 2",
	[VECTORS_OF_ENTRY] = "SELECT id FROM text WHERE seq = ?1 LIMIT 1",
	[VECTORS_SHARED] = "SELECT 1 FROM text WHERE id = ?1 LIMIT 1",
	[VECTORS_DROP_TEXT] = "DELETE FROM text WHERE seq = ?1 AND id = ?2",
	[VECTORS_LIVE] = "SELECT seq, id, flags FROM text WHERE live ORDER BY seq",
	[VECTORS_MODEL] = "SELECT id FROM model WHERE name = ?1 AND dims = ?2",
	[VECTORS_ADD_MODEL] = "INSERT INTO model(name, dims) VALUES(?1, ?2)",
	[VECTORS_PACKS] = "SELECT n, have, none, data FROM pack WHERE model = ?1 ORDER BY n",
	[VECTORS_PACK] = "SELECT have, none, data FROM pack WHERE model = ?1 AND n = ?2",
	[VECTORS_SAVE_PACK] = "INSERT OR REPLACE INTO pack VALUES(?1, ?2, ?3, ?4, ?5)",
	[VECTORS_ADD_DATA] = "INSERT INTO data(vectors) VALUES(zeroblob(?1))",
	[VECTORS_PACKS_AT] = ("SELECT p.model, m.dims FROM model m JOIN pack p ON p.model = m.id"
						  " WHERE p.n = ?1 AND p.model > ?2 ORDER BY p.model LIMIT 1"),
};

static int open_db(const char *name, bool read_only, sqlite3 **db)
{
	int err = db_error(read_only ? db_open_file(name, SQLITE_OPEN_READWRITE, db) :
	                   db_connect(name, SQLITE_OPEN_READWRITE, db));
	err = err ? err : db_harden(*db);
	if (err)
		return err;
	/* Mapped all the same: a search reads every vector there is. */
	err = db_exec(*db, "PRAGMA temp_store=MEMORY;"
	                   "PRAGMA mmap_size=2147418112; PRAGMA cache_size=-4096");
	if (!err && !read_only)
		err = db_exec(*db, "PRAGMA page_size=16384; PRAGMA journal_mode=WAL;"
		                   "PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON");
	return err;
}

/* Floats are kept as this machine has them. */
static bool ours(sqlite3 *db)
{
	const float one = 1;
	sqlite3_stmt *q = db_prepare(db, "SELECT one FROM state WHERE version = ?1");
	sqlite3_bind_int(q, 1, VECTORS_VERSION);
	bool same = q && sqlite3_step(q) == SQLITE_ROW &&
		sqlite3_column_bytes(q, 0) == (int)sizeof one &&
		memcmp(sqlite3_column_blob(q, 0), &one, sizeof one) == 0;
	sqlite3_finalize(q);
	return same;
}

/* Nothing that was redacted before now can come into an empty file. */
static int fill(sqlite3 *db, int64_t clean)
{
	const float one = 1;
	int err = db_exec(db, schema);
	sqlite3_stmt *q = err ? NULL : db_prepare(db, "INSERT INTO state VALUES(?1, ?2, 0, ?3, NULL)");
	sqlite3_bind_int(q, 1, VECTORS_VERSION);
	sqlite3_bind_blob(q, 2, &one, sizeof one, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, clean);
	if (!err)
		err = q ? db_error(sqlite3_step(q)) : STORE_EIO;
	sqlite3_finalize(q);
	return err;
}

static int64_t entries_on(const char *path)
{
	sqlite3 *tape = NULL;
	int64_t entries = 0;
	if (db_open(path, DB_READ, &tape, NULL) == 0)
		entries = db_int(tape, "SELECT max(seq) + 1 FROM tape", 0);
	sqlite3_close(tape);
	return entries;
}

static int check_tables(sqlite3 *db, const char *path, bool read_only)
{
	if (ours(db))
		return 0;
	if (read_only || db_int(db, "SELECT count(*) FROM sqlite_schema", -1) != 0)
		return STORE_EFORMAT;
	int64_t clean = entries_on(path);
	int err = db_begin(db);
	if (err)
		return err;
	if (db_int(db, "SELECT count(*) FROM sqlite_schema", -1) == 0) /* not made meanwhile */
		err = fill(db, clean);
	if (!err)
		return db_commit(db);
	db_rollback(db);
	return err;
}

static int open_parts(struct vectors *v, const char *path, bool make)
{
	char name[PATH_MAX + 16];
	(void)snprintf(name, sizeof name, "%s.vectors", path);
	if (access(name, F_OK) != 0 && (!make || v->fixed))
		return STORE_ENOENT;
	if (!v->fixed) { /* private from the start, as the memory is */
		int made = private_create(name);
		if (made)
			return made == STORE_EFORMAT ? STORE_EROFS : made;
	}
	int err = open_db(name, v->fixed, &v->db);
	if (!err)
		err = check_tables(v->db, path, v->fixed);
	if (!err)
		err = hasher_init(&v->hasher);
	for (int i = 0; !err && i < VECTORS_STMTS; i++) {
		v->stmt[i] = db_prepare(v->db, vectors_sql[i]);
		if (!v->stmt[i])
			err = STORE_EFORMAT;
	}
	return err;
}

int vectors_open(const char *path, bool make, bool read_only, struct vectors **out)
{
	struct vectors *v = calloc(1, sizeof *v);
	if (!v)
		return STORE_ENOMEM;
	v->fixed = read_only;
	int err = open_parts(v, path, make);
	if (err) {
		vectors_close(v);
		return err;
	}
	*out = v;
	return 0;
}

void vectors_close(struct vectors *v)
{
	if (!v)
		return;
	for (int i = 0; i < VECTORS_STMTS; i++)
		sqlite3_finalize(v->stmt[i]);
	sqlite3_close(v->db);
	if (v->hasher.ctx)
		hasher_release(&v->hasher);
	free(v->rows);
	free(v->packs);
	free(v->handed);
	free(v);
}

void vectors_remove(const char *path)
{
	db_remove_beside(path, "vectors");
}

int vectors_run(struct vectors *v, enum vectors_stmt which)
{
	int rc = sqlite3_step(v->stmt[which]);
	sqlite3_reset(v->stmt[which]);
	return db_error(rc);
}

int vectors_number(struct vectors *v, enum vectors_stmt which, int64_t *out)
{
	int rc = sqlite3_step(v->stmt[which]);
	*out = rc == SQLITE_ROW ? sqlite3_column_int64(v->stmt[which], 0) : 0;
	sqlite3_reset(v->stmt[which]);
	return db_error(rc);
}
