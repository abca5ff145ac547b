/* SPDX-License-Identifier: MIT */
/* What to say of a name that is not there: for missing.c alone. */
#ifndef CINTA_FS_MISSING_H
#define CINTA_FS_MISSING_H

#include <stdbool.h>
#include <stdint.h>

#include "store/entry.h"

struct fs;

/* True if programs ask for such a name by themselves (.git, autorun.inf, 4913); or a version's. */
bool missing_is_probe(const char *name);
/*
 * What was meant by `name`, or what there is in that directory instead; false: nothing need be
 * said, because a file of that name could be made there and nothing is like it.
 */
bool missing_words(struct fs *fs, uint64_t dir, const char *name, struct why *why);

#endif
