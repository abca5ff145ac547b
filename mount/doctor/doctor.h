/* SPDX-License-Identifier: MIT */
/*
 * The findings of `cinta doctor`: one line each, `ok|warn|fail what — what to do`.
 */
#ifndef CINTA_DOCTOR_H
#define CINTA_DOCTOR_H

#include <stdbool.h>

#include "mount/memory/memory.h"
#include "mount/words/words.h"

struct doctor {
	bool failed; /* any finding was a fail */
	const char *asked; /* the directory or database that was named; NULL: none */
};

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_FAIL };

/*
 * check_say.c: `todo` is "" when there is nothing to do; else a command, or an act, never another
 * look.
 */
void check_say(struct doctor *d, enum level level, const char *todo, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The machine: /dev/fuse, fusermount3, fuse.conf, dead mounts. */
void check_fuse(struct doctor *d);
void check_mounts(struct doctor *d);
/* check_trouble.c: how bad a trouble is that status tells, and what to do; `act` takes a line. */
enum level check_remedy(const char *trouble, const char *path, const char *key, char *act,
                        size_t size);
/* One database: file, lock, space, tape, key, sidecar.  `key_dir` NULL: default. */
void check_database(struct doctor *d, const char *path, const char *key_dir);
/* The verb itself. */
verb_fn cmd_doctor;

#endif
