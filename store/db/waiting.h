/* SPDX-License-Identifier: MIT */
/*
 * Refusals that DB.side could not take, as on a full disk: kept in memory until it can, so that
 * errors.log tells of them at once.  Private to side.c, under its lock.
 */
#ifndef CINTA_WAITING_H
#define CINTA_WAITING_H

#include "store/entry.h"

enum {
	WAITING_MOST = 100,         /* lines; the oldest go first */
	WAITING_BYTES = 8 << 20     /* offered, of all; one that has no room is not kept, its line is */
};

struct waiting_one {
	struct waiting_one *next;
	struct refusal refusal;     /* as the others: they stand behind, in one piece */
	const char *name;
	const char *offered;        /* NULL: nothing was, or there was no room */
	size_t len;
	int64_t entries;            /* how long the tape was */
};

struct waiting {
	struct waiting_one *first, *last;
	size_t count, bytes;
};

/* Copies all of it; without memory it is lost, as it would have been. */
void waiting_add(struct waiting *w, const struct refusal *r, const char *name, const char *offered,
                 size_t len, int64_t entries);
/* Forgets the first one: it was written, or is not to be. */
void waiting_shift(struct waiting *w);

#endif
