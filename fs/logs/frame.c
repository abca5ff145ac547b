/* SPDX-License-Identifier: MIT */
/* Framing: where a line ends, and what waits for its end. */
#include "fs/logs/frame.h"

#include <string.h>

#include "fs/save/save.h"

void frame_init(struct frame *f, size_t most, enum lock_rank rank)
{
	lock_init(&f->lock, rank);
	buf_init(&f->held);
	f->by.author[0] = '\0';
	f->most = most;
}

void frame_release(struct frame *f)
{
	lock_destroy(&f->lock);
	buf_release(&f->held);
}

void frame_by(fuse_req_t req, struct frame *f)
{
	if (!f->by.author[0])
		writer_of(req, &f->by);
}

bool frame_rest(struct frame *f, struct buf *offered)
{
	if (f->held.len == 0)
		return false;
	*offered = f->held;
	buf_init(&f->held);
	return true;
}

enum framed frame_take(struct frame *f, const char *data, size_t size, struct buf *offered,
                       size_t *lines)
{
	const char *last = memrchr(data, '\n', size);
	size_t whole = last ? (size_t)(last - data) + 1 : 0;
	if (whole == 0) {
		buf_add(&f->held, data, size);
		if (f->held.len <= f->most && !f->held.failed)
			return FRAME_HELD;
		*offered = f->held;
		buf_init(&f->held);
		return FRAME_LONG;
	}
	if (f->held.len == 0) {
		buf_add(offered, data, size);
	} else {
		buf_add(&f->held, data, size);
		*offered = f->held;
		buf_init(&f->held);
	}
	/* The bytes after the last newline wait for more; if the lines are refused they go too. */
	buf_add(&f->held, last + 1, size - whole);
	*lines = offered->len - (size - whole) - 1;
	if (!offered->failed && !f->held.failed)
		return FRAME_LINES;
	buf_clear(&f->held);
	return FRAME_LONG;
}
