/* SPDX-License-Identifier: MIT */
/*
 * Open files.  Three sorts of handle:
 *   cached    reading what is invalidated by hand: no handle, the page cache serves
 *   snapshot  reading what changes by itself: rendered at open, never cached
 *   append    writing to a log: direct I/O, so that one write(2) is one WRITE
 * In profile R the kernel opens by itself and only READ arrives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

struct handle {
	struct buf snapshot;       /* of a fresh page */
	struct appender *appender; /* of a log opened for writing */
};

static struct handle *handle_of(const struct fuse_file_info *fi)
{
	return fi ? (struct handle *)(uintptr_t)fi->fh : NULL;
}

static void refuse_open(fuse_req_t req, uint64_t ino)
{
	struct why why = { 0 };
	bool thread = ino_kind(ino) == KIND_THREAD_LOG;
	why_set(&why, thread ? "append to a session's log a message with \"thread\":\"NAME\"" :
	        "append to sessions/NAME/log.jsonl instead", "this file is generated");
	refuse(req, EPERM, "open", ino, NULL, &why, NULL);
}

static int fill_handle(fuse_req_t req, uint64_t ino, bool writing, struct handle **out)
{
	struct handle *h = calloc(1, sizeof *h);
	struct log_stat size = { 0, 0 };
	int err = h ? 0 : -ENOMEM;
	if (!err && !writing)
		err = tree_page(fs_of(req), ino, &h->snapshot);
	if (!err && writing) {
		err = errno_of_store(store_log_stat(fs_of(req)->store,
		                                    (struct log_id){ LOG_SESSION, ino_id(ino) }, &size));
		h->appender = err ? NULL : appender_new(ino, size.bytes);
		if (!err && !h->appender)
			err = -ENOMEM;
	}
	if (err && h) {
		buf_release(&h->snapshot);
		free(h);
	}
	*out = err ? NULL : h;
	return err;
}

/*
 * A log that is being appended to through this mount: the kernel moves its size
 * by the writer's bytes, which are fewer than ours, so a cached read could end
 * inside a line.  Such a log is read directly.
 */
static bool is_hot(struct fs *fs, uint64_t ino)
{
	if (ino_kind(ino) != KIND_LOG)
		return false;
	int64_t last = atomic_load(&fs->hot[ino_id(ino) % HOT_SLOTS]);
	return last > 0 && now_ms() - last < HOT_MS;
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct node *row = &tree[ino_kind(ino)];
	bool writing = (fi->flags & O_ACCMODE) != O_RDONLY;
	struct handle *h = NULL;
	if (mount_of(req)->read_only) {
		fuse_reply_err(req, ENOSYS); /* profile R: the kernel opens and closes by itself */
		return;
	}
	if (writing && !(row->flags & NODE_GROWS)) {
		refuse_open(req, ino);
		return;
	}
	if (writing || (row->flags & NODE_FRESH)) {
		int err = fill_handle(req, ino, writing, &h);
		if (err) {
			fuse_reply_err(req, -err);
			return;
		}
		fi->direct_io = 1;
	} else if (is_hot(fs_of(req), ino)) {
		fi->direct_io = 1;
	} else {
		fi->keep_cache = 1;
	}
	fi->noflush = !writing;
	fi->fh = (uint64_t)(uintptr_t)h;
	if (fuse_reply_open(req, fi) && h) {
		appender_free(h->appender);
		buf_release(&h->snapshot);
		free(h);
	}
}

static void read_snapshot(fuse_req_t req, const struct buf *page, size_t size, off_t off)
{
	size_t at = (size_t)off < page->len ? (size_t)off : page->len;
	fuse_reply_buf(req, page->data + at, page->len - at < size ? page->len - at : size);
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct handle *h = mount_of(req)->read_only ? NULL : handle_of(fi);
	if (h && h->snapshot.data) {
		read_snapshot(req, &h->snapshot, size, off);
		return;
	}
	char *data = malloc(size);
	if (!data) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (!h && !(tree[ino_kind(ino)].flags & NODE_FIXED)) /* a hot log's mark is one too many */
		known_mark(&mount_of(req)->known, ino, 0, KNOWN_DATA);
	ssize_t got = tree_read(fs_of(req), ino, off, data, size);
	if (got < 0)
		fuse_reply_err(req, (int)-got);
	else
		fuse_reply_buf(req, data, (size_t)got);
	free(data);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
              struct fuse_file_info *fi)
{
	const struct handle *h = handle_of(fi);
	(void)ino;
	if (!h || !h->appender) {
		fuse_reply_err(req, EBADF);
		return;
	}
	append_write(req, h->appender, data, size, off, fi->flags & O_APPEND);
}

void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct handle *h = handle_of(fi);
	(void)ino;
	if (mount_of(req)->read_only)
		fuse_reply_err(req, ENOSYS);
	else if (h && h->appender)
		append_flush(req, h->appender);
	else
		fuse_reply_err(req, 0);
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	(void)ino;
	if (h) {
		appender_free(h->appender);
		buf_release(&h->snapshot);
		free(h);
	}
	fuse_reply_err(req, 0);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)ino, (void)datasync, (void)fi;
	fuse_reply_err(req, -errno_of_store(store_sync(fs_of(req)->store)));
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	op_fsync(req, ino, datasync, fi);
}
