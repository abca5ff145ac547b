/* SPDX-License-Identifier: MIT */
/*
 * The signal thread of the daemon.  Called by serve.c.
 */
#include "mount/daemon/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "store/thread.h"

/* SIGUSR1 is ours: it ends the thread. */
static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGUSR1);
}

void signals_block(void)
{
	sigset_t set;
	watched(&set);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void *signals_thread(void *ctx)
{
	struct signals *s = ctx;
	sigset_t set;
	int later = 0;
	watched(&set);
	for (;;) {
		const struct timespec most = { later, 0 };
		thread_clear();
		int got = later > 0 ? sigtimedwait(&set, NULL, &most) : sigwaitinfo(&set, NULL);
		if (got < 0 && errno == EAGAIN)
			got = SIGCHLD;
		if (got < 0)
			continue;
		if (atomic_load(&s->over))
			return NULL;
		/* A SIGUSR1 from elsewhere means nothing. */
		if (got == SIGUSR1)
			continue;
		if (got == SIGCHLD) {
			later = s->child(s->ctx);
			continue;
		}
		signals_deadline(STOP_SECONDS);
		atomic_store(&s->stopped, true);
		s->stop(s->ctx);
	}
}

void signals_deadline(unsigned seconds)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	(void)signal(SIGALRM, SIG_DFL);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	(void)alarm(seconds);
}

int signals_begin(struct signals *s, void (*stop)(void *ctx), int (*child)(void *ctx), void *ctx)
{
	s->stop = stop;
	s->child = child;
	s->ctx = ctx;
	atomic_init(&s->over, false);
	atomic_init(&s->stopped, false);
	/* A mount has let SIGUSR1 in for its workers; here it would be lost beside sigwait(). */
	signals_block();
	return -pthread_create(&s->thread, NULL, signals_thread, s);
}

void signals_look(struct signals *s)
{
	(void)pthread_kill(s->thread, SIGCHLD);
}

void signals_end(struct signals *s)
{
	atomic_store(&s->over, true);
	(void)pthread_kill(s->thread, SIGUSR1);
	(void)pthread_join(s->thread, NULL);
}
