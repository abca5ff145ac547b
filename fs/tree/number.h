/* SPDX-License-Identifier: MIT */
/*
 * Inode numbers that are shown.  A number follows from the kind and the id of a file (ino.h), but a
 * new document begins as scratch, and who made it compares the numbers before and after its first
 * save: SQLite takes another one for another file, tar and rsync as well.  So a document that a
 * scratch file became is shown by the number of that as long as the daemon runs; the kernel's own
 * name for it, the node id, changes with the next lookup.
 *
 * And how often a folder was removed: it keeps its inode when it is made again, but a kernel that
 * still has the one it removed makes nothing in it any more (ENOENT).  Its generation says that it
 * is another.
 */
#ifndef CINTA_FS_NUMBER_H
#define CINTA_FS_NUMBER_H

#include <stdint.h>

struct fs;
struct fs_options;

int numbers_start(struct fs *fs, const struct fs_options *o);
void numbers_stop(struct fs *fs);
/* Any thread.  The number to show for an inode. */
uint64_t number_shown(struct fs *fs, uint64_t ino);
/* Any thread: from now on `ino` is shown by this number; without memory by its own. */
void number_keep(struct fs *fs, uint64_t ino, uint64_t shown);

/* Any thread: the generation of an inode, which goes up when its name was removed. */
uint64_t generation_of(struct fs *fs, uint64_t ino);
void generation_ends(struct fs *fs, uint64_t ino);

#endif
