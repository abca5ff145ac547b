/* SPDX-License-Identifier: MIT */
/*
 * A memory's short life, to be disturbed: it is opened, written to, a document is
 * saved by turns, it is looked at, synced, signed and closed, and remembers what
 * was acknowledged.  Afterwards that, and nothing but that, must be there.
 */
#ifndef CINTA_FAULT_LIFE_H
#define CINTA_FAULT_LIFE_H

#include <stdbool.h>

#include "store/store.h"

struct fault_life {
	char dir[64], path[128], keys[128], vkey[512];
	char model[128];         /* the same memory before anything was done to it */
	int opened;              /* what store_open answered */
	int acked, refused;      /* appends */
	char lines[64][24];      /* contents acknowledged, in order */
	int saved;               /* versions of the document acknowledged */
	int saves_refused;
};

void life_begin(struct fault_life *l); /* makes a directory with a memory of a few lines */
void life_end(struct fault_life *l);
/* The memory as it was at the beginning. */
void life_again(struct fault_life *l);
/* Opens, appends, reads, signs, closes; whatever fails on the way is no fault of the test. */
void life_run(struct fault_life *l);
/* Nothing disturbs any more: all acknowledged, nothing else, proved, and it goes on. */
void life_check(struct fault_life *l);

#endif
