/* SPDX-License-Identifier: MIT */
/* Files beside the database: for their owner alone, from the moment they are made. */
#ifndef CINTA_STORE_PRIVATE_H
#define CINTA_STORE_PRIVATE_H

/*
 * Makes the file empty with mode 0600, whatever the umask; one that is there keeps its bytes and
 * loses what its group and others could do, if it is ours.  Its -wal and -shm, which SQLite makes
 * with its mode, lose the same.  0; STORE_EROFS, STORE_ENOSPC; STORE_EFORMAT when something else
 * than a file stands there (a FIFO would be waited for).
 */
int private_create(const char *path);

#endif
