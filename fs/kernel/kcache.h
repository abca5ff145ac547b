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
 *
 * Editions.  Who opens a document for reading has the bytes of one version until he closes it, and
 * the kernel has one copy of a file's pages and one size.  So these are of one version as long as
 * anybody reads by them (kcache_open), and a document that is saved meanwhile gets another node id:
 * its next edition.  What is open stays with the old one; the name leads to the new one, as soon
 * as it is looked up again.
 *
 *   1. An edition with open readers has told attributes of one version only, and its bytes are read
 *      from that version: kcache_tell() says no to another, and the edition is over.
 *   2. No handle that writes is opened by an edition with open readers: the kernel would move their
 *      size.  Who asks for one is sent to look the name up again (request/file.c).
 *   3. An edition that is over never comes back while the kernel knows it.
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

#define KCACHE_OVER (UINT64_C(1) << 63)

struct kcache_slot {
	uint64_t ino;         /* 0: free.  Of an edition that is over, its node id and KCACHE_OVER */
	uint32_t lookups;     /* what FORGET will take back */
	uint16_t opens;       /* readers that have it open */
	uint8_t marks;
	uint8_t edition;      /* of the node id that is told now */
	union {
		int64_t size;     /* the kernel's own is not less; 0: not known */
		int64_t version;  /* that a document's kernel was told of; 0: of none, -1: of several */
	};
};

struct kcache {
	struct lock lock;
	struct kcache_slot *slot; /* open addressing, a power of two, at most 3/4 full */
	size_t size, used;
	size_t over;   /* editions that are, and still known */
	bool overflow; /* an allocation failed: everything counts as known */
};

void kcache_init(struct kcache *k);
void kcache_release(struct kcache *k);
/* `lookups` more references by the kernel, and these marks.  The node id to tell of it. */
uint64_t kcache_mark(struct kcache *k, uint64_t ino, uint32_t lookups, uint32_t marks);
/* The kernel gives back references; at zero the inode, or that edition, is no longer known. */
void kcache_forget(struct kcache *k, uint64_t node, uint64_t lookups);
/* The node id that is told of an inode now. */
uint64_t kcache_node(struct kcache *k, uint64_t ino);
/* True if the node id is of an edition that is over. */
bool kcache_is_over(struct kcache *k, uint64_t node);
/* Marks of that very node id, if the kernel has it. */
void kcache_mark_node(struct kcache *k, uint64_t node, uint32_t marks);
/*
 * A document's attributes of this version (-1: it cannot be said) are about to be told by a node id
 * that was just marked.  False: they must not be, the edition is over.  *ended: by this call.
 */
bool kcache_tell(struct kcache *k, uint64_t node, int64_t version, bool *ended);
/*
 * A reader opens it.  *version: what is newest, or 0, and becomes the version to read.  False: the
 * kernel has, or may have, something of another version, or the edition could not end any more,
 * for as many are over as there are numbers.
 */
bool kcache_open(struct kcache *k, uint64_t node, int64_t *version);
void kcache_close(struct kcache *k, uint64_t node);
/*
 * The version that a node id has told, and that is not taken back: 0: none, -1: several.  Of an
 * edition that is over, the one that its readers have; 0: it has none.
 */
int64_t kcache_version(struct kcache *k, uint64_t node);
/* The version that readers have open by the kernel's pages of that node id; 0: nobody has. */
int64_t kcache_kept(struct kcache *k, uint64_t node);
/* Ends the inode's edition, if readers have it open: true.  Nobody else's marks are left then. */
bool kcache_supersede(struct kcache *k, uint64_t ino);
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
/*
 * All with marks, cleared: inodes, and node ids of editions that are over with KCACHE_OVER.  The
 * caller frees the array.  NULL: none or no memory.
 */
uint64_t *kcache_take_all(struct kcache *k, size_t *count);

#endif
