/* SPDX-License-Identifier: MIT */
/*
 * Names of things on disk: where a database is, and what a mount point is
 * called.  Results are absolute and hold no symlink, so that two names of one
 * database meet at one lock and one socket.
 */
#ifndef CINTA_PATHS_H
#define CINTA_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "store/entry.h"

/*
 * The database's path; `given` NULL means $XDG_DATA_HOME/cinta/memory.db.  The
 * file need not exist; the directory of a given one must, that of the default one is made with
 * `make`.
 * 0 or -errno; -EISDIR: nothing is there, and the name ends in a slash.
 */
int path_database(const char *given, bool make, char dst[PATH_MAX]);
/* A mount point's path.  Works on a dead mount, which stat(2) cannot enter. */
int path_mount_point(const char *given, char dst[PATH_MAX]);
/*
 * True if a word in front of other words means a database: a server, a path, NAME.db, a tape's
 * file, or a directory that one is mounted on.
 */
bool path_names_database(const char *word);
/* Makes a mount point's last component if it is missing; `made` says so.  0 or -errno, `why`. */
int path_make_point(const char *given, bool *made, struct why *why);
/* Makes an allocated path absolute, whatever the working directory becomes.  0 or -errno. */
int path_absolute(char **path);

#endif
