/* SPDX-License-Identifier: MIT */
/* Running a command and being rid of it again. */
#include "fs/learn/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/internal.h"

enum { SLICE_MS = 20 }; /* how soon the end of a process is seen that has closed its output */

struct running {
	const struct command *c;
	struct buf *out;
	pid_t pid;
	int to, from; /* our ends of its input and output, -1: closed */
	size_t given;
	int64_t until_ms;
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* An end of a pipe for us that never waits. */
static int make_pipe(int fd[2], int ours)
{
	if (pipe2(fd, O_CLOEXEC) < 0) {
		fd[0] = fd[1] = -1;
		return -errno;
	}
	return fcntl(fd[ours], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int set_actions(posix_spawn_file_actions_t *a, int in, int out)
{
	int err = posix_spawn_file_actions_adddup2(a, in, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(a, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addopen(a, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_addclosefrom_np(a, STDERR_FILENO + 1);
	if (!err) /* a working directory would keep a mount busy */
		err = posix_spawn_file_actions_addchdir_np(a, "/");
	return err;
}

/* A group of its own; no signal blocked or ignored, whatever we do with them. */
static int set_attributes(posix_spawnattr_t *a)
{
	sigset_t none, usual;
	sigemptyset(&none);
	sigemptyset(&usual);
	for (int s = SIGHUP; s <= SIGTERM; s++)
		if (s != SIGKILL)
			sigaddset(&usual, s);
	sigaddset(&usual, SIGXFSZ);
	int err = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
	                                      POSIX_SPAWN_SETSIGDEF);
	if (!err)
		err = posix_spawnattr_setpgroup(a, 0);
	if (!err)
		err = posix_spawnattr_setsigmask(a, &none);
	if (!err)
		err = posix_spawnattr_setsigdefault(a, &usual);
	return err;
}

static int spawn(struct running *r, int in, int out)
{
	char sh[] = "sh", option[] = "-c";
	char *const argv[] = { sh, option, (char *)(uintptr_t)r->c->line, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	err = posix_spawnattr_init(&attributes);
	if (!err) {
		err = set_actions(&actions, in, out);
		if (!err)
			err = set_attributes(&attributes);
		if (!err)
			err = posix_spawn(&r->pid, "/bin/sh", &actions, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* What it takes of the rest; that it takes no more is its own affair. */
static void give(struct running *r)
{
	const struct command *c = r->c;
	while (r->to >= 0 && r->given < c->in_len) {
		ssize_t n = write(r->to, c->in + r->given, c->in_len - r->given);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && errno != EINTR)
			break;
		r->given += n > 0 ? (size_t)n : 0;
	}
	shut(&r->to);
}

/* All that is there; false: it is too much. */
static bool command_read(struct running *r)
{
	char bytes[4096];
	while (r->from >= 0) {
		ssize_t n = read(r->from, bytes, sizeof bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0) {
			shut(&r->from);
			break;
		}
		if (r->out->len + (size_t)n > r->c->most)
			return false;
		buf_add(r->out, bytes, (size_t)n);
	}
	return true;
}

/* True if the shell has ended: it is not waited for yet, so its group's number is still its own. */
static bool has_ended(const struct running *r)
{
	siginfo_t info = { .si_pid = 0 };
	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid != 0;
}

static enum command_end watch(struct running *r)
{
	for (;;) {
		bool ended = has_ended(r);
		if (!command_read(r))
			return COMMAND_LARGE;
		if (ended)
			return COMMAND_DONE;
		int64_t left = r->until_ms - now_ms();
		if (left <= 0)
			return COMMAND_LATE;
		give(r);
		struct pollfd fds[] = { { r->c->stop, POLLIN, 0 }, { r->from, POLLIN, 0 },
			{ r->to, POLLOUT, 0 } };
		if (poll(fds, 3, left < SLICE_MS ? (int)left : SLICE_MS) > 0 && fds[0].revents)
			return COMMAND_STOPPED;
	}
}

/* Its whole group goes; the zombie keeps the number until then. */
static bool end(const struct running *r)
{
	int status = -1;
	(void)kill(-r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum command_end command_run(const struct command *c, struct buf *out)
{
	struct running r = { .c = c, .out = out, .to = -1, .from = -1 };
	int in[2] = { -1, -1 }, print[2] = { -1, -1 };
	enum command_end how = COMMAND_NOT_RUN;
	if (make_pipe(in, 1) == 0 && make_pipe(print, 0) == 0 && spawn(&r, in[0], print[1]) == 0) {
		r.to = in[1];
		r.from = print[0];
		in[1] = print[0] = -1;
		shut(&in[0]);
		shut(&print[1]);
		r.until_ms = now_ms() + c->limit_ms;
		how = watch(&r);
		if (!end(&r) && how == COMMAND_DONE)
			how = COMMAND_FAILED;
	}
	for (int i = 0; i < 2; i++) {
		shut(&in[i]);
		shut(&print[i]);
	}
	shut(&r.to);
	shut(&r.from);
	return how;
}
