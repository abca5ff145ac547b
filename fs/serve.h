/* SPDX-License-Identifier: MIT */
/* A mount's life: mounting, its workers, stopping. */
#ifndef CINTA_SERVE_H
#define CINTA_SERVE_H

struct fs_mount;

/* Cuts the connection to the kernel: all its requests fail with ENOTCONN.  Any thread. */
void mount_abort(struct fs_mount *m);

#endif
