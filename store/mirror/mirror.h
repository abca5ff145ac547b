/* SPDX-License-Identifier: MIT */
/*
 * The door of store/mirror: a memory on a server as tables there, for who asks by SQL.  One machine
 * of all fills them, from its own views, so that there is one way to make them.
 */
#ifndef CINTA_MIRROR_H
#define CINTA_MIRROR_H

#include "store/internal.h"

enum { MIRROR_TABLES = 5 };

/* Parts of a table that were sent, each by a hash of its rows, sorted; none: not known. */
struct mirror_parts {
	uint8_t (*hashes)[HASH_SIZE];
	size_t count, room;
	bool told; /* that its view fails */
};

/* What maintenance keeps between ticks; zeros to begin with. */
struct mirror {
	int64_t next_us;  /* since boot: not before */
	int64_t upto;     /* entries in the tables, as this machine filled them; 0: not asked yet */
	int64_t known;    /* the number of their last change by others */
	int64_t seen;     /* entries in the views, when they began to be read */
	int64_t bytes;    /* that may go at once, by how long the last took; 0: all that ever may */
	int failed;       /* fillings in a row */
	bool ours;
	bool told;        /* that they cannot be filled */
	struct mirror_parts sent[MIRROR_TABLES];
	int64_t sent_seen; /* entries the views had seen when all of those were sent; 0: they are not */
	int64_t sent_us;   /* and when that was */
};
/* A tick of maintenance, no lock held: of messages a second's work at most. */
void mirror_tick(struct store *s, struct mirror *m);
/* What was sent is not known any more; before *m goes, too. */
void mirror_forget(struct mirror *m);

#endif
