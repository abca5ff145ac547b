/* SPDX-License-Identifier: MIT */
/* Scratch files under names that none may have: what an earlier daemon let in. */
#include "fs/internal.h"
#include "fs/scratch/scratch.h"

/* An old version's name, which an earlier daemon let a file have: its bytes go to rejected/. */
static bool is_forged(struct fs *fs, const struct scratch *s)
{
	struct place p;
	return s->name[0] && place_of(fs, s->dir, &p) == 0 && place_is_past(&p, s->name);
}

static void reject(struct fs *fs, struct scratch *s)
{
	char path[PATH_LIMIT + 1], kept[NAME_LIMIT + 1];
	tree_path(fs, s->dir, s->name, path, sizeof path);
	struct refusal r = { .time_us = now_us(), .code = "EPERM", .op = "load", .path = path,
		.author = "cinta", .reason = "a file that is no memory had the name of an old version",
		.todo = "trust NAME@log and cinta verify DB; what the file held is in rejected/",
		.kept = "" };
	if (told_refuse(fs, &r, s->name, s->bytes.data ? s->bytes.data : "", s->bytes.len,
	                 kept) == 0)
		scratch_unlink(fs, s); /* else it stays, and is found under no name */
}

void scratch_reject_forged(struct fs *fs)
{
	for (struct scratch *s = scratch_first(fs), *next; s; s = next) {
		next = s->next;
		if (is_forged(fs, s))
			reject(fs, s);
	}
}
