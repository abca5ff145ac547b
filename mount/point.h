/* SPDX-License-Identifier: MIT */
/*
 * Is this directory fit to be mounted on?  Asked by `cinta mount` and again by
 * the daemon that mounts.
 */
#ifndef CINTA_POINT_H
#define CINTA_POINT_H

#include "store/entry.h"

/*
 * `dir` and `database` as mount/paths.h makes them.  A dead mount of ours is
 * taken away with a note on stderr.  0 or -errno with `why` filled.
 */
int point_check(const char *dir, const char *database, bool nonempty, struct why *why);

#endif
