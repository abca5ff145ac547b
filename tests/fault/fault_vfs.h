/* SPDX-License-Identifier: MIT */
/*
 * A disk that fails when told: a SQLite VFS between the library and the real
 * one.  For the tests of this directory; process-wide, one thread arms it.
 */
#ifndef CINTA_FAULT_VFS_H
#define CINTA_FAULT_VFS_H

#include <stdbool.h>
#include <stdint.h>

enum fault_op {
	FAULT_WRITE = 1,   /* nothing is written */
	FAULT_TORN = 2,    /* half of it is written, then it fails */
	FAULT_SYNC = 4,
	FAULT_TRUNCATE = 8
};

/* Becomes the default VFS. */
void fault_vfs_install(void);
/*
 * The Nth (from 1) operation of the kinds in `ops` answers `rc`; if `stays`, all
 * after it too.  N 0: none fails.
 */
void fault_arm(unsigned ops, int64_t n, int rc, bool stays);
/*
 * What the power's going would leave of the file whose name ends so (a WAL), of one process's
 * connections: what was written is lost until a sync that works, and what a sync that failed did
 * not take is lost for good, though reading shows it, as Linux does it.  NULL: watch none.
 */
void fault_watch(const char *ending);
/* Writes that into a file of this name; false if it cannot. */
bool fault_cut(const char *path);
/* True if it has failed since it was armed. */
bool fault_struck(void);

#endif
