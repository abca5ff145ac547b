/* SPDX-License-Identifier: MIT */
/*
 * A daemon that died and still holds what it had, because a thread of it waits in the kernel: the
 * work of the supervisor (supervisor.h), done by another process when that one died as well.
 */
#ifndef CINTA_DEAD_H
#define CINTA_DEAD_H

#include "store/entry.h"

/*
 * Aborts the mounts of a database whose owner is dead (owner_state()), and waits until its lock is
 * free.  0; or -errno with `why` filled: they are another user's, or the kernel lets only root
 * abort them.  Touches no mount by its name.
 */
int dead_free(const char *database, struct why *why);

#endif
