/* SPDX-License-Identifier: MIT */
/*
 * The kernel's end of a mount: its device, and the ways to cut it.
 *
 * A request that nobody answers keeps its program waiting for ever, and READs keep pages locked
 * for which notifications wait (notify.h).  So whoever stops serving cuts the connection, or
 * refuses what still comes until nobody waits any more.
 *
 * An ordinary user can only cut it where the file system fusectl is mounted.  Elsewhere the mount
 * keeps a ledger, and the supervisor gets that and the device, to refuse everything if we die.
 */
#ifndef CINTA_FS_CONNECTION_H
#define CINTA_FS_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

enum { CONNECTION_MAX_WRITE = 1 << 20 }; /* bytes of one WRITE */

struct fs_mount;
struct fuse_buf;
struct fuse_in_header;

/*
 * After fuse_session_mount(): from here on the mount reads and answers through a descriptor of
 * its own, for libfuse closes the session's as soon as the name is unmounted, while threads may
 * still write to that number.  0 or -errno.
 */
int connection_take(struct fs_mount *m);
/* Makes room for a request, `mem` to be freed; 0 or -ENOMEM. */
int connection_buffer(struct fuse_buf *buf);
/*
 * Reads one request into `buf`, of connection_buffer(); waits for it.
 * Returns its bytes; 0: the connection is over, no more comes; -EINTR, -EAGAIN: none yet; -errno.
 * Without fuse_session_receive_buf(), which takes the end of a socket for an error.
 */
int connection_receive(struct fs_mount *m, struct fuse_buf *buf);
/* No read waits for a request from now on. */
void connection_hurry(struct fs_mount *m);
/* Closes it.  The last one who does so ends the connection. */
void connection_close(struct fs_mount *m);

/*
 * Answers the requests that wait to be read with ECONNABORTED.  `fd` is a device that was
 * hurried; other threads may read from it, too.  `broken` (NULL: nobody) is told the `fh` of each
 * WRITE before its program is.
 */
void connection_refuse(int fd, void (*broken)(uint64_t fh));
/* True if an answer is expected to such a request. */
bool connection_answers(const struct fuse_in_header *in);

#endif
