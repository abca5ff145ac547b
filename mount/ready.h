/* SPDX-License-Identifier: MIT */
/*
 * Can this machine mount at all?  Asked before a first mount makes a database, so that a refused
 * mount leaves none.  `cinta doctor` looks closer (check_fuse.c).
 */
#ifndef CINTA_READY_H
#define CINTA_READY_H

#include "store/entry.h"

/* The device, the helper of users, their leave for allow_other.  0 or -errno with `why`. */
int ready_check(bool allow_other, struct why *why);

#endif
