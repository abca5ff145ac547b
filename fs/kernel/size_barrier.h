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
 * In between, whoever asks is told the size before, and who reads past the page cache
 * gets no more than that: else the next size told were less than what was read.
 * Pages read meanwhile hold more, never less.  A file nobody holds costs a look into
 * the kcache.
 *
 * 1. No size told is less than one that was told before, or than what was read.
 * 2. When the write of a line is answered, the size told has it.
 */
#ifndef CINTA_SIZE_BARRIER_H
#define CINTA_SIZE_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/lock.h"

struct fs;

struct barrier_size {
	uint64_t ino;
	int64_t size;  /* what is told; not measured: the most that has been */
	bool measured; /* false: each is told what he has measured himself */
	int users;     /* appends under way */
	struct barrier_size *next;
};

struct size_barrier {
	struct lock lock;
	/* All below is guarded by lock. */
	struct barrier_size *first;
};

/* The log of one append. */
struct barrier_file {
	uint64_t ino; /* 0: not held */
	int64_t size; /* measured */
};

void size_barrier_init(struct size_barrier *h);
void size_barrier_release(struct size_barrier *h);
void size_barrier_begin(struct fs *fs, struct barrier_file *file, uint64_t ino);
/* Of an append that nothing had to begin, too: another of the same log may have begun meanwhile. */
void size_barrier_measure(struct fs *fs, struct barrier_file *file, uint64_t ino);
void size_barrier_end(struct fs *fs, struct barrier_file *file);
/* The size to tell of a file that has `size` bytes now; ask after measuring. */
int64_t size_barrier_told(struct fs *fs, uint64_t ino, int64_t size);

#endif
