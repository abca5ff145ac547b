/* SPDX-License-Identifier: MIT */
/*
 * The life of the process that owns a database: open it, mount it, answer
 * further mounts, and put everything away when the last mount is gone.
 */
#ifndef CINTA_SERVE_H
#define CINTA_SERVE_H

#include "fs/fs.h"
#include "mount/words/words.h"
#include "store/store.h"

struct serve {
	const char *database, *dir; /* absolute */
	const struct options *options;
	struct fs_access access;    /* of the first mount (access.h) */
	enum tokenizer tokenizer;
	int64_t model_limit;        /* as in fs_options */
	int threshold;
	const struct fs_options *embedding; /* its endpoint, and nothing else (embedding.h) */
	bool debug;
	bool made; /* there was no file of that name: taken back if the mount does not come about */
	char *const *companion; /* what runs beside it (companion.h); NULL: nothing */
	int lock; /* from owner_take; -1: a read-only place, nobody can own it */
	int peer; /* for daemon_ready; -1: stays in front */
};

/* Blocks until the end; returns an exit status.  Closes neither lock nor peer on errors. */
int serve(const struct serve *plan);

#endif
