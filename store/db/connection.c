/* SPDX-License-Identifier: MIT */
/* Connections of whatever kind: how each is opened, its errors, its rows. */
#include "store/db/db.h"

#include <string.h>

#include "store/db/spending.h"
#include "store/wal/wal.h"
#include "store/store.h"

enum { BUSY_MS = 20000, EMPTY_MS = 100, CACHE_KIB = 2000 /* SQLite's own */ };

int db_connect_as(const char *path, const char *uri, int flags, sqlite3 **db)
{
	flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (uri ? SQLITE_OPEN_URI : 0);
	int rc = sqlite3_open_v2(uri ? uri : path, db, flags, wal_vfs());
	if (*db)
		sqlite3_busy_timeout(*db, BUSY_MS);
	/* Nothing is read yet. */
	return rc == SQLITE_OK && !file_pin_holds(path) ? SQLITE_CANTOPEN : rc;
}

int db_connect(const char *path, int flags, sqlite3 **db)
{
	return db_connect_as(path, NULL, flags, db);
}

int db_empty_wal(sqlite3 *db)
{
	sqlite3_busy_timeout(db, EMPTY_MS);
	int rc = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(db, BUSY_MS);
	(void)sqlite3_db_release_memory(db);
	return db_error(rc);
}

/* The beginning of DB-shm (sqlite.org/walformat.html, 2.1), where SQLite has mapped it. */
struct wal_index {
	struct {
		uint32_t version, unused, change;
		uint8_t set, big_endian;
		uint16_t page;          /* bytes; 1: 65536 */
		uint32_t frames, pages; /* of the log; of the database as the log has it */
		uint32_t sums[6];
	} head[2];
	uint32_t copied_back; /* frames */
};

static int64_t bytes_of(int64_t page)
{
	return page == 1 ? 65536 : page;
}

/* False: somebody just writes it.  Only of a file whose log is open: else this would map it. */
static bool read_index(sqlite3_file *file, struct wal_index *out)
{
	void volatile *map = NULL;
	if (file->pMethods->xShmMap(file, 0, 32768, 0, &map) != SQLITE_OK || !map)
		return false;
	file->pMethods->xShmBarrier(file);
	memcpy(out, (const void *)(uintptr_t)map, sizeof *out);
	return out->head[0].set && memcmp(&out->head[0], &out->head[1], sizeof out->head[0]) == 0;
}

/* What the first page says, which SQLite writes before it makes a file shorter (VACUUM). */
static bool is_shorter_than_said(sqlite3_file *file, int64_t size)
{
	uint8_t head[100]; /* of the format's: a page's size at 16, how many at 28 */
	if (file->pMethods->xRead(file, head, sizeof head, 0) != SQLITE_OK)
		return true;
	int64_t pages = (int64_t)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
	return size < pages * bytes_of(head[16] << 8 | head[17]);
}

bool db_is_cut(sqlite3 *db, const char *path, int64_t *size)
{
	sqlite3_file *file = NULL;
	struct wal_index x, after;
	char log[PATH_MAX + 8];
	(void)snprintf(log, sizeof log, "%s-wal", path);
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	bool whole = file && wal_vfs_is_open(db) && read_index(file, &x);
	int64_t was = *size, log_size = file_bytes(log);
	*size = file_bytes(path);
	if (!whole || *size < 0 || log_size < 0 || !read_index(file, &after) ||
	    memcmp(&x, &after, sizeof x) != 0)
		return false;
	int64_t page = bytes_of(x.head[0].page);
	if (x.head[0].frames > 0 && log_size < 32 + x.head[0].frames * (page + 24))
		return true;
	return x.copied_back == x.head[0].frames ? *size < x.head[0].pages * page :
		*size < was && is_shorter_than_said(file, *size);
}

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
	case SQLITE_INTERRUPT: /* it never ended (spending.h) */
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
	case STORE_EAWAY: return "its server cannot be reached";
	case STORE_EUNKNOWN: return "its server did not answer: errors.log will tell what became of it";
	case STORE_EFBIG: return "larger than the 16 MiB that a server takes";
	default: return "unknown error";
	}
}

const char *db_todo(int err)
{
	switch (err) {
	case STORE_EFORMAT:
		return "type: cinta rebuild DB; it mends all but lost entries, and names those";
	case STORE_ENOSPC: return "make room on its disk";
	case STORE_EROFS: return "check owner, mode and disk; to read only: mount -o ro";
	case STORE_EBUSY: return "end what else has it open, and try again";
	case STORE_ENOMEM: return "end other programs, and try again";
	default: return "check the disk (dmesg), then restore a copy";
	}
}

int db_exec(sqlite3 *db, const char *sql)
{
	return db_error(sqlite3_exec(db, sql, NULL, NULL, NULL));
}

int db_roomy(sqlite3 *db, bool roomy)
{
	char sql[48];
	(void)snprintf(sql, sizeof sql, "PRAGMA cache_size=%d", -(roomy ? ROOMY_KIB : CACHE_KIB));
	int err = db_exec(db, sql);
	if (!err && !roomy)
		(void)sqlite3_db_release_memory(db);
	return err;
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

void db_hash(sqlite3_stmt *q, int column, char hex[2 * HASH_SIZE + 1])
{
	const void *hash = sqlite3_column_blob(q, column);
	hex[0] = '\0';
	if (hash && sqlite3_column_bytes(q, column) == HASH_SIZE)
		hex_of(hash, HASH_SIZE, hex);
}

void db_talk(sqlite3_stmt *q, int column, struct talk *out)
{
	(void)snprintf(out->agent, sizeof out->agent, "%s", db_text(q, column));
	(void)snprintf(out->session, sizeof out->session, "%s", db_text(q, column + 1));
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

/* Against a trigger that somebody makes while the file is open; those of tape.sql guard it. */
static int keep_triggers(void *ctx, int action, const char *table, const char *b, const char *c,
                         const char *trigger)
{
	static const char *const ours[] = { "tape_append", "tape_keep", "tape_redact",
		"tape_tile_keep", "tape_tile_fixed", "tape_checkpoint_keep", "tape_checkpoint_fixed" };
	(void)ctx, (void)action, (void)table, (void)b, (void)c;
	for (size_t i = 0; trigger && i < sizeof ours / sizeof *ours; i++)
		if (strcmp(trigger, ours[i]) == 0)
			return SQLITE_OK;
	return trigger ? SQLITE_DENY : SQLITE_OK;
}

/* Against our own mistakes, too. */
static int keep_tape(void *ctx, int action, const char *table, const char *b, const char *c,
                     const char *trigger)
{
	if (keep_triggers(ctx, action, table, b, c, trigger) != SQLITE_OK)
		return SQLITE_DENY;
	if ((action == SQLITE_UPDATE || action == SQLITE_DELETE || action == SQLITE_DROP_TABLE) &&
	    table && strncmp(table, "tape", 4) == 0)
		return SQLITE_DENY;
	return SQLITE_OK;
}

void db_guard(sqlite3 *db, bool on)
{
	sqlite3_set_authorizer(db, on ? keep_tape : keep_triggers, NULL);
}

int db_harden(sqlite3 *db)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 256 << 20 }, /* twice what a scratch file may have */
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, 100 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 50 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 32 },
		{ SQLITE_LIMIT_ATTACHED, 1 }, /* VACUUM's own */
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 10 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		(void)sqlite3_limit(db, limits[i].what, limits[i].most);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
	int err = budget_set(db);
	err = err ? err : db_error(unpack_function(db));
	return err ? err : db_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
	                               "PRAGMA mmap_size=0");
}
