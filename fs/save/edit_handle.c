/* SPDX-License-Identifier: MIT */
/* Writing to a document through a handle that stages bytes of its own (edit.h). */
#include "fs/save/save.h"

#include <errno.h>

#include "fs/internal.h"

static struct edit *edit_in(struct handle *h)
{
	return ((struct staging *)h)->edit;
}

static void edit_read(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
                      const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	(void)ino, (void)fi;
	lock_take(&fs->docs);
	int err = edit_show(fs, edit_in(h), &((struct staging *)h)->by.process);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_part(req, &edit_in(h)->bytes, size, off);
	lock_give(&fs->docs);
}

static void edit_take(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w)
{
	struct fs *fs = fs_of(req);
	struct edit *e = edit_in(h);
	lock_take(&fs->docs);
	int err = edit_load(fs, e);
	off_t at = w->at_end ? (off_t)e->bytes.len : w->off;
	if (!err)
		err = staging_room(fs, at + (off_t)w->size, e->bytes.len);
	if (!err)
		err = edit_write(fs, e, w->data, w->size, w->off, w->at_end);
	torn_note(&e->torn, err, at, w->size);
	lock_give(&fs->docs);
	if (err == -ENOSPC || err == -EFBIG) {
		struct why why = { 0 };
		why_set(&why, "save and close documents that are open, or write less at once",
		        "512 MiB may be written at a time, of one document 128");
		refuse(req, -err, "write", ino, NULL, &why, NULL);
		return;
	}
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	/* What it has of size and times the kernel itself gives up when a WRITE is answered. */
	kcache_unmark(&mount_of(req)->kcache, ino, KCACHE_ATTR | KCACHE_FOREVER);
	fuse_reply_write(req, w->size);
}

static int edit_truncate(struct handle *h, int64_t size)
{
	struct fs *fs = h->mount->fs;
	lock_take(&fs->docs);
	int err = staging_room(fs, size, edit_in(h)->bytes.len);
	if (!err)
		err = edit_resize(fs, edit_in(h), size);
	lock_give(&fs->docs);
	return err;
}

static bool edit_staged_size(struct handle *h, int64_t *size)
{
	struct fs *fs = h->mount->fs;
	lock_take(&fs->docs);
	*size = (int64_t)edit_in(h)->bytes.len;
	bool staged = edit_in(h)->written || edit_in(h)->truncated;
	lock_give(&fs->docs);
	return staged;
}

const struct handle_ops edit_ops = {
	.read = edit_read,
	.write = edit_take,
	.flush = staging_flush,
	.fsync = staging_fsync,
	.release = staging_release,
	.truncate = edit_truncate,
	.staged = edit_staged_size,
	.drop = staging_drop,
	.close = staging_close,
};

int edit_handle(fuse_req_t req, uint64_t ino, struct handle **out)
{
	struct fs *fs = fs_of(req);
	struct staging *t = staging_new(req, &edit_ops, true);
	if (!t)
		return -ENOMEM;
	lock_take(&fs->docs);
	int err = edit_open(fs, ino, t->opener, &t->edit);
	lock_give(&fs->docs);
	if (err)
		handle_free(&t->handle);
	else
		*out = &t->handle;
	return err;
}
