/* SPDX-License-Identifier: MIT */
/*
 * Sizes of logs one can append to that are not told yet, in mounts that write.  (Elsewhere
 * sizes are told in turn, notify.h.)  When the kernel hears a larger size while it
 * holds the old last page of a file, a reader sees NUL bytes up to the new size
 * until that page goes.  So a size is told only after the pages are gone:
 *
 *   begin    before the commit: if a kernel may hold the file, its size now
 *   measure  after the commit, before the invalidations: its size then
 *   end      after the invalidations, before the answer: from here it is told
 *
 * In between, whoever asks is told the size before.  Pages read meanwhile hold
 * more than that, never less.  A file nobody holds costs a look into `known`.
 */
#ifndef CINTA_HELD_H
#define CINTA_HELD_H

#include <pthread.h>
#include <stdint.h>

#include "store/lock.h"

struct fs;

struct held_size {
	uint64_t ino;
	int64_t size;  /* what is told; -1: not measured yet, so nothing has been committed */
	int users;     /* appends under way */
	struct held_size *next;
};

struct held {
	struct lock lock;
	/* All below is guarded by lock. */
	struct held_size *first;
};

/* The log of one append. */
struct held_file {
	uint64_t ino; /* 0: not held */
	int64_t size; /* measured */
};

void held_init(struct held *h);
void held_release(struct held *h);
void held_begin(struct fs *fs, struct held_file *file, uint64_t ino);
void held_measure(struct fs *fs, struct held_file *file);
void held_end(struct fs *fs, struct held_file *file);
/* The size to tell of a file that has `size` bytes now; ask after measuring. */
int64_t held_told(struct fs *fs, uint64_t ino, int64_t size);

#endif
