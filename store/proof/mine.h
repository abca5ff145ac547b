/* SPDX-License-Identifier: MIT */
/*
 * Which tape is mine: the origin that stood at a path when it was last made or first
 * opened, remembered beside the keys, out of reach of who can only write the database.
 * Two memories of one user have good keys both; this tells when one stands in the
 * other's place.
 */
#ifndef CINTA_MINE_H
#define CINTA_MINE_H

#include <stddef.h>

#include "store/entry.h"

/*
 * The origin remembered for a database, and the file that says so.  `key_dir` NULL: the default.
 * STORE_ENOENT: none is.
 */
int mine_get(const char *key_dir, const char *path, char origin[FIELD_MAX + 1], char *file,
             size_t size);
/* Remembers it, if there is a directory of keys; what was remembered before gives way. */
int mine_set(const char *key_dir, const char *path, const char *origin);

#endif
