/* SPDX-License-Identifier: MIT */
/* Whether a mount answers.  Called before anything else touches one that may be dead. */
#ifndef CINTA_PROBE_H
#define CINTA_PROBE_H

/*
 * 0 if `dir` is a FUSE mount that answers within so many milliseconds; -ETIMEDOUT; -ENODEV: it is
 * none; -ENOTCONN or -ECONNABORTED: a dead one; -errno.  Another process asks, so ours never hangs.
 */
enum { PROBE_MS = 10000 };
int mount_probe(const char *dir, int ms);

#endif
