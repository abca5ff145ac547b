/* SPDX-License-Identifier: MIT */
/* What libfuse will need in a moment, looked at without using it.  Called by cmd_mount.c. */
#include "mount/point/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_device(struct why *why)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	int error = errno;
	why_set(why, error == EACCES ? "as root: chmod 666 /dev/fuse" :
	        "`modprobe fuse` as root, in a container pass --device /dev/fuse",
	        "nothing can be mounted here: /dev/fuse: %s", strerror(error));
	return -error;
}

/* As execvp(3) would find it. */
static bool in_path(const char *program)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path && *path ? path : "/usr/bin:/bin"), *keep = NULL, file[PATH_MAX];
	bool found = false;
	for (char *dir = copy ? strtok_r(copy, ":", &keep) : NULL; dir && !found;
	     dir = strtok_r(NULL, ":", &keep)) {
		int n = snprintf(file, sizeof file, "%s/%s", dir, program);
		found = n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0;
	}
	free(copy);
	return found;
}

bool ready_lets_others_in(void)
{
	char line[256];
	bool set = false;
	FILE *f = fopen("/etc/fuse.conf", "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, " \t\r\n#")] = '\0';
		set |= !strcmp(line, "user_allow_other");
	}
	if (f)
		fclose(f);
	return set;
}

int ready_check(bool others, struct why *why)
{
	int error = check_device(why);
	if (error || geteuid() == 0)
		return error;
	if (!in_path("fusermount3") && access("/usr/bin/fusermount3", X_OK) < 0) {
		why_set(why, "install the package fuse3", "fusermount3, which mounts for users, is not "
		        "in PATH");
		return -ENOENT;
	}
	if (others && !ready_lets_others_in()) {
		why_set(why, "root adds the line user_allow_other to /etc/fuse.conf, or leave it out",
		        "allow_other and group= are not enabled for users");
		return -EPERM;
	}
	return 0;
}
