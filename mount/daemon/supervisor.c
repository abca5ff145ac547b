/* SPDX-License-Identifier: MIT */
/* The supervisor, from its fork to its end, and the daemon's side of the socket. */
#include "mount/daemon/supervisor.h"

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
	STEP_MS = 2,     /* between refusals */
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
		int fd;     /* fs_abort_open() while it was mounted, for its number may be another's
		               later; or fs_shares() */
		int ledger; /* -1: `fd` aborts */
	} items[MOST];
};

/* ---- in the supervisor ------------------------------------------------- */

static void close_both(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void drop(struct watch *w, unsigned device)
{
	for (int i = 0; i < w->count; i++) {
		if (w->items[i].device != device)
			continue;
		close_both((const int[]){ w->items[i].fd, w->items[i].ledger });
		w->items[i] = w->items[--w->count];
		return;
	}
}

static void watch_add(struct watch *w, unsigned device, int fds[2])
{
	drop(w, device);
	if (w->count == MOST || fds[0] < 0) {
		close_both(fds);
		return;
	}
	w->items[w->count].device = device;
	w->items[w->count].fd = fds[0];
	w->items[w->count++].ledger = fds[1];
}

/* As recv(2), with up to two descriptors beside it. */
static ssize_t receive(int socket, struct word *word, int fds[2])
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec part = { word, sizeof *word };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
	                      .msg_controllen = sizeof control };
	fds[0] = fds[1] = -1;
	ssize_t n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return n;
}

enum heard { HEARD_NOTHING, HEARD_WORD, HEARD_END };

/* HEARD_END: the other end is closed, so no thread of the daemon is left. */
static enum heard listen_for(struct watch *w, int ms)
{
	struct pollfd p = { w->lifeline, POLLIN, 0 };
	if (poll(&p, 1, ms) <= 0)
		return HEARD_NOTHING;
	struct word word;
	int fds[2];
	ssize_t n = receive(w->lifeline, &word, fds);
	if (n <= 0)
		return n < 0 && errno == EINTR ? HEARD_NOTHING : HEARD_END;
	if (n == sizeof word && word.mounted) {
		watch_add(w, word.device, fds);
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

static void cut(struct watch *w, int i)
{
	if (w->items[i].ledger >= 0)
		fs_refuse(w->items[i].fd, w->items[i].ledger);
	else
		(void)!write(w->items[i].fd, "1", 1);
}

/* The daemon's first thread is dead.  The others follow at once, or one of them is stuck. */
static void free_mounts(struct watch *w)
{
	enum heard heard;
	while ((heard = listen_for(w, GRACE_MS)) == HEARD_WORD)
		; /* a mount it had just told of */
	if (heard == HEARD_END)
		return;
	note(w);
	for (int waited = 0; waited < END_MS && heard != HEARD_END; waited += STEP_MS) {
		for (int i = 0; i < w->count; i++)
			cut(w, i);
		heard = listen_for(w, STEP_MS);
	}
}

/* True if it is the kernel's word that our parent has died, and not somebody's kill(1). */
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

/* `fds` are sent as far as they are not -1. */
static bool supervisor_tell(struct supervisor *s, unsigned device, bool mounted, const int fds[2])
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct word word;
	memset(&word, 0, sizeof word);
	memset(&control, 0, sizeof control);
	word.device = device;
	word.mounted = mounted;
	size_t bytes = (fds[0] < 0 ? 0U : fds[1] < 0 ? 1U : 2U) * sizeof(int);
	struct iovec part = { &word, sizeof word };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	if (bytes) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(bytes);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(bytes), .cmsg_level = SOL_SOCKET,
		                                 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), fds, bytes);
	}
	return device && s->lifeline >= 0 &&
	       sendmsg(s->lifeline, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof word;
}

void supervisor_mounted(struct supervisor *s, const struct fs_mount *m)
{
	char heard;
	struct pollfd p = { s->lifeline, POLLIN, 0 };
	int fds[2] = { -1, -1 };
	bool shares = fs_shares(m, fds);
	if (!shares)
		fds[0] = fs_abort_open(fs_device(m)), fds[1] = -1;
	if (supervisor_tell(s, fs_device(m), true, fds) && poll(&p, 1, TELL_MS) == 1)
		(void)!recv(s->lifeline, &heard, 1, MSG_DONTWAIT);
	if (!shares && fds[0] >= 0)
		close(fds[0]);
}

void supervisor_unmounted(struct supervisor *s, unsigned device)
{
	(void)supervisor_tell(s, device, false, (const int[]){ -1, -1 });
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
