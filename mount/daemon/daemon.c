/* SPDX-License-Identifier: MIT */
/*
 * Fork, handshake, and the daemon's standard descriptors.  Called by
 * cmd_mount.c.  It must never leave a child behind on a failing path.
 */
#include "mount/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mount/point/point.h"
#include "mount/words/words.h"

enum {
	PARENT_SECONDS = 20,  /* how long the child waits for the parent's probe */
	LOG_LIMIT = 64 * 1024
};

static void null_device(int fd, int flags)
{
	int null = open("/dev/null", flags);
	if (null < 0)
		return;
	(void)dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

static int wait_child(pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int parent(pid_t child, int peer, const char *dir)
{
	char c = 0;
	ssize_t n;
	while ((n = read(peer, &c, 1)) < 0 && errno == EINTR)
		;
	if (n == 1 && c == 'r') {
		int error = mount_probe(dir, PROBE_MS);
		if (error == 0 && send(peer, "k", 1, MSG_NOSIGNAL) == 1) {
			close(peer);
			return EXIT_FINE;
		}
		complain("%s: mounted, but it does not answer: %s", dir,
		         strerror(error ? -error : EPIPE));
	}
	close(peer);
	int status = wait_child(child);
	if (WIFSIGNALED(status))
		complain("the daemon died of signal %d", WTERMSIG(status));
	return EXIT_FAULT;
}

int daemon_start(const char *dir, daemon_fn *run, void *ctx)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		complain("cannot make a socket: %s", strerror(errno));
		return EXIT_FAULT;
	}
	(void)fflush(NULL);
	pid_t child = fork();
	if (child < 0) {
		complain("cannot fork: %s", strerror(errno));
		close(pair[0]);
		close(pair[1]);
		return EXIT_FAULT;
	}
	if (child > 0) {
		close(pair[1]);
		return parent(child, pair[0], dir);
	}
	close(pair[0]);
	(void)setsid();
	(void)umask(077);
	null_device(STDIN_FILENO, O_RDONLY);
	null_device(STDOUT_FILENO, O_WRONLY);
	int status = chdir("/") < 0 ? EXIT_FAULT : run(ctx, pair[1]);
	/* exit, not _exit: sanitizers and coverage report from there. */
	exit(status);
}

/* From here on nobody reads our stderr: a small log beside the database does. */
static void open_log(const char *log)
{
	/* Somebody may have put a FIFO there, which would wait for a reader for ever. */
	int fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	                (st.st_size > LOG_LIMIT && ftruncate(fd, 0) < 0))) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		null_device(STDERR_FILENO, O_WRONLY);
		return;
	}
	(void)dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int daemon_ready(int peer, const char *log)
{
	char c = 0;
	struct pollfd p = { peer, POLLIN, 0 };
	int error = 0;
	if (send(peer, "r", 1, MSG_NOSIGNAL) != 1)
		error = -EPIPE;
	else if (poll(&p, 1, PARENT_SECONDS * 1000) != 1 || read(peer, &c, 1) != 1 || c != 'k')
		error = -ECANCELED;
	close(peer);
	if (error == 0)
		open_log(log);
	return error;
}
