/* SPDX-License-Identifier: MIT */
/*
 * What kind of file a name is, before anything is done with it.  Called by the verbs, so that a
 * mistyped name is refused with nothing left beside it.  Reads the header of the SQLite file
 * format and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/store.h"
#include "store/tape/tape.h"

enum { HEADER = 100, PAGES_AT = 28, APP_AT = 68 }; /* sqlite.org/fileformat2.html, 1.3 */
enum { MAKING_MS = 2000, STEP_MS = 20 };
static const char magic[16] = "SQLite format 3";

/* True if what was written last may still be in the write-ahead log. */
static bool has_log(const char *path)
{
	char wal[PATH_MAX];
	struct stat st;
	int n = snprintf(wal, sizeof wal, "%s-wal", path);
	return n > 0 && (size_t)n < sizeof wal && stat(wal, &st) == 0 && st.st_size > 0;
}

static unsigned number_at(const unsigned char *h, int at)
{
	return (unsigned)h[at] << 24 | (unsigned)h[at + 1] << 16 | (unsigned)h[at + 2] << 8 | h[at + 3];
}

/* 1: a tape's; 0: an empty file; 2: a database with nothing in it yet; STORE_EFORMAT, STORE_EIO. */
static int read_header(int fd, const char *path, struct why *why)
{
	unsigned char h[HEADER];
	ssize_t n = pread(fd, h, sizeof h, 0);
	if (n < 0) {
		why_set(why, "check the disk", "%s cannot be read: %s", path, strerror(errno));
		return STORE_EIO;
	}
	if (n == 0)
		return db_look_emptied(path, why);
	if (n < HEADER || memcmp(h, magic, sizeof magic) != 0) {
		why_set(why, "name the database of a memory", "%s is no database", path);
		return STORE_EFORMAT;
	}
	unsigned app = number_at(h, APP_AT);
	if (app == APPLICATION_ID || (app == 0 && has_log(path)))
		return 1;
	why_set(why, "name the database of a memory",
	        "%s is not a tape (another application's database)", path);
	return app == 0 && number_at(h, PAGES_AT) == 1 ? 2 : STORE_EFORMAT;
}

/* Who makes a memory has made the file before the rest of it comes in one piece. */
static int wait_for_header(int fd, const char *path, struct why *why)
{
	int kind;
	for (int waited = 0; (kind = read_header(fd, path, why)) == 2 && waited < MAKING_MS;
	     waited += STEP_MS)
		usleep(STEP_MS * 1000);
	return kind == 2 ? STORE_EFORMAT : kind;
}

int store_look(const char *path, struct why *why)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		why_set(why, "check its owner and mode", "%s cannot be read: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return STORE_EIO;
	}
	int kind = STORE_EFORMAT;
	if (S_ISDIR(st.st_mode))
		why_set(why, "name a file", "%s is a directory, not a database", path);
	else if (!S_ISREG(st.st_mode))
		why_set(why, "name a file", "%s is a device, a pipe or a socket, not a database", path);
	else
		kind = wait_for_header(fd, path, why);
	close(fd);
	return kind;
}

bool store_is_still(const char *path)
{
	return db_is_still(path);
}

bool store_is_full(const char *path)
{
	return disk_room(path) < DISK_LEAST;
}

int store_check_new(const char *origin, const char *key_dir, struct why *why)
{
	struct stat st;
	int err = origin ? tape_check_origin(origin, why) : 0;
	if (err || !key_dir || stat(key_dir, &st) < 0 || S_ISDIR(st.st_mode))
		return err;
	why_set(why, "name a directory", "key_dir=%.200s is no directory", key_dir);
	return STORE_EINVAL;
}
