/* SPDX-License-Identifier: MIT */
/* Reading a document by the kernel's pages, all of one version (kernel/kcache.h). */
#include "fs/open/open.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* A document's version, read by the kernel's pages of one edition of it. */
struct edition {
	struct handle handle;
	struct buf bytes; /* guarded by fs->docs: here from the first READ on */
	bool taken;       /* guarded by fs->docs: a redaction took them; reads are ESTALE */
	uint64_t node;
	int64_t version;
};

/* fs->docs is held. */
static int load_edition(struct edition *e)
{
	char *bytes = NULL;
	size_t len = 0;
	struct fs *fs = e->handle.mount->fs;
	if (e->taken)
		return -ESTALE;
	if (e->bytes.data)
		return 0;
	int err = errno_of_store(store_doc_content(fs->store, ino_doc(e->node), e->version, &bytes,
	                                           &len));
	if (!err)
		buf_add(&e->bytes, bytes, len);
	free(bytes);
	return err ? err : e->bytes.failed ? -ENOMEM : 0;
}

static void edition_read(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
                         const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct edition *e = (struct edition *)h;
	(void)ino, (void)fi;
	lock_take(&fs->docs);
	int err = load_edition(e);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_part(req, &e->bytes, size, off);
	lock_give(&fs->docs);
}

static void edition_close(struct handle *h)
{
	struct edition *e = (struct edition *)h;
	buf_release(&e->bytes);
	if (e->node)
		kcache_close(&h->mount->kcache, e->node);
}

static void edition_take(struct handle *h)
{
	((struct edition *)h)->taken = true;
	buf_release(&((struct edition *)h)->bytes);
}

static const struct handle_ops edition_ops = { .read = edition_read, .take = edition_take,
	.close = edition_close };

bool edition_page(fuse_req_t req, const struct handle *h, uint64_t node, size_t size, off_t off)
{
	struct kcache *kcache = &mount_of(req)->kcache;
	char *bytes = NULL;
	size_t len = 0;
	kcache_mark_node(kcache, node, KCACHE_DATA);
	int64_t version = kcache_kept(kcache, node);
	if (version <= 0 || (h && h->ops == &edition_ops))
		return false;
	int err = errno_of_store(store_doc_content(fs_of(req)->store, ino_doc(node), version, &bytes,
	                                           &len));
	const size_t from = (size_t)off < len ? (size_t)off : len;
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_buf(req, bytes + from, size < len - from ? size : len - from);
	free(bytes);
	return true;
}

static bool is_being_saved(struct fs *fs, uint64_t ino)
{
	return growing_is_open(fs, ino) || growing_is_direct(fs, ino);
}

/*
 * The kernel was told attributes of several versions, by who wrote and saved nothing: it forgets
 * them, and what is read until then goes past its pages.
 */
static void begin_anew(struct fs *fs, uint64_t ino)
{
	struct job job;
	job_init(&job, fs);
	job_inode(&job, ino);
	job_finish(&job, NULL, NULL, NULL);
}

struct handle *edition_handle(fuse_req_t req, uint64_t node)
{
	struct fs_mount *m = mount_of(req);
	const uint64_t ino = ino_of_node(node);
	if (m->fresh || is_being_saved(m->fs, ino))
		return NULL;
	struct edition *e = handle_new(m, &edition_ops, sizeof *e);
	if (!e)
		return NULL;
	/* Counted first, then looked once more: who begins to write does both the other way round. */
	int64_t told = kcache_version(&m->kcache, node);
	e->version = told > 0 ? 0 : document_version(m->fs, ino_doc(node));
	bool open = e->version >= 0 && kcache_open(&m->kcache, node, &e->version);
	if (open)
		e->node = node;
	if (open && !is_being_saved(m->fs, ino) &&
	    (told > 0 || document_version(m->fs, ino_doc(node)) == e->version))
		return &e->handle;
	handle_free(&e->handle);
	if (told < 0)
		begin_anew(m->fs, ino);
	return NULL;
}

bool edition_is_left(fuse_req_t req, uint64_t node)
{
	struct kcache *kcache = &mount_of(req)->kcache;
	bool open = ino_doc(node) && kcache_kept(kcache, node) != 0;
	if (!open && !kcache_is_over(kcache, node))
		return false;
	if (open) {
		growing_touched(fs_of(req), node); /* what he finds is opened by no reader before him */
		/* He may not look again: by /proc/self/fd, or by a mount of the file alone. */
		if (kcache_supersede(kcache, ino_of_node(node)))
			dentry_forget_edition(fs_of(req), ino_doc(node));
	}
	dentry_answer_again(req);
	return true;
}
