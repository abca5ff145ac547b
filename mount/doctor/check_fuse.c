/* SPDX-License-Identifier: MIT */
/*
 * What the machine must have for a mount.  Called by cmd_doctor.c.  A dead or
 * stuck mount must not stop it: mounts are asked by mount_probe().
 */
#include "mount/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mount/memory/memory.h"
#include "mount/point/point.h"

enum { FUSECTL_MAGIC = 0x65735543 };

static void check_device(struct doctor *d)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		struct stat st;
		if (geteuid() == 0 && fstat(fd, &st) == 0 && (st.st_mode & 06) != 06)
			check_say(d, LEVEL_WARN, "`chmod 666 /dev/fuse` lets ordinary users mount",
			          "/dev/fuse opens for root only");
		else
			check_say(d, LEVEL_OK, "", "/dev/fuse opens");
		close(fd);
		return;
	}
	if (errno == ENOENT)
		check_say(d, LEVEL_FAIL, "`modprobe fuse`; in a container pass --device /dev/fuse "
		          "--cap-add SYS_ADMIN", "/dev/fuse is missing");
	else if (errno == EACCES)
		check_say(d, LEVEL_FAIL, "as root: chmod 666 /dev/fuse", "/dev/fuse may not be opened");
	else
		check_say(d, LEVEL_FAIL, "`modprobe fuse` as root; in a container pass --device "
		          "/dev/fuse", "/dev/fuse does not open: %s", strerror(errno));
}

/* Root mounts without it, nobody else does. */
static void check_helper(struct doctor *d)
{
	enum level bad = geteuid() == 0 ? LEVEL_WARN : LEVEL_FAIL;
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin"), *keep = NULL, file[PATH_MAX];
	struct stat st;
	bool found = false;
	for (char *dir = copy ? strtok_r(copy, ":", &keep) : NULL; dir && !found;
	     dir = strtok_r(NULL, ":", &keep)) {
		(void)snprintf(file, sizeof file, "%s/fusermount3", dir);
		found = stat(file, &st) == 0;
	}
	if (!found)
		check_say(d, bad, "install the package fuse3", "fusermount3 is not in PATH");
	else if (st.st_uid != 0 || !(st.st_mode & S_ISUID))
		check_say(d, bad, "as root: chown root and chmod 4755 on it",
		          "%s is not setuid root", file);
	else
		check_say(d, LEVEL_OK, "", "%s is setuid root", file);
	free(copy);
}

static void check_conf(struct doctor *d)
{
	if (geteuid() == 0 || ready_lets_others_in())
		check_say(d, LEVEL_OK, "", "allow_other and group= may be used");
	else
		check_say(d, LEVEL_OK, "for it, root adds the line user_allow_other to /etc/fuse.conf",
		          "allow_other and group= are not enabled for users");
}

/* What aborts the connection of a daemon that died with a thread in the kernel (supervisor.h). */
static void check_control(struct doctor *d)
{
	struct statfs fs;
	if (geteuid() == 0 || (statfs("/sys/fs/fuse/connections", &fs) == 0 &&
	                       fs.f_type == FUSECTL_MAGIC))
		check_say(d, LEVEL_OK, "", "the mount of a dead daemon can be freed");
	else
		check_say(d, LEVEL_WARN, "as root: mount -t fusectl none /sys/fs/fuse/connections",
		          "only root frees the mount of a daemon that was killed with its supervisor");
}

void check_fuse(struct doctor *d)
{
	check_device(d);
	check_helper(d);
	check_conf(d);
	check_control(d);
}

/* What is wrong with a mount that who asks has not named is no fault of what was named. */
static enum level level_of(const struct doctor *d, const struct mount_entry *e)
{
	char path[PATH_MAX];
	bool found = d->asked && path_mount_point(d->asked, path) == 0;
	if (!d->asked || (found && strcmp(path, e->dir) == 0))
		return LEVEL_FAIL;
	bool dir = found && mounts_at(path, NULL); /* which is not touched */
	bool same = !dir && path_database(d->asked, false, path) == 0 && strcmp(path, e->source) == 0;
	return same ? LEVEL_FAIL : LEVEL_WARN;
}

static int check_one(void *ctx, const struct mount_entry *e)
{
	struct doctor *d = ctx;
	if (geteuid() != 0 && e->uid != geteuid())
		return 0;
	struct owner who;
	/* A dead daemon's mount is not touched: who asks it may wait for ever. */
	bool dead = owner_state(e->source, &who) == OWNER_DEAD;
	int error = dead ? -ENOTCONN : mount_probe(e->dir, PROBE_MS);
	if (error == -ENOTCONN || error == -ECONNABORTED)
		check_say(d, level_of(d, e), "`cinta mount` there takes over, `cinta umount` removes it",
		          "%s: its daemon died", e->dir);
	else if (error)
		check_say(d, level_of(d, e), "end its daemon, then `cinta umount` it",
		          "%s does not answer: %s", e->dir, strerror(-error));
	else
		check_say(d, LEVEL_OK, "", "%s answers (%s%s)", e->dir, e->source,
		          e->read_only ? ", read-only" : "");
	return 0;
}

void check_mounts(struct doctor *d)
{
	(void)mounts_each(check_one, d);
}
