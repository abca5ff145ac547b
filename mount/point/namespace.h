/* SPDX-License-Identifier: MIT */
/*
 * Daemons whose mounts are in another mount namespace (unshare, systemd's PrivateMounts, a
 * container): alive, but what they mounted is not seen here.
 */
#ifndef CINTA_NAMESPACE_H
#define CINTA_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "mount/memory/memory.h"

/* True if the process is seen to live in another mount namespace than this one. */
bool namespace_differs(pid_t pid);
/*
 * True if a daemon of another mount namespace has a memory mounted at `dir`: `e` and its process.
 * Only daemons that this user may look at are found.
 */
bool namespace_find(const char *dir, struct mount_entry *e, pid_t *pid);

#endif
