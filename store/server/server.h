/* SPDX-License-Identifier: MIT */
/*
 * The door of store/server: a tape that lives on PostgreSQL, as an engine (store/tape/engine.h),
 * and how a memory gets there.  Nothing of it is loaded, and nothing asked, for a memory in a file.
 *
 * PATH.server beside a database says that it is a replica, and of which server.
 */
#ifndef CINTA_SERVER_H
#define CINTA_SERVER_H

#include "store/tape/tape.h"

/* The engine of a replica, not connected yet; *out NULL: no PATH.server, the file is the memory. */
int server_of(const char *path, struct engine **out, struct why *why);

/* Which server a database is the replica of, as it may be shown; "": of none. */
void server_shown(const char *path, char *dst, size_t size);

#endif
