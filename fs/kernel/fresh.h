/* SPDX-License-Identifier: MIT */
/*
 * Requests of mounts with fresh=open or fresh=write, of a memory on a server: before they are
 * answered what other machines have appended (those with fresh=write alone) is here, and the kernel
 * was told of it.
 *
 *   fresh_wait() ──► asked ──► taken by a thread: store_fresh(), then all notices of the kernel
 *                                that came of it ──► ready ──► its function answers
 *
 * Invariants
 *   1. The look at the server that a request waits for begins after the request has come: those
 *      that come while one is under way wait for the next, all for the same.  For those of
 *      fresh=write alone the store itself knows that what is here is enough, and asks nobody.
 *   2. A request is answered when the kernel was told of all that its look has brought: what it
 *      leads to is no old page or listing.
 *   3. No worker of a mount waits here: they serve the READs whose pages a notice waits for.
 */
#ifndef CINTA_FRESH_H
#define CINTA_FRESH_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdbool.h>

#include "fs/kernel/queue.h"
#include "store/lock.h"

struct fs;

enum {
	FRESH_THREADS = 3, /* one looks while the others answer */
	FRESH_MOST = 8     /* threads */
};

/* Answers; frees what `ctx` owns. */
typedef void fresh_fn(fuse_req_t req, void *ctx);

struct fresh {
	struct lock lock;       /* guards all that follows */
	pthread_cond_t changed;
	struct queued_list asked, ready;
	bool looks;             /* a thread does */
	bool stop;
	pthread_t thread[FRESH_MOST];
	int threads;            /* started */
};

void fresh_init(struct fresh *f);
/* When nothing waits. */
void fresh_release(struct fresh *f);
/* So many threads from now on, FRESH_MOST at most: 0, or -EAGAIN if there is none. */
int fresh_threads(struct fs *fs, int wanted);
/* In one of them, for the mount of the request, which stays until then.  -ENOMEM: not at all. */
int fresh_wait(fuse_req_t req, fresh_fn *answer, void *ctx);

#endif
