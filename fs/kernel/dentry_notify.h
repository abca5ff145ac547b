/* SPDX-License-Identifier: MIT */
/*
 * Names the kernel must look up again: after a document was renamed, some mount
 * still has its old name, or has it under a name that now is a scratch file's.
 *
 * A thread of its own tells the kernel, because telling waits for the
 * directory's lock, which a request holds that waits for an answer.  So nothing
 * ever waits for this thread, and it holds no lock while it tells.
 */
#ifndef CINTA_DENTRY_NOTIFY_H
#define CINTA_DENTRY_NOTIFY_H

#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stdint.h>

#include "fs/kernel/queue.h"

struct fs;
struct fs_mount;
struct fs_options;

enum { MOVED_SLOTS = 8, SENT_SLOTS = 16 };

struct dentry_notify {
	struct queue queue;  /* of notices */
	int sent_ms; /* after a name was told what the kernel had sent before may arrive */
	int back_ms; /* in this time who was told to look again is back */
	struct moved_doc {   /* guarded by queue.lock: whose names are told, or were just now */
		const struct fs_mount *mount;
		int64_t doc, until_ms;
	} moved[MOVED_SLOTS];
	struct sent_thread { /* guarded by queue.lock: told to look again, and not back yet */
		pid_t pid;
		int64_t until_ms;
	} sent[SENT_SLOTS];
	unsigned next_moved; /* guarded by queue.lock */
};

int dentry_notify_start(struct fs *fs, const struct fs_options *o);
void dentry_notify_stop(struct fs *fs);
/* All mounts forget that name, soon.  `doc`: the document it may still lead to, or 0. */
void dentry_forget(struct fs *fs, uint64_t dir, const char *name, int64_t doc);
/* A document's name leads to another node id, in some mount: the same. */
void dentry_forget_edition(struct fs *fs, int64_t doc);
/*
 * Who opens or cuts a document by such a name gets at another's bytes.  While its mount still is
 * to forget one, and for what the kernel had sent by then a moment longer: true, and `req` is
 * answered with ESTALE after that, so that the kernel looks again.
 */
bool dentry_answer_stale(fuse_req_t req, int64_t doc);
/*
 * The same of one who is to look again for another reason: what he has is an edition with readers,
 * and what he finds is not (kcache.h); or he makes what another mount has just made.
 */
void dentry_answer_again(fuse_req_t req);
/*
 * True if the thread that asks was just answered so.  The kernel looks again only once: a second
 * ESTALE would be the program's.
 */
bool dentry_was_stale(fuse_req_t req);

#endif
