/* SPDX-License-Identifier: MIT */
/* A fresh memory in a directory of its own, with a session `uno`: what each wire test starts from. */
#ifndef CINTA_WIRE_WORLD_H
#define CINTA_WIRE_WORLD_H

#include "tests/wire/kernel.h"

struct world {
	char dir[128], path[192], keys[192];
	struct store *store;
	struct fs *fs;
	struct wire a, b; /* two mounts, both read-write */
	uint64_t uno;     /* inode of sessions/uno, looked up by `a` */
	uint64_t log;     /* of sessions/uno/log.jsonl, by `a` */
};

/* cmocka's setup and teardown; *state is the world. */
int world_open(void **state);
int world_close(void **state);
/* `flags` as in store_config, beside STORE_CREATE. */
struct world *world_new(unsigned flags);
/* The same with other options of its fs. */
struct world *world_with(unsigned flags, const struct fs_options *o);
void world_free(struct world *w);
/* From now on its clock is so many days ahead (the memory is new: in steps, never back). */
void world_ahead(int64_t days);
void world_ahead_minutes(int64_t minutes);
/* Rows on the tape. */
int64_t world_entries(struct world *w);

/* A small generator: the same numbers in every run. */
static inline uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

#endif
