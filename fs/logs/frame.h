/* SPDX-License-Identifier: MIT */
/*
 * Bytes of an open file to whole lines, for the files that take lines (append.c, ctl.c).
 * What a write leaves without a newline is held for the next one, or for the close.
 *
 * Invariant: held bytes have no newline and are not longer than a line may be.
 */
#ifndef CINTA_FRAME_H
#define CINTA_FRAME_H

#include <pthread.h>

#include "fs/documents/documents.h"
#include "store/lock.h"

struct frame {
	struct lock lock;
	struct buf held;            /* guarded by lock */
	struct writer by;           /* guarded by lock; author "" until the first write */
	size_t most;                /* bytes of a line */
};

/* `most`: bytes of a line; `rank`: of its lock. */
void frame_init(struct frame *f, size_t most, enum lock_rank rank);
void frame_release(struct frame *f);
/* Who writes, of each WRITE; f->lock held.  At a FLUSH it may be too late (base/proc.c). */
void frame_by(fuse_req_t req, struct frame *f);

enum framed {
	FRAME_HELD,  /* no line is whole yet */
	FRAME_LINES, /* `offered` has all there is; its first `lines` bytes are whole lines
	              * without the last newline, the rest is held */
	FRAME_LONG   /* a line is too long, or there is no memory; nothing is held */
};
/* The bytes of a write; f->lock held.  `offered` is empty, and the caller's. */
enum framed frame_take(struct frame *f, const char *data, size_t size, struct buf *offered,
                       size_t *lines);
/* What is held at the close moves to `offered`; false: nothing.  f->lock held. */
bool frame_rest(struct frame *f, struct buf *offered);

#endif
