/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/import: what other programs keep, taken in.  Also what cmd_import.c and the
 * walk over its sources share.
 */
#ifndef CINTA_MOUNT_IMPORT_H
#define CINTA_MOUNT_IMPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "mount/import/follow.h"
#include "mount/words/words.h"

struct fs_import;

struct import_run {
	struct fs_import *import;
	bool progress;    /* somebody watches */
	bool plain;       /* nobody does: only plain files are read, which have an end */
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
/*
 * Whether `source` can be read at all: false with `why` if it is not there (with `waits` that may
 * come), a database of no known program (with `memories` a memory's may be), or a device, socket or
 * FIFO, for which nobody waits; an open descriptor, as /dev/fd/63 of a shell, is none.  Reads
 * nothing but the first bytes.
 */
bool import_source_there(const char *source, bool waits, bool memories, struct why *why);
/* For follow(): notes are named by the directory that was given. */
follow_takes_fn import_takes;
/* Whether this is a database. */
bool import_is_memory(const char *path);
/* ---- import_run.c: what is shared by the walks over a directory and an archive ---- */
/* Whether the name has one of these endings, in any case, and more. */
bool import_ends(const char *name, const char *const *endings);
bool import_is_text(const char *name);
bool import_is_talk(const char *name);
/* What stands behind the last slash, in `path` itself. */
const char *import_last_part(const char *path);
/* Begins a file of conversations called r->shown; 0 or -errno. */
int import_file_begin(struct import_run *r, const char *name);
/* A file failed; what cannot be written ends all. */
void import_told(struct import_run *r, int err, const struct why *why);
void import_tell_progress(struct import_run *r);

/* import_archive.c: the files in an archive. */
enum { IMPORT_NOTE_MOST = 1 << 20 }; /* bytes */
void import_archive(struct import_run *r, const char *path);

/* import_exact.c: a whole memory into a new file; an exit status. */
int import_exact(const char *from, const char *to, const struct options *o);
/*
 * As the verb with one SOURCE, into a database as mount/memory/paths.h makes it; what fails is
 * told, and no more.  Mounted or not.  `directory`: where it was held, if it does not say; or
 * NULL.  An exit status.
 */
int import_quietly(const char *database, const struct options *o, const char *directory,
                   char *source);
/* The verb itself. */
verb_fn cmd_import;

#endif
