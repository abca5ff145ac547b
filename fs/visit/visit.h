/* SPDX-License-Identifier: MIT */
/*
 * fs/visit: the tree without a kernel (fs_visit_… of fs.h).  It is the kernel's end of a connection
 * of its own: requests go out by a socketpair and are answered by the threads that answer mounts,
 * so nothing of a file comes about in a second way.  Private to the folder but for what fs.h says.
 *
 * One request is under way at a time.  Notices are read past, for nothing is kept here.
 */
#ifndef CINTA_FS_VISIT_H
#define CINTA_FS_VISIT_H

#include <limits.h>
#include <linux/fuse.h>
#include <stddef.h>
#include <stdint.h>

#include "fs/fs.h"

/* What a socket takes without privileges, with room for the head of a request. */
enum { VISIT_PIECE = 128 << 10, VISIT_ROOM = VISIT_PIECE + 4096 };

struct fs_visit {
	struct fs_mount *mount;
	int fd;
	uint64_t unique;
	size_t len;            /* of the last answer */
	_Alignas(8) char answer[VISIT_ROOM]; /* its bytes, behind the head */
};

/* A request: its own struct, a name or bytes behind that. */
struct visit_request {
	uint32_t op;
	uint64_t ino;
	const void *arg;
	size_t arg_len;
	const void *more;
	size_t more_len;
};
/* 0 with v->answer, or a negative errno; -ECONNABORTED: nobody answers any more. */
int visit_ask(struct fs_visit *v, const struct visit_request *r);
/* The same where the answer is one struct; -EPROTO: it has another size. */
int visit_ask_for(struct fs_visit *v, const struct visit_request *r, void *out, size_t size);

/* Where a path leads. */
struct visited {
	uint64_t dir;              /* the directory it is in */
	char name[NAME_MAX + 1];   /* its name there; "": the root */
	struct fuse_entry_out entry; /* nodeid 0: there is none of that name */
};
/*
 * Walks a path from the root, where `..` stays, as for a process whose root it is.  `follow`: also
 * when the last part is a link.  0, also if only the last part is missing, or a negative errno.
 */
int visit_walk(struct fs_visit *v, const char *path, bool follow, struct visited *out);

#endif
