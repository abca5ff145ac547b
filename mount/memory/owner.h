/* SPDX-License-Identifier: MIT */
/*
 * One process owns a database: it holds flock(2) on DATABASE.lock, whose text
 * is its pid and the path of its control socket, a line each.  The file stays
 * when the owner goes (removing it would race with the next one); only the lock
 * means anything.
 */
#ifndef CINTA_OWNER_H
#define CINTA_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

struct owner {
	pid_t pid; /* 0: not told */
	char socket[sizeof((struct sockaddr_un *)0)->sun_path];
};

/* 0 with the locked descriptor, which the caller closes; -EWOULDBLOCK: owned; -errno. */
int owner_take(const char *database, int *fd);
/* Writes who we are into a lock we hold.  0 or -errno; -ENOSPC: the lock counts all the same. */
int owner_announce(int fd, const char *socket);
/* True if the database is owned now; `who`, which may be NULL: by whom. */
bool owner_peek(const char *database, struct owner *who);

/*
 * OWNER_DEAD: that process was killed, has been sent a signal that ends it, or dumps core, and a
 * thread of it may be stuck in the kernel (docs/design.md), so that the lock does not come free by
 * itself; or it will in a moment.
 */
enum owner_state { OWNER_NONE, OWNER_LIVE, OWNER_DEAD };
enum owner_state owner_state(const char *database, struct owner *who);

#endif
