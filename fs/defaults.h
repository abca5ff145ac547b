/* SPDX-License-Identifier: MIT */
/*
 * What session.md gives to the messages of its session, kept ready for the append
 * path: a look into the store only after some session.md was saved.
 */
#ifndef CINTA_DEFAULTS_H
#define CINTA_DEFAULTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "render/buf.h"

struct fs;

enum { DEFAULTS_SLOTS = 256 };

struct defaults {
	pthread_mutex_t lock;
	_Atomic int64_t saves; /* how often a session.md was saved */
	struct defaults_slot {
		int64_t session, saves; /* lock; as of how many saves; 0: empty */
		struct buf members;     /* lock */
	} slot[DEFAULTS_SLOTS];
};

void defaults_init(struct defaults *d);
void defaults_release(struct defaults *d);
/* Lets go of what was read. */
void defaults_forget(struct defaults *d);
/* A session.md was saved, or may have been. */
void defaults_changed(struct defaults *d);
/* Appends the members of a session's messages, a JSON object, or nothing. */
void defaults_of(struct fs *fs, int64_t session, struct buf *out);

#endif
