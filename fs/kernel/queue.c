/* SPDX-License-Identifier: MIT */
/* A list with a lock, and the thread that works it off. */
#include "fs/kernel/queue.h"

#include <errno.h>
#include <stdlib.h>

#include "store/thread.h"

static void *work_off(void *arg)
{
	struct queue *q = arg;
	lock_take(&q->lock);
	for (;;) {
		while (!q->items.first && !q->stop) {
			thread_clear();
			lock_wait(&q->lock, &q->wake);
		}
		struct queued *item = q->items.first;
		if (!item)
			break;
		lock_give(&q->lock);
		q->work(q->ctx, item);
		lock_take(&q->lock);
		if (q->done)
			q->done(q->ctx, item);
		free(queued_take(&q->items));
	}
	lock_give(&q->lock);
	return NULL;
}

int queue_start(struct queue *q, enum lock_rank rank, queue_fn *work, queue_fn *done, void *ctx)
{
	*q = (struct queue){ .work = work, .done = done, .ctx = ctx };
	queued_init(&q->items);
	lock_init(&q->lock, rank);
	pthread_cond_init(&q->wake, NULL);
	q->runs = pthread_create(&q->thread, NULL, work_off, q) == 0;
	return q->runs ? 0 : -EAGAIN;
}

void queue_stop(struct queue *q)
{
	if (!q->runs)
		return;
	lock_take(&q->lock);
	q->stop = true;
	pthread_cond_signal(&q->wake);
	lock_give(&q->lock);
	pthread_join(q->thread, NULL);
	q->runs = false;
}

void queue_add(struct queue *q, struct queued *item)
{
	queued_add(&q->items, item);
	pthread_cond_signal(&q->wake);
}
