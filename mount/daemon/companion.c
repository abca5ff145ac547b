/* SPDX-License-Identifier: MIT */
/*
 * The process beside the daemon (companion.h).  Called by serve.c, when there are threads: between
 * fork and exec nothing is called that could wait for another one.
 */
#include "mount/daemon/companion.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

pid_t companion_start(char *const *argv)
{
	pid_t daemon = getpid(), pid = fork();
	if (pid == 0)
		become(argv, daemon);
	return pid < 0 ? -errno : pid;
}

void companion_end(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
