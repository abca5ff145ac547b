/* SPDX-License-Identifier: MIT */
/*
 * Work for a thread of its own, in the order in which it came: what the kernel is told of is told
 * by such threads, because telling may wait for what a request holds.
 */
#ifndef CINTA_QUEUE_H
#define CINTA_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/lock.h"

/* The first member of what is queued, which is malloc'ed and freed when it is done. */
struct queued {
	struct queued *next;
};

/* In the order in which they came. */
struct queued_list {
	struct queued *first, **end;
};

static inline void queued_init(struct queued_list *l)
{
	*l = (struct queued_list){ NULL, &l->first };
}

static inline void queued_add(struct queued_list *l, struct queued *item)
{
	item->next = NULL;
	*l->end = item;
	l->end = &item->next;
}

/* The first, which there is. */
static inline struct queued *queued_take(struct queued_list *l)
{
	struct queued *item = l->first;
	l->first = item->next;
	if (!l->first)
		l->end = &l->first;
	return item;
}

typedef void queue_fn(void *ctx, struct queued *item);

struct queue {
	pthread_t thread;
	struct lock lock;
	pthread_cond_t wake;
	struct queued_list items;    /* guarded by lock; an item stays until it is done */
	bool stop, runs;             /* guarded by lock */
	queue_fn *work;              /* no lock is held */
	queue_fn *done;              /* the lock is held; may be NULL */
	void *ctx;                   /* of both */
};

/* Starts the thread: -EAGAIN if there can be none. */
int queue_start(struct queue *q, enum lock_rank rank, queue_fn *work, queue_fn *done, void *ctx);
/* Waits until all of it is done.  Nothing may be added from here on. */
void queue_stop(struct queue *q);
/* Takes over `item`.  The caller holds q->lock. */
void queue_add(struct queue *q, struct queued *item);

#endif
