/* SPDX-License-Identifier: MIT */
/* The supervisor, from its fork to its end, and the daemon's side of the socket. */
#include "mount/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/fs.h"

enum {
	DEATH = SIGUSR2,
	GRACE_MS = 100,  /* for threads that only need to be scheduled once more */
	END_MS = 10000,  /* for the daemon's end after the aborts */
	TELL_MS = 1000,
	MOST = 64        /* mounts that are watched */
};

struct word {
	unsigned device;
	bool mounted;
};

struct watch {
	int lifeline, death;
	pid_t daemon;
	const char *log;
	int count;
	struct {
		unsigned device;
		int abort; /* opened while it was mounted: its number may be another's later */
	} of[MOST];
};

/* ---- in the supervisor ------------------------------------------------- */

static void drop(struct watch *w, unsigned device)
{
	for (int i = 0; i < w->count; i++) {
		if (w->of[i].device != device)
			continue;
		close(w->of[i].abort);
		w->of[i] = w->of[--w->count];
		return;
	}
}

static void take(struct watch *w, unsigned device)
{
	drop(w, device);
	int fd = w->count < MOST ? fs_abort_open(device) : -1;
	if (fd < 0)
		return;
	w->of[w->count].device = device;
	w->of[w->count++].abort = fd;
}

enum heard { HEARD_NOTHING, HEARD_WORD, HEARD_END };

/* HEARD_END: the other end is closed, so no thread of the daemon is left. */
static enum heard listen_for(struct watch *w, int ms)
{
	struct pollfd p = { w->lifeline, POLLIN, 0 };
	if (poll(&p, 1, ms) <= 0)
		return HEARD_NOTHING;
	struct word word;
	ssize_t n = recv(w->lifeline, &word, sizeof word, 0);
	if (n <= 0)
		return n < 0 && errno == EINTR ? HEARD_NOTHING : HEARD_END;
	if (n == sizeof word && word.mounted) {
		take(w, word.device);
		(void)send(w->lifeline, "", 1, MSG_NOSIGNAL);
	} else if (n == sizeof word) {
		drop(w, word.device);
	}
	return HEARD_WORD;
}

static void note(const struct watch *w)
{
	int fd = open(w->log, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)dprintf(fd, "cinta: the daemon (process %ld) died while a thread of it was waiting in "
	              "the kernel: its mounts were aborted\n", (long)w->daemon);
	close(fd);
}

/* The daemon's first thread is dead.  The others follow at once, or one of them is stuck. */
static void free_mounts(struct watch *w)
{
	enum heard heard;
	while ((heard = listen_for(w, GRACE_MS)) == HEARD_WORD)
		; /* a mount it had just told of */
	if (heard == HEARD_END)
		return;
	for (int i = 0; i < w->count; i++)
		(void)!write(w->of[i].abort, "1", 1);
	note(w);
	while (listen_for(w, END_MS) == HEARD_WORD)
		;
}

/* Is it the kernel's word that our parent has died, and not somebody's kill(1)? */
static bool has_died(struct watch *w)
{
	struct signalfd_siginfo info;
	return read(w->death, &info, sizeof info) == sizeof info &&
	       info.ssi_pid == (uint32_t)w->daemon;
}

static void watch(struct watch *w)
{
	for (;;) {
		struct pollfd p[2] = { { w->lifeline, POLLIN, 0 }, { w->death, POLLIN, 0 } };
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[1].revents && has_died(w)) {
			free_mounts(w);
			return;
		}
		if (p[0].revents && listen_for(w, 0) == HEARD_END)
			return;
	}
}

/* Nothing of the daemon's stays open here: neither its lock nor the pipes of its caller. */
static void let_go(int keep)
{
	(void)close_range(0, (unsigned)keep - 1, 0);
	(void)close_range((unsigned)keep + 1, ~0U, 0);
	while (open("/dev/null", O_RDWR) >= 0 && fcntl(STDERR_FILENO, F_GETFD) < 0)
		;
}

static _Noreturn void supervise(int lifeline, pid_t daemon, const char *log)
{
	struct watch w = { .daemon = daemon, .log = log };
	sigset_t all, death;
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	(void)prctl(PR_SET_NAME, "cinta-guard");
	w.lifeline = fcntl(lifeline, F_DUPFD, STDERR_FILENO + 1);
	if (w.lifeline < 0)
		_exit(1);
	let_go(w.lifeline);
	(void)setsid(); /* Ctrl-C is for the daemon */
	if (chdir("/") < 0)
		_exit(1); /* it would keep a directory in use */
	sigemptyset(&death);
	sigaddset(&death, DEATH);
	w.death = signalfd(-1, &death, SFD_CLOEXEC);
	if (w.death >= 0 && prctl(PR_SET_PDEATHSIG, DEATH) == 0 && getppid() == daemon)
		watch(&w);
	_exit(0);
}

/* ---- in the daemon ----------------------------------------------------- */

int supervisor_start(struct supervisor *s, const char *log)
{
	int pair[2];
	*s = (struct supervisor){ .lifeline = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid_t daemon = getpid();
	s->pid = fork();
	if (s->pid == 0)
		supervise(pair[1], daemon, log);
	int error = s->pid < 0 ? -errno : 0;
	close(pair[1]);
	if (error) {
		close(pair[0]);
		s->pid = 0;
		return error;
	}
	s->lifeline = pair[0];
	return 0;
}

static bool tell(struct supervisor *s, unsigned device, bool mounted)
{
	struct word word;
	memset(&word, 0, sizeof word);
	word.device = device;
	word.mounted = mounted;
	return device && s->lifeline >= 0 &&
	       send(s->lifeline, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof word;
}

void supervisor_mounted(struct supervisor *s, unsigned device)
{
	char heard;
	struct pollfd p = { s->lifeline, POLLIN, 0 };
	if (tell(s, device, true) && poll(&p, 1, TELL_MS) == 1)
		(void)!recv(s->lifeline, &heard, 1, MSG_DONTWAIT);
}

void supervisor_unmounted(struct supervisor *s, unsigned device)
{
	(void)tell(s, device, false);
}

bool supervisor_has_gone(struct supervisor *s)
{
	if (s->pid == 0 || waitpid(s->pid, NULL, WNOHANG) != s->pid)
		return false;
	s->pid = 0;
	return true;
}

void supervisor_end(struct supervisor *s)
{
	if (s->lifeline >= 0)
		close(s->lifeline);
	s->lifeline = -1;
	for (int waited = 0; s->pid && !supervisor_has_gone(s); waited++) {
		if (waited == TELL_MS)
			(void)kill(s->pid, SIGKILL);
		usleep(1000);
	}
}
