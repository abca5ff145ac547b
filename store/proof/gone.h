/* SPDX-License-Identifier: MIT */
/*
 * Which bodies of a tape are gone, and whether its owner signed that: asked by the signer
 * before each note; what was proved once is remembered.
 */
#ifndef CINTA_GONE_H
#define CINTA_GONE_H

#include <sqlite3.h>
#include <stddef.h>

#include "store/proof/note.h"

/* All zeros to begin with; belongs to who holds the connection. */
struct gone {
	int64_t *proved; /* sorted */
	size_t count, cap;
};

/* *seq: the first entry whose body is gone and not proved away, -1: none.  0 or a STORE_ code. */
int gone_check(struct gone *g, sqlite3 *db, const struct note_key *key, int64_t *seq);
void gone_release(struct gone *g);

#endif
