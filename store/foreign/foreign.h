/* SPDX-License-Identifier: MIT */
/*
 * The door of store/foreign, and a part of the store's: SQLite databases in which other programs
 * keep conversations, as lines of JSON for an import.
 */
#ifndef CINTA_FOREIGN_H
#define CINTA_FOREIGN_H

#include "store/entry.h"

/* A line with its newline; not 0 ends it, and is returned. */
typedef int store_foreign_fn(void *ctx, const char *line, size_t len);
/*
 * Reads it, whoever writes to it meanwhile, and changes nothing; without `fn` it is only looked at.
 * STORE_EFORMAT with `why`: it is of no program that is known here; STORE_EIO, STORE_EBUSY, or what
 * `fn` returned.
 */
int store_foreign(const char *path, store_foreign_fn *fn, void *ctx, struct why *why);

#endif
