/* SPDX-License-Identifier: MIT */
/* The files that settings are in: read whole, replaced by one rename (settings.h). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/agents/settings.h"
#include "mount/files/files.h"

int settings_read(const char *path, struct settings *out)
{
	*out = (struct settings){ NULL, 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) /* what a link that leads nowhere should lead to is not ours to make */
		return errno == ENOENT && lstat(path, &st) < 0 ? 0 : -errno;
	int err = fstat(fd, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? -EISDIR :
		S_ISREG(st.st_mode) ? 0 : -ENOTSUP;
	if (!err)
		err = slurp(fd, &out->bytes, &out->len);
	close(fd);
	return err;
}

static int write_all(int fd, const struct settings *s)
{
	for (size_t at = 0; at < s->len;) {
		ssize_t put = write(fd, s->bytes + at, s->len - at);
		if (put < 0 && errno != EINTR)
			return -errno;
		at += put > 0 ? (size_t)put : 0;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int settings_write(const char *path, const struct settings *s)
{
	char real[PATH_MAX], temporary[PATH_MAX];
	struct stat st = { .st_mode = 0600 };
	/* Where people keep their settings elsewhere, a link stays a link. */
	if (!realpath(path, real))
		(void)snprintf(real, sizeof real, "%s", path);
	if (!s->bytes)
		return unlink(real) < 0 && errno != ENOENT ? -errno : 0;
	int n = snprintf(temporary, sizeof temporary, "%s.cinta-XXXXXX", real);
	if (n < 0 || (size_t)n >= sizeof temporary)
		return -ENAMETOOLONG;
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = write_all(fd, s);
	/* Root may do it for a user. */
	if (!err && stat(real, &st) == 0 && st.st_uid != geteuid() &&
	    fchown(fd, st.st_uid, st.st_gid) < 0)
		err = -errno;
	if (!err && fchmod(fd, st.st_mode & 07777) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(temporary, real) < 0)
		err = -errno;
	if (err)
		(void)unlink(temporary);
	return err;
}
