/* SPDX-License-Identifier: MIT */
/*
 * The ops of open files; what each sort of them does is in save/handle.h.  In profile R the
 * kernel opens by itself and only READ arrives.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/search/search.h"

/*
 * Seconds that the kernel may trust what it was told of a temporary file just made.  Not its name,
 * which it would keep with the name of the document that it becomes.
 */
#define MOMENT 0.1

static void refuse_open(fuse_req_t req, uint64_t ino)
{
	struct why why = { 0 };
	const struct node *row = node_of(fs_of(req), ino);
	why_set(&why, row->refusal.todo ? row->refusal.todo :
	        "write where it comes from: a message, a document or a fact (README.md says how)", "%s",
	        row->refusal.what ? row->refusal.what : "this file is generated from the memory");
	refuse(req, EPERM, "open", ino, NULL, &why, NULL);
}

/* session.md before anybody has saved it: generated, and cached like any such page. */
static bool is_still_page(fuse_req_t req, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	int64_t doc;
	if (ino_kind(ino) != KIND_PAGE || edit_doc(fs, ino, &doc) || doc)
		return false;
	lock_take(&fs->docs);
	const struct edit *e = fs->edits;
	while (e && e->ino != ino)
		e = e->next;
	lock_give(&fs->docs);
	return !e;
}

static bool hidden_now(struct fs *fs, int64_t doc)
{
	lock_take(&fs->docs);
	bool hidden = is_hidden(fs, doc);
	lock_give(&fs->docs);
	return hidden;
}

/* True if it may be written; else it is answered. */
static bool writable(fuse_req_t req, uint64_t ino)
{
	struct why why = { 0 };
	char name[NAME_LIMIT + 1];
	struct place p;
	uint64_t now = scratch_ino_now(fs_of(req), ino);
	if (!(node_of(fs_of(req), now)->flags & NODE_WRITABLE)) {
		refuse_open(req, now);
		return false;
	}
	if (!ino_doc(ino))
		return true;
	tree_name(fs_of(req), ino, name, sizeof name);
	if (place_of(fs_of(req), tree_parent(fs_of(req), ino), &p) ||
	    place_lets(&p, name, fs_of(req), fuse_req_ctx(req)->uid, &why))
		return true;
	refuse(req, EPERM, "open", ino, NULL, &why, NULL);
	return false;
}

static void reply_open(fuse_req_t req, const struct fuse_file_info *fi)
{
	if (fuse_reply_open(req, fi))
		handle_free(handle_of(fi));
}

static void answer_open(fuse_req_t req, void *fi)
{
	reply_open(req, fi);
	free(fi);
}

/* Attributes the kernel was given before go first (growing.h). */
static void add_trusted(struct job *job, struct fs_mount *m, uint64_t ino)
{
	if (!kcache_marked(&m->kcache, ino, KCACHE_FOREVER))
		return;
	(void)kcache_take(&m->kcache, ino);
	job_add(job, m, ino);
}

static void reply_open_append(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi)
{
	struct fs_mount *m = mount_of(req);
	struct fuse_file_info *kept = malloc(sizeof *kept);
	struct job job;
	if (!kept) {
		handle_free(handle_of(fi));
		fuse_reply_err(req, ENOMEM);
		return;
	}
	*kept = *fi;
	job_init(&job, m->fs);
	add_trusted(&job, m, ino);
	job_finish(&job, req, answer_open, kept);
}

/* With a handle: for who writes, or reads past the page cache.  False: it is answered. */
static bool open_handle(fuse_req_t req, uint64_t node, bool writing, bool again,
                        struct fuse_file_info *fi)
{
	struct handle *h = NULL;
	int err = handle_open(req, ino_of_node(node), writing, &h);
	/* Only now, for readers that come from here on find that it is being written. */
	if (!err && writing && !again && edition_is_left(req, node)) {
		handle_free(h);
		return false;
	}
	if (!err && (fi->flags & O_TRUNC) && h->ops->truncate)
		err = h->ops->truncate(h, 0);
	if (err) {
		handle_free(h);
		fuse_reply_err(req, -err);
		return false;
	}
	fi->direct_io = 1;
	fi->fh = (uint64_t)(uintptr_t)h;
	return true;
}

/* By the kernel's pages; false: now, or ever, they are not to be read. */
static bool open_pages(fuse_req_t req, uint64_t node, struct fuse_file_info *fi)
{
	const struct node *row = node_of(fs_of(req), node);
	struct handle *h = ino_doc(node) ? edition_handle(req, node) : NULL;
	if (!h && (row->flags & NODE_FRESH ||
	           (row->flags & NODE_STAGED && !is_still_page(req, node))))
		return false;
	if (h) {
		fi->keep_cache = 1;
		fi->fh = (uint64_t)(uintptr_t)h;
	} else if (growing_is_direct(fs_of(req), node)) {
		fi->direct_io = 1;
		fi->fh = FH_DIRECT;
	} else {
		fi->keep_cache = 1;
	}
	return true;
}

/* True if it may be opened; else it is answered. */
static bool may_open(fuse_req_t req, uint64_t ino, bool writing, bool cuts)
{
	bool staged = node_of(fs_of(req), ino)->flags & NODE_STAGED;
	if (!writing)
		return true;
	if (!writable(req, ino))
		return false;
	if (store_frozen(fs_of(req)->store) && staged) {
		fuse_reply_err(req, EROFS); /* shells do not look at the error of close */
		return false;
	}
	if (ino_doc(ino) && hidden_now(fs_of(req), ino_doc(ino))) {
		fuse_reply_err(req, ESTALE); /* by the name it was moved to: the kernel looks again */
		return false;
	}
	return !cuts || staged || ino_kind(ino) == KIND_SCRATCH || may_truncate(req, ino);
}

void op_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	const uint64_t ino = ino_of_node(node);
	bool cuts = fi->flags & O_TRUNC; /* who cuts writes */
	bool writing = cuts || (fi->flags & O_ACCMODE) != O_RDONLY;
	if (mount_of(req)->read_only) {
		fuse_reply_err(req, ENOSYS); /* profile R: the kernel opens and closes by itself */
		return;
	}
	bool again = dentry_was_stale(req);
	if (!again && ino_doc(ino) && dentry_answer_stale(req, ino_doc(ino)))
		return;
	if (!may_open(req, ino, writing, cuts))
		return;
	if (!writing)
		facts_opened(fs_of(req), ino, fuse_req_ctx(req)->pid);
	if ((writing || !open_pages(req, node, fi)) && !open_handle(req, node, writing, again, fi))
		return;
	fi->noflush = !writing;
	if (writing && (node_of(fs_of(req), ino)->flags & NODE_GROWS))
		reply_open_append(req, ino, fi);
	else
		reply_open(req, fi);
}

static bool is_only_mount(const struct fs_mount *m)
{
	lock_take(&m->fs->lock);
	bool only = m->fs->mounts == m && !m->next;
	lock_give(&m->fs->lock);
	return only;
}

struct created {
	struct fuse_entry_param e;
	struct fuse_file_info fi;
};

static void answer_created(fuse_req_t req, void *ctx)
{
	struct created *c = ctx;
	if (fuse_reply_create(req, &c->e, &c->fi))
		handle_free(handle_of(&c->fi));
	free(c);
}

void reply_created(fuse_req_t req, struct scratch *s, struct fuse_file_info *fi)
{
	struct created *c = calloc(1, sizeof *c);
	struct handle *h = NULL;
	struct job job;
	uint64_t dir = s->dir, over = scratch_over(s);
	int err = c ? scratch_handle(req, s->id, true, &h) : -ENOMEM;
	if (!err)
		err = fill_entry(req, ino_make(KIND_SCRATCH, s->id), &c->e);
	lock_give(&fs_of(req)->docs); /* the kernel is told with no lock held */
	if (err) {
		handle_free(h);
		free(c);
		fuse_reply_err(req, -err);
		return;
	}
	c->e.attr.st_size = c->e.attr.st_blocks = 0; /* others see what it is made over */
	/* Nobody else can change it, and it is asked for at once. */
	if (!over && is_only_mount(mount_of(req)))
		c->e.attr_timeout = MOMENT;
	c->fi = *fi;
	c->fi.direct_io = 1;
	c->fi.fh = (uint64_t)(uintptr_t)h;
	job_init(&job, fs_of(req));
	job_written(&job, dir, req);
	job_finish(&job, req, answer_created, c);
}

void reply_made_again(fuse_req_t req, uint64_t ino, struct fuse_file_info *fi)
{
	struct fs_mount *m = mount_of(req);
	struct created *c = calloc(1, sizeof *c);
	struct handle *h = NULL;
	struct job job;
	if (!writable(req, ino)) {
		free(c);
		return;
	}
	int err = !c ? -ENOMEM : store_frozen(m->fs->store) ? -EROFS : handle_open(req, ino, true, &h);
	if (!err && h->ops->truncate)
		err = h->ops->truncate(h, 0);
	if (!err && ino_doc(ino)) /* no handle that writes is of an edition with readers (kcache.h) */
		(void)kcache_supersede(&m->kcache, ino);
	if (!err)
		err = fill_entry(req, ino, &c->e);
	if (err) {
		handle_free(h);
		free(c);
		fuse_reply_err(req, -err);
		return;
	}
	c->fi = *fi;
	c->fi.direct_io = 1;
	c->fi.fh = (uint64_t)(uintptr_t)h;
	job_init(&job, m->fs);
	add_trusted(&job, m, ino);
	job_finish(&job, req, answer_created, c);
}

void op_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t off, struct fuse_file_info *fi)
{
	const uint64_t ino = ino_of_node(node);
	bool opened = !mount_of(req)->read_only && fi && fi->fh; /* past the page cache */
	struct handle *h = opened ? handle_of(fi) : NULL;
	if (opened && ino_doc(ino) && fi->lock_owner == 0 && edition_page(req, h, node, size, off))
		return;
	if (h && h->ops->read)
		h->ops->read(req, h, ino, size, off, fi);
	else if (opened && node_of(fs_of(req), ino)->content == CONTENT_LOG)
		read_told(req, ino, size, off);
	else
		read_now(req, ino, size, off);
}

void op_write(fuse_req_t req, fuse_ino_t node, const char *data, size_t size, off_t off,
              struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	const struct write w = { data, size, off, fi->flags & O_APPEND };
	if (h && h->ops->write)
		h->ops->write(req, h, ino_of_node(node), &w);
	else
		fuse_reply_err(req, EBADF);
}

void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	if (mount_of(req)->read_only)
		fuse_reply_err(req, ENOSYS);
	else if (h && h->ops->flush)
		h->ops->flush(req, h, ino_of_node(ino));
	else
		fuse_reply_err(req, 0);
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	if (fi && fi->flock_release)
		flock_close(mount_of(req), ino_of_node(ino), fi->lock_owner);
	if (h && h->ops->release) {
		h->ops->release(req, h, ino_of_node(ino));
		return;
	}
	handle_free(h);
	fuse_reply_err(req, 0);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	(void)datasync;
	if (h && h->ops->fsync)
		h->ops->fsync(req, h, ino_of_node(ino));
	else
		fuse_reply_err(req, -errno_of_store(store_sync(fs_of(req)->store)));
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)ino, (void)datasync, (void)fi;
	fuse_reply_err(req, -errno_of_store(store_sync(fs_of(req)->store)));
}
