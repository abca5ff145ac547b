/* SPDX-License-Identifier: MIT */
/*
 * Older versions are packed: a body of kind `document` which another one of its stream follows.
 * That is most of what years of editing leave, and is read seldom.  What is packed was held against
 * its hash, and unpacked again, before it takes the text's place (docs/format.md, 3).
 */
#ifndef CINTA_DOC_PACK_H
#define CINTA_DOC_PACK_H

#include <stdbool.h>
#include <stdint.h>

struct store;

struct doc_packing { /* of the maintenance thread alone; all zeros at first */
	int64_t at;   /* entries below have been looked at */
	int64_t kept; /* as DB.side has it */
	bool known;   /* that was read */
	int wait;     /* ticks to leave out, after a failure */
};
/* Some 20 ms of it.  `rest`: nobody writes; else only when much waits.  Takes the commit lock. */
void doc_pack(struct store *s, struct doc_packing *p, bool rest);
/* Keeps how far it came. */
void doc_pack_end(struct store *s, struct doc_packing *p);

#endif
