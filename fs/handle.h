/* SPDX-License-Identifier: MIT */
/*
 * Open files that have a state of their own:
 *   snapshot  reading a document, or what changes by itself: its bytes at open
 *   append    writing to a log: direct I/O, so that one write(2) is one WRITE
 *   ctl       commands to a session's window; direct I/O too
 *   edit      writing to a document: bytes are staged (edit.h)
 *   scratch   an editor's file
 *   ask       search/query, opened for writing (search.h)
 * All others are served from the page cache and have no handle.
 */
#ifndef CINTA_HANDLE_H
#define CINTA_HANDLE_H

#include "fs/internal.h"

enum sort {
	HANDLE_SNAPSHOT, HANDLE_APPEND, HANDLE_CTL, HANDLE_EDIT, HANDLE_SCRATCH, HANDLE_ASK
};

struct handle {
	enum sort sort;
	struct fs_mount *mount;
	struct handle *next, **at; /* fs->docs: in the mount's list */
	struct buf snapshot;
	struct appender *appender;
	struct frame *ctl;
	struct ask *ask;
	struct edit *edit;       /* fs->docs */
	struct scratch *scratch; /* fs->docs; counted in its `opens`; an edit beside its maker, too */
	char author[FIELD_MAX + 1]; /* of what is saved: RELEASE does not say who asks */
	uid_t uid;
	bool failed;             /* fs->docs: its last commit was answered with an error */
	bool writes;             /* it was opened for writing */
	pid_t opener;            /* the thread that opened it */
	bool taken;              /* fs->docs: a redaction took its snapshot; reads are ESTALE */
	bool closed;             /* fs->docs: that process has closed one descriptor of it */
};

struct handle *handle_of(const struct fuse_file_info *fi);
/* The handle of a file just opened. */
int handle_open(fuse_req_t req, uint64_t ino, bool writing, struct handle **out);
/* The same of a scratch file just made. */
int handle_create(fuse_req_t req, int64_t scratch, struct handle **out);
/* What it stages gets this size; -EBADF: it stages nothing. */
int handle_cut(struct fs *fs, struct handle *h, int64_t size);
void handle_free(struct fs *fs, struct handle *h);

/* commit.c: FLUSH, FSYNC and RELEASE of staged bytes; answers. */
enum commit { COMMIT_FLUSH, COMMIT_FSYNC, COMMIT_RELEASE };
void commit(fuse_req_t req, uint64_t ino, struct handle *h, enum commit when);

#endif
