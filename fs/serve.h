/* SPDX-License-Identifier: MIT */
/* A mount's life: mounting, its workers, stopping. */
#ifndef CINTA_SERVE_H
#define CINTA_SERVE_H

#include <stdbool.h>

struct fs;
struct fs_mount;

/* Cuts the connection to the kernel: all its requests fail with ENOTCONN.  Any thread. */
void mount_abort(struct fs_mount *m);

/* Is it not served any more? */
bool mount_is_over(const struct fs_mount *m);

/*
 * The calling thread is about to wait for something outside: meanwhile the spares of each
 * mount serve.  And: it is back.  fs->lock is not held.
 */
void workers_lend(struct fs *fs);
void workers_return(struct fs *fs);

#endif
