/* SPDX-License-Identifier: MIT */
/* Copies of open databases (copy.h). */
#include "store/db/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/store.h"

int db_make_new(const char *to, struct why *why)
{
	if (db_log_waits(to)) { /* perhaps all that is left of what was lost */
		why_set(why, "name another file, or move it away", "%s-wal is there, of another memory",
		        to);
		return STORE_EEXIST;
	}
	int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	int error = errno;
	why_set(why, error == EEXIST ? "name a new file" : "name a file that can be made",
	        "%s: %s", to, strerror(error));
	return error == EEXIST ? STORE_EEXIST : error == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
}

static int copy_pages(sqlite3 *from, sqlite3 *to)
{
	sqlite3_backup *copy = sqlite3_backup_init(to, "main", from, "main");
	if (!copy)
		return db_error(sqlite3_extended_errcode(to));
	int rc = sqlite3_backup_step(copy, -1);
	int end = sqlite3_backup_finish(copy);
	return rc == SQLITE_DONE ? 0 : db_error(end == SQLITE_OK ? rc : end);
}

int db_copy(sqlite3 *from, const char *to, struct why *why)
{
	sqlite3 *db = NULL;
	int err = db_make_new(to, why);
	if (err)
		return err;
	err = db_error(db_connect(to, SQLITE_OPEN_READWRITE, &db));
	err = err ? err : copy_pages(from, db);
	if (err)
		why_set(why, "make room there, or name a file elsewhere", "%s cannot be written: %s", to,
		        store_strerror(err));
	sqlite3_close(db);
	if (!err && !disk_sync_name(to))
		err = STORE_EIO;
	if (err)
		(void)unlink(to);
	return err;
}
