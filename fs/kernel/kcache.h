/* SPDX-License-Identifier: MIT */
/*
 * What the kernel may hold of a mount's files: for each inode it has looked up,
 * whether attributes or data were handed out since the last invalidation.  A
 * write tells the kernel only about what is here, so writing to a log that
 * nobody reads costs no notification.
 *
 * Order that makes it safe: a reader marks BEFORE it reads the store; a writer
 * takes the marks AFTER its commit.  Whatever was read before the commit is
 * then marked, and the invalidation waits in the kernel for the reply (page
 * locks, attribute versions).
 *
 * Of files whose size is told in turn (notify.h) it also keeps the size that the
 * kernel was last made to have.
 */
#ifndef CINTA_KCACHE_H
#define CINTA_KCACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/lock.h"

enum {
	KCACHE_ATTR = 1,
	KCACHE_DATA = 2,
	KCACHE_FOREVER = 4 /* with KCACHE_ATTR: the kernel may trust them until it is told */
};

struct kcache_slot {
	uint64_t ino;     /* 0: free */
	uint32_t lookups; /* what FORGET will take back */
	uint32_t marks;
	int64_t size;     /* the kernel's own is not less; 0: not known */
};

struct kcache {
	struct lock lock;
	struct kcache_slot *slot; /* open addressing, a power of two, at most 3/4 full */
	size_t size, used;
	bool overflow; /* an allocation failed: everything counts as known */
};

void kcache_init(struct kcache *k);
void kcache_release(struct kcache *k);
/* `lookups` more references by the kernel, and these marks. */
void kcache_mark(struct kcache *k, uint64_t ino, uint32_t lookups, uint32_t marks);
/* The kernel gives back references; at zero the inode is no longer known. */
void kcache_forget(struct kcache *k, uint64_t ino, uint64_t lookups);
/* True if the kernel has the inode, or is about to.  `sure`: what cannot be told is a no. */
bool kcache_has(struct kcache *k, uint64_t ino, bool sure);
/* See `size` above; setting does nothing when the kernel has given the inode back. */
int64_t kcache_size(struct kcache *k, uint64_t ino);
void kcache_set_size(struct kcache *k, uint64_t ino, int64_t size);
/* True if the inode has marks. */
bool kcache_peek(struct kcache *k, uint64_t ino);
/* True if it has this one. */
bool kcache_marked(struct kcache *k, uint64_t ino, uint32_t mark);
/* The marks of an inode; they are cleared. */
uint32_t kcache_take(struct kcache *k, uint64_t ino);
/* Takes these marks away, and leaves the others. */
void kcache_unmark(struct kcache *k, uint64_t ino, uint32_t marks);
/* All inodes with marks, cleared; the caller frees the array.  NULL: none or no memory. */
uint64_t *kcache_take_all(struct kcache *k, size_t *count);

#endif
