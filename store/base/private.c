/* SPDX-License-Identifier: MIT */
/* Private files (private.h). */
#include "store/base/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

/*
 * By name: to open and close a database that another connection of this process has open would
 * take away that one's locks.
 */
static void narrow(const char *path, const struct stat *st)
{
	if (st->st_uid == geteuid() && (st->st_mode & 077))
		(void)chmod(path, st->st_mode & 0700);
}

int private_create(const char *path)
{
	static const char *const parts[] = { "-wal", "-shm" };
	struct stat st;
	if (stat(path, &st) != 0) {
		int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0)
			return errno == EEXIST ? 0 : errno == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
		close(fd);
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return STORE_EFORMAT;
	narrow(path, &st);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char name[PATH_MAX + 32];
		(void)snprintf(name, sizeof name, "%s%s", path, parts[i]);
		if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
			narrow(name, &st);
	}
	return 0;
}
