/* SPDX-License-Identifier: MIT */
/*
 * What the verbs without a mount share: the [DB] operand, `-o key_dir=`, and a
 * tape opened for reading or appending.
 */
#ifndef CINTA_DATABASE_H
#define CINTA_DATABASE_H

#include <limits.h>

#include "mount/words/words.h"

struct store;

/* A directory that is a memory stands for its database. */
bool database_mounted(const char *given, char path[PATH_MAX]);
/* store_replica() with words: EXIT_FINE, or EXIT_FAULT after complaining. */
int database_replica(const char *url, char path[PATH_MAX]);
/* True if PATH.server says that it is one (store/remote.h). */
bool database_is_replica(const char *path);
/*
 * All that is on the server is in this machine's replica of it; EXIT_FINE, or EXIT_FAULT after
 * complaining.
 */
int database_bring_up(const char *url, const struct options *o, char path[PATH_MAX]);
/*
 * The database a person named, by its file, by a directory it is mounted on, or by the server it is
 * on, of which it is this machine's replica; NULL: the default one.  It must be a tape.  EXIT_FINE,
 * or EXIT_FAULT after complaining.
 */
int database_named(const char *given, char path[PATH_MAX]);
/* The same for `named` (of -d), or else for the one operand that argv[optind] may be. */
int database_operand(const char *verb, const char *named, int argc, char **argv,
                     char path[PATH_MAX]);
/*
 * Whether PATH may become a new database; false after saying what of another memory is beside it:
 * all that is left of a lost one, perhaps.
 */
bool database_is_alone(const char *path);
/* One -o of a verb; EXIT_FINE, or EXIT_USAGE after complaining. */
int database_options(const char *verb, unsigned where, struct options *o, const char *words);
/* All -o and -d of a verb that has no other; argv[0] is its name.  EXIT_FINE or EXIT_USAGE. */
int database_words(int argc, char **argv, unsigned where, struct options *o);
/* owner_take() with words: EXIT_FINE and the lock, which the caller closes; or EXIT_FAULT. */
int database_lock(const char *database, int *lock);
/* Opens for reading; NULL after complaining. */
struct store *database_read(const char *path, const char *key_dir);
/* Opens for appending, beside the daemon that may own it; NULL after complaining. */
struct store *database_append(const char *path, const char *key_dir);
/* As database_append(); whoever may not write can still read what the views know. */
struct store *database_look(const char *path, const char *key_dir);
/* Who appends by a verb: `owner` of -o or the user's name, then ":cinta". */
void database_author(const struct options *o, char author[FIELD_MAX + 1]);
/* As the owner of the database, whose lock the caller holds. */
struct store *database_own(const char *path, const char *key_dir);

/*
 * Takes back what the caller has just made and still holds the lock of: the memory, if nothing was
 * written to it, its key, its lock.
 */
void database_unmake(const char *path, const char *key_dir);

#endif
