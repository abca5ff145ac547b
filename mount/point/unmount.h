/* SPDX-License-Identifier: MIT */
/*
 * Taking a mount away, as root with umount2(2) and as anyone else through
 * fusermount3, which is setuid.
 */
#ifndef CINTA_UNMOUNT_H
#define CINTA_UNMOUNT_H

#include <stdbool.h>
#include <stddef.h>

/* `lazy` also takes a mount that is in use or dead.  0 or -errno, -EBUSY if in use. */
int unmount_dir(const char *dir, bool lazy);
/* The same; `words` are what fusermount3 said, or empty.  -EIO: it failed for the cause it says. */
int unmount_told(const char *dir, bool lazy, char *words, size_t size);

/* "pid 17 (vim): cwd", a line each, for up to 5 processes that use `dir`. */
void unmount_holders(const char *dir, char *dst, size_t size);

#endif
