/* SPDX-License-Identifier: MIT */
/*
 * The door of life: which of the things that a search finds are retired, and who stands for them.
 * The rule itself is policy_life().
 */
#ifndef CINTA_LIFE_H
#define CINTA_LIFE_H

#include "store/internal.h"
#include "store/life/kept.h"
#include "store/search.h"

/* A memory and the one that it says supersedes it. */
struct kin {
	int64_t id, link; /* link 0: none */
	int64_t saved_us;
	size_t heir;      /* who stands for it, an index: itself at the end of a chain */
};
#define NO_KIN SIZE_MAX

/* Rows are sorted by id.  Sets every `heir`; links to rows that are not there end a chain. */
void kin_follow(struct kin *of, size_t count);
/* Its index; NO_KIN: not there. */
size_t kin_find(const struct kin *of, size_t count, int64_t id);

/* One thing that was found. */
struct life_of {
	enum hit_kind kind;
	int64_t id;       /* a document's or fact's */
	enum life life;   /* out, of a document that is gone: deleted.  A message is live. */
	int64_t heir;     /* out: the live memory that stands for it, 0: itself or none */
	int64_t heir_seq; /* out: the entry of its newest version */
};
/* Of all of them at one moment.  Borrows a reader; a STORE_ code. */
int store_lives(struct store *s, struct life_of *of, size_t n, int64_t now_us);

#endif
