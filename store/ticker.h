/* SPDX-License-Identifier: MIT */
/*
 * A thread that does something every so often, and is told to stop: the maintenance thread of
 * the store, and in fs/ the tidier and the watchdog (so a door, as lock.h is).  It goes by the
 * clock that only goes forward: setting the machine's time neither stops it nor hurries it.
 */
#ifndef CINTA_STORE_TICKER_H
#define CINTA_STORE_TICKER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/lock.h"

struct ticker {
	struct lock lock;
	pthread_cond_t wake;
	bool stop, hurry; /* guarded by lock */
};

void ticker_init(struct ticker *t, enum lock_rank rank);
/* When no thread uses it any more. */
void ticker_release(struct ticker *t);
/* Waits so many milliseconds, less if it is to stop, after thread_clear(); false: it is to stop. */
bool ticker_wait(struct ticker *t, int64_t ms);
/* True if it is to stop: for a thread in the middle of long work. */
bool ticker_stopping(struct ticker *t);
/* The thread waits no longer, this time. */
void ticker_hurry(struct ticker *t);
/* Tells the thread to stop; joining it is the caller's part. */
void ticker_stop(struct ticker *t);

#endif
