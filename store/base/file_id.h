/* SPDX-License-Identifier: MIT */
/*
 * Which file a name leads to: its device and inode number.  A database that is open stays the file
 * it was, whatever becomes of its name.
 */
#ifndef CINTA_STORE_FILE_ID_H
#define CINTA_STORE_FILE_ID_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct file_id {
	dev_t dev;
	ino_t ino; /* 0: of no file */
};

/* What stands at `path` now; 0 or -errno, and then *id is of no file. */
int file_id_of(const char *path, struct file_id *id);
bool file_id_same(const struct file_id *a, const struct file_id *b);
/*
 * True if the name of a file that was opened leads to another now, or to none; *error as of
 * file_id_of().  Another error (of a directory, say) tells nothing about the file.
 */
bool file_id_left(const char *path, const struct file_id *was, int *error);
/* How many names the file at `path` has; 0: it cannot be told. */
nlink_t file_names(const char *path);
/* Bytes; -1: it cannot be told. */
int64_t file_bytes(const char *path);

/*
 * A name that this process opens only while it leads to the file it led to.  SQLite has one index
 * (DB-shm) for each database file that a process has open, and takes it for unused when the first
 * connection to a file comes: another file opened under the same name would empty the index of the
 * one that is open.
 */
struct file_pin {
	char path[PATH_MAX + 8];
	struct file_id id;
	struct file_pin *next;
};

/* *p, which stays where it is, remembers what is at path + ending now, if anything is. */
void file_pin_set(struct file_pin *p, const char *path, const char *ending);
/* Of one that was set or is all zero. */
void file_pin_clear(struct file_pin *p);
/* True if it leads to another file now, or to none.  Of one that is all zero: no. */
bool file_pin_left(const struct file_pin *p);
/* Takes the name away if it is still what it was: somebody may have made another. */
void file_pin_unname(const struct file_pin *p);
/* False: the name is pinned, and leads to another file or to none.  Any thread. */
bool file_pin_holds(const char *path);

#endif
