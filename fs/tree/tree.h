/* SPDX-License-Identifier: MIT */
/*
 * The tree is a table: one row per kind of file says where it stands, how it
 * looks and where its bytes come from.  A new file is one row here, one
 * function that makes its bytes, and one line in cinta.5.
 *
 * This is the door of fs/tree.  No FUSE here: the ops (lookup.c, file.c, …) translate.
 * Functions return 0 or a negative errno.
 */
#ifndef CINTA_TREE_H
#define CINTA_TREE_H

#include <sys/stat.h>

#include "fs/base/base.h"
#include "fs/fs.h"
#include "fs/tree/place.h"
#include "fs/tree/naming.h"
#include "fs/tree/number.h"
#include "fs/tree/when.h"
#include "render/render.h"

enum content {
	CONTENT_DIR,
	CONTENT_LINK,   /* page() gives the target */
	CONTENT_LOG,    /* lines of a log, straight from the tape */
	CONTENT_TEXT,   /* a transcript */
	CONTENT_PAGE,   /* rendered whole by page() */
	CONTENT_OWN,    /* told by stat(), and by read() if there is one, else by page() */
	CONTENT_SCRATCH /* the same; what an editor keeps: file, link or directory */
};

enum {
	NODE_UNLISTED = 1, /* lookup finds it, readdir does not return it */
	NODE_FRESH = 2,    /* changes by itself: never cached */
	NODE_FIXED = 4,    /* never changes but for a redaction, which knows it: never marked */
	NODE_GROWS = 8,    /* a log one can append to */
	NODE_STAGED = 16,  /* what is written to it is staged, and it is read as it was at open */
	NODE_MAYBE = 32,   /* it is there while its page can be made */
	NODE_TRACELESS = 64,  /* what it was is not known: it is not in the past (past.h) */
	NODE_FORGOTTEN = 128, /* refusals and what was offered: they go by age */
	NODE_MOVES = 256,     /* it may have another name, and stand elsewhere, later */
	NODE_VOLATILE = 512,  /* its name comes and goes without an op of the kernel's */
	NODE_WRITABLE = 1024, /* it can be opened for writing */
	NODE_RENAMABLE = 2048,
	NODE_COVERED = 4096   /* a rename may end on its name; whether, rename.c says */
};

enum {
	PLACE_FILES = 1,    /* documents may stand here */
	PLACE_FOLDERS = 2,  /* mkdir makes a folder that is memory */
	PLACE_SUMMARIES = 4, /* a session's: what is saved here is no document */
	PLACE_LASTS = 8,    /* scratch here does not go by age */
	PLACE_LOGS = 16,    /* scratch here is counted apart: talkative programs' files */
	PLACE_LINES = 32    /* its files are logs, and no document stands here */
};

/* A directory in which documents or scratch may stand (place.h). */
struct place_row {
	const char *key; /* NULL: none; "": of no document; see place.h */
	enum family family;
	unsigned flags;
	/* True if a file of that name is, or becomes, memory; NULL: as render_is_document() says. */
	bool (*is_memory)(const char *name);
};

/* The columns that are functions.  An int is 0 or a negative errno; of `next`, 1: there was one. */
typedef int node_page_fn(struct fs *fs, int64_t id, struct buf *out);
typedef int node_find_fn(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
typedef int node_next_fn(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                         uint64_t *ino);
typedef int node_changed_fn(struct fs *fs, int64_t id, int64_t *time_us);
typedef void node_name_fn(struct fs *fs, uint64_t ino, char *dst, size_t size);
typedef uint64_t node_parent_fn(struct fs *fs, uint64_t ino);
typedef int node_stat_fn(struct fs *fs, int64_t id, struct log_stat *out);
typedef ssize_t node_read_fn(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size);
typedef int node_page_at_fn(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
typedef int node_stat_at_fn(struct fs *fs, int64_t id, int64_t time_us, struct log_stat *out);
typedef int node_changed_at_fn(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us);
typedef int node_existed_at_fn(struct fs *fs, uint64_t ino, int64_t time_us);
typedef int node_find_at_fn(struct fs *fs, uint64_t dir, int64_t time_us, const char *name,
                            uint64_t *ino);
typedef int node_next_at_fn(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                            char name[NAME_LIMIT + 1], uint64_t *ino);

struct node {
	enum kind parent;
	const char *name;  /* NULL: name_of() tells; the parent's `find` and `next` find them */
	mode_t mode;
	enum content content;
	unsigned flags;
	enum log_kind log; /* of which it is, or that whose file it stands beside */
	node_page_fn *page;
	/* Directories with names of their own: the child of that name; the next after `cursor`. */
	node_find_fn *find;
	node_next_fn *next;
	/* When it changed last; NULL: of a place when its names did, else when the tape began. */
	node_changed_fn *changed;
	/* Of a row without a name: what an inode is called, "?" if nobody knows. */
	node_name_fn *name_of;
	/* The directory it stands in; NULL: that of the parent's kind with the same id. */
	node_parent_fn *parent_of;
	/* CONTENT_OWN, CONTENT_SCRATCH: size and time; bytes.  `stat` also of pages, both at once. */
	node_stat_fn *stat;
	node_read_fn *read;
	/* CONTENT_SCRATCH: type and permissions; the inode that is shown for it. */
	mode_t (*mode_of)(struct fs *fs, int64_t id);
	uint64_t (*shown_as)(struct fs *fs, uint64_t ino);
	/*
	 * As it was at a time that is over; NULL: as now.  Of what is found now, existed_at() says
	 * whether it was there: 0 or -ENOENT.  *after as `next` has it, but without other offsets.
	 */
	node_page_at_fn *page_at;
	node_stat_at_fn *stat_at;
	node_changed_at_fn *changed_at;
	node_existed_at_fn *existed_at;
	node_find_at_fn *find_at;
	node_next_at_fn *next_at;
	/* A directory of names that never change: they end with NULL. */
	const char *const *names;
	enum kind named; /* what the names of a directory are, where its functions want to know */
	struct place_row place;
	/* What is said of a write that is refused; of an unlink or rename.  NULL: as of most. */
	struct {
		const char *what, *todo;
	} refusal;
	const char *keep_todo;
	/*
	 * What its bytes, names and times come from beside what stands at its own path: paths with `:`
	 * between, of which a mount that hides something must show all (base/bounds.h); HOLDS_ITSELF:
	 * nothing else; NULL: from anywhere, and then no such mount has it.
	 */
	const char *holds;
};
#define HOLDS_ITSELF ""

/* The child of a directory: its inode. -ENOENT, -ENAMETOOLONG, … */
int tree_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
/* The row of that name in a directory of that kind; KIND_ROOT: there is none. */
enum kind tree_row(const struct fs *fs, enum kind parent, const char *name);
/* True if a missing name in this directory may be remembered as missing. */
bool tree_remembers_absent(const struct fs *fs, uint64_t dir);
/*
 * The next entry of a listing.  *cursor starts at 0 and is the stable offset
 * that readdir hands out: static rows first, then 128 + id.  1: there was one, 0: end.
 */
int tree_list(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino);
/* Which size tree_stat() tells. */
enum stat_size {
	SIZE_HELD, /* for readers: no larger than what cannot hurt them (size_barrier.h) */
	SIZE_NOW,  /* as it is */
	SIZE_NONE  /* the caller knows it: 0 for a page, which is not rendered for it */
};
int tree_stat(struct fs *fs, uint64_t ino, enum stat_size which, struct stat *st);
/* Type and permissions: the table's, but for scratch, which is of any type. */
mode_t tree_mode(struct fs *fs, uint64_t ino);
bool tree_is_dir(struct fs *fs, uint64_t ino);
/* Size and time of its content, as they are. */
int tree_measure(struct fs *fs, uint64_t ino, struct log_stat *out);
/* The size as it is. */
int tree_size(struct fs *fs, uint64_t ino, int64_t *size);
/* Directories deeper than this are not walked: a tape by another program might hold a circle. */
enum { DEPTH_MOST = 256 };
/* Copies what of a page lies behind `offset`, at most `size` bytes; how many. */
size_t page_part(const struct buf *page, int64_t offset, char *dst, size_t size);
/* Bytes of a file's current content; 0 at the end. */
ssize_t tree_read(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size);
/* A whole generated page, or a link's target. */
int tree_page(struct fs *fs, uint64_t ino, struct buf *out);
/* The path below the mount point; of a longer one its end, and false. */
enum { PATH_LIMIT = 4095 };
bool tree_path(struct fs *fs, uint64_t ino, const char *child, char *dst, size_t size);
/* True if the mount that asks shows it (base/bounds.h): at no cost where a mount shows all. */
bool tree_shows(struct fs *fs, uint64_t ino);
/* True if that path stands below this directory of the root. */
bool tree_is_below(const struct fs *fs, const char *path, enum kind root);
uint64_t tree_parent(struct fs *fs, uint64_t ino);
/* A walk to the root from `ino`.  False: it comes by again, in a circle, which is not to be. */
struct climb {
	uint64_t ino, seen, steps;
};
bool tree_climb(struct fs *fs, struct climb *c);
/*
 * The topmost of its kind that has it below, or itself; *dir: in what that stands, of the same kind
 * only if they stand in a circle.
 */
uint64_t tree_top(struct fs *fs, uint64_t ino, uint64_t *dir);
/* The last part of the path; "?": the file is not there any more. */
void tree_name(struct fs *fs, uint64_t ino, char *dst, size_t size);

/* ---- place.c, names.c: names that a row lists, names that come from the store ------ */

node_find_fn find_fixed, find_group, find_message, find_rejected;
node_next_fn next_fixed, next_group, next_message, next_rejected;
node_changed_fn changed_session;
node_name_fn fixed_name, group_name, message_name, rejected_name;
node_parent_fn message_parent;
node_stat_fn rejected_stat;
node_read_fn rejected_read;

/* A session as it is now, with all that was written to it. */
int session_now(struct fs *fs, int64_t id, struct group *g);
/* The session that sessions/current leads to; -ENOENT. */
int current_session(struct fs *fs, struct group *out);

#endif
