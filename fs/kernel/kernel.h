/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/kernel: what the kernel of each mount holds of our files, and how it is told that
 * they have changed.  Of a file the room knows the inode; the rest it asks by the functions below,
 * which the top of fs/ sets (fs.c).
 */
#ifndef CINTA_FS_KERNEL_H
#define CINTA_FS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fs/kernel/connection.h"
#include "fs/kernel/dentry_notify.h"
#include "fs/kernel/fresh.h"
#include "fs/kernel/size_barrier.h"
#include "fs/kernel/growing.h"
#include "fs/kernel/kcache.h"
#include "fs/kernel/ledger.h"
#include "fs/kernel/notify.h"

/* How the bytes of a file come about. */
struct kernel_file {
	int log;        /* enum log_kind of a log or transcript; -1: it is neither */
	bool lines;     /* it ends in a newline, if it is not empty */
	bool appended;  /* one can append to it */
	bool unpaged;   /* no page of it shows more than was read: a listing, a document (kcache.h) */
};

struct kernel_asks {
	struct kernel_file (*file)(const struct fs *fs, uint64_t ino);
	/* The size as it is; 0, or a negative errno. */
	int (*size)(struct fs *fs, uint64_t ino, int64_t *size);
	ssize_t (*read)(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size);
	/* Where a document stands; false: nowhere. */
	bool (*stands)(struct fs *fs, int64_t doc, uint64_t *dir, char name[NAME_LIMIT + 1]);
	/* Ends a mount whose kernel side does not answer; any thread, n->lock held. */
	void (*abort)(struct fs_mount *m);
};

struct fs_options;

struct kernel {
	struct notifier notifier;
	struct size_barrier barrier;
	struct growing_logs growing;
	struct dentry_notify dentries;
	struct fresh fresh;
};

int kernel_start(struct fs *fs, const struct fs_options *o);
void kernel_stop(struct fs *fs);

#endif
