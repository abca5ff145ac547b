/* SPDX-License-Identifier: MIT */
/*
 * The door of store/mirror: a memory on a server as tables there, for who asks by SQL.  One machine
 * of all fills them, from its own views, so that there is one way to make them.
 */
#ifndef CINTA_MIRROR_H
#define CINTA_MIRROR_H

#include "store/internal.h"

enum { MIRROR_WHOLES = 5 };

/* What maintenance keeps between ticks; zeros to begin with. */
struct mirror {
	int64_t next_us;  /* since boot: not before */
	int64_t upto;     /* entries in the tables, as this machine filled them; 0: not asked yet */
	int64_t known;    /* the number of their last change by others */
	int64_t seen;     /* entries in the views, when they began to be read */
	bool ours;
	bool told;        /* that they cannot be filled */
	uint8_t sent[MIRROR_WHOLES][HASH_SIZE]; /* of a table sent whole; zeros: not known */
};
/* A tick of maintenance, no lock held: a second's work at most, if there is any. */
void mirror_tick(struct store *s, struct mirror *m);

#endif
