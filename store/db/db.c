/* SPDX-License-Identifier: MIT */
/* The tape's file: making it, opening it, and the pragmas of its connections. */
#include "store/db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/db/schema.h"
#include "store/store.h"

enum { ALONE_MS = 5000, ONE_PAGE = 4096, TRIES = 5 };

static int set_up(sqlite3 *db, enum db_mode mode)
{
	int err = db_harden(db);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, mode != DB_READ, (int *)NULL);
	if (!err)
		err = db_exec(db, "PRAGMA recursive_triggers=ON;"
	                      "PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL;"
	                      "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY");
	if (!err && mode == DB_READ)
		err = db_exec(db, "PRAGMA query_only=ON");
	return err;
}

static int check_version(sqlite3 *db, const char *path, struct why *why)
{
	int64_t app = db_int(db, "PRAGMA application_id", -1);
	int failed = app < 0 ? db_error(sqlite3_errcode(db)) : 0;
	int64_t version = db_int(db, "PRAGMA user_version", -1);
	if (failed && failed != STORE_EFORMAT) {
		why_set(why, "check the disk: is it full, or read-only?", "cannot read %s: %s", path,
		        sqlite3_errmsg(db));
		return failed;
	}
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

static bool holds_bytes(const char *path, const char *ending)
{
	char name[PATH_MAX + 16];
	struct stat st;
	(void)snprintf(name, sizeof name, "%s%s", path, ending);
	return stat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static bool is_empty(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_size == 0 : errno == ENOENT;
}

/*
 * True if the file is empty, or not there, and beside it is what only one with entries has.  SQLite
 * removes the log of an empty file as soon as it is opened.
 */
static bool is_emptied(const char *path, const char **beside)
{
	*beside = NULL;
	if (!is_empty(path))
		return false;
	*beside = holds_bytes(path, "-wal") ? "-wal" :
		holds_bytes(path, ".checkpoint") ? ".checkpoint" : NULL;
	/* Asked again: who makes a memory gives the file a page before there is a log. */
	return *beside && is_empty(path);
}

static int refuse_emptied(const char *path, const char *beside, struct why *why)
{
	why_set(why, "put the file, or a copy, back; to begin anew, move away what is beside it",
	        "%s%sthe file is empty or gone, and its %s is of a memory that was there", path,
	        *path ? ": " : "", beside);
	return STORE_EFORMAT;
}

int db_look_emptied(const char *path, struct why *why)
{
	const char *beside;
	return is_emptied(path, &beside) ? refuse_emptied(path, beside, why) : 0;
}

/* `still`: nothing is written, nor made beside the file.  The caller closes *out always. */
static int open_file(const char *path, enum db_mode mode, bool still, sqlite3 **out,
                     struct why *why)
{
	const char *beside;
	if (access(path, F_OK) == 0 && is_emptied(path, &beside))
		return refuse_emptied("", beside, why);
	int rc = still ? db_open_still(path, out) : db_connect(path, SQLITE_OPEN_READWRITE, out);
	if (rc != SQLITE_OK) {
		why_set(why, "check that the file exists and its permissions", "cannot open %s: %s", path,
		        *out ? sqlite3_errmsg(*out) : "out of memory");
		sqlite3_close(*out);
		*out = NULL;
		return access(path, F_OK) != 0 ? STORE_ENOENT : db_error(rc);
	}
	int err = set_up(*out, mode);
	if (err)
		why_set(why, db_todo(err), "cannot use %s: %s", path, sqlite3_errmsg(*out));
	return err;
}

/*
 * The question is of worth after a read: from then on SQLite holds a lock on a file that has a log
 * until it is closed, and who puts another in its place wants all of them gone.  What it has made
 * by that name belongs to the new file by now, whose log may be in use: it is left alone.
 */
bool db_is_left(sqlite3 **db)
{
	int left = 0;
	if (!*db || sqlite3_file_control(*db, "main", SQLITE_FCNTL_HAS_MOVED, &left) != SQLITE_OK ||
	    !left)
		return false;
	(void)sqlite3_db_config(*db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
	sqlite3_close(*db);
	*db = NULL;
	return true;
}

/* True: open it again, whatever came of this time; else *err stands, and with it *db is closed. */
static bool goes_again(const char *path, int *tries, sqlite3 **db, int *err, struct why *why)
{
	if (!db_is_left(db)) {
		if (*err) {
			sqlite3_close(*db);
			*db = NULL;
		}
		return false;
	}
	if (why)
		*why = (struct why){ 0 };
	if (++*tries < TRIES)
		return true;
	why_set(why, "end what does that, and try again",
	        "another file takes the place of %s whenever it is opened", path);
	*err = STORE_EBUSY;
	return false;
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

static int check_schema(sqlite3 *db, const char *path, struct why *why)
{
	char detail[256];
	int err = schema_compare(db, detail, sizeof detail);
	if (err < 0)
		why_set(why, "take a copy of the file first; then cinta verify says what of it holds",
		        "the schema of %s cannot be read: %s", path, sqlite3_errmsg(db));
	if (err <= 0)
		return err;
	why_set(why, "nothing of it was run; make it as it was with sqlite3, or restore a copy",
	        "%s: %s", path, detail);
	return STORE_EFORMAT;
}

static int open_once(const char *path, enum db_mode mode, bool still, sqlite3 **out,
                     struct why *why)
{
	int err = open_file(path, mode, still, out, why);
	err = err ? err : check_version(*out, path, why);
	if (!err && mode != DB_REDACT)
		err = check_schema(*out, path, why);
	if (!err && mode == DB_READ)
		err = stand_for_views(*out);
	if (!err && mode == DB_WRITE)
		db_guard(*out, true);
	return err;
}

/* A rebuild that the first read waited for may have put another file in the place of this one. */
static int open_as(const char *path, enum db_mode mode, bool still, sqlite3 **out,
                   struct why *why)
{
	int err, tries = 0;
	do
		err = open_once(path, mode, still, out, why);
	while (goes_again(path, &tries, out, &err, why));
	return err;
}

/* True if it is worth a second look: SQLite may have wanted to make a file, and could not. */
static bool may_lack_room(int err)
{
	return err == STORE_EIO || err == STORE_ENOSPC || err == STORE_EROFS;
}

int db_open(const char *path, enum db_mode mode, sqlite3 **out, struct why *why)
{
	if (mode == DB_WRITE)
		loosen(path);
	bool still = mode == DB_READ && db_is_still(path);
	int err = open_as(path, mode, still, out, why);
	if (mode == DB_READ && !still && may_lack_room(err) &&
	    open_as(path, mode, true, out, NULL) == 0) /* of a failure the first words count */
		err = 0;
	return err;
}

/* Of a log SQLite asks for the lock with the first read, of a journal with the transaction. */
static int keep_others_away(sqlite3 *db)
{
	return db_exec(db, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
}

static void explain_alone(const char *path, int err, sqlite3 *db, struct why *why)
{
	if (err == STORE_EBUSY)
		why_set(why, "end what else reads or writes it (cinta, sqlite3), then type this again",
		        "%s is open in another process", path);
	else if (err == STORE_EFORMAT)
		why_set(why, "restore a copy; sqlite3 DB .recover may find texts",
		        "the first page of %s, which leads to all others, is damaged: %s", path,
		        sqlite3_errmsg(db));
	else
		why_set(why, "check the disk", "%s cannot be read: %s", path, sqlite3_errmsg(db));
}

static int check_rows(sqlite3 *db, const char *path, struct why *why)
{
	char detail[256];
	int err = schema_compare_rows(db, detail, sizeof detail);
	if (err < 0)
		explain_alone(path, err, db, why);
	if (err <= 0)
		return err;
	why_set(why, "nothing of it was run; make it as it was with sqlite3, or restore a copy",
	        "%s: %s", path, detail);
	return STORE_EFORMAT;
}

/* The lock before anything is read: a log whose index is shared would stay so. */
static int open_locked(const char *path, sqlite3 **out)
{
	int err = db_error(db_connect(path, SQLITE_OPEN_READWRITE, out));
	if (*out) /* who reads is done soon, or is a shell that somebody left open */
		sqlite3_busy_timeout(*out, ALONE_MS);
	err = err ? err : keep_others_away(*out);
	return err ? err : set_up(*out, DB_READ);
}

static int open_alone(const char *path, sqlite3 **out, struct why *why)
{
	bool still = db_is_still(path);
	if (!still)
		loosen(path);
	int err = still ? open_file(path, DB_READ, true, out, why) : open_locked(path, out);
	if (err && *out && !still)
		explain_alone(path, err, *out, why);
	if (*out)
		(void)sqlite3_db_config(*out, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
	err = err ? err : check_version(*out, path, why);
	return err ? err : check_rows(*out, path, why);
}

int db_open_alone(const char *path, sqlite3 **out, struct why *why)
{
	int err, tries = 0;
	do
		err = open_alone(path, out, why);
	while (goes_again(path, &tries, out, &err, why));
	return err;
}

/* Nothing was made in it yet: who did so may have been killed. */
static bool is_blank(sqlite3 *db)
{
	return db_int(db, "SELECT count(*) FROM sqlite_schema", -1) == 0 &&
	       db_int(db, "PRAGMA application_id", -1) == 0;
}

/* Writes schema and version, unless somebody was faster: *made tells. */
static int fill(sqlite3 *db, int *made)
{
	int err = db_exec(db, "PRAGMA encoding='UTF-8'; PRAGMA journal_mode=WAL");
	if (err || (err = db_begin(db)))
		return err;
	if (!is_blank(db)) {
		db_rollback(db);
		return 0;
	}
	char pragmas[96];
	(void)snprintf(pragmas, sizeof pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d",
	               APPLICATION_ID, SCHEMA_VERSION);
	if ((err = schema_make(db, SCHEMA_VERSION)) || (err = db_exec(db, pragmas))) {
		db_rollback(db);
		return err;
	}
	*made = 1;
	return db_commit(db);
}

bool db_log_waits(const char *path)
{
	return holds_bytes(path, "-wal");
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
	const char *beside;
	if (is_emptied(path, &beside))
		return refuse_emptied("", beside, why);
	/* SQLite gives its -wal and -shm the mode of the database: private from the start. */
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		int error = errno;
		bool there = access(path, F_OK) == 0;
		why_set(why, there ? "check its owner and mode; to read only: mount -o ro" :
		        "make the directory, or name another database", "cannot %s %s: %s",
		        there ? "write" : "create", path, strerror(error));
		return error == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
	}
	off_t size = lseek(fd, 0, SEEK_END);
	/* So is one that somebody made empty, as with touch(1). */
	if (size == 0 && fchmod(fd, 0600) < 0) {
		why_set(why, "take a file of your own", "the mode of %s: %s", path, strerror(errno));
		close(fd);
		return STORE_EROFS;
	}
	close(fd);
	if (size > ONE_PAGE)
		return 0;
	sqlite3 *db = NULL;
	int made = 0;
	int err = open_file(path, DB_WRITE, false, &db, why);
	if (!err && (size == 0 || is_blank(db)) && (err = fill(db, &made)))
		why_set(why, "check the disk", "cannot make the tables in %s: %s", path,
		        sqlite3_errmsg(db));
	sqlite3_close(db);
	return err ? err : made;
}
