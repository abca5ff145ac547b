/* SPDX-License-Identifier: MIT */
/* Files and directories of a visit: opened, read, written, listed, made. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/visit/visit.h"

enum { AGAIN = 3, DIRECTORY_PIECE = 32 << 10 };

/* What is appended goes behind what is there; logs have their own end. */
static int go_to_end(struct fs_visit *v, struct fs_visit_file *f)
{
	const struct fuse_getattr_in in = { .getattr_flags = FUSE_GETATTR_FH, .fh = f->fh };
	struct fuse_attr_out attr;
	int err = visit_ask_for(v, &(struct visit_request){ FUSE_GETATTR, f->ino, &in, sizeof in,
	                        NULL, 0 }, &attr, sizeof attr);
	if (!err)
		f->at = (int64_t)attr.attr.size;
	return err;
}

static int open_found(struct fs_visit *v, const struct fuse_entry_out *e, int flags,
                      struct fs_visit_file *out)
{
	const struct fuse_open_in in = { .flags = (uint32_t)flags };
	struct fuse_open_out opened = { 0 };
	if (S_ISDIR(e->attr.mode))
		return -EISDIR;
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	int err = visit_ask_for(v, &(struct visit_request){ FUSE_OPEN, e->nodeid, &in, sizeof in,
	                        NULL, 0 }, &opened, sizeof opened);
	/* A mount for reading answers no OPEN: there is nothing to be closed, either. */
	bool stateless = err == -ENOSYS && (flags & O_ACCMODE) == O_RDONLY;
	*out = (struct fs_visit_file){ .ino = e->nodeid, .fh = opened.fh, .flags = flags,
		.stateless = stateless };
	return stateless ? 0 : err;
}

static int create(struct fs_visit *v, const struct visited *at, int flags,
                  struct fs_visit_file *out)
{
	const struct fuse_create_in in = { .flags = (uint32_t)flags, .mode = S_IFREG | 0600 };
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} made;
	int err = visit_ask_for(v, &(struct visit_request){ FUSE_CREATE, at->dir, &in, sizeof in,
	                        at->name, strlen(at->name) + 1 }, &made, sizeof made);
	*out = (struct fs_visit_file){ .ino = made.entry.nodeid, .fh = made.open.fh,
		.flags = flags };
	return err;
}

int fs_visit_open(struct fs_visit *v, const char *path, int flags, struct fs_visit_file *out)
{
	int err = -ESTALE;
	/* ESTALE: the name leads elsewhere since it was looked up. */
	for (int i = 0; i < AGAIN && err == -ESTALE; i++) {
		struct visited at;
		err = visit_walk(v, path, true, &at);
		if (!err && at.entry.nodeid)
			err = open_found(v, &at.entry, flags & ~O_CREAT, out);
		else if (!err)
			err = flags & O_CREAT ? create(v, &at, flags, out) : -ENOENT;
	}
	if (err || !(flags & O_APPEND))
		return err;
	err = go_to_end(v, out);
	if (err)
		(void)fs_visit_close(v, out);
	return err;
}

ssize_t fs_visit_read(struct fs_visit *v, struct fs_visit_file *f, char *dst, size_t size)
{
	const struct fuse_read_in in = { .fh = f->fh, .offset = (uint64_t)f->at,
		.size = size < VISIT_PIECE ? (uint32_t)size : VISIT_PIECE };
	int err = visit_ask(v, &(struct visit_request){ FUSE_READ, f->ino, &in, sizeof in, NULL, 0 });
	if (err)
		return err;
	if (v->len > in.size)
		return -EPROTO;
	memcpy(dst, v->answer, v->len);
	f->at += (int64_t)v->len;
	return (ssize_t)v->len;
}

ssize_t fs_visit_write(struct fs_visit *v, struct fs_visit_file *f, const char *src, size_t size)
{
	size_t len = size < VISIT_PIECE ? size : VISIT_PIECE;
	const struct fuse_write_in in = { .fh = f->fh, .offset = (uint64_t)f->at,
		.size = (uint32_t)len, .flags = (uint32_t)f->flags };
	struct fuse_write_out out;
	int err = visit_ask_for(v, &(struct visit_request){ FUSE_WRITE, f->ino, &in, sizeof in, src,
	                        len }, &out, sizeof out);
	if (err)
		return err;
	f->at += out.size;
	return (ssize_t)out.size;
}

int fs_visit_empty(struct fs_visit *v, struct fs_visit_file *f)
{
	const struct fuse_setattr_in in = { .valid = FATTR_SIZE | FATTR_FH, .fh = f->fh };
	struct fuse_attr_out attr;
	f->at = 0;
	return visit_ask_for(v, &(struct visit_request){ FUSE_SETATTR, f->ino, &in, sizeof in, NULL,
	                     0 }, &attr, sizeof attr);
}

int fs_visit_close(struct fs_visit *v, struct fs_visit_file *f)
{
	const struct fuse_flush_in flush = { .fh = f->fh };
	const struct fuse_release_in release = { .fh = f->fh, .flags = (uint32_t)f->flags };
	int err = 0;
	if (f->stateless)
		return 0;
	if ((f->flags & O_ACCMODE) != O_RDONLY)
		err = visit_ask(v, &(struct visit_request){ FUSE_FLUSH, f->ino, &flush, sizeof flush,
		                NULL, 0 });
	int end = visit_ask(v, &(struct visit_request){ FUSE_RELEASE, f->ino, &release,
	                    sizeof release, NULL, 0 });
	return err ? err : end;
}

int fs_visit_mkdir(struct fs_visit *v, const char *path)
{
	const struct fuse_mkdir_in in = { .mode = 0700 };
	struct fuse_entry_out made;
	struct visited at;
	int err = visit_walk(v, path, true, &at);
	if (err || at.entry.nodeid)
		return err ? err : -EEXIST;
	return visit_ask_for(v, &(struct visit_request){ FUSE_MKDIR, at.dir, &in, sizeof in, at.name,
	                     strlen(at.name) + 1 }, &made, sizeof made);
}

/* The entries of one answer; `next` is where to go on, 0 if there were none. */
static int each_entry(const struct fs_visit *v, fs_visit_name_fn *fn, void *ctx, uint64_t *next)
{
	const size_t head = offsetof(struct fuse_dirent, name);
	int done = 0;
	*next = 0;
	for (size_t at = 0; !done && v->len - at >= head;) {
		struct fuse_dirent e;
		char name[NAME_MAX + 1];
		memcpy(&e, v->answer + at, head);
		if (e.namelen == 0 || e.namelen > NAME_MAX || v->len - at < head + e.namelen)
			return -EPROTO;
		memcpy(name, v->answer + at + head, e.namelen);
		name[e.namelen] = '\0';
		*next = e.off;
		at += FUSE_DIRENT_ALIGN(head + e.namelen);
		if (at > v->len)
			at = v->len;
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			done = fn(ctx, name, (mode_t)e.type << 12);
	}
	return done;
}

int fs_visit_list(struct fs_visit *v, const char *path, fs_visit_name_fn *fn, void *ctx)
{
	struct visited at;
	uint64_t offset = 0, next = 0;
	int err = visit_walk(v, path, true, &at);
	if (!err && at.entry.nodeid == 0)
		err = -ENOENT;
	if (!err && !S_ISDIR(at.entry.attr.mode))
		err = -ENOTDIR;
	do {
		offset = next;
		const struct fuse_read_in in = { .offset = offset, .size = DIRECTORY_PIECE };
		if (!err)
			err = visit_ask(v, &(struct visit_request){ FUSE_READDIR, at.entry.nodeid, &in,
			                sizeof in, NULL, 0 });
		if (!err)
			err = each_entry(v, fn, ctx, &next);
	} while (!err && next != 0 && next != offset);
	return err;
}
