/* SPDX-License-Identifier: MIT */
/*
 * The tree is a table: one row per kind of file says where it stands, how it
 * looks and where its bytes come from.  A new file is one row here, one
 * function that makes its bytes, and one line in cinta.5.
 *
 * No FUSE here: the ops (lookup.c, file.c, …) translate.  Functions return 0 or
 * a negative errno.
 */
#ifndef CINTA_TREE_H
#define CINTA_TREE_H

#include <sys/stat.h>

#include "fs/fs.h"
#include "fs/base/base.h"
#include "render/render.h"

enum content {
	CONTENT_DIR,
	CONTENT_LINK,   /* page() gives the target */
	CONTENT_LOG,    /* lines of a log, straight from the tape */
	CONTENT_TEXT,   /* a transcript */
	CONTENT_PAGE,   /* rendered whole by page() */
	CONTENT_BLOB,   /* bytes of a rejected file */
	CONTENT_DOC,    /* the newest version of a document */
	CONTENT_PAST,   /* a file as it was (past.h) */
	CONTENT_SCRATCH /* what an editor keeps beside it: file, link or directory */
};

enum {
	NODE_UNLISTED = 1, /* lookup finds it, readdir does not return it */
	NODE_FRESH = 2,    /* changes by itself: never cached */
	NODE_FIXED = 4,    /* never changes: nothing to invalidate */
	NODE_GROWS = 8     /* a log one can append to */
};

struct node {
	enum kind parent;
	const char *name;  /* NULL: the names are found by the parent's `find` and `next` */
	mode_t mode;
	enum content content;
	unsigned flags;
	enum log_kind log; /* CONTENT_LOG, CONTENT_TEXT */
	int (*page)(struct fs *fs, int64_t id, struct buf *out);
	/* Directories with names of their own: the child of that name; the next after `cursor`. */
	int (*find)(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
	int (*next)(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
	            uint64_t *ino);
	/* When it changed last; NULL: when the tape began. */
	int (*changed)(struct fs *fs, int64_t id, int64_t *time_us);
};

/* The last row, all zeros, is for inodes of no kind. */
extern const struct node tree[KIND_COUNT + 1];

/* The child of a directory: its inode. -ENOENT, -ENAMETOOLONG, … */
int tree_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
/* May a missing name in this directory be remembered as missing? */
bool tree_remembers_absent(uint64_t dir);
/*
 * The next entry of a listing.  *cursor starts at 0 and is the stable offset
 * that readdir hands out: static rows first, then 128 + id.  1: there was one, 0: end.
 */
int tree_list(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino);
/* Which size tree_stat() tells. */
enum stat_size {
	SIZE_HELD, /* for readers: no larger than what cannot hurt them (held.h) */
	SIZE_NOW,  /* as it is */
	SIZE_NONE  /* the caller knows it: 0 for a page, which is not rendered for it */
};
int tree_stat(struct fs *fs, uint64_t ino, enum stat_size which, struct stat *st);
/* Type and permissions: the table's, but for scratch, which is of any type. */
mode_t tree_mode(struct fs *fs, uint64_t ino);
bool tree_is_dir(struct fs *fs, uint64_t ino);
/* What is staged when it is written, and read as it was when it was opened. */
bool is_document(uint64_t ino);
/* The size as it is. */
int tree_size(struct fs *fs, uint64_t ino, int64_t *size);
/* Directories deeper than this are not walked: a tape by another program might hold a circle. */
enum { DEPTH_MOST = 256 };
/* Bytes of a file's current content; 0 at the end. */
ssize_t tree_read(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size);
/* A whole generated page, or a link's target. */
int tree_page(struct fs *fs, uint64_t ino, struct buf *out);
/* The path below the mount point; of a longer one its end. */
enum { PATH_LIMIT = 4095 };
void tree_path(struct fs *fs, uint64_t ino, const char *child, char *dst, size_t size);
uint64_t tree_parent(struct fs *fs, uint64_t ino);

#endif
