/* SPDX-License-Identifier: MIT */
/* Connections, errors, rows.  The only place that knows pragmas. */
#include "store/db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/db/schema.h"
#include "store/store.h"

enum { BUSY_MS = 20000 }; /* how long to wait for another process's transaction */

int db_error(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return STORE_ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return STORE_EROFS;
	case SQLITE_NOMEM:
		return STORE_ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return STORE_EBUSY;
	case SQLITE_CONSTRAINT:
	case SQLITE_TOOBIG:
	case SQLITE_MISMATCH:
		return STORE_EINVAL;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return STORE_EFORMAT;
	default:
		return STORE_EIO;
	}
}

const char *store_strerror(int code)
{
	switch (code) {
	case 0: return "all is well";
	case STORE_ENOENT: return "there is no such thing";
	case STORE_EIO: return "the disk or SQLite failed";
	case STORE_ENOSPC: return "the disk is full";
	case STORE_EROFS: return "the memory cannot be written";
	case STORE_EMOVED: return "somebody else was faster";
	case STORE_EINVAL: return "a field breaks the format";
	case STORE_ENOMEM: return "out of memory";
	case STORE_ENEWER: return "written by a newer cinta";
	case STORE_EFORMAT: return "not a tape, or damaged";
	case STORE_EEXIST: return "it is there already";
	case STORE_EBUSY: return "another process holds it";
	case STORE_EPINNED: return "a message is pinned";
	case STORE_EUNPROVED: return "a body is gone that its owner did not sign away";
	default: return "unknown error";
	}
}

int db_exec(sqlite3 *db, const char *sql)
{
	return db_error(sqlite3_exec(db, sql, NULL, NULL, NULL));
}

int db_begin(sqlite3 *db)
{
	return db_exec(db, "BEGIN IMMEDIATE");
}

void db_rollback(sqlite3 *db)
{
	if (!sqlite3_get_autocommit(db))
		(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

int db_commit(sqlite3 *db)
{
	int err = db_exec(db, "COMMIT");
	if (err)
		db_rollback(db);
	return err;
}

sqlite3_stmt *db_prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK)
		return NULL;
	return stmt;
}

int64_t db_int(sqlite3 *db, const char *sql, int64_t missing)
{
	sqlite3_stmt *stmt = NULL;
	int64_t value = missing;
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

const char *db_text(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);
	return text ? text : "";
}

int db_number(sqlite3_stmt *q, int64_t *value)
{
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	*value = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

int db_count_until(sqlite3_stmt *q, int n, int64_t count, int64_t time_us, int64_t *out)
{
	int64_t low = 0, high = count;
	while (low < high) {
		int64_t middle = low + (high - low) / 2, us;
		sqlite3_bind_int64(q, n, middle);
		int err = db_number(q, &us);
		if (err)
			return err == STORE_ENOENT ? STORE_EIO : err;
		if (us <= time_us)
			low = middle + 1;
		else
			high = middle;
	}
	*out = low;
	return 0;
}

/* The guard against our own mistakes; the triggers guard against others'. */
static int keep_tape(void *ctx, int action, const char *table, const char *b, const char *c,
                     const char *d)
{
	(void)ctx, (void)b, (void)c, (void)d;
	if ((action == SQLITE_UPDATE || action == SQLITE_DELETE || action == SQLITE_DROP_TABLE) &&
	    table && strncmp(table, "tape", 4) == 0)
		return SQLITE_DENY;
	return SQLITE_OK;
}

void db_guard(sqlite3 *db, bool on)
{
	sqlite3_set_authorizer(db, on ? keep_tape : NULL, NULL);
}

static int set_up(sqlite3 *db, enum db_mode mode)
{
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_extended_result_codes(db, 1);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, (int *)NULL);
	int err = db_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA recursive_triggers=ON;"
	                      "PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL;"
	                      "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY");
	if (!err && mode == DB_READ)
		err = db_exec(db, "PRAGMA query_only=ON");
	return err;
}

static int check_version(sqlite3 *db, const char *path, struct why *why)
{
	int64_t app = db_int(db, "PRAGMA application_id", -1);
	int64_t version = db_int(db, "PRAGMA user_version", -1);
	if (app != APPLICATION_ID) {
		why_set(why, "name a database made by cinta init or cinta mount",
		        "%s is not a tape (%s)", path,
		        app < 0 ? sqlite3_errmsg(db) : "another application's database");
		return STORE_EFORMAT;
	}
	if (version > SCHEMA_VERSION) {
		why_set(why, "use a newer cinta", "%s has schema %lld, this cinta knows up to %d", path,
		        (long long)version, SCHEMA_VERSION);
		return STORE_ENEWER;
	}
	return 0;
}

static int open_file(const char *path, enum db_mode mode, sqlite3 **out, struct why *why)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE;
	int rc = sqlite3_open_v2(path, out, flags, NULL);
	if (rc != SQLITE_OK) {
		why_set(why, "check that the file exists and its permissions", "cannot open %s: %s", path,
		        *out ? sqlite3_errmsg(*out) : "out of memory");
		sqlite3_close(*out);
		*out = NULL;
		return access(path, F_OK) != 0 ? STORE_ENOENT : db_error(rc);
	}
	int err = set_up(*out, mode);
	if (err) {
		why_set(why, "run cinta doctor", "cannot use %s: %s", path, sqlite3_errmsg(*out));
		sqlite3_close(*out);
		*out = NULL;
	}
	return err;
}

/*
 * SQLite gives the WAL and its index the mode of the database and never changes it:
 * made while that could only be read, they would keep us from writing for ever.
 */
static void loosen(const char *path)
{
	static const char *const beside[] = { "-wal", "-shm" };
	char name[PATH_MAX + 8];
	struct stat db, st;
	for (int i = 0; i < 2 && stat(path, &db) == 0; i++) {
		(void)snprintf(name, sizeof name, "%s%s", path, beside[i]);
		if (stat(name, &st) == 0 && st.st_uid == geteuid() &&
		    (db.st_mode & 0200) && !(st.st_mode & 0200))
			(void)chmod(name, db.st_mode & 0777);
	}
}

/* Rows are read through v_redacted, which an older cinta's file lacks while nobody can write it. */
static int stand_for_views(sqlite3 *db)
{
	if (db_int(db, "SELECT 1 FROM sqlite_schema WHERE name = 'v_redacted'", 0))
		return 0;
	return db_exec(db, "PRAGMA query_only=OFF;"
	                   "CREATE TEMP TABLE v_redacted(seq INTEGER PRIMARY KEY, by, body TEXT);"
	                   "PRAGMA query_only=ON");
}

int db_open(const char *path, enum db_mode mode, sqlite3 **out, struct why *why)
{
	if (mode == DB_WRITE)
		loosen(path);
	int err = open_file(path, mode, out, why);
	if (err)
		return err;
	err = check_version(*out, path, why);
	if (!err && mode == DB_READ)
		err = stand_for_views(*out);
	if (!err && mode == DB_WRITE)
		db_guard(*out, true);
	if (err) {
		sqlite3_close(*out);
		*out = NULL;
	}
	return err;
}

/* Writes schema and version, unless somebody was faster: *made tells. */
static int fill(sqlite3 *db, int *made)
{
	int err = db_exec(db, "PRAGMA encoding='UTF-8'; PRAGMA journal_mode=WAL");
	if (err || (err = db_begin(db)))
		return err;
	if (db_int(db, "SELECT count(*) FROM sqlite_schema", -1) != 0) {
		db_rollback(db);
		return 0;
	}
	char pragmas[96];
	(void)snprintf(pragmas, sizeof pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d",
	               APPLICATION_ID, SCHEMA_VERSION);
	if ((err = db_exec(db, schema_sql)) || (err = db_exec(db, views_sql)) ||
	    (err = db_exec(db, gone_sql)) || (err = db_exec(db, pragmas))) {
		db_rollback(db);
		return err;
	}
	*made = 1;
	return db_commit(db);
}

void db_remove_beside(const char *path, const char *ending)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char name[PATH_MAX + 32];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		(void)snprintf(name, sizeof name, "%s.%s%s", path, ending, parts[i]);
		(void)unlink(name);
	}
}

int db_create(const char *path, struct why *why)
{
	/* SQLite gives its -wal and -shm the mode of the database: private from the start. */
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		why_set(why, "make the directory, or name another database", "cannot create %s: %s", path,
		        strerror(errno));
		return errno == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
	}
	off_t size = lseek(fd, 0, SEEK_END);
	/* So is one that somebody made empty, as with touch(1). */
	if (size == 0 && fchmod(fd, 0600) < 0) {
		why_set(why, "take a file of your own", "the mode of %s: %s", path, strerror(errno));
		close(fd);
		return STORE_EROFS;
	}
	close(fd);
	if (size > 0)
		return 0;
	sqlite3 *db = NULL;
	int made = 0;
	int err = open_file(path, DB_WRITE, &db, why);
	if (err)
		return err;
	err = fill(db, &made);
	if (err)
		why_set(why, "check the disk", "cannot make the tables in %s: %s", path,
				sqlite3_errmsg(db));
	sqlite3_close(db);
	return err ? err : made;
}

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
