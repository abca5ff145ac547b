/* SPDX-License-Identifier: MIT */
/* Room on a disk, and names on it (disk.h). */
#include "store/base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

int64_t disk_room(const char *path)
{
	struct statvfs v;
	if (statvfs(path, &v) != 0)
		return INT64_MAX;
	/* Root may take what is kept back for it. */
	return (int64_t)(geteuid() == 0 ? v.f_bfree : v.f_bavail) * (int64_t)v.f_frsize;
}

bool disk_sync_name(const char *path)
{
	char copy[PATH_MAX];
	(void)snprintf(copy, sizeof copy, "%s", path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool ok = fsync(fd) == 0;
	int error = errno;
	close(fd);
	errno = error;
	return ok;
}
