/* SPDX-License-Identifier: MIT */
/* search/query opened for writing: a question and its answer through one descriptor (search.h). */
#include "fs/open/open.h"

#include <errno.h>

#include "fs/internal.h"
#include "fs/search/search.h"

struct asking {
	struct handle handle;
	struct ask *ask;
};

static void ask_give(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
                     const struct fuse_file_info *fi)
{
	struct buf part = BUF_INIT;
	(void)ino, (void)fi;
	int err = ask_read(fs_of(req), ((struct asking *)h)->ask, size, off, &part);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_part(req, &part, size, 0);
	buf_release(&part);
}

static void ask_take(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w)
{
	struct why why = { 0 };
	int err = ask_write(((struct asking *)h)->ask, w->data, w->size, &why);
	if (err && why.text[0])
		refuse(req, -err, "write", ino, NULL, &why, NULL);
	else if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_write(req, w->size);
}

static void ask_lose(struct handle *h)
{
	ask_forget(((struct asking *)h)->ask);
}

static void ask_close(struct handle *h)
{
	ask_free(((struct asking *)h)->ask);
}

static const struct handle_ops ask_ops = { .read = ask_give, .write = ask_take,
	.take = ask_lose, .close = ask_close };

int ask_handle(fuse_req_t req, uint64_t ino, struct handle **out)
{
	struct asking *a = handle_new(mount_of(req), &ask_ops, sizeof *a);
	if (a)
		a->ask = ask_new(ino);
	if (a && a->ask) {
		*out = &a->handle;
		return 0;
	}
	handle_free(a ? &a->handle : NULL);
	return -ENOMEM;
}
