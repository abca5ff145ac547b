/* SPDX-License-Identifier: MIT */
/*
 * Scratch files by number, by name, and by directory.  Three tables of one size, hashed, with the
 * chains in the files themselves: without memory for a larger table they grow longer.  A
 * directory's files stand in one chain in the order of their numbers, perhaps with those of another
 * directory between them.  Only scratch.c calls this, fs->docs held.
 */
#ifndef CINTA_SCRATCH_INDEX_H
#define CINTA_SCRATCH_INDEX_H

#include "fs/scratch/scratch.h"

struct index_chain {
	struct scratch *first, *last;
};

struct scratch_index {
	size_t size, count; /* size is a power of two, or 0: no table yet */
	struct scratch **by_id;
	struct scratch **by_name;
	struct index_chain *by_dir;
};

void index_release(struct scratch_index *x);
/* A new file, which has no name yet for the index; false: no memory for the first table. */
bool index_add(struct scratch_index *x, struct scratch *s);
/* It has given up its name, and is to be freed. */
void index_remove(struct scratch_index *x, struct scratch *s);
/* `dir` and `name` are set: it can be found by them; and, before they change, no longer. */
void index_name(struct scratch_index *x, struct scratch *s);
void index_unname(struct scratch_index *x, struct scratch *s);

struct scratch *index_by_id(const struct scratch_index *x, int64_t id);
struct scratch *index_by_name(const struct scratch_index *x, uint64_t dir, const char *name);
/* The first of a directory with an id above `after`. */
struct scratch *index_next(const struct scratch_index *x, uint64_t dir, int64_t after);

#endif
