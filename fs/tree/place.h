/* SPDX-License-Identifier: MIT */
/*
 * Places: the directories in which documents and scratch files may stand.  A
 * place is known by its inode and, to the store, by its key:
 *
 *   smma   blocks/rules   memories/fact   components/ply   notes   algorithms
 *   session:17   (sessions/NAME)      #12   (folder 12, below notes or algorithms)
 *
 * The table's `place.key` is the key, or what it begins with: behind a `/` stands one of the
 * parent's names, behind a `:` or `#` the id.
 */
#ifndef CINTA_PLACE_H
#define CINTA_PLACE_H

#include "fs/base/base.h"
#include "render/render.h"
#include "store/store.h"

struct fs;

struct place {
	enum family family;
	char key[DOC_KEY_MAX + 1];  /* "" where no document can be */
	char dir[NAME_LIMIT + 1];   /* its last part, as struct document wants it */
	bool folders;               /* mkdir makes a folder that is memory */
	bool files;                 /* documents may stand here */
	bool lines;                 /* its files are logs: beside them stand temporary files alone */
	bool summaries;             /* a session's: what is saved here is no document */
	bool (*is_memory)(const char *name); /* the table's, or NULL */
};

/* -ENOENT: not a place (then neither documents nor scratch), or a folder that is not there. */
int place_of(struct fs *fs, uint64_t dir, struct place *out);
/*
 * The name that a document has in the store if it is asked for as `name`: that, but for
 * answers, whose name is their question's key.  -EINVAL: nothing is left of it.
 */
int place_name(const struct place *p, const char *name, char key[NAME_LIMIT + 1]);
/* The document of that name in a place; -ENOENT, or as place_name(). */
int place_doc(struct fs *fs, const struct place *p, const char *name, struct doc *out);
/* The document, or folder, that had this name last and was retired in favour of nobody. */
int place_retired(struct fs *fs, const struct place *p, const char *name, bool folder,
                  struct doc *out);
/* True if `name` is a memory's there: a file of that name is, or becomes, a document. */
bool place_is_memory(const struct place *p, const char *name);
/* True if a file of that name becomes a document there once it has rested. */
bool place_rests(const struct place *p, const char *name);
/*
 * True if the name is DOC@N, DOC@TIME, DOC@log, or a memory's DOC@score, of what is, or could
 * become, a document there: nothing else may ever have it.
 */
bool place_is_past(const struct place *p, const char *name);
/* True if only the owner may write there (identity, system tables). */
bool place_is_guarded(const struct place *p, const char *name);
/* True if this user may write it through a mount; else `why` says who may. */
bool place_lets(const struct place *p, const char *name, const struct fs *fs, uid_t uid,
                struct why *why);
/* The directory of a key; 0: unknown. */
uint64_t place_ino(struct fs *fs, const char *key);
/* When the names of a place changed last; 0: never, or no place. */
int place_changed(struct fs *fs, uint64_t dir, int64_t *time_us);

/* What to do instead where a file has no place: which names have one there (naming.c). */
const char *naming_place(const struct place *p);

#endif
