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
#ifndef CINTA_KNOWN_H
#define CINTA_KNOWN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/lock.h"

enum {
	KNOWN_ATTR = 1,
	KNOWN_DATA = 2,
	KNOWN_LASTS = 4 /* with KNOWN_ATTR: the kernel may trust them until it is told */
};

struct known_slot {
	uint64_t ino;     /* 0: free */
	uint32_t lookups; /* what FORGET will take back */
	uint32_t marks;
	int64_t size;     /* the kernel's own is not less; 0: not known */
};

struct known {
	struct lock lock;
	struct known_slot *slot; /* open addressing, a power of two, at most 3/4 full */
	size_t size, used;
	bool overflow; /* an allocation failed: everything counts as known */
};

void known_init(struct known *k);
void known_release(struct known *k);
/* `lookups` more references by the kernel, and these marks. */
void known_mark(struct known *k, uint64_t ino, uint32_t lookups, uint32_t marks);
/* The kernel gives back references; at zero the inode is no longer known. */
void known_forget(struct known *k, uint64_t ino, uint64_t lookups);
/* Does the kernel have the inode, or is just about to?  `sure`: what cannot be told is a no. */
bool known_has(struct known *k, uint64_t ino, bool sure);
/* See `size` above; setting does nothing when the kernel has given the inode back. */
int64_t known_size(struct known *k, uint64_t ino);
void known_set_size(struct known *k, uint64_t ino, int64_t size);
/* Has the inode marks? */
bool known_peek(struct known *k, uint64_t ino);
/* Has it this one? */
bool known_marked(struct known *k, uint64_t ino, uint32_t mark);
/* The marks of an inode; they are cleared. */
uint32_t known_take(struct known *k, uint64_t ino);
/* Takes these marks away, and leaves the others. */
void known_unmark(struct known *k, uint64_t ino, uint32_t marks);
/* All inodes with marks, cleared; the caller frees the array.  NULL: none or no memory. */
uint64_t *known_take_all(struct known *k, size_t *count);

#endif
