/* SPDX-License-Identifier: MIT */
/* Reading without writing (still.h). */
#include "store/db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { URI_SIZE = 3 * PATH_MAX + 64 };

static bool may(const char *path, int what)
{
	return faccessat(AT_FDCWD, path, what, AT_EACCESS) == 0;
}

/* True if PATH + ending may be used in that way; *size: its bytes, 0 if there is none. */
static bool beside(const char *path, const char *ending, int what, off_t *size)
{
	char name[PATH_MAX + 8];
	struct stat st;
	(void)snprintf(name, sizeof name, "%s%s", path, ending);
	bool there = stat(name, &st) == 0 && S_ISREG(st.st_mode);
	*size = there ? st.st_size : 0;
	return there && may(name, what);
}

static bool directory_may(const char *path)
{
	char copy[PATH_MAX];
	(void)snprintf(copy, sizeof copy, "%s", path);
	return may(dirname(copy), W_OK);
}

bool db_is_still(const char *path)
{
	off_t size;
	if (!may(path, F_OK))
		return false;
	if (!may(path, W_OK))
		return true;
	return !directory_may(path) && !(beside(path, "-wal", W_OK, &size) &&
	                                 beside(path, "-shm", W_OK, &size));
}

/* "file:" and the path as a URI has it. */
static char *put_path(char *at, const char *path)
{
	static const char hex[] = "0123456789ABCDEF";
	at = stpcpy(at, "file:");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    strchr("/-._~", c)) {
			*at++ = (char)c;
			continue;
		}
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	return at;
}

/* The URI to open; true if the index of the log is to be in memory. */
static bool choose(const char *path, char uri[URI_SIZE])
{
	off_t log, index;
	bool has_log = beside(path, "-wal", R_OK, &log), has_index = beside(path, "-shm", R_OK, &index);
	bool shared = has_log && has_index, alone = !shared && log > 0;
	char *end = put_path(uri, path);
	(void)stpcpy(end, shared ? "?readonly_shm=1" : alone ? "?vfs=unix-none" : "?immutable=1");
	return alone;
}

/* The log is not ours to copy back. */
static int leave_log(sqlite3 *db)
{
	return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
}

static bool log_is_its_own(const char *path)
{
	char name[PATH_MAX + 8];
	(void)snprintf(name, sizeof name, "%s-wal", path);
	return file_pin_holds(name);
}

int db_open_still(const char *path, sqlite3 **db)
{
	char uri[URI_SIZE];
	*db = NULL;
	if (!log_is_its_own(path)) /* without it the file is not what was committed */
		return SQLITE_CANTOPEN;
	bool alone = choose(path, uri);
	int rc = db_connect_as(path, uri, SQLITE_OPEN_READONLY, db);
	if (rc == SQLITE_OK)
		rc = leave_log(*db);
	if (rc == SQLITE_OK && alone) /* from the first read on */
		rc = sqlite3_exec(*db, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
	return rc;
}

int db_attach_file(sqlite3 *db, const char *path)
{
	char uri[URI_SIZE];
	bool still = db_is_still(path), alone = still && choose(path, uri);
	/* Said of all that are attached from now on: the first read comes with the ATTACH. */
	const char *first = alone ? "PRAGMA locking_mode=EXCLUSIVE;" : "";
	char *sql = sqlite3_mprintf("%sATTACH %Q AS file", first, still ? uri : path);
	int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc == SQLITE_OK && still ? leave_log(db) : rc;
}

int db_open_file(const char *path, int flags, sqlite3 **db)
{
	struct stat st;
	*db = NULL;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return SQLITE_CANTOPEN;
	return db_is_still(path) ? db_open_still(path, db) : db_connect(path, flags, db);
}
