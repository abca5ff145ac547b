/* SPDX-License-Identifier: MIT */
/* Sets of hashes, half empty at least: a conversation a line would else be looked for among all. */
#include <stdlib.h>
#include <string.h>

#include "fs/import/import.h"

enum { ROOM_FIRST = 64 };

static uint64_t *slot_of(uint64_t *slot, size_t room, uint64_t hash)
{
	size_t at = (size_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);
	while (slot[at] && slot[at] != hash)
		at = (at + 1) & (room - 1);
	return &slot[at];
}

static bool grow(struct import_seen *s)
{
	size_t room = s->room ? 2 * s->room : ROOM_FIRST;
	uint64_t *slot = calloc(room, sizeof *slot);
	if (!slot)
		return false;
	for (size_t i = 0; i < s->room; i++)
		if (s->slot[i])
			*slot_of(slot, room, s->slot[i]) = s->slot[i];
	free(s->slot);
	s->slot = slot;
	s->room = room;
	return true;
}

int seen_add(struct import_seen *s, uint64_t hash)
{
	hash = hash ? hash : 1; /* 0: an empty slot */
	if (2 * (s->count + 1) > s->room && !grow(s))
		return -1;
	uint64_t *slot = slot_of(s->slot, s->room, hash);
	if (*slot)
		return 0;
	*slot = hash;
	s->count++;
	return 1;
}

void seen_clear(struct import_seen *s)
{
	if (s->count > 0)
		memset(s->slot, 0, s->room * sizeof *s->slot);
	s->count = 0;
}

void seen_release(struct import_seen *s)
{
	free(s->slot);
	*s = (struct import_seen){ .slot = NULL };
}
