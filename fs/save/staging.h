/* SPDX-License-Identifier: MIT */
/*
 * The two sorts of handles whose bytes become a version: of a document (each handle stages its
 * own bytes), and of a scratch file (all its handles share the file's).  When that happens, and
 * what if it cannot, is in commit.c.
 */
#ifndef CINTA_FS_STAGING_H
#define CINTA_FS_STAGING_H

#include "fs/save/edit.h"
#include "fs/save/handle.h"

struct staging {
	struct handle handle;
	struct edit *edit;       /* guarded by fs->docs, as all below.  NULL: a scratch file's handle */
	struct scratch *scratch; /* counted in its `opens`; an edit beside its maker has one, too */
	struct writer by;        /* of what is saved: RELEASE does not say who asks */
	pid_t opener;            /* the thread that opened it */
	bool writes;             /* it was opened for writing */
	bool failed;             /* its last commit was answered with an error */
	bool killed;             /* its last FLUSH was that of a program killed while it wrote */
	bool closed;             /* the opener's process has closed one descriptor of it */
};

extern const struct handle_ops edit_ops, scratch_ops;

/* Opens a document for writing. */
int edit_handle(fuse_req_t req, uint64_t ino, struct handle **out);
/*
 * Opens a scratch file: -ESTALE, -EISDIR, -ENOMEM.  Two who make one document do not share
 * their bytes: the second gets an edit.  fs->docs held.
 */
int scratch_handle(fuse_req_t req, int64_t id, bool writing, struct handle **out);

/*
 * True if this thread's process sees its bytes: it makes it, or was begun by who does and may have
 * the descriptor from him; or there is nothing else to see.
 */
bool newborn_is_of(const struct scratch *s, pid_t pid);
/* The size of what it makes over a document that all others see; false: it makes none. */
bool newborn_size(struct fs *fs, uint64_t ino, pid_t pid, int64_t *size);

/* commit.c: for both sorts */
struct staging *staging_new(fuse_req_t req, const struct handle_ops *ops, bool writes);
void staging_drop(struct handle *h);
void staging_close(struct handle *h);
void staging_flush(fuse_req_t req, struct handle *h, uint64_t ino);
void staging_fsync(fuse_req_t req, struct handle *h, uint64_t ino);
void staging_release(fuse_req_t req, struct handle *h, uint64_t ino);
/* Answers with the part of `bytes` that was asked for. */
void reply_part(fuse_req_t req, const struct buf *bytes, size_t size, off_t off);

#endif
