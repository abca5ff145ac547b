/* SPDX-License-Identifier: MIT */
/*
 * A small process beside the daemon, which frees the daemon's mounts if it dies with a thread in
 * the kernel.
 *
 * A notification waits for the lock of a page, and a READ that the daemon has not answered holds
 * it.  When the daemon is killed then, that thread cannot end; it keeps the device open, so the
 * kernel does not end the connection; and nobody else can answer the READ.  Only aborting the
 * connection helps (docs/design.md), and that takes a process that is alive.
 *
 *   daemon ── a socket: mounts come and go ──► supervisor
 *     │ dies: every thread ends  ─ end of file ─► ends
 *     └ dies, but not every one  ─ signal, and no end of file ─► aborts, then ends
 *
 * Where the user may not abort (fs_shares()), the supervisor has the device and answers all
 * requests with an error until the daemon has gone; elsewhere it has none.  It has no file of the
 * memory and no thread, sleeps until one of these happens, and only SIGKILL ends it.  Without it
 * all goes on; then `cinta mount` does its work (mount/point/dead.h).
 */
#ifndef CINTA_SUPERVISOR_H
#define CINTA_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>

struct fs_mount;

struct supervisor {
	int lifeline; /* our end of the socket; -1: there is none */
	pid_t pid;    /* 0: it has gone */
};

/*
 * Starts it; by the main thread, before any other, for its death is what counts as ours.  `log`
 * is where it tells what it had to do.  0 or -errno, with a struct that may be used all the same.
 */
int supervisor_start(struct supervisor *s, const char *log);
/* A mount has come: returns when it is watched.  One at a time. */
void supervisor_mounted(struct supervisor *s, const struct fs_mount *m);
/* The mount of this number (fs_device()) has gone. */
void supervisor_unmounted(struct supervisor *s, unsigned device);
/* True, once, if it has died though nobody told it to. */
bool supervisor_has_gone(struct supervisor *s);
/* Sends it away and waits until it has gone. */
void supervisor_end(struct supervisor *s);

#endif
