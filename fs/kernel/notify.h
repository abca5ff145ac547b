/* SPDX-License-Identifier: MIT */
/*
 * Telling the kernel what has changed, and answering requests after that.
 *
 * One thread notifies, because a notification from inside a request can wait
 * for locks that the request itself holds (docs/design.md): those of pages.  Of
 * attributes alone, which have none, the request's own thread tells.  Neither holds
 * a lock of ours while it calls the kernel.  A request whose effect other readers may
 * have cached is answered by this thread, after the invalidations: when the
 * writer's call returns, nobody can read old bytes.
 *
 * Sizes told in turn.  The kernel drops the attributes of a reply that an
 * invalidation has overtaken, but the program that asked is told them, and would
 * then be cut short at the size the kernel has.  So the size of a file that
 * grows is told by this thread too, between two jobs, and the kernel is made to
 * have it first: old pages go (INVAL_INODE), then its last byte is put in its
 * place (STORE), which moves the kernel's size and is never overtaken.
 *   1. No size is told that the kernel does not have.
 *   2. The kernel's size never goes back: what is told after a STORE is not less,
 *      and what was told before it is overtaken by it.
 *   3. Pages below the kernel's size are whole: what was read before the
 *      invalidation is gone, what is read after it holds at least that size.
 * A log one can append to, in a mount that writes, is the exception: there the kernel
 * moves the size by itself (size_barrier.h, growing.h).
 *
 * A watchdog aborts the connection of a mount whose kernel side has not
 * answered a notification for NOTIFY_LIMIT seconds: better a dead mount than a
 * machine full of hanging processes.  The kernel may be waiting for a page that a
 * read is to bring, and that for the store: so the limit is above what the store
 * waits for (another process's lock, a file that is written anew), and seconds in
 * which this process was stopped do not count.
 */
#ifndef CINTA_NOTIFY_H
#define CINTA_NOTIFY_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fs/kernel/queue.h"
#include "fs/kernel/size_barrier.h"
#include "store/ticker.h"

struct fs;
struct fs_mount;

enum { NOTIFY_LIMIT = 60 };

struct notice {
	struct fs_mount *mount;
	uint64_t ino;
	bool pages; /* the kernel may have bytes of it, not only attributes */
};

/* Somebody waits for a job; guarded by queue.lock. */
struct job_end {
	pthread_cond_t done;
	bool is_done;
};

/* Answers a request; frees what `ctx` owns. */
typedef void answer_fn(fuse_req_t req, void *ctx);
/* Answers a request about an inode, in the notifier's thread. */
typedef void deferred_reply_fn(fuse_req_t req, uint64_t ino);

struct job {
	struct queued queued;
	struct fs *fs;
	fuse_req_t req; /* NULL: nobody waits */
	answer_fn *answer;
	void *ctx;
	deferred_reply_fn *reply; /* instead of `answer` */
	uint64_t ino;             /* for `reply` */
	struct notice *notice;
	size_t count, room;
	struct barrier_file held; /* told after the notices, before the answer */
	struct job_end *end;   /* told when it is done; NULL: nobody waits */
	bool elsewhere;        /* the notifier tells all: this thread may hold locks of ours */
};

struct notifier {
	struct queue queue;       /* of jobs */
	pthread_t watchdog;
	struct ticker watch;      /* the watchdog's */
	bool watches;             /* there is a watchdog */
	struct fs_mount *calling; /* guarded by queue.lock: whose kernel side we wait for */
	int64_t waited_ms;        /* guarded by queue.lock: the watchdog's, since then */
};

int notifier_start(struct notifier *n);
void notifier_stop(struct notifier *n);

void job_init(struct job *j, struct fs *fs);
/*
 * The inode has changed (a directory: its names): for each mount that may hold some of it.  Of a
 * document with open readers the edition ends (kcache.h), and its name is told to be forgotten.
 */
void job_inode(struct job *j, uint64_t ino);
/* Another session is the current one. */
void job_current(struct job *j);
/* errors.log has a line more, whose time rejected/ has. */
void job_errors(struct job *j);
/*
 * The same for the inode that `req` itself wrote to, or the directory in which it made, moved or
 * removed a name: its own mount drops the attributes by itself, so only data that readers hold
 * there matters.
 */
void job_written(struct job *j, uint64_t ino, fuse_req_t req);
/* One notice for one mount; fs->lock held or the mount otherwise kept alive. */
void job_add(struct job *j, struct fs_mount *mount, uint64_t ino);
/* Sends and then answers; at once, in this thread, if there is nothing to send. */
void job_finish(struct job *j, fuse_req_t req, answer_fn *answer, void *ctx);

/* Waits until all that was queued by now has been sent.  Not in the notifier, no lock held. */
void notices_wait(struct fs *fs);

/* True if this file's size is told in turn; then so are its attributes. */
bool size_ordered(const struct fs_mount *m, uint64_t ino);
/* Queues a request to be answered by the notifier. */
void job_defer(fuse_req_t req, deferred_reply_fn *reply, uint64_t ino);
/* From a deferred_reply_fn, before it tells this size: makes the kernel have it. */
void notify_size(struct fs_mount *m, uint64_t ino, int64_t size);

/* Told of a commit (documents/documents.h). */
struct saved;
typedef void on_saved_fn(struct job *job, const struct saved *saved);

/* Answers. */
void answer_err(fuse_req_t req, void *err);      /* (void *)(intptr_t)errno, 0 is success */
void answer_write(fuse_req_t req, void *size);   /* (void *)(uintptr_t)bytes */
void answer_entry(fuse_req_t req, void *entry);  /* malloc'ed struct fuse_entry_param */

#endif
