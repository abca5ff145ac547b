/* SPDX-License-Identifier: MIT */
/*
 * Documents being written.  What a program writes is staged; the document keeps
 * its newest version until the staged bytes are committed whole.
 *
 *            open for writing of a document: struct edit, one a handle
 *   ┌───────┐  write, truncate   ┌─────────┐  FLUSH or FSYNC after a write,  ┌───────────┐
 *   │ clean │ ─────────────────► │ staged  │ ──────────────────────────────► │ committed │
 *   └───────┘                    └─────────┘  RELEASE after a bare truncate  └───────────┘
 *       ▲                             │ refused: rejected/, errors.log           │
 *       └─────────────────────────────┴──────────────────────────────────────────┘
 *            create under a memory's name: struct scratch, `newborn`, shared by its
 *            handles; the first commit makes the document.  The rename of a scratch
 *            file onto a memory's name commits its bytes at once.
 *
 * Invariants
 *   1. A version holds all the bytes staged in one handle, or nothing is stored.
 *   2. The same bytes as the newest version make no version.
 *   3. A FLUSH that saw no write since the truncate commits nothing: shells send
 *      one before their first write.
 *   4. Who only appended (O_APPEND) appends to the newest version, also if another
 *      was faster; who wrote otherwise on an older version still wins, and
 *      errors.log notes the conflict.
 *   5. Who is killed while it writes a document anew, in place or after it moved it away,
 *      makes no version: what it had written is in rejected/.  Who appended, or was making
 *      a document, does.
 *   6. The FLUSH of a child that inherited the descriptor commits nothing while its
 *      parent still writes.
 *   7. An error of the commit is the error of FLUSH, FSYNC or RENAME.
 *   8. Where a WRITE was refused, nothing is committed until it is made up for, or all is cut off.
 *
 * All functions want fs->docs locked.
 */
#ifndef CINTA_EDIT_H
#define CINTA_EDIT_H

#include "fs/documents/documents.h"

struct edit {
	struct edit *next;
	uint64_t ino;     /* what was opened: a document, or session.md */
	uint64_t dir;     /* of a document that another handle is making: where it shall stand */
	char name[NAME_LIMIT + 1]; /* "": of none */
	int64_t doc;      /* 0: not saved yet (session.md as it is generated, one being made) */
	int64_t over;     /* of one being made: the document that it is made over; 0: of none */
	pid_t pid;        /* of the thread that opened it */
	int64_t base;     /* version the bytes come from */
	int64_t base_us;  /* when: of a list of facts it tells which were stale */
	bool shown;       /* its opener has read them by it, and saved nothing since */
	bool loaded;      /* they are here: whoever truncates first never needs them */
	struct buf bytes;
	size_t kept;      /* bytes of `base` at the front that nobody has touched */
	bool appends;     /* all writes were O_APPEND */
	bool written;     /* since the last commit */
	bool truncated;   /* truncated since the last commit, and not written */
	bool saved;       /* it has committed: the bytes are its writer's */
	struct torn torn;
	int64_t time_us;  /* set by a client meanwhile; 0: not */
};

/* A document (or session.md) for writing; what it holds now is staged. */
int edit_open(struct fs *fs, uint64_t ino, pid_t pid, struct edit **out);
/* A document that another handle is making: what that holds is nobody's yet. */
int edit_open_newborn(struct fs *fs, const struct scratch *s, pid_t pid, struct edit **out);
void edit_close(struct fs *fs, struct edit *e);
int edit_write(struct fs *fs, struct edit *e, const char *data, size_t len, int64_t off,
               bool at_end);
int edit_resize(struct fs *fs, struct edit *e, int64_t size);
/* The bytes of `base` are there from here on. */
int edit_load(struct fs *fs, struct edit *e);
/* The same, and they are given to its opener. */
int edit_show(struct fs *fs, struct edit *e, const struct process *opener);
/*
 * Room for `size` bytes of a document that has `had`, beside all others that are being written: 0,
 * -EFBIG, -ENOSPC.  Scratch files have a bound of their own.
 */
int staging_room(struct fs *fs, int64_t size, size_t had);
/* The handle a truncate without one is meant for: opened by that thread, nothing written yet. */
struct edit *edit_of(struct fs *fs, uint64_t ino, pid_t pid);
/* Staged size of what that thread's process writes; false: it writes nothing. */
bool edit_size(struct fs *fs, uint64_t ino, pid_t pid, int64_t *size);
/* True if somebody has staged something there. */
bool edit_staged(struct fs *fs, uint64_t ino);
/* The document behind an inode that can be written (0: none yet). */
int edit_doc(struct fs *fs, uint64_t ino, int64_t *doc);

/*
 * The base is read again; what was appended to it since the last commit stays behind it.  Of what
 * nobody has written otherwise; of a scratch file that is promoted.
 */
void edit_reload(struct fs *fs, struct edit *e);
void scratch_reload(struct fs *fs, struct scratch *s);

/*
 * Commits.  On error `why` is filled (for refuse()), and `offer` points to the
 * bytes while they stay staged.
 */
int edit_commit(struct fs *fs, struct edit *e, const struct writer *by, struct saved *out,
                struct why *why);
int scratch_commit(struct fs *fs, struct scratch *s, const struct writer *by, struct saved *out,
                   struct why *why);

/* A time that a client has set, of a document and of what is being written to it. */
void edit_times(struct fs *fs, int64_t doc, int64_t time_us);

#endif
