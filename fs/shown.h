/* SPDX-License-Identifier: MIT */
/*
 * Whom a context was shown to.  Opening a session's context.md notes what it showed;
 * the session's next message of the assistant takes that as its `context` references,
 * unless it says its own.  What nobody answers leaves no trace: a crawler's open is
 * followed by the one that counts, or by nothing.
 */
#ifndef CINTA_FS_SHOWN_H
#define CINTA_FS_SHOWN_H

#include <pthread.h>

#include "render/buf.h"

struct fs;

enum { SHOWN_SLOTS = 256 };

struct shown {
	pthread_mutex_t lock;
	struct shown_slot {
		int64_t session; /* lock; a later session may take an earlier one's slot */
		struct buf refs; /* lock; a JSON array of references; empty: nothing to take */
	} slot[SHOWN_SLOTS];
};

void shown_init(struct shown *s);
void shown_release(struct shown *s);
/* Takes over the bytes of `refs`. */
void shown_put(struct fs *fs, int64_t session, struct buf *refs);
/* Appends what was shown and not answered yet, or nothing. */
void shown_copy(struct fs *fs, int64_t session, struct buf *out);
/* It is answered. */
void shown_answered(struct fs *fs, int64_t session);

#endif
