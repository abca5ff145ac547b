/* SPDX-License-Identifier: MIT */
/*
 * Rows of files that were removed, which the side database would not give up (its disk is full):
 * they would be files again at the next start.  Only scratch.c calls this, fs->docs held.
 */
#ifndef CINTA_SCRATCH_DROPS_H
#define CINTA_SCRATCH_DROPS_H

#include <stddef.h>
#include <stdint.h>

struct store;

struct scratch_drops { /* {0} is none */
	int64_t *ids;
	size_t count, room;
};

/* Takes a row away: now, or when drops_again() can; never, if memory is lacking as well. */
void drops_row(struct scratch_drops *d, struct store *s, int64_t id);
/* Tries the rows that are left, up to the first that cannot be taken away. */
void drops_again(struct scratch_drops *d, struct store *s);
void drops_release(struct scratch_drops *d);

#endif
