/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/open: what an OPEN gives: the handle of who writes, or reads past the kernel's
 * pages, or by those of one version; and the locks of open files.
 */
#ifndef CINTA_FS_OPEN_H
#define CINTA_FS_OPEN_H

#include <fuse_lowlevel.h>

#include "fs/save/save.h"

struct fs_options;

/* open.c: the handle of a file that is opened to write, or past the kernel's pages. */
int handle_open(fuse_req_t req, uint64_t ino, bool writing, struct handle **out);

/* snapshot.c: the bytes at open */
int snapshot_handle(fuse_req_t req, uint64_t ino, struct handle **out);
/* Answers with bytes of the file as it is now. */
void read_now(fuse_req_t req, uint64_t ino, size_t size, off_t off);
/* The same, but no more than the size that is told of it (kernel/size_barrier.h). */
void read_told(fuse_req_t req, uint64_t ino, size_t size, off_t off);

/*
 * edition.c: for reading a document by the kernel's pages, which stay those of its version
 * (kernel/kcache.h).  NULL: now it cannot be; it is to be read past them.
 */
struct handle *edition_handle(fuse_req_t req, uint64_t node);
/*
 * Bytes for the kernel's pages, which all share who have the document open by that node id: marks
 * them.  False: it is for the handle to answer.  True: answered, with the version that others have
 * open, for the handle is for reading past the pages, and it is of a private mapping that it asks.
 */
bool edition_page(fuse_req_t req, const struct handle *h, uint64_t node, size_t size, off_t off);
/*
 * Who writes gets no handle of an edition with readers, or of one that is over: he looks the name
 * up again, and finds another.  True: so it was answered.
 */
bool edition_is_left(fuse_req_t req, uint64_t node);

/* ask_handle.c */
int ask_handle(fuse_req_t req, uint64_t ino, struct handle **out);

/* flock.c */
int flocks_start(struct fs *fs, const struct fs_options *o);
void flocks_stop(struct fs *fs);
void op_flock(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi, int op);
/* An open file of a mount holds none any more; nor does any of a mount that has ended. */
void flock_close(struct fs_mount *m, uint64_t ino, uint64_t owner);
void flocks_drop(struct fs_mount *m);

#endif
