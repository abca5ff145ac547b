/* SPDX-License-Identifier: MIT */
/*
 * A clean stop on SIGTERM, SIGINT and SIGHUP.  They are blocked in every thread
 * and taken by one that may lock and allocate, which a handler may not.
 */
#ifndef CINTA_SIGNALS_H
#define CINTA_SIGNALS_H

#include <pthread.h>
#include <stdatomic.h>

struct signals {
	pthread_t thread;
	void (*stop)(void *ctx);
	void *ctx;
	atomic_bool over;    /* the thread is being told to go */
	atomic_bool stopped; /* a signal has come */
};

/* Before the first thread: what is blocked here is inherited by all. */
void signals_block(void);
/* Calls `stop` on each signal until signals_end.  0 or -errno. */
int signals_begin(struct signals *s, void (*stop)(void *ctx), void *ctx);
void signals_end(struct signals *s);

#endif
