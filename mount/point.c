/* SPDX-License-Identifier: MIT */
/*
 * The rules for a mount point.  It must never hide the database it shows, sit
 * inside a memory, or cover files somebody forgot, unless told to.
 */
#include "mount/point.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mount/mounts.h"
#include "mount/paths.h"
#include "mount/unmount.h"
#include "mount/verbs.h"

/* The daemon behind `dir` died and left "Transport endpoint is not connected". */
static int take_over(const char *dir, struct why *why)
{
	struct mount_entry e;
	if (!mounts_at(dir, &e)) {
		why_set(why, "unmount it first: fusermount3 -uz DIR",
		        "%s is a dead mount of another program", dir);
		return -ENOTCONN;
	}
	if (geteuid() != 0 && e.uid != getuid()) {
		why_set(why, "ask its owner or root to unmount it",
		        "%s is a dead mount of user %u", dir, (unsigned)e.uid);
		return -EPERM;
	}
	int error = unmount_dir(dir, true);
	if (error) {
		why_set(why, "try `fusermount3 -uz DIR`, or umount -l as root",
		        "%s is a dead mount and cannot be taken away: %s", dir, strerror(-error));
		return error;
	}
	complain("note: took over %s, left behind by a daemon that died", dir);
	return 0;
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

static int check_empty(const char *dir, struct why *why)
{
	DIR *d = opendir(dir);
	if (!d) {
		int error = errno;
		why_set(why, "choose a directory you can read and write", "%s: %s", dir,
		        strerror(error));
		return -error;
	}
	bool empty = true;
	for (struct dirent *e; empty && (e = readdir(d));)
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(d);
	if (empty)
		return 0;
	why_set(why, "choose an empty directory, or -o nonempty to cover these files",
	        "%s is not empty", dir);
	return -ENOTEMPTY;
}

int point_check(const char *dir, const char *database, bool nonempty, struct why *why)
{
	struct stat st;
	struct statfs fs;
	/*
	 * The kernel answers stat(2) for a dead mount from its cache; statfs(2) has to
	 * ask.  Dead mounts may be stacked; each round takes one.
	 */
	for (int rounds = 0; stat(dir, &st) < 0 || statfs(dir, &fs) < 0; rounds++) {
		int error = errno;
		if (error == ENOTCONN && rounds < 8) {
			error = -take_over(dir, why);
			if (error == 0)
				continue;
			return -error;
		}
		why_set(why, error == ENOENT ? "make it with mkdir" : "check the path", "%s: %s",
		        dir, strerror(error));
		return -error;
	}
	if (!S_ISDIR(st.st_mode)) {
		why_set(why, "mount on a directory", "%s is not a directory", dir);
		return -ENOTDIR;
	}
	int error = check_places(dir, database, why);
	if (error == 0 && !nonempty)
		error = check_empty(dir, why);
	return error;
}
