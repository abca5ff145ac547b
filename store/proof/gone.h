/* SPDX-License-Identifier: MIT */
/*
 * Which bodies of a tape are gone, and whether its owner signed that: asked by the signer
 * before each note; what was proved once is remembered.  And how they go.
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
/* In a transaction, the guard resting: salts and bodies go. */
int gone_take(sqlite3 *db, const int64_t *seqs, size_t count);
/* The same of bodies that are there though a redaction proves that they went: *count of them. */
int gone_take_again(sqlite3 *db, const struct note_key *key, size_t *count);
void gone_release(struct gone *g);

#endif
