/* SPDX-License-Identifier: MIT */
/*
 * Asks a mount whether it answers, by a process that may hang in our place.
 */
#include "mount/point/probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FUSE_MAGIC = 0x65735546 };

static _Noreturn void ask(const char *dir)
{
	struct stat st;
	struct statfs fs;
	/* It may never end: it must hold nothing that others wait for, not even our caller's pipe. */
	(void)close_range(0, ~0U, 0);
	_exit(stat(dir, &st) < 0 || statfs(dir, &fs) < 0 ? errno
	      : fs.f_type == FUSE_MAGIC ? 0 : ENODEV);
}

/*
 * Not even SIGKILL ends a process whose request a dead daemon has read; so it is not waited for,
 * and ends when the mount is aborted.
 */
int mount_probe(const char *dir, int ms)
{
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		ask(dir);
	struct pollfd p = { pidfd_open(pid, 0), POLLIN, 0 };
	int error = 0, status = 0;
	if (p.fd < 0)
		error = -errno;
	else if (poll(&p, 1, ms) != 1)
		error = -ETIMEDOUT;
	if (p.fd >= 0)
		close(p.fd);
	if (error) {
		(void)kill(pid, SIGKILL);
		return error;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ETIMEDOUT;
}
