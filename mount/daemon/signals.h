/* SPDX-License-Identifier: MIT */
/*
 * A clean stop on SIGTERM, SIGINT and SIGHUP, and the death of children.  The signals are blocked
 * in every thread and taken by one that may lock and allocate, which a handler may not.
 */
#ifndef CINTA_SIGNALS_H
#define CINTA_SIGNALS_H

#include <pthread.h>
#include <stdatomic.h>

struct signals {
	pthread_t thread;
	void (*stop)(void *ctx);
	int (*child)(void *ctx);
	void *ctx;
	atomic_bool over;    /* the thread is being told to go */
	atomic_bool stopped; /* a signal has come */
};

/*
 * The kernel ends the process after so many seconds, whatever its threads wait for; 0: it does
 * not.  What was committed is safe then, as after any other death.
 */
enum { STOP_SECONDS = 15, CLOSE_SECONDS = 120 };
void signals_deadline(unsigned seconds);

/* Before the first thread: what is blocked here is inherited by all. */
void signals_block(void);
/*
 * Calls `stop` on each of these, `child` on SIGCHLD and after as many seconds as it returned, if
 * any, until signals_end.  0 or -errno.
 */
int signals_begin(struct signals *s, void (*stop)(void *ctx), int (*child)(void *ctx), void *ctx);
/* Has `child` called once. */
void signals_look(struct signals *s);
void signals_end(struct signals *s);

#endif
