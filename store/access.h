/* SPDX-License-Identifier: MIT */
/*
 * How often memories were used, and when last: counts in PATH.side and, until they are written
 * there, in the store.  Who wants to count uses score.h; the keeper and store_close() write.
 */
#ifndef CINTA_ACCESS_H
#define CINTA_ACCESS_H

#include <stddef.h>
#include <stdint.h>

struct store;

struct access {
	int64_t doc, uses, last_us;
};

/* Not written yet: one of each document. */
struct accesses {
	struct access *of;
	size_t count, room;
};

/* Writes what waits; it goes on waiting when it fails.  Takes side_lock. */
int access_flush(struct store *s);
/* All that is counted, by document, malloc'ed for the caller.  Takes side_lock. */
int access_load(struct store *s, struct access **out, size_t *count);

#endif
