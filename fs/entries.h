/* SPDX-License-Identifier: MIT */
/*
 * Names the kernel must look up again: after a document was renamed, some mount
 * still has its old name, or has it under a name that now is a scratch file's.
 *
 * A thread of its own tells the kernel, because telling waits for the
 * directory's lock, which a request holds that waits for an answer.  So nothing
 * ever waits for this thread, and it holds no lock while it tells.
 */
#ifndef CINTA_ENTRIES_H
#define CINTA_ENTRIES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct fs;
struct entry_notice;

struct entries {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct entry_notice *first, **end; /* lock */
	bool runs, stop;                   /* lock */
};

int entries_start(struct fs *fs);
void entries_stop(struct fs *fs);
/* All mounts forget that name, soon. */
void entries_forget(struct fs *fs, uint64_t dir, const char *name);

#endif
