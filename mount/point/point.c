/* SPDX-License-Identifier: MIT */
/*
 * The rules for a mount point.  It must never hide the database it shows, sit
 * inside a memory, or cover files somebody forgot, unless told to.
 */
#include "mount/point/point.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mount/memory/memory.h"
#include "mount/point/dead.h"
#include "mount/point/probe.h"
#include "mount/point/unmount.h"
#include "mount/words/words.h"

enum { FIRST_MS = 50, LAST_MS = 8000 }; /* patience with a mount, doubled each time */

/* The daemon behind `e` died and left "Transport endpoint is not connected". */
static int take_over(const struct mount_entry *e, struct why *why)
{
	if (geteuid() != 0 && e->uid != getuid()) {
		why_set(why, "ask its owner or root to unmount it",
		        "%s is a dead mount of user %u", e->dir, (unsigned)e->uid);
		return -EPERM;
	}
	int error = unmount_dir(e->dir, true);
	if (error) {
		why_set(why, "try `fusermount3 -uz DIR`, or umount -l as root",
		        "%s is a dead mount and cannot be taken away: %s", e->dir, strerror(-error));
		return error;
	}
	complain("note: took over %s, left behind by a daemon that died", e->dir);
	return 0;
}

static bool is_dead(int error)
{
	return error == -ENOTCONN || error == -ECONNABORTED;
}

/* One look at the mount on `dir`: 1 if it is worth another, 0 or -errno with `why`. */
static int clear_one(const struct mount_entry *e, int ms, struct why *why)
{
	struct owner who;
	if (owner_state(e->source, &who) == OWNER_DEAD) {
		int error = dead_free(e->source, why);
		return error ? error : take_over(e, why);
	}
	int error = mount_probe(e->dir, ms);
	if (is_dead(error))
		return take_over(e, why);
	if (error == 0 && ms == FIRST_MS) {
		usleep(FIRST_MS * 1000); /* a daemon that is being killed may answer once more */
		return 1;
	}
	if (error == 0 || error == -EACCES)
		return why_set(why, "use that mount, or `cinta umount` it first",
		               "%s is mounted already (%s)", e->dir, e->source), -EBUSY;
	if (error == -ETIMEDOUT && ms >= LAST_MS)
		return why_set(why, "end its daemon (see `cinta status`), or `cinta umount -l` it",
		               "%s is mounted already and does not answer", e->dir), -EBUSY;
	return 1;
}

int point_clear(const char *dir, struct why *why)
{
	struct mount_entry e;
	/* Dead mounts may be stacked, and one may be dying just now. */
	for (int ms = FIRST_MS, done = 0; mounts_at(dir, &e) && ms <= LAST_MS; ms *= 2) {
		done = clear_one(&e, ms, why);
		if (done < 0)
			return done;
	}
	if (!mounts_at(dir, &e))
		return 0;
	why_set(why, "see `cinta doctor`", "%s is mounted already, and cannot be asked", dir);
	return -EBUSY;
}

static int check_places(const char *dir, const char *database, struct why *why)
{
	struct mount_entry e;
	if (mounts_at(dir, &e)) {
		why_set(why, "use that mount, or `cinta umount` it first",
		        "%s is mounted already (%s)", dir, e.source);
		return -EBUSY;
	}
	if (mounts_around(dir, &e)) {
		why_set(why, "choose a directory outside", "%s lies inside the memory at %s", dir, e.dir);
		return -EINVAL;
	}
	if (mounts_around(database, &e)) {
		why_set(why, "keep databases outside of mounts",
		        "the database lies inside the memory at %s", e.dir);
		return -EINVAL;
	}
	if (path_contains(dir, database)) {
		why_set(why, "choose another directory", "mounting on %s would hide the database %s",
		        dir, database);
		return -EINVAL;
	}
	return 0;
}

int point_is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	if (!d)
		return -errno;
	bool empty = true;
	for (const struct dirent *e; empty && (e = readdir(d));)
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	(void)closedir(d);
	return empty;
}

static int check_empty(const char *dir, struct why *why)
{
	int empty = point_is_empty(dir);
	if (empty < 0) {
		why_set(why, "choose a directory you can read and write", "%s: %s", dir,
		        strerror(-empty));
		return empty;
	}
	if (empty)
		return 0;
	why_set(why, "choose an empty directory, or -o nonempty to cover these files",
	        "%s is not empty", dir);
	return -ENOTEMPTY;
}

/* As fusermount3 sees it, which says so in two lines of its own. */
static int check_owner(const char *dir, const struct stat *st, struct why *why)
{
	bool sticky = (st->st_mode & S_ISVTX) && st->st_uid != getuid();
	if (geteuid() == 0 || (!sticky && access(dir, W_OK) == 0))
		return 0;
	why_set(why, "choose a directory of your own", "%s may not be written to by you, and nobody "
	        "mounts on such", dir);
	return -EACCES;
}

int point_check(const char *dir, const char *database, bool nonempty, struct why *why)
{
	struct stat st;
	struct statfs fs;
	/* The kernel answers stat(2) for a dead mount from its cache; statfs(2) has to ask. */
	if (stat(dir, &st) < 0 || statfs(dir, &fs) < 0) {
		int error = errno;
		why_set(why, error == ENOENT ? "make it with mkdir"
		             : error == ENOTCONN ? "unmount it first: fusermount3 -uz DIR"
		             : "check the path", error == ENOTCONN ?
		        "%s is a dead mount of another program (%s)" : "%s: %s", dir, strerror(error));
		return -error;
	}
	if (!S_ISDIR(st.st_mode)) {
		why_set(why, "mount on a directory", "%s is not a directory", dir);
		return -ENOTDIR;
	}
	int error = check_places(dir, database, why);
	if (error == 0)
		error = check_owner(dir, &st, why);
	if (error == 0 && !nonempty)
		error = check_empty(dir, why);
	return error;
}
