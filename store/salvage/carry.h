/* SPDX-License-Identifier: MIT */
/*
 * A tape as lines, to be carried elsewhere: those of tape.jsonl and a last one, the seal, by which
 * one sees whether a line is missing or was changed (docs/format.md §8).  Part of the store's door.
 */
#ifndef CINTA_CARRY_H
#define CINTA_CARRY_H

#include "store/entry.h"

struct store_carrier;

struct store_carried {
	int64_t entries;
	int64_t signed_upto; /* as the note with them claims, 0: there is none */
	bool sealed;
	char origin[FIELD_MAX + 1]; /* as lines that were taken in say; else "" */
	uint8_t root[HASH_SIZE];
};
/* A line with its newline; not 0 ends it with STORE_EIO. */
typedef int store_carry_fn(void *ctx, const char *line, size_t len);
/* All rows of the database at `path` as they are in one read, then the seal; a STORE_ code. */
int store_carry_out(const char *path, store_carry_fn *fn, void *ctx, struct store_carried *out);
/*
 * Lines taken in, each checked by its hashes.  `to`: the new file that they become, which only
 * store_carry_end() leaves there; NULL: they are checked and no more.  STORE_EEXIST with `why`.
 */
int store_carry_new(const char *to, struct store_carrier **out, struct why *why);
/* Without newline.  STORE_EFORMAT with `why`. */
int store_carry_line(struct store_carrier *c, const char *line, size_t len, struct why *why);
/*
 * No more lines.  STORE_EFORMAT with `why`: there is no entry, or no seal where a file was to be
 * made.  The file is on the disk then, its views to be made yet.
 */
int store_carry_end(struct store_carrier *c, struct store_carried *out, struct why *why);
/* After an error the file is taken away. */
void store_carry_free(struct store_carrier *c);

#endif
