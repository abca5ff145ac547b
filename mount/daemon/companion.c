/* SPDX-License-Identifier: MIT */
/*
 * The process beside the daemon (companion.h).  Called by serve.c, when there are threads: between
 * fork and exec nothing is called that could wait for another one.
 */
#include "mount/daemon/companion.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* It is started again soon if it has lived long, else later each time. */
enum { PAUSE_S = 5, PAUSE_MOST_S = 3600, LONG_S = 600 };

static _Noreturn void become(char *const *argv, pid_t daemon)
{
	sigset_t none;
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* the daemon's threads hold signals back */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == daemon)
		(void)execv("/proc/self/exe", argv);
	_exit(127);
}

static pid_t start(char *const *argv)
{
	pid_t daemon = getpid(), pid = fork();
	if (pid == 0)
		become(argv, daemon);
	return pid < 0 ? -errno : pid;
}

static int64_t seconds(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

static void say_end(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		(void)snprintf(text, size, "signal %d ended it", WTERMSIG(status));
	else
		(void)snprintf(text, size, "it ended with status %d", WEXITSTATUS(status));
}

int companion_look(struct companion *c, char *text, size_t size)
{
	int64_t now = seconds();
	text[0] = '\0';
	if (!c->argv)
		return 0;
	if (c->pid > 0 && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		bool lasted = now - c->began >= LONG_S;
		c->pid = 0;
		c->pause = lasted || !c->pause ? PAUSE_S : c->pause < PAUSE_MOST_S / 2 ? 2 * c->pause :
			PAUSE_MOST_S;
		c->due = now + c->pause;
	}
	if (c->pid > 0)
		return 0;
	if (now < c->due)
		return (int)(c->due - now);
	if (c->due && c->status >= 0) /* not before: it is no news where the daemon ends as well */
		say_end(c->status, text, size);
	c->pid = start(c->argv);
	c->began = now;
	if (c->pid > 0)
		return 0;
	(void)snprintf(text, size, "it cannot be started: %s", strerror(-c->pid));
	c->pid = 0;
	c->status = -1;
	c->pause = PAUSE_MOST_S;
	c->due = now + c->pause;
	return c->pause;
}

void companion_end(struct companion *c)
{
	if (c->pid <= 0)
		return;
	(void)kill(c->pid, SIGTERM);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
