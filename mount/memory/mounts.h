/* SPDX-License-Identifier: MIT */
/*
 * What is mounted, as /proc/self/mountinfo tells it; only mounts of our type
 * are reported.  Reading it never touches a mount, so a dead one cannot hang us.
 */
#ifndef CINTA_MOUNTS_H
#define CINTA_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define MOUNT_TYPE "fuse.cinta"

struct mount_entry {
	char dir[PATH_MAX];    /* where it is mounted */
	char source[PATH_MAX]; /* the database */
	uid_t uid;             /* who mounted it */
	unsigned device;       /* its minor number, for fs_abort() */
	bool read_only;
};

/* Calls `fn` for each of our mounts, oldest first, until it returns nonzero. */
typedef int mounts_fn(void *ctx, const struct mount_entry *e);
int mounts_each(mounts_fn *fn, void *ctx);
/* The same for the mount namespace of another process. */
int mounts_of_process(pid_t pid, mounts_fn *fn, void *ctx);

/* The topmost mount at exactly `dir`; `out` may be NULL. */
bool mounts_at(const char *dir, struct mount_entry *out);
/* A mount that `path` lies in. */
bool mounts_around(const char *path, struct mount_entry *out);
/* `dir` is `path` or one of the directories above it; both are absolute. */
bool path_contains(const char *dir, const char *path);
/* How many mounts of a database there are. */
int mounts_of(const char *source);

#endif
