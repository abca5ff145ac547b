/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/daemon: the process that serves, and how others talk to it.  Of its own file:
 * going to the background without lying about it: the command returns 0 only
 * when the mount answers, and else nothing of it is left running.
 *
 *   parent                          child
 *     |  fork ------------------------>| opens, mounts, serves
 *     |<----------------------- 'r' ---| mounted
 *     | stat(DIR) answers              |
 *     | 'k' -------------------------->| goes on alone, stderr to the log
 *   exit 0
 *
 * Either end gone early ends the other.
 */
#ifndef CINTA_DAEMON_H
#define CINTA_DAEMON_H

#include "mount/daemon/control.h"
#include "mount/daemon/serve.h"
#include "mount/daemon/sockets.h"
#include "mount/daemon/wire.h"

/* Runs in the child; `peer` goes to daemon_ready.  Returns an exit status. */
typedef int daemon_fn(void *ctx, int peer);

/* Forks; the parent returns an exit status, the child never returns. */
int daemon_start(const char *dir, daemon_fn *child, void *ctx);
/* The child's side: "mounted".  0: go on; -errno: clean up and go. */
int daemon_ready(int peer, const char *log);

#endif
