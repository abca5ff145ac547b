/* SPDX-License-Identifier: MIT */
/* Reading: the bytes a file had when it was opened, or those it has now. */
#include "fs/open/open.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/context/context.h"
#include "fs/internal.h"

struct snapshot {
	struct handle handle;
	struct buf bytes;
	bool taken; /* guarded by fs->docs: a redaction took the bytes; reads are ESTALE */
};

void read_now(fuse_req_t req, uint64_t ino, size_t size, off_t off)
{
	char *data = malloc(size);
	if (!data) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (!(node_of(fs_of(req), ino)->flags & NODE_FIXED)) /* a hot log's mark is one too many */
		kcache_mark(&mount_of(req)->kcache, ino, 0, KCACHE_DATA);
	ssize_t got = tree_read(fs_of(req), ino, off, data, size);
	if (got < 0)
		fuse_reply_err(req, (int)-got);
	else
		fuse_reply_buf(req, data, (size_t)got);
	free(data);
}

void read_told(fuse_req_t req, uint64_t ino, size_t size, off_t off)
{
	int64_t most;
	int err = tree_size(fs_of(req), ino, &most);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	most = size_barrier_told(fs_of(req), ino, most);
	if (off >= most)
		fuse_reply_buf(req, NULL, 0);
	else
		read_now(req, ino, most - off < (int64_t)size ? (size_t)(most - off) : size, off);
}

static void snapshot_read(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
                          const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	/* Without an owner it is for a mapping: its page is shared by all, and invalidated. */
	if (fi->lock_owner == 0 && is_document(fs, ino)) {
		read_now(req, ino, size, off);
		return;
	}
	const struct snapshot *s = (struct snapshot *)h;
	lock_take(&fs->docs);
	if (s->taken)
		fuse_reply_err(req, ESTALE);
	else
		reply_part(req, &s->bytes, size, off);
	lock_give(&fs->docs);
}

static void snapshot_close(struct handle *h)
{
	buf_release(&((struct snapshot *)h)->bytes);
}

/* A reader keeps the bytes of its open, but not these: it has to open again. */
static void snapshot_take(struct handle *h)
{
	struct snapshot *s = (struct snapshot *)h;
	s->taken = s->taken || s->bytes.len > 0;
	buf_release(&s->bytes);
}

static const struct handle_ops snapshot_ops = { .read = snapshot_read, .take = snapshot_take,
	.close = snapshot_close };

/* The session whose context is shown to who opens this; 0: of none. */
static int64_t shown_session(struct fs *fs, uint64_t ino)
{
	struct group g;
	if (ino_kind(ino) == KIND_CONTEXT)
		return ino_id(ino);
	return ino_kind(ino) == KIND_CONTEXT_NOW && context_session(fs, &g) == 0 ? g.id : 0;
}

static int page_of(fuse_req_t req, uint64_t ino, struct buf *out)
{
	struct fs *fs = fs_of(req);
	int64_t session = shown_session(fs, ino);
	/* What such a program reads nobody was shown: no use, and no reference of the next answer. */
	bool shown = session && !reads_trees(fuse_req_ctx(req)->pid);
	return shown ? context_open(fs, session, out) : tree_page(fs, ino, out);
}

int snapshot_handle(fuse_req_t req, uint64_t ino, struct handle **out)
{
	struct snapshot *s = handle_new(mount_of(req), &snapshot_ops, sizeof *s);
	int err = s ? page_of(req, ino, &s->bytes) : -ENOMEM;
	if (!err)
		*out = &s->handle;
	else if (s)
		handle_free(&s->handle);
	return err;
}
