/* SPDX-License-Identifier: MIT */
/*
 * Names that their own maker may make again.  A session is made with all its files, and smma/ and
 * facts/ have theirs from the first minute; who puts a copy back makes directories first and then
 * what is in them, and cp and tar do not take what they find there for theirs:
 *
 *   mkdir sessions/NAME, or unlink ──► vacant ──► asked: "no such file" ──► made: the file itself
 *   of a file nobody has written          │             │
 *                                         └─────────────┴── 5 s, or somebody wrote it ──► as before
 *
 * Invariants
 *   1. Only a program that copies, in the process that made the session, and who removed the file,
 *      is told that it is not there, by one look-up a name; no listing is without it.
 *   2. What anybody has written is never vacant: a log with a line, its transcript, a saved page.
 */
#ifndef CINTA_FS_VACANT_H
#define CINTA_FS_VACANT_H

#include "fs/tree/tree.h"

int vacant_start(struct fs *fs, const struct fs_options *o);
void vacant_stop(struct fs *fs);
/* True if nobody has written to it: a log, page, section, list, or what is made of a log. */
bool is_untouched(struct fs *fs, uint64_t ino);
/* That thread's process may make this name again, or all names of a session just made. */
void vacant_add(struct fs *fs, uint64_t dir, const char *name, pid_t thread);
void vacant_session(struct fs *fs, uint64_t session, pid_t thread);
/* It looks for `name`, which is there as `ino`: true if it is to be told that it is not. */
bool vacant_asked(struct fs *fs, uint64_t dir, const char *name, uint64_t ino, pid_t thread);
/* True if it puts back a session that it made just now, and that has no line yet. */
bool vacant_restores(struct fs *fs, uint64_t session, pid_t thread);
/* It makes `name`: true, once, if that was vacant and asked for. */
bool vacant_take(struct fs *fs, uint64_t dir, const char *name, pid_t thread);
/* After a redaction: no name that was vacant stays in memory.  fs->docs held. */
void vacant_forget(struct fs *fs);

#endif
