/* SPDX-License-Identifier: MIT */
/*
 * Whether this machine can mount at all: asked before a first mount makes a database, so that a
 * refused mount leaves none.  `cinta doctor` looks closer (check_fuse.c).
 */
#ifndef CINTA_READY_H
#define CINTA_READY_H

#include "store/entry.h"

/* The device, the helper of users, their leave to let others in.  0 or -errno with `why`. */
int ready_check(bool others, struct why *why);
/* True if users may let others in: user_allow_other in /etc/fuse.conf. */
bool ready_lets_others_in(void);

#endif
