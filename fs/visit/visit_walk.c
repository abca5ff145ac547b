/* SPDX-License-Identifier: MIT */
/* Paths, part by part, as the kernel walks them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/visit/visit.h"

enum { DEPTH = 128, LINKS = 40 };

struct walk {
	struct fs_visit *v;
	uint64_t at[DEPTH]; /* the directories from the root on */
	int depth;          /* how many; the last is where we are */
	int links;          /* followed so far */
};

static int look_up(struct fs_visit *v, uint64_t dir, const char *name, struct fuse_entry_out *out)
{
	int err = visit_ask_for(v, &(struct visit_request){ FUSE_LOOKUP, dir, NULL, 0, name,
	                        strlen(name) + 1 }, out, sizeof *out);
	if (err == -ENOENT) {
		memset(out, 0, sizeof *out);
		return 0;
	}
	return err;
}

static int read_link(struct fs_visit *v, uint64_t ino, char *target, size_t size)
{
	int err = visit_ask(v, &(struct visit_request){ FUSE_READLINK, ino, NULL, 0, NULL, 0 });
	if (err)
		return err;
	if (v->len >= size)
		return -ENAMETOOLONG;
	memcpy(target, v->answer, v->len);
	target[v->len] = '\0';
	return 0;
}

/* The next part of a path, which moves on behind it: 1, 0 at its end, or a negative errno. */
static int next_part(const char **path, char name[NAME_MAX + 1])
{
	*path += strspn(*path, "/");
	size_t len = strcspn(*path, "/");
	if (len == 0)
		return 0;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, *path, len);
	name[len] = '\0';
	*path += len;
	return 1;
}

static int walk_parts(struct walk *w, const char *path, bool follow, struct visited *out);

/* The found entry is a link: goes where it leads. */
static int walk_link(struct walk *w, bool follow, struct visited *out)
{
	char target[PATH_MAX];
	if (++w->links > LINKS)
		return -ELOOP;
	int err = read_link(w->v, out->entry.nodeid, target, sizeof target);
	if (!err && *target == '/')
		w->depth = 1;
	return err ? err : walk_parts(w, target, follow, out);
}

/* Into a directory, for which the path has more parts. */
static int enter(struct walk *w, const struct fuse_entry_out *e)
{
	if (e->nodeid == 0)
		return -ENOENT;
	if (!S_ISDIR(e->attr.mode))
		return -ENOTDIR;
	if (w->depth == DEPTH)
		return -ENAMETOOLONG;
	w->at[w->depth++] = e->nodeid;
	return 0;
}

static int walk_parts(struct walk *w, const char *path, bool follow, struct visited *out)
{
	char name[NAME_MAX + 1];
	int more, err = 0;
	*out = (struct visited){ .dir = w->at[w->depth - 1] };
	while (!err && (more = next_part(&path, name)) > 0) {
		if (*out->name)
			err = enter(w, &out->entry);
		if (err)
			return err;
		*out = (struct visited){ .dir = w->at[w->depth - 1] };
		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			w->depth -= w->depth > 1;
			out->dir = w->at[w->depth - 1];
			continue;
		}
		memcpy(out->name, name, sizeof name);
		err = look_up(w->v, out->dir, name, &out->entry);
		bool last = path[strspn(path, "/")] == '\0';
		if (!err && S_ISLNK(out->entry.attr.mode) && (!last || follow))
			err = walk_link(w, true, out);
	}
	return err ? err : more;
}

int visit_walk(struct fs_visit *v, const char *path, bool follow, struct visited *out)
{
	struct walk w = { .v = v, .at = { FUSE_ROOT_ID }, .depth = 1 };
	size_t len = strlen(path);
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	if (len == 0)
		return -ENOENT;
	int err = walk_parts(&w, path, follow, out);
	if (err || *out->name)
		return err == 0 && out->entry.nodeid && path[len - 1] == '/' &&
			!S_ISDIR(out->entry.attr.mode) ? -ENOTDIR : err;
	/* A directory, by its own number: the root, or where `..` or `.` ended. */
	const struct fuse_getattr_in in = { 0 };
	struct fuse_attr_out attr;
	err = visit_ask_for(v, &(struct visit_request){ FUSE_GETATTR, out->dir, &in, sizeof in, NULL,
	                    0 }, &attr, sizeof attr);
	out->entry = (struct fuse_entry_out){ .nodeid = out->dir, .attr = attr.attr };
	return err;
}

static void fill_stat(const struct fuse_attr *a, struct stat *st)
{
	*st = (struct stat){ .st_ino = a->ino, .st_mode = a->mode, .st_nlink = a->nlink,
		.st_uid = a->uid, .st_gid = a->gid, .st_size = (off_t)a->size,
		.st_blocks = (blkcnt_t)a->blocks, .st_blksize = (blksize_t)a->blksize,
		.st_mtim = { (time_t)a->mtime, (long)a->mtimensec },
		.st_ctim = { (time_t)a->ctime, (long)a->ctimensec },
		.st_atim = { (time_t)a->atime, (long)a->atimensec } };
}

int fs_visit_stat(struct fs_visit *v, const char *path, bool follow, struct stat *st)
{
	struct visited at;
	int err = visit_walk(v, path, follow, &at);
	if (!err && at.entry.nodeid == 0)
		err = -ENOENT;
	if (!err)
		fill_stat(&at.entry.attr, st);
	return err;
}

int fs_visit_link(struct fs_visit *v, const char *path, char *target, size_t size)
{
	struct visited at;
	int err = visit_walk(v, path, false, &at);
	if (err || at.entry.nodeid == 0)
		return err ? err : -ENOENT;
	return S_ISLNK(at.entry.attr.mode) ? read_link(v, at.entry.nodeid, target, size) : -EINVAL;
}
