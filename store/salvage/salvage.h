/* SPDX-License-Identifier: MIT */
/*
 * The door of store/salvage: a memory's file made anew from the rows of its tape (store/rebuild.h),
 * or as much of it as can be read.
 *
 *   salvage_read.c     rows of the old file in order, around what is damaged
 *   pages.c            and those in pages to which no other leads any more
 *   salvage_missing.c  which are not there, and what an index still says of them
 *   salvage_copy.c     the new file: tables, rows, notes, tiles; what went in is what is there
 *   salvage_seal.c     a tape's rows as lines that a last one seals (store/salvage/carry.h)
 *   salvage_lines.c    a file of a tape that comes as such lines
 *   salvage_file.c     names: what an earlier run left, the swap, what is on the disk
 *   salvage.c          the run
 */
#ifndef CINTA_SALVAGE_H
#define CINTA_SALVAGE_H

#include "store/db/db.h"
#include "store/rebuild.h"
#include "store/store.h"

struct view_table;

/* store_remake(), which knows all views. */
int salvage_remake(const char *path, const struct view_table *views,
                   const struct store_config *config, const struct rebuild_options *o,
                   struct rebuild_report *out, struct why *why);

/* ---- what is missing ---------------------------------------------------- */

struct range {
	int64_t first, last;
};
/* Entries that could not be read, or were found by pages alone, in order; all zeros at first. */
struct missing {
	struct range *items;
	size_t count, room;
	int64_t entries; /* of all ranges */
};
/* Entries first to last, which come after all that were added; STORE_ENOMEM. */
int missing_add(struct missing *m, int64_t first, int64_t last);
void missing_release(struct missing *m);
/* Tells of all that is missing from the tape in `db`, with what its index says of them. */
int missing_tell(const struct missing *m, sqlite3 *db, const struct rebuild_options *o);

/* ---- reading ------------------------------------------------------------ */

/* A row: columns as STORED_COLUMNS, until the next one.  Not 0: the reading ends with that. */
typedef int salvage_row_fn(void *ctx, sqlite3_stmt *row);
/*
 * Calls `fn` for each row of the tape that can be read, by rising seq.  `fn` returns SALVAGE_LOST
 * if it cannot take the row.  What is damaged is stepped over, entry by entry; `found` has those
 * that were taken from pages to which no other leads; these are looked at beside the rows in
 * `made`, where `fn` puts them.
 */
enum { SALVAGE_LOST = 1 };
int salvage_rows(sqlite3 *db, sqlite3 *made, salvage_row_fn *fn, void *ctx, struct missing *m,
                 struct missing *found);
/* The same for the signed notes (size, note): from both ends, as far as one comes; *lost: of how
 * many one knows that they are there and could not be read (at least 1 after damage). */
int salvage_notes(sqlite3 *db, salvage_row_fn *fn, void *ctx, int64_t *lost);
/* How many rows there seem to be: for progress alone. */
int64_t salvage_guess(sqlite3 *db);

/* ---- the new file --------------------------------------------------------- */

struct salvage_file {
	char path[PATH_MAX];
	sqlite3 *db;
};
/* Opens the empty file at f->path, and makes the tables there. */
int salvage_create(struct salvage_file *f);
/*
 * Copies rows and notes of `from`, and makes the tiles that the newest note needs if no row is
 * missing.  `m` has what is missing, `found` as salvage_rows() says.
 */
int salvage_copy(sqlite3 *from, struct salvage_file *f, const struct rebuild_options *o,
                 struct rebuild_report *out, struct missing *m, struct missing *found);

/*
 * The tiles that the newest note needs, in the open transaction: they follow from the rows, and are
 * always there.
 */
int salvage_tiles(sqlite3 *db, int64_t entries);

/* ---- names ---------------------------------------------------------------- */

/* A new, empty, private file PATH.rebuilt-XXXXXXXX. */
int salvage_name(const char *path, char name[PATH_MAX], struct why *why);
/* Removes those that an earlier run left when it was killed.  The owner's lock is held. */
void salvage_sweep(const char *path);
/* The file and what SQLite put beside it. */
void salvage_remove(const char *name);
/* Its bytes are on the disk, with mode and owner of `like`, if that is not NULL. */
int salvage_settle(const char *name, const char *like);
/* NAME in the place of PATH, at once; the old one then has the name `kept`, or none (NULL). */
int salvage_swap(const char *name, const char *path, const char *kept, struct why *why);

#endif
