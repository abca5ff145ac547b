/* SPDX-License-Identifier: MIT */
/*
 * Telling the kernel what has changed, and answering requests after that.
 *
 * One thread notifies, because a notification from inside a request can wait
 * for locks that the request itself holds (docs/design.md).  The thread holds
 * no lock while it calls the kernel.  A request whose effect other readers may
 * have cached is answered by this thread, after the invalidations: when the
 * writer's call returns, nobody can read old bytes.
 *
 * A watchdog aborts the connection of a mount whose kernel side has not
 * answered a notification for NOTIFY_LIMIT seconds: better a dead mount than a
 * machine full of hanging processes.
 */
#ifndef CINTA_NOTIFY_H
#define CINTA_NOTIFY_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fs/held.h"

struct fs;
struct fs_mount;

enum { NOTIFY_LIMIT = 15 };

struct notice {
	struct fs_mount *mount;
	uint64_t ino;
};

/* Answers a request; frees what `ctx` owns. */
typedef void answer_fn(fuse_req_t req, void *ctx);

struct job {
	struct fs *fs;
	struct job *next;
	fuse_req_t req; /* NULL: nobody waits */
	answer_fn *answer;
	void *ctx;
	struct notice *notice;
	size_t count, room;
	struct held_set held; /* told after the notices, before the answer */
};

struct notifier {
	pthread_t thread, watchdog;
	pthread_mutex_t lock;
	pthread_cond_t wake, idle;
	struct job *first, **end; /* lock */
	bool busy, stop, runs;    /* lock */
	struct fs_mount *calling; /* lock: whose kernel side we wait for */
	int64_t since;            /* lock: since when, seconds */
};

int notifier_start(struct notifier *n);
void notifier_stop(struct notifier *n);
/* Waits until everything queued has been sent. */
void notifier_drain(struct notifier *n);

void job_init(struct job *j, struct fs *fs);
/* The inode has changed (a directory: its names): for each mount that may hold some of it. */
void job_inode(struct job *j, uint64_t ino);
/*
 * The same for the inode that `req` itself wrote to: its own mount drops the
 * attributes by itself, so only data that readers hold there matters.
 */
void job_written(struct job *j, uint64_t ino, fuse_req_t req);
/* One notice for one mount; fs->lock held or the mount otherwise kept alive. */
void job_add(struct job *j, struct fs_mount *mount, uint64_t ino);
/* Sends and then answers; at once, in this thread, if there is nothing to send. */
void job_finish(struct job *j, fuse_req_t req, answer_fn *answer, void *ctx);

/* Answers. */
void answer_err(fuse_req_t req, void *err);      /* (void *)(intptr_t)errno, 0 is success */
void answer_write(fuse_req_t req, void *size);   /* (void *)(uintptr_t)bytes */
void answer_entry(fuse_req_t req, void *entry);  /* malloc'ed struct fuse_entry_param */

#endif
