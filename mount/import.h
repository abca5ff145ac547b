/* SPDX-License-Identifier: MIT */
/* What cmd_import.c and the walk over its sources share. */
#ifndef CINTA_MOUNT_IMPORT_H
#define CINTA_MOUNT_IMPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "mount/options.h"
#include "mount/verbs.h"

struct fs_import;

struct import_run {
	struct fs_import *import;
	bool progress;    /* somebody watches */
	int64_t files, failed;
	int error;        /* nothing more can be written: the rest is not tried */
	/* The source that is walked. */
	char root[PATH_MAX]; /* a directory, "" : a file was named */
	char folder[NAME_MAX + 1]; /* of its notes */
	bool named;       /* this very file was named: if it is nothing known, that is a failure */
	char shown[PATH_MAX * 2]; /* the file, in an archive, too */
};

/* One SOURCE: a file, an archive, a directory, `-`.  What fails is told and counted. */
void import_source(struct import_run *r, const char *source);
/* Whether this is a database. */
bool import_is_memory(const char *path);
/* import_exact.c: a whole memory into a new file; an exit status. */
int import_exact(const char *from, const char *to, const struct options *o);

#endif
