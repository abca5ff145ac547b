/* SPDX-License-Identifier: MIT */
/*
 * Open files that have a state of their own, and what each sort of them does:
 *
 *   snapshot  open/snapshot.c        what changes by itself, or a document: its bytes at open
 *   edition   open/edition.c         a document at rest: by the kernel's pages of one version
 *   append    logs/append.c          writing to a log: direct I/O, so each write(2) is one WRITE
 *   ctl       logs/ctl.c             commands to a session's window; direct I/O too
 *   ask       open/ask_handle.c      search/query, opened for writing
 *   edit      save/edit_handle.c     writing to a document: bytes are staged (edit.h)
 *   scratch   save/scratch_handle.c  a file that is not memory, or not yet
 *
 * All others have no handle: they are served from the page cache, or past it while they grow.
 *
 *   OPEN, CREATE ─► handle_new ─► answered ─► READ, WRITE, FLUSH, FSYNC … ─► RELEASE
 *                        │            │                                         │
 *              could not be opened    │ the mount ended: handles_drop           ▼
 *                        └────────────┴────────────────────────────────────► handle_free
 *
 * From handle_new to handle_free it is in its mount's list, guarded by fs->docs.
 */
#ifndef CINTA_FS_HANDLE_H
#define CINTA_FS_HANDLE_H

#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fs_mount;
struct handle;

/* The bytes of one WRITE. */
struct write {
	const char *data;
	size_t size;
	off_t off;
	bool at_end; /* the file is open with O_APPEND */
};

/* Those that take a request answer it.  `ino` is the inode by which the file is open. */
struct handle_ops {
	/* NULL: the bytes of the file as it is now */
	void (*read)(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
	             const struct fuse_file_info *fi);
	/* NULL: EBADF */
	void (*write)(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w);
	/* NULL: there is nothing to do */
	void (*flush)(fuse_req_t req, struct handle *h, uint64_t ino);
	/* NULL: the tape is made durable, as for each file */
	void (*fsync)(fuse_req_t req, struct handle *h, uint64_t ino);
	/* Frees the handle, too.  NULL: that is all */
	void (*release)(fuse_req_t req, struct handle *h, uint64_t ino);
	/* 0 or a negative errno.  NULL: -EBADF */
	int (*truncate)(struct handle *h, int64_t size);
	/* The size of what it stages; false: nothing yet.  NULL: it stages no bytes of its own */
	bool (*staged)(struct handle *h, int64_t *size);
	/* The mount has ended without RELEASE.  fs->docs is held.  NULL: nothing to do */
	void (*drop)(struct handle *h);
	/* Bodies have gone for good: lets go of what may hold one.  fs->docs is held.  NULL: nothing */
	void (*take)(struct handle *h);
	/* Frees what the handle owns.  fs->docs is held.  NULL: it owns nothing */
	void (*close)(struct handle *h);
};

/* The beginning of each sort's own struct. */
struct handle {
	const struct handle_ops *ops;
	struct fs_mount *mount;
	struct handle *next, **at; /* guarded by fs->docs: the mount's list */
	_Atomic bool broken;       /* the ending mount refused a WRITE: what is staged is half a text */
};

/* A handle whose struct has `size` bytes, zeros but for its beginning.  NULL: no memory. */
void *handle_new(struct fs_mount *m, const struct handle_ops *ops, size_t size);
/* NULL is allowed. */
void handle_free(struct handle *h);
/* The ending mount refuses a WRITE by this handle, 0: by none; it stays open until then. */
void handle_break(uint64_t fh);
/* A mount has ended: all that are open are freed, and nothing is committed. */
void handles_drop(struct fs_mount *m);

/* Instead of a handle: it has none, and is read past the page cache. */
enum { FH_DIRECT = 1 };

/* The handle of an open file, NULL: it has none. */
static inline struct handle *handle_of(const struct fuse_file_info *fi)
{
	return fi && fi->fh != FH_DIRECT ? (struct handle *)(uintptr_t)fi->fh : NULL;
}

/* A size set through an open file. */
int handle_truncate(const struct fuse_file_info *fi, int64_t size);
/* True if the file stages bytes of its own. */
static inline bool handle_stages(const struct fuse_file_info *fi)
{
	const struct handle *h = handle_of(fi);
	return h && h->ops->staged;
}
/* The size of what the file stages; false: nothing. */
bool handle_size(const struct fuse_file_info *fi, int64_t *size);

#endif
