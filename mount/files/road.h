/* SPDX-License-Identifier: MIT */
/* What the two roads to a memory's files have in common (files.h): one is a table of these. */
#ifndef CINTA_ROAD_H
#define CINTA_ROAD_H

#include "mount/files/files.h"

struct store;

struct road {
	int (*stat)(struct files *f, const char *path, bool follow, struct stat *st);
	int (*link)(struct files *f, const char *path, char *target, size_t size);
	int (*list)(struct files *f, const char *path, fs_visit_name_fn *fn, void *ctx);
	int (*mkdir)(struct files *f, const char *path);
	int (*open)(struct files *f, const char *path, int flags, struct file *out);
	ssize_t (*read)(struct files *f, struct file *file, char *dst, size_t size);
	ssize_t (*write)(struct files *f, struct file *file, const char *src, size_t size);
	int (*empty)(struct files *f, struct file *file);
	int (*close)(struct files *f, struct file *file);
	/* Keeps others of this program out of a file that may be written, until release(). */
	int (*hold)(struct files *f, const char *path, struct file *held);
	void (*release)(struct file *held);
	void (*end)(struct files *f);
};

struct files {
	const struct road *road;
	bool writes;         /* for who wants to write */
	int64_t asked_us;    /* when the last operation began, by the wall clock */
	char stopped[PATH_MAX]; /* the directory that could not be made, or empty */
	int dir;             /* of a mount's root */
	/* Of the tree in this process. */
	int lock;            /* of the database, -1: not owned */
	struct store *store;
	struct fs *fs;
	struct fs_visit *visit;
};

/* road.c: as files_open(), of the road's hold(). */
int files_hold(struct files *f, const char *path, struct file *held);
/* road_mount.c: by the mount on `dir`.  0 or -errno. */
int road_mount(struct files *f, const char *dir);
/*
 * road_visit.c: by a tree of its own.  `lock`: of a database that is owned now, and belongs to `f`
 * from here on; -1: for reading alone, beside an owner.  0 or -errno with `why`.
 */
int road_visit(struct files *f, const char *database, const struct options *o, int lock,
               struct why *why);

#endif
