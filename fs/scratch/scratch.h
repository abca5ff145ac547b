/* SPDX-License-Identifier: MIT */
/*
 * Scratch: files that are not memory.  Editors' swap, backup, lock and temporary
 * files, the files of smma/workspace/ and logs/, and a document that has not been saved
 * yet.  Plain files in RAM, kept in the store's side database so that a swap file
 * survives the daemon; never on the tape.
 *
 *                        move                       rename onto a memory's name
 *                       ┌────┐   ┌────────────────────────────────────────────────────┐
 *                       │    ▼   │                                                    ▼
 *   under a scratch ──► ordinary ── unlink, or a day is over ──► nameless          promoted
 *   name                   ▲                                     (while open)      (its inode
 *                          │ move to a scratch name                 ▲              leads there)
 *   create under a         │                                        │                 ▲
 *   memory's name ──► newborn ── unlink, or refused at its last close                 │
 *                          └───────────────── first save ─────────────────────────────┘
 *
 *              name   newborn   promoted_to  stored   log     gone when
 *   ordinary   yes    no        0            may be   may be  unlinked, and nobody has it open
 *   newborn    yes    yes       0            no       no      the same
 *   nameless   no     may be    0            no       may be  nobody has it open
 *   promoted   no     no        an inode     no       no      64 others were promoted since, and
 *                                                             nobody has it open
 * Invariants
 *   1. 0 <= writers <= opens.  An edit beside the maker of a document counts in `opens` alone.
 *   2. `written`: bytes that are nowhere else.  Of an ordinary file the side database takes them
 *      (scratch_keep), of the others a commit; a promoted one writes on to `promoted_to`.
 *   3. `base`, `kept` and `appends` say what a save of a promoted one was made from.
 *   4. `refused` is set by a commit of a newborn or of a promoted one, and cleared by the next.
 *
 * All functions want fs->docs locked, unless they say otherwise.
 */
#ifndef CINTA_SCRATCH_H
#define CINTA_SCRATCH_H

#include "fs/tree/tree.h"

enum {
	SCRATCH_FILE_MOST = 128 << 20, /* bytes of one file */
	SCRATCH_MOST = 512 << 20,      /* of all together */
	SCRATCH_HOURS = 24,
	/* Below logs/, so that a talkative program leaves room for editors: */
	LOG_FILE_MOST = 16 << 20, /* bytes of one file */
	LOGS_MOST = 128 << 20,    /* of all together */
	LOGS_COUNT = 4096,        /* files and directories */
	KEPT_TOGETHER = 256       /* written to the side database by one transaction */
};
#define SCRATCH_US (SCRATCH_HOURS * INT64_C(3600000000))

/*
 * A write that was refused: without it the bytes are a part of a text, and become no memory.  Over
 * when it is made up for, or all is cut off.
 */
struct torn {
	int err;    /* 0: none */
	int64_t at;
};
static inline void torn_note(struct torn *t, int err, int64_t at, size_t len)
{
	if (err && (!t->err || at < t->at))
		*t = (struct torn){ err, at };
	else if (!err && at <= t->at && t->at < at + (int64_t)len)
		t->err = 0;
}
static inline void torn_why(struct why *why)
{
	why_set(why, "save it again when there is room, or less of it",
	        "a write to it was refused: it is part of a text");
}

struct scratch {
	int64_t id;
	uint64_t dir;
	char name[NAME_LIMIT + 1]; /* "" when it has none any more */
	mode_t mode;               /* S_IFREG, S_IFLNK, S_IFDIR, and permissions */
	int64_t made_us, changed_us;
	int64_t made_seq;          /* how many entries there were then */
	struct buf bytes;          /* content, or a link's target */
	int opens, writers;        /* handles, and those of them that may write */
	uint64_t over;             /* of a newborn: the document that it makes anew; or 0 */
	pid_t maker;               /* the process that opened it last to write */
	uint64_t promoted_to;      /* what it is now: a document, list of facts or summary; or 0 */
	int64_t base;              /* version the document had when it was saved last */
	size_t kept;               /* bytes of `base` at the front that nobody has touched */
	bool appends;              /* all writes since were O_APPEND */
	bool replaces;             /* it is a document, and not all of that stands at the front */
	int64_t touched_us;        /* when it was really changed last: its age */
	bool written;              /* has bytes no document and no disk has */
	struct torn torn;
	bool refused;              /* could not be saved under its name */
	bool stored;               /* is in the side database */
	bool unkept;               /* could not be written there when that was tried last */
	bool newborn;              /* stands under a memory's name, to become it when saved */
	bool timed;                /* a client has set its time */
	bool told;                 /* errors.log says that it is not memory, or is full */
	bool log;                  /* it stands below logs/ */
	char author[FIELD_MAX + 1]; /* who opened it last to write, "": nobody since the start */
	struct talk talk;          /* and in which agent's conversation */
	uid_t uid;
	int64_t client;            /* number of who made it; 0: of nobody of its own, or long ago */
	int64_t tried_us;          /* when it rested and could not become a document; 0: never */
	struct scratch *prev, *next; /* all, by id */
	struct scratch *id_next, *name_next; /* index.h; of a promoted one, the next two are */
	struct scratch *dir_prev, *dir_next; /* of the list of these */
	bool fresh;                /* it is among those that time has something to do with */
	struct scratch *fresh_prev, *fresh_next;
};

/* The document that all but its maker see under its name until it is saved; 0: there is none. */
static inline uint64_t scratch_over(const struct scratch *s)
{
	return s->newborn && s->name[0] ? s->over : 0;
}

/* Reads what an earlier daemon kept; and keeps what is there. */
int scratch_start(struct fs *fs, const struct fs_options *o);
void scratch_stop(struct fs *fs);
/* Those under an old version's name go, their bytes to rejected/. */
void scratch_reject_forged(struct fs *fs);
/*
 * After a redaction: what the side database has no longer goes, and copies of documents that nobody
 * has open do.
 */
void scratch_follow(struct fs *fs);
/* The side database has none of them any more: time keeps them anew. */
void scratch_lost(struct fs *fs);

/* Rows of removed files that the side database would not give up: again, if there is room now. */
void scratch_drop_again(struct fs *fs);

/* The first of all; the others follow by `next`. */
struct scratch *scratch_first(struct fs *fs);
/*
 * Those that were touched lately, by `fresh_next`: what time does with a file (learn/tidy.c) it
 * does with these, so that 50,000 files at rest cost nothing.
 */
struct scratch *scratch_fresh(struct fs *fs);
/* Nothing is left to do with it until it is touched again, or a day is over. */
void scratch_settled(struct fs *fs, struct scratch *s);
/* The earliest time at which one of them can be over: not before that all are to be looked at. */
int64_t scratch_due(struct fs *fs);
void scratch_set_due(struct fs *fs, int64_t time_us);
/* The bytes of all of them. */
int64_t scratch_bytes(struct fs *fs);
/* When the names in smma/workspace/ or logs/ changed last, 0: never; NULL: it is neither. */
int64_t *scratch_time_of_dir(struct fs *fs, enum kind dir);
/* Its bytes have become so many more by other means than the functions below. */
void scratch_count_bytes(struct fs *fs, const struct scratch *s, int64_t more);
/* 0 if one more may be made there, or -ENOSPC. */
int scratch_room(struct fs *fs, uint64_t dir);
/* 0 if it may go there, -EFBIG, -ENOSPC; -EXDEV: directories do not cross the border of logs/. */
int scratch_may_move(struct fs *fs, const struct scratch *s, uint64_t dir);
/* What to say of -EFBIG or -ENOSPC of a scratch file, below logs/ or not. */
void scratch_why(bool log, int err, struct why *why);
/* A new one without content; NULL: no memory. */
struct scratch *scratch_make(struct fs *fs, uint64_t dir, const char *name, mode_t mode);
struct scratch *scratch_by_id(struct fs *fs, int64_t id);
struct scratch *scratch_find(struct fs *fs, uint64_t dir, const char *name);
/* The next in a directory with an id above `after`. */
struct scratch *scratch_next(struct fs *fs, uint64_t dir, int64_t after);
/* -EFBIG, -ENOSPC, -ENOMEM; nothing is changed then. */
int scratch_write(struct fs *fs, struct scratch *s, const char *data, size_t len, int64_t off);
/* A size set by a client. */
int scratch_set_size(struct fs *fs, struct scratch *s, int64_t size);
void scratch_move(struct fs *fs, struct scratch *s, uint64_t dir, const char *name);
/* Its mode or time is another: what is kept of it follows. */
void scratch_changed(struct fs *fs, struct scratch *s);
/* It has no name any more; freed when nobody has it open. */
void scratch_unlink(struct fs *fs, struct scratch *s);
void scratch_close(struct fs *fs, struct scratch *s);
/*
 * Its bytes are now version `base` of that inode: the name is the document's.  One that was `made`
 * by it keeps its number (number.h).
 */
void scratch_promote(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base, bool made);
/* Its name was taken by a document while it was being written: what it holds is saved there yet. */
void scratch_join(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base);
/*
 * Writes it to the side database if it has changed; and up to KEPT_TOGETHER at once.  A negative
 * errno: none was; the store says so where people look (side_trouble()).
 */
int scratch_keep(struct fs *fs, struct scratch *s);
int scratch_keep_all(struct fs *fs, struct scratch *const *list, size_t count);
/* The inode of that name; -ENOENT. */
int scratch_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);

/* For the tree's table; these lock. */
node_name_fn scratch_name;
node_parent_fn scratch_parent;
node_stat_fn scratch_stat;
node_read_fn scratch_read;
node_changed_fn changed_workspace, changed_logs; /* when their names did */
/* Where a scratch link points; -EINVAL: it is none. */
int scratch_target(struct fs *fs, int64_t id, struct buf *out);
mode_t scratch_mode(struct fs *fs, int64_t id);
/* Of any inode: what a scratch file became, else itself. */
uint64_t scratch_ino_now(struct fs *fs, uint64_t ino);

#endif
