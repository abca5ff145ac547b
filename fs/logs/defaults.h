/* SPDX-License-Identifier: MIT */
/*
 * What session.md gives to the messages of its session, kept ready for the append
 * path: a look into the store only after some session.md was saved.
 */
#ifndef CINTA_DEFAULTS_H
#define CINTA_DEFAULTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "fs/documents/documents.h"
#include "store/lock.h"

enum { DEFAULTS_SLOTS = 256 };

struct defaults {
	struct lock lock;
	_Atomic int64_t saves; /* how often a session.md was saved */
	struct defaults_slot {
		int64_t session, saves; /* guarded by lock; as of how many saves; 0: empty */
		struct buf members;     /* guarded by lock */
	} slot[DEFAULTS_SLOTS];
};

void defaults_init(struct defaults *d);
void defaults_release(struct defaults *d);
on_saved_fn defaults_on_saved;
/* Appends the members of a session's messages, a JSON object, or nothing. */
void defaults_of(struct fs *fs, int64_t session, struct buf *out);

#endif
