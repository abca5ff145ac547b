/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/point: what a mount on a directory meets, living and dead.  Of its own file:
 * whether a directory is fit to be mounted on: asked by `cinta mount`, and again by the daemon
 * that mounts.
 */
#ifndef CINTA_POINT_H
#define CINTA_POINT_H

#include "mount/point/access.h"
#include "mount/point/dead.h"
#include "mount/point/namespace.h"
#include "mount/point/probe.h"
#include "mount/point/ready.h"
#include "mount/point/unmount.h"
#include "store/entry.h"

/*
 * Takes away dead mounts of ours on `dir`, with a note on stderr.  Asks a mount itself only if the
 * process that owns its database lives, and then never hangs.  0: nothing of ours is mounted there;
 * -errno with `why` filled.  Before point_check(), which must not meet a dead mount of ours.
 */
int point_clear(const char *dir, struct why *why);

/*
 * `dir` and `database` as mount/memory/paths.h makes them.  0 or -errno with `why` filled.
 */
int point_check(const char *dir, const char *database, bool nonempty, struct why *why);

/* 1: a directory holds nothing; 0: it does; -errno: it cannot be read. */
int point_is_empty(const char *dir);

#endif
