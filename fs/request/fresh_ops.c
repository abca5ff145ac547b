/* SPDX-License-Identifier: MIT */
/*
 * The ops of a mount with fresh=open or fresh=write (kernel/fresh.h).  Its kernel keeps names and
 * attributes for no time, so each way to a file brings a LOOKUP; these, OPEN and OPENDIR wait for
 * a look at the server before they are what they are in every mount.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/meaning/meaning.h"

struct asked {
	uint64_t ino;
	struct fuse_file_info fi; /* of OPEN and OPENDIR */
	char name[];              /* of LOOKUP */
};

static void wait_for(fuse_req_t req, fresh_fn *answer, uint64_t ino, const char *name,
                     const struct fuse_file_info *fi)
{
	size_t len = strlen(name) + 1;
	struct asked *a = calloc(1, sizeof *a + len);
	if (a) {
		a->ino = ino;
		a->fi = *fi;
		memcpy(a->name, name, len);
	}
	if (a && fresh_wait(req, answer, a) == 0)
		return;
	free(a);
	fuse_reply_err(req, ENOMEM);
}

static void answer_lookup(fuse_req_t req, void *ctx)
{
	struct asked *a = ctx;
	mount_of(req)->lookup(req, a->ino, a->name);
	free(a);
}

static void fresh_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	wait_for(req, answer_lookup, parent, name, &(struct fuse_file_info){ .fh = 0 });
}

static void answer_open(fuse_req_t req, void *ctx)
{
	struct asked *a = ctx;
	mount_of(req)->open(req, a->ino, &a->fi);
	free(a);
}

static void fresh_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	wait_for(req, answer_open, ino, "", fi);
}

/* As the kernel does by itself where OPENDIR is not answered. */
static void answer_opendir(fuse_req_t req, void *ctx)
{
	struct asked *a = ctx;
	a->fi.cache_readdir = 1;
	a->fi.keep_cache = 1;
	fuse_reply_open(req, &a->fi);
	free(a);
}

static void fresh_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	wait_for(req, answer_opendir, ino, "", fi);
}

int fresh_ops(struct fs_mount *m, struct fuse_lowlevel_ops *ops)
{
	m->lookup = ops->lookup;
	m->open = ops->open;
	ops->lookup = fresh_lookup;
	if (!m->read_only) /* there the kernel opens files by itself, after a LOOKUP */
		ops->open = fresh_open;
	ops->opendir = fresh_opendir;
	/* Where a look-up can wait for an endpoint, others have threads all the same. */
	return fresh_threads(m->fs, m->fs->embedder ? FRESH_THREADS + ASKERS : FRESH_THREADS);
}
