/* SPDX-License-Identifier: MIT */
/* What all handles have in common: a mount knows its own, should it end without closing them. */
#include "fs/save/handle.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

void *handle_new(struct fs_mount *m, const struct handle_ops *ops, size_t size)
{
	struct handle *h = calloc(1, size);
	if (!h)
		return NULL;
	h->ops = ops;
	h->mount = m;
	lock_take(&m->fs->docs);
	h->next = m->handles;
	h->at = &m->handles;
	if (h->next)
		h->next->at = &h->next;
	m->handles = h;
	lock_give(&m->fs->docs);
	return h;
}

void handle_free(struct handle *h)
{
	if (!h)
		return;
	struct fs *fs = h->mount->fs;
	lock_take(&fs->docs); /* a last read may still be answering */
	*h->at = h->next;
	if (h->next)
		h->next->at = h->at;
	if (h->ops->close)
		h->ops->close(h);
	lock_give(&fs->docs);
	free(h);
}

void handle_break(uint64_t fh)
{
	struct handle *h = (struct handle *)(uintptr_t)fh;
	if (h)
		atomic_store(&h->broken, true);
}

void handles_drop(struct fs_mount *m)
{
	lock_take(&m->fs->docs);
	while (m->handles) {
		if (m->handles->ops->drop)
			m->handles->ops->drop(m->handles);
		handle_free(m->handles);
	}
	lock_give(&m->fs->docs);
}

int handle_truncate(const struct fuse_file_info *fi, int64_t size)
{
	struct handle *h = handle_of(fi);
	return h && h->ops->truncate ? h->ops->truncate(h, size) : -EBADF;
}

bool handle_size(const struct fuse_file_info *fi, int64_t *size)
{
	struct handle *h = handle_of(fi);
	return handle_stages(fi) && h->ops->staged(h, size);
}
