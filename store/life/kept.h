/* SPDX-License-Identifier: MIT */
/*
 * What is kept in memory of each memory, so that who asks for all of them need not read them: who
 * stands for whom (lives.c), and what a score is made of (store/memories/ranking.c).
 *
 * It follows the tape: entries since the last time say which documents are to be read again.  All
 * are read when the history is another one, when anything was redacted, and at the first time.
 *
 *   1. `of` is what the views have of entries below `upto`, by id; `kin` has the same order, with
 *      heirs followed.
 *   2. Who names an heir is read again when any name of a memory came or went.
 *   3. `version` is another one after each change of a row.
 */
#ifndef CINTA_KEPT_H
#define CINTA_KEPT_H

#include "store/internal.h"
#include "store/memories.h"

struct kin;

struct kept_memory {
	int64_t id, made_us, expires_us, newest;
	double importance;
	uint64_t place;         /* hash of its path */
	short type;             /* enum memory_type; MEMORY_TYPES: none of these */
	enum life said : 8;     /* by its own status, whatever the time */
	bool names_heir;        /* it says who supersedes it */
};

struct kept_list {
	struct kept_memory *items;
	struct kin *kin;
	size_t count;
	uint64_t version;
};

int kept_new(struct store *s);
void kept_free(struct store *s);
/*
 * The list as a reader's transaction (views_snapshot()) has it; valid until kept_give(), whose lock
 * is taken if this returns 0.
 */
int kept_take(struct store *s, struct reader *r, const struct kept_list **out);
void kept_give(struct store *s);

/* Its own life at a time, whoever stands for it. */
enum life kept_life(const struct kept_memory *m, int64_t now_us);
/* "preference", "decision", …; MEMORY_TYPES: none of these. */
enum memory_type memory_type_of(const char *name);

#endif
