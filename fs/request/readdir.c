/* SPDX-License-Identifier: MIT */
/* Listings.  Offsets are those of tree_list(), so they stay valid between calls. */
#include "fs/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/answers/answers.h"

/* "." and ".." come first, at offsets 1 and 2; the tree's cursor follows from 3 on. */
enum { DOTS = 2 };

void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino, (void)fi;
	fuse_reply_err(req, ENOSYS); /* the kernel opens directories itself, and caches listings */
}

struct listing {
	fuse_req_t req;
	bool plus;
	char *data;
	size_t size, used;
};

/* Adds one entry if it fits. */
static bool add(struct listing *l, const char *name, const struct fuse_entry_param *e, off_t next)
{
	char *at = l->data + l->used;
	size_t left = l->size - l->used;
	size_t need = l->plus ? fuse_add_direntry_plus(l->req, at, left, name, e, next) :
	                        fuse_add_direntry(l->req, at, left, name, &e->attr, next);
	if (need > left)
		return false;
	l->used += need;
	return true;
}

static bool add_dots(struct listing *l, uint64_t dir, off_t off)
{
	static const char *const dot[] = { ".", ".." };
	for (off_t i = off; i < DOTS; i++) {
		struct fuse_entry_param e = { .ino = 0 }; /* no lookup is counted for dots */
		e.attr.st_mode = S_IFDIR;
		e.attr.st_ino = i == 0 || dir == FUSE_ROOT_ID ? dir : tree_parent(fs_of(l->req), dir);
		if (!add(l, dot[i], &e, i + 1))
			return false;
	}
	return true;
}

/*
 * Messages: each would be made for its size alone, and who lists them wants the names.  Who wants
 * more looks them up.
 */
static bool is_bare(const struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	return !row->name && row->content == CONTENT_PAGE && (row->flags & NODE_FIXED);
}

static int add_rest(struct listing *l, uint64_t dir, int64_t cursor)
{
	char name[NAME_LIMIT + 1];
	uint64_t ino;
	int got;
	while ((got = tree_list(fs_of(l->req), dir, &cursor, name, &ino)) == 1) {
		if (reach_of(mount_of(l->req), ino) == REACH_NONE)
			continue;
		struct fuse_entry_param e = { .ino = 0 }; /* inode 0: a name without its attributes */
		int err = 0;
		bool full = l->plus && !entry_must_wait(l->req, ino) && !is_bare(fs_of(l->req), ino);
		if (full)
			err = fill_entry(l->req, ino, &e);
		if (is_answers(dir))
			e.entry_timeout = 0;
		if (!full) {
			e.attr.st_ino = number_shown(fs_of(l->req), ino);
			e.attr.st_mode = tree_mode(fs_of(l->req), ino);
		}
		if (err == -ENOENT)
			continue; /* gone since it was found: the kernel must not cache half a listing */
		if (err)
			return err;
		if (!add(l, name, &e, DOTS + cursor)) {
			if (full && !(node_of(fs_of(l->req), ino)->flags & NODE_FIXED))
				kcache_forget(&mount_of(l->req)->kcache, e.ino, 1);
			break;
		}
	}
	return got < 0 ? got : 0;
}

static void list(fuse_req_t req, uint64_t dir, size_t size, off_t off, bool plus)
{
	struct listing l = { .req = req, .plus = plus, .data = malloc(size), .size = size };
	int err = l.data ? 0 : ENOMEM;
	if (!err && !tree_is_dir(fs_of(req), dir))
		err = ENOTDIR;
	if (!err) {
		kcache_mark(&mount_of(req)->kcache, dir, 0, KCACHE_DATA);
		if (add_dots(&l, dir, off))
			err = -add_rest(&l, dir, off > DOTS ? off - DOTS : 0);
	}
	if (err)
		fuse_reply_err(req, err);
	else
		fuse_reply_buf(req, l.data, l.used);
	free(l.data);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, false);
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                    struct fuse_file_info *fi)
{
	(void)fi;
	list(req, ino, size, off, true);
}
