/* SPDX-License-Identifier: MIT */
/*
 * flock(2).  The kernel's own locks are of its inodes, and a document may be open by several
 * (kernel/kcache.h): so in mounts that write they are kept here, by the file, for all mounts of the
 * memory, and what is locked before it is saved first stays locked by who finds it under its new
 * inode.  A read-only mount's kernel keeps its own; it tells of no close.  fcntl(2) locks are the
 * kernel's everywhere: one that writes is of who has the file open for writing, and all these have
 * the same inode.
 *
 *   asked ─► held ─► LOCK_UN, or RELEASE of the open file ─► those that wait, in their order
 *     └────► waits ─► held
 *              └────► interrupted, or its mount ended
 */
#include "fs/open/open.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

#include "fs/internal.h"

struct flock_of {
	struct flock_of *next;
	struct fs_mount *mount;
	uint64_t ino, owner; /* the owner is an open file of the mount */
	uint64_t file;       /* what `ino` is now */
	bool shared;
	fuse_req_t req;      /* who waits; NULL: it is held */
};

struct flocks {
	struct lock lock;
	/* Guarded by lock. */
	struct flock_of *held, *waiting;
};

int flocks_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->flocks = calloc(1, sizeof *fs->flocks);
	if (!fs->flocks)
		return -ENOMEM;
	lock_init(&fs->flocks->lock, RANK_FLOCKS);
	return 0;
}

void flocks_stop(struct fs *fs)
{
	if (!fs->flocks)
		return;
	lock_destroy(&fs->flocks->lock);
	free(fs->flocks);
}

static bool is_of_owner(const struct flock_of *f, const void *like)
{
	const struct flock_of *l = like;
	return f->mount == l->mount && f->ino == l->ino && f->owner == l->owner;
}

/* True if somebody else holds what does not go with it. */
static bool is_shut(const struct flocks *all, const struct flock_of *wanted)
{
	for (const struct flock_of *f = all->held; f; f = f->next)
		if (f->file == wanted->file && (!f->shared || !wanted->shared) &&
		    !is_of_owner(f, wanted))
			return true;
	return false;
}

static void append(struct flock_of **list, struct flock_of *f)
{
	while (*list)
		list = &(*list)->next;
	f->next = NULL;
	*list = f;
}

typedef bool chosen_fn(const struct flock_of *f, const void *ctx);

/* Those that are chosen, in their order; they are in the list no more. */
static struct flock_of *take_out(struct flock_of **list, chosen_fn *is_chosen, const void *ctx)
{
	struct flock_of *out = NULL;
	for (struct flock_of **p = list; *p;) {
		struct flock_of *f = *p;
		if (!is_chosen(f, ctx)) {
			p = &f->next;
			continue;
		}
		*p = f->next;
		append(&out, f);
	}
	return out;
}

static bool is_of_mount(const struct flock_of *f, const void *m)
{
	return f->mount == m;
}

static bool is_asked_by(const struct flock_of *f, const void *req)
{
	return f->req == req;
}

static void free_all(struct flock_of *list)
{
	for (struct flock_of *f; (f = list);) {
		list = f->next;
		free(f);
	}
}

/* Those that need not wait any more, in their order: they hold it from now on.  all->lock held. */
static struct flock_of *take_free(struct flocks *all)
{
	struct flock_of *free_now = NULL;
	for (struct flock_of **p = &all->waiting; *p;) {
		struct flock_of *f = *p, *held;
		if (is_shut(all, f) || !(held = malloc(sizeof *held))) {
			p = &f->next;
			continue;
		}
		*p = f->next;
		*held = *f;
		held->req = NULL;
		append(&all->held, held);
		append(&free_now, f);
	}
	return free_now;
}

/* Answers them; no lock is held. */
static void answer(struct flock_of *list, int err)
{
	for (struct flock_of *f; (f = list);) {
		list = f->next;
		fuse_reply_err(f->req, err);
		free(f);
	}
}

void flock_close(struct fs_mount *m, uint64_t ino, uint64_t owner)
{
	struct flocks *all = m->fs->flocks;
	const struct flock_of like = { .mount = m, .ino = ino, .owner = owner };
	lock_take(&all->lock);
	free_all(take_out(&all->held, is_of_owner, &like));
	struct flock_of *now = take_free(all);
	lock_give(&all->lock);
	answer(now, 0);
}

void flocks_drop(struct fs_mount *m)
{
	struct flocks *all = m->fs->flocks;
	lock_take(&all->lock);
	struct flock_of *left = take_out(&all->waiting, is_of_mount, m);
	free_all(take_out(&all->held, is_of_mount, m));
	struct flock_of *now = take_free(all);
	lock_give(&all->lock);
	answer(left, ECONNABORTED);
	answer(now, 0);
}

/* Its program was interrupted: by a signal, or because it ends. */
static void interrupted(fuse_req_t req, void *ctx)
{
	struct flocks *all = ctx;
	lock_take(&all->lock);
	struct flock_of *f = take_out(&all->waiting, is_asked_by, req);
	lock_give(&all->lock);
	answer(f, EINTR); /* NULL: it does not wait yet, or no more */
}

/* True if it may become another file: nobody has saved it yet. */
static bool is_unsaved(uint64_t ino)
{
	enum kind kind = ino_kind(ino);
	return kind == KIND_SCRATCH || kind == KIND_SECTION || kind == KIND_PAGE ||
	       kind == KIND_FIRST_LOG;
}

static uint64_t file_now(struct fs *fs, uint64_t ino)
{
	struct group g;
	int64_t doc;
	ino = scratch_ino_now(fs, ino);
	if (ino_kind(ino) == KIND_FIRST_LOG)
		return current_session(fs, &g) ? ino : ino_make(KIND_LOG, g.id);
	if (!is_unsaved(ino) || ino_kind(ino) == KIND_SCRATCH || edit_doc(fs, ino, &doc) || !doc)
		return ino;
	return ino_make(KIND_DOC, doc);
}

/* The first of these files above `after`; 0: there is none. */
static uint64_t next_unsaved(const struct flock_of *f, uint64_t after, uint64_t least)
{
	for (; f; f = f->next)
		if (f->file > after && is_unsaved(f->file) && (!least || f->file < least))
			least = f->file;
	return least;
}

static void rename_file(struct flock_of *f, uint64_t file, uint64_t now)
{
	for (; f; f = f->next)
		f->file = f->file == file ? now : f->file;
}

/* What was saved since it was locked is another file.  Asks the store, so no lock is held. */
static void follow_saves(struct fs *fs)
{
	struct flocks *all = fs->flocks;
	for (uint64_t file = 0, now;;) {
		lock_take(&all->lock);
		file = next_unsaved(all->waiting, file, next_unsaved(all->held, file, 0));
		lock_give(&all->lock);
		if (!file)
			return;
		if ((now = file_now(fs, file)) == file)
			continue;
		lock_take(&all->lock);
		rename_file(all->held, file, now);
		rename_file(all->waiting, file, now);
		lock_give(&all->lock);
	}
}

/* `f` is ours from now on. */
static void flock_take(fuse_req_t req, struct flock_of *f, bool waits)
{
	struct flocks *all = fs_of(req)->flocks;
	fuse_req_interrupt_func(req, interrupted, all); /* before it waits: then it may be answered */
	lock_take(&all->lock);
	free_all(take_out(&all->held, is_of_owner, f)); /* a lock is not changed in place anywhere */
	bool shut = is_shut(all, f), over = waits && shut && fuse_req_interrupted(req);
	if (!shut)
		append(&all->held, f);
	else if (waits && !over)
		append(&all->waiting, f), f->req = req;
	struct flock_of *now = take_free(all);
	lock_give(&all->lock);
	answer(now, 0);
	if (shut && waits && !over)
		return;
	if (shut)
		free(f);
	fuse_reply_err(req, over ? EINTR : shut ? EWOULDBLOCK : 0);
}

void op_flock(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi, int op)
{
	struct fs_mount *m = mount_of(req);
	const uint64_t ino = ino_of_node(node);
	if ((op & ~LOCK_NB) == LOCK_UN) {
		flock_close(m, ino, fi->lock_owner);
		fuse_reply_err(req, 0);
		return;
	}
	struct flock_of *f = calloc(1, sizeof *f);
	if (!f) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	follow_saves(m->fs);
	*f = (struct flock_of){ .mount = m, .ino = ino, .owner = fi->lock_owner,
		.file = is_unsaved(ino) ? file_now(m->fs, ino) : ino,
		.shared = (op & ~LOCK_NB) == LOCK_SH };
	flock_take(req, f, !(op & LOCK_NB));
}
