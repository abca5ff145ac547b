/* SPDX-License-Identifier: MIT */
/*
 * Refusals and what was offered: PATH.side, a database of its own, because none
 * of it is memory.  It may be deleted at any time, also under a mount: each use looks whether the
 * file and its log are still at their names, and makes it anew.  It is opened when first used.
 * scratch.c keeps editors' files there, access.c how often memories were used.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/internal.h"
#include "store/base/base.h"
#include "store/db/waiting.h"

struct aux {
	struct lock lock;
	sqlite3 *db;                    /* guarded by lock; NULL until it is first needed */
	struct file_id file, log, index; /* they were opened last; guarded by lock */
	bool anew;                      /* it was another, when it was opened again; guarded by lock */
	_Atomic int64_t refusals;
	_Atomic int failed;             /* why it could not be opened, a STORE_ code; 0: it was */
	int64_t failed_us;              /* since when; guarded by lock */
	_Atomic int unkept;             /* why files off the tape are not kept; 0: all are */
	int64_t (*entries)(const struct store *s); /* how long the tape is */
	struct waiting waiting;         /* guarded by lock */
};

enum { MOST_REFUSALS = 1000 };
#define REJECTED_US INT64_C(2592000000000) /* 30 days */
#define REJECTED_BYTES (INT64_C(512) << 20)  /* of all, oldest go first */
enum {
	REJECTED_MOST = 4 << 20,    /* of one; what is behind is not kept */
	FREE_MANY = 4096,           /* pages: half of the file and so many are given back, */
	FREE_SOME = 256,            /* when it is closed so many, */
	FREE_STEP = 256,            /* so many a time, */
	LEFT_LITTLE = 4096          /* but all at once where less than this is left */
};

/* Before the first table: pages that are free can be given back. */
#define MAKE_SHRINK "PRAGMA auto_vacuum=INCREMENTAL;"

static const char side_sql[] =
	"CREATE TABLE IF NOT EXISTS refusal (id INTEGER PRIMARY KEY, time_us INTEGER NOT NULL,"
	" code TEXT NOT NULL, op TEXT NOT NULL, path TEXT NOT NULL, author TEXT NOT NULL,"
	" reason TEXT NOT NULL, todo TEXT NOT NULL, kept TEXT NOT NULL,"
	" entries INTEGER NOT NULL DEFAULT 0) STRICT;"
	"CREATE TABLE IF NOT EXISTS rejected (id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" name TEXT NOT NULL UNIQUE, time_us INTEGER NOT NULL, size INTEGER NOT NULL,"
	" reason TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;"
	"CREATE TABLE IF NOT EXISTS scratch (id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" dir INTEGER NOT NULL, name TEXT NOT NULL, mode INTEGER NOT NULL,"
	" changed_us INTEGER NOT NULL, bytes BLOB NOT NULL,"
	" touched_us INTEGER NOT NULL DEFAULT 0) STRICT;"
	"CREATE TABLE IF NOT EXISTS mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
	"CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;"
	"CREATE TABLE IF NOT EXISTS access (doc INTEGER PRIMARY KEY, uses INTEGER NOT NULL,"
	" last_us INTEGER NOT NULL) STRICT;"
	"PRAGMA user_version=1";

/* The first files lacked some columns. */
static int add_column(sqlite3 *db, const char *table, const char *name)
{
	char sql[128];
	sqlite3_stmt *q = db_prepare(db, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
	if (!q)
		return STORE_EIO;
	sqlite3_bind_text(q, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
	int rc = sqlite3_step(q);
	sqlite3_finalize(q);
	(void)snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s INTEGER NOT NULL DEFAULT 0",
	               table, name);
	return rc == SQLITE_DONE ? db_exec(db, sql) : db_error(rc);
}

int side_new(struct store *s, int64_t (*entries)(const struct store *s))
{
	s->aux = calloc(1, sizeof *s->aux);
	if (!s->aux)
		return STORE_ENOMEM;
	lock_init(&s->aux->lock, RANK_SIDE);
	s->aux->entries = entries;
	return 0;
}

/*
 * The file gives back what was freed when it is much: a workspace that was emptied, a rejected
 * file.  Where little is left it is written anew; else in steps, for whoever waits for the lock.
 */
static void shrink(sqlite3 *db, int64_t free_most)
{
	char sql[64];
	int64_t pages = db_int(db, "PRAGMA page_count", 0);
	int64_t unused = db_int(db, "PRAGMA freelist_count", 0);
	if (unused < free_most || unused * 2 < pages)
		return;
	(void)snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", FREE_STEP);
	(void)db_exec(db, pages - unused < LEFT_LITTLE ? MAKE_SHRINK "VACUUM" : sql);
}

void side_close(struct store *s)
{
	if (s->aux) {
		(void)side_put_waiting(s);
		side_forget_waiting(s);
		if (s->aux->db && sqlite3_db_readonly(s->aux->db, "main") == 0)
			shrink(s->aux->db, FREE_SOME);
		sqlite3_close(s->aux->db);
	}
	free(s->aux);
}

void side_shut(struct store *s)
{
	sqlite3_close(s->aux->db);
	s->aux->db = NULL;
}

void side_lock(struct store *s)
{
	lock_take(&s->aux->lock);
}

void side_unlock(struct store *s)
{
	lock_give(&s->aux->lock);
}

static int make_tables(sqlite3 *db)
{
	int err = db_exec(db, MAKE_SHRINK "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
	                      "PRAGMA secure_delete=ON; PRAGMA journal_size_limit=4194304");
	err = err ? err : db_exec(db, side_sql);
	err = err ? err : add_column(db, "scratch", "touched_us");
	return err ? err : add_column(db, "refusal", "entries");
}

static int open_side(const char *path, sqlite3 **db)
{
	if (db_is_still(path)) {
		int still = db_error(db_open_still(path, db));
		return still ? still : db_harden(*db);
	}
	int err = private_create(path); /* it holds what was refused, secrets among it */
	if (err)
		return err;
	err = db_error(db_connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, db));
	if (!*db) /* no memory for a connection */
		return err;
	sqlite3_busy_timeout(*db, 5000);
	err = err ? err : db_harden(*db);
	return err ? err : make_tables(*db);
}

static void name_of(const struct store *s, const char *ending, char name[PATH_MAX + 16])
{
	(void)snprintf(name, PATH_MAX + 16, "%s%s", s->path, ending);
}

static bool has_moved(const struct store *s)
{
	const struct {
		const char *ending;
		const struct file_id *was;
	} files[] = { { ".side", &s->aux->file }, { ".side-wal", &s->aux->log },
		{ ".side-shm", &s->aux->index } };
	char name[PATH_MAX + 16];
	int error;
	bool moved = false;
	for (size_t i = 0; !moved && i < sizeof files / sizeof *files; i++) {
		name_of(s, files[i].ending, name);
		moved = file_id_left(name, files[i].was, &error);
	}
	return moved;
}

/* The log at its name may be another's by now: SQLite is not to copy it back, and to remove it. */
static void leave_moved(struct aux *a)
{
	(void)sqlite3_db_config(a->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
	sqlite3_close(a->db);
	a->db = NULL;
	a->anew = true; /* here: what is made next may get the number of this file */
}

/* 0: it works. */
static void set_failed(struct aux *a, int err)
{
	if (err && atomic_load(&a->failed) == 0)
		a->failed_us = (int64_t)time(NULL) * 1000000;
	atomic_store(&a->failed, err);
}

sqlite3 *side_open(struct store *s)
{
	struct aux *a = s->aux;
	char path[PATH_MAX + 16], beside[PATH_MAX + 16];
	int error;
	if (a->db && !has_moved(s))
		return a->db;
	if (a->db)
		leave_moved(a);
	name_of(s, ".side", path);
	int err = open_side(path, &a->db);
	if (!err && !(s->config.flags & STORE_OWNER)) /* one process alone copies back (store.h) */
		err = db_exec(a->db, "PRAGMA wal_autocheckpoint=0");
	set_failed(a, err);
	if (!err) {
		a->anew = a->anew || file_id_left(path, &a->file, &error);
		(void)file_id_of(path, &a->file);
		name_of(s, ".side-wal", beside);
		(void)file_id_of(beside, &a->log);
		name_of(s, ".side-shm", beside);
		(void)file_id_of(beside, &a->index);
		return a->db;
	}
	sqlite3_close(a->db);
	a->db = NULL;
	return NULL;
}

bool side_is_anew(struct store *s)
{
	side_lock(s);
	if (s->aux->db)
		(void)side_open(s);
	bool anew = s->aux->anew;
	s->aux->anew = false;
	side_unlock(s);
	return anew;
}

/* Where nothing can be written nothing was to be kept. */
void side_trouble(const struct store *s, char *text, size_t size)
{
	int err = atomic_load(&s->aux->failed);
	text[0] = '\0';
	if (err && !s->read_only)
		(void)snprintf(text, size, "side: DB.side cannot be used (%s): refusals, rejected/ and"
		               " files off the tape are not kept; move it away: it is made anew",
		               err == STORE_EFORMAT ? "it is no database" : store_strerror(err));
	err = atomic_load(&s->aux->unkept);
	if (text[0] == '\0' && err == STORE_EFORMAT && !s->read_only)
		(void)snprintf(text, size, "side: DB.side is damaged: files off the tape are not kept;"
		               " move it away: it is made anew");
	else if (text[0] == '\0' && err && !s->read_only)
		(void)snprintf(text, size, "scratch: files off the tape are not kept (%s): they are in"
		               " the memory of the daemon alone, and gone with it; make room beside the"
		               " database", store_strerror(err));
}

bool side_is_unkept(const struct store *s)
{
	return !s->read_only && atomic_load(&s->aux->unkept) != 0;
}

void side_unkept(struct store *s, int err)
{
	if (err && !atomic_load(&s->aux->unkept))
		s->aux->failed_us = (int64_t)time(NULL) * 1000000;
	atomic_store(&s->aux->unkept, err);
}

int side_copy(struct store *s, const char *to, struct why *why)
{
	side_lock(s);
	int err = s->aux->db ? db_copy(s->aux->db, to, why) : 0;
	side_unlock(s);
	return err;
}

static int side_run(sqlite3_stmt *q)
{
	int rc = sqlite3_step(q);
	sqlite3_finalize(q);
	return db_error(rc);
}

/* "20261120T100000.123456Z-log.jsonl": sorts by time, unlike any editor's file. */
static void rejected_name(int64_t time_us, const char *name, int again, char out[NAME_LIMIT + 1])
{
	char stamp[32];
	struct tm tm;
	time_t t = (time_t)(time_us / 1000000);
	size_t len = strnlen(name, 200);
	while (len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80) /* a name is UTF-8 */
		len--;
	gmtime_r(&t, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &tm);
	(void)snprintf(out, NAME_LIMIT + 1, "%s.%06d%.*sZ-%.*s", stamp, (int)(time_us % 1000000),
	               again, "xxxxxxxx", (int)len, name);
}

static int put_rejected(sqlite3 *db, const struct refusal *r, const char *name,
                        const char *bytes, size_t len)
{
	char reason[REJECTED_REASON], cut[96] = "";
	size_t kept = len < REJECTED_MOST ? len : REJECTED_MOST;
	if (kept < len)
		(void)snprintf(cut, sizeof cut, " (only the first %zu of %zu bytes are kept here)", kept,
		               len);
	len = kept;
	sqlite3_stmt *q = db_prepare(db, "INSERT INTO rejected(name, time_us, size, bytes, reason)"
	                                 " VALUES(?1, ?2, ?3, ?4, ?5)");
	(void)snprintf(reason, sizeof reason, "%s %s: %s%s%s%s", r->code, r->path, r->reason,
	               *r->todo ? "; " : "", r->todo, cut);
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, r->time_us);
	sqlite3_bind_text(q, 5, reason, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, (int64_t)len);
	sqlite3_bind_blob64(q, 4, len ? bytes : "", len, SQLITE_STATIC);
	return side_run(q);
}

/* `entries`: how long the tape was, for retry.c */
static int put_refusal(sqlite3 *db, const struct refusal *r, const char *kept, int64_t entries)
{
	sqlite3_stmt *q = db_prepare(db, "INSERT INTO refusal(time_us, code, op, path, author, reason,"
	                                 " todo, kept, entries)"
	                                 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
	const char *const text[] = { r->code, r->op, r->path, r->author, r->reason, r->todo, kept };
	sqlite3_bind_int64(q, 1, r->time_us);
	for (int i = 0; i < 7; i++)
		sqlite3_bind_text(q, 2 + i, text[i], -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 9, entries);
	return side_run(q);
}

static void forget_old(sqlite3 *db, int64_t now)
{
	char sql[512];
	(void)snprintf(sql, sizeof sql,
	               "DELETE FROM refusal WHERE id <= (SELECT max(id) FROM refusal) - %d;"
	               "DELETE FROM rejected WHERE time_us < %lld;"
	               "DELETE FROM rejected WHERE id <= (SELECT id FROM (SELECT id, sum(size) OVER"
	               " (ORDER BY id DESC) AS total FROM rejected) WHERE total > %lld ORDER BY id DESC"
	               " LIMIT 1)",
	               MOST_REFUSALS, (long long)(now - REJECTED_US), (long long)REJECTED_BYTES);
	(void)db_exec(db, sql);
}

/* One line, and what was offered, in a transaction; `kept`: its name below rejected/. */
static int put_one(sqlite3 *db, const struct refusal *r, const char *name, const char *offered,
                   size_t len, int64_t entries, char kept[NAME_LIMIT + 1])
{
	int err = db_begin(db);
	kept[0] = '\0';
	if (err)
		return err;
	for (int again = 0; offered && again < 8; again++) {
		rejected_name(r->time_us, name, again, kept);
		err = put_rejected(db, r, kept, offered, len);
		if (err != STORE_EINVAL) /* the name was taken in the same microsecond */
			break;
	}
	if (err)
		kept[0] = '\0';
	err = put_refusal(db, r, kept, entries);
	if (!err)
		forget_old(db, r->time_us);
	if (!err)
		err = db_commit(db);
	else
		db_rollback(db);
	if (err)
		kept[0] = '\0';
	return err;
}

/* What waits, oldest first, as far as there is room. */
static int put_waiting(struct store *s, sqlite3 *db)
{
	char kept[NAME_LIMIT + 1];
	int err = 0;
	while (!err && s->aux->waiting.first) {
		const struct waiting_one *w = s->aux->waiting.first;
		err = put_one(db, &w->refusal, w->name, w->offered, w->len, w->entries, kept);
		if (!err)
			waiting_shift(&s->aux->waiting);
	}
	return err;
}

int store_refuse(struct store *s, const struct refusal *r, const char *name, const char *offered,
                 size_t offered_len, char kept[NAME_LIMIT + 1])
{
	kept[0] = '\0';
	atomic_fetch_add(&s->aux->refusals, 1);
	side_lock(s);
	sqlite3 *db = side_open(s);
	int64_t entries = s->aux->entries(s);
	int err = db ? put_waiting(s, db) : STORE_EIO;
	err = err ? err : put_one(db, r, name, offered, offered_len, entries, kept);
	if (err && !s->read_only)
		waiting_add(&s->aux->waiting, r, name, offered, offered_len, entries);
	side_unlock(s);
	return err;
}

bool side_put_waiting(struct store *s)
{
	side_lock(s);
	size_t before = s->aux->waiting.count;
	sqlite3 *db = before > 0 ? side_open(s) : NULL;
	if (db)
		(void)put_waiting(s, db);
	bool any = s->aux->waiting.count < before;
	side_unlock(s);
	return any;
}

void side_forget_waiting(struct store *s)
{
	side_lock(s);
	while (s->aux->waiting.first)
		waiting_shift(&s->aux->waiting);
	side_unlock(s);
}

void store_tell(struct store *s, const struct refusal *r)
{
	char kept[NAME_LIMIT + 1];
	(void)store_refuse(s, r, "", NULL, 0, kept);
}

int64_t store_refusal_count(struct store *s)
{
	return atomic_load(&s->aux->refusals);
}

/* What is refused cannot be told: that is. */
static void tell_failed(const struct store *s, refusal_fn *fn, void *ctx)
{
	char text[256];
	side_trouble(s, text, sizeof text);
	const struct refusal r = { s->aux->failed_us, "SIDE", "open", "/", "cinta", text,
		"move DB.side away", "" };
	if (text[0])
		fn(ctx, &r);
}

static int read_refusals(sqlite3 *db, int most, refusal_fn *fn, void *ctx)
{
	sqlite3_stmt *q;
	int rc = sqlite3_prepare_v2(db, "SELECT * FROM (SELECT id, time_us, code, op, path, author,"
		" reason, todo, kept FROM refusal ORDER BY id DESC LIMIT ?1) ORDER BY id", -1, &q, NULL);
	if (rc != SQLITE_OK)
		return db_error(rc);
	sqlite3_bind_int(q, 1, most);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *text[7];
		for (int i = 0; i < 7; i++)
			text[i] = db_text(q, 2 + i);
		struct refusal r = { sqlite3_column_int64(q, 1), text[0], text[1], text[2], text[3],
			text[4], text[5], text[6] };
		fn(ctx, &r);
	}
	sqlite3_finalize(q);
	return db_error(rc);
}

int store_refusals(struct store *s, int most, refusal_fn *fn, void *ctx)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	int err = db ? read_refusals(db, most, fn, ctx) : 0;
	if (err == STORE_EFORMAT || err == STORE_EIO) { /* somebody has written into the file */
		side_shut(s);
		set_failed(s->aux, err);
	}
	if (!s->aux->db) {
		tell_failed(s, fn, ctx);
		err = 0;
	}
	for (const struct waiting_one *w = s->aux->waiting.first; w; w = w->next)
		fn(ctx, &w->refusal);
	side_unlock(s);
	return err;
}

int side_drop(struct store *s, const char *sql, int64_t id)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	sqlite3_stmt *q = db ? db_prepare(db, sql) : NULL;
	int err = STORE_EIO;
	if (q) {
		sqlite3_bind_int64(q, 1, id);
		err = side_run(q);
		if (!err && sqlite3_changes(db) == 0)
			err = STORE_ENOENT;
		if (!err)
			shrink(db, FREE_MANY);
	}
	side_unlock(s);
	return err;
}
