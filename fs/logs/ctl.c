/* SPDX-License-Identifier: MIT */
/*
 * Writing to ctl.  It has no end one could write behind: where a write goes does not
 * matter, and `>` does what `>>` does.
 */
#include "fs/logs/logs.h"

#include <errno.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/logs/frame.h"

struct ctl_handle {
	struct handle handle;
	struct frame frame;
};

static struct frame *frame_in(struct handle *h)
{
	return &((struct ctl_handle *)h)->frame;
}

static void refuse_ctl(fuse_req_t req, int err, uint64_t ino, const struct why *why,
                       struct buf *offered)
{
	struct offer offer = { "ctl", offered->data, offered->len };
	refuse(req, err, "write", ino, NULL, why, offered->len ? &offer : NULL);
	buf_release(offered);
}

/* What is stored of a command: a summary, references. */
static int refuse_secrets(const struct fs *fs, const struct ctl *c, struct why *why)
{
	int err = 0;
	for (size_t i = 0; !err && i < c->count; i++) {
		err = secrets_refuse(fs, c->op[i].text, c->op[i].len, why);
		if (err)
			why->line = c->op[i].line;
	}
	return err;
}

/* Each operation is an entry, the first of them `seq`. */
static bool tell_secrets(struct fs *fs, uint64_t ino, const struct ctl *c, const char *author,
                         int64_t seq)
{
	char path[PATH_LIMIT + 1], number[24];
	bool told = false;
	tree_path(fs, ino, NULL, path, sizeof path);
	for (size_t i = 0; i < c->count; i++) {
		(void)snprintf(number, sizeof number, "%lld", (long long)(seq + (int64_t)i));
		told |= secrets_tell(fs, path, author, c->op[i].text, c->op[i].len, number);
	}
	return told;
}

/* *told: errors.log has a line of it. */
static int ctl_run(struct fs *fs, uint64_t ino, const struct writer *by, const char *lines,
                   size_t len, bool *told, struct why *why)
{
	struct ctl c;
	int64_t seq = 0;
	int err = errno_of_render(render_ctl_in(lines, len, &c, why));
	err = err ? err : refuse_secrets(fs, &c, why);
	for (size_t i = 0; !err && i < c.count; i++)
		c.op[i].agent = by->talk.agent;
	if (!err && c.count > 0)
		err = errno_of_store(store_context_commit(fs->store, ino_id(ino), c.op, c.count,
		                                          by->author, &seq, why));
	*told = !err && tell_secrets(fs, ino, &c, by->author, seq);
	ctl_release(&c);
	if (err)
		why_not_stored(err, "write again", why);
	return err;
}

/* Whole lines; unlocks.  `size` is what to answer, 0: it is a FLUSH. */
static void submit(fuse_req_t req, uint64_t ino, struct frame *f, struct buf *offered, size_t lines,
                   size_t size)
{
	struct why why = { 0 };
	struct job job;
	bool told;
	int err = ctl_run(fs_of(req), ino, &f->by, offered->data, lines, &told, &why);
	if (err)
		buf_clear(&f->held);
	lock_give(&f->lock);
	if (err) {
		refuse_ctl(req, -err, ino, &why, offered);
		return;
	}
	buf_release(offered);
	job_init(&job, fs_of(req));
	if (told)
		job_errors(&job);
	job_saved(&job, &(struct saved){ .ino = ino });
	if (size)
		job_finish(&job, req, answer_write, (void *)(uintptr_t)size);
	else
		job_finish(&job, req, answer_err, NULL);
}

static void ctl_write(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w)
{
	struct frame *f = frame_in(h);
	struct buf offered = BUF_INIT;
	struct why why = { 0 };
	size_t lines = 0;
	lock_take(&f->lock);
	frame_by(req, f);
	switch (frame_take(f, w->data, w->size, &offered, &lines)) {
	case FRAME_HELD:
		lock_give(&f->lock);
		fuse_reply_write(req, w->size);
		break;
	case FRAME_LINES:
		submit(req, ino, f, &offered, lines, w->size);
		break;
	case FRAME_LONG:
		lock_give(&f->lock);
		why_set(&why, "end each command with a newline", "a command is longer than %d bytes",
		        CTL_LINE_LIMIT);
		refuse_ctl(req, EFBIG, ino, &why, &offered);
		break;
	}
}

static void ctl_flush(fuse_req_t req, struct handle *h, uint64_t ino)
{
	struct frame *f = frame_in(h);
	struct buf offered;
	lock_take(&f->lock);
	if (frame_rest(f, &offered)) {
		submit(req, ino, f, &offered, offered.len, 0);
		return;
	}
	lock_give(&f->lock);
	fuse_reply_err(req, 0);
}

static void ctl_close(struct handle *h)
{
	frame_release(frame_in(h));
}

static const struct handle_ops ctl_ops = { .write = ctl_write, .flush = ctl_flush,
	.close = ctl_close };

int ctl_handle(fuse_req_t req, struct handle **out)
{
	struct ctl_handle *c = handle_new(mount_of(req), &ctl_ops, sizeof *c);
	if (!c)
		return -ENOMEM;
	frame_init(&c->frame, CTL_LINE_LIMIT, RANK_CTL);
	*out = &c->handle;
	return 0;
}
