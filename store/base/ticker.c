/* SPDX-License-Identifier: MIT */
/* Waiting by CLOCK_MONOTONIC, to be ended at any time (ticker.h). */
#include "store/ticker.h"

#include <time.h>

#include "store/thread.h"

void ticker_init(struct ticker *t, enum lock_rank rank)
{
	pthread_condattr_t clock;
	lock_init(&t->lock, rank);
	pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&t->wake, &clock);
	pthread_condattr_destroy(&clock);
	t->stop = t->hurry = false;
}

void ticker_release(struct ticker *t)
{
	pthread_cond_destroy(&t->wake);
	lock_destroy(&t->lock);
}

bool ticker_wait(struct ticker *t, int64_t ms)
{
	struct timespec until;
	thread_clear();
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	lock_take(&t->lock);
	while (!t->stop && !t->hurry && lock_wait_until(&t->lock, &t->wake, &until))
		continue;
	bool stop = t->stop;
	t->hurry = false;
	lock_give(&t->lock);
	return !stop;
}

bool ticker_stopping(struct ticker *t)
{
	lock_take(&t->lock);
	bool stop = t->stop;
	lock_give(&t->lock);
	return stop;
}

void ticker_hurry(struct ticker *t)
{
	lock_take(&t->lock);
	t->hurry = true;
	pthread_cond_broadcast(&t->wake);
	lock_give(&t->lock);
}

void ticker_stop(struct ticker *t)
{
	lock_take(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->wake);
	lock_give(&t->lock);
}
