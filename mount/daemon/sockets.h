/* SPDX-License-Identifier: MIT */
/*
 * Names of control sockets: DIRECTORY/HASH.sock, HASH of the database's path; with -PID behind
 * HASH while a daemon lives whose database was deleted or moved away.  DIRECTORY is
 * $XDG_RUNTIME_DIR/cinta or /tmp/cinta-UID.
 */
#ifndef CINTA_SOCKETS_H
#define CINTA_SOCKETS_H

#include <sys/types.h>
#include <sys/un.h>

#include "store/entry.h"

/*
 * Chooses the name of a new socket for the owner of the database, and makes its directory, which
 * must be ours alone.  What a dead daemon left at that name is gone.  0 or -errno with `why`.
 */
int socket_choose(const char *database, struct sockaddr_un *a, struct why *why);
/* Calls `fn` for each socket that a daemon of this user may have made for it, until nonzero. */
typedef int socket_fn(void *ctx, const char *path);
int sockets_each(const char *database, uid_t uid, socket_fn *fn, void *ctx);
/* A connection to it, or -errno. */
int socket_connect(const char *path);

#endif
