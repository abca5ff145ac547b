/* SPDX-License-Identifier: MIT */
/* Making and removing the memory that wire tests run on; see world.h. */
#include "tests/wire/world.h"
#include "tests/place.h"

#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t ahead_us;

static int64_t world_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 + ahead_us;
}

void world_ahead(int64_t days)
{
	ahead_us = days * INT64_C(86400000000);
}

void world_ahead_minutes(int64_t minutes)
{
	ahead_us = minutes * INT64_C(60000000);
}

static void fill_paths(struct world *w)
{
	MUST(place_make(w->dir, sizeof w->dir));
	(void)snprintf(w->path, sizeof w->path, "%s/memory.db", w->dir);
	(void)snprintf(w->keys, sizeof w->keys, "%s/keys", w->dir);
}

struct world *world_with(unsigned flags, const struct fs_options *o)
{
	struct world *w = calloc(1, sizeof *w);
	struct why why = { 0 };
	MUST(w != NULL);
	world_ahead(0);
	fill_paths(w);
	struct store_config config = { .flags = STORE_CREATE | flags, .key_dir = w->keys,
		.text_size = fs_text_size, .clock = world_clock };
	if (store_open(w->path, &config, &w->store, &why) != 0)
		(void)fprintf(stderr, "%s\n", why.text);
	MUST(w->store != NULL);
	MUST(fs_new(w->store, o, &w->fs) == 0);
	wire_mount(&w->a, w->fs, false);
	wire_mount(&w->b, w->fs, false);
	uint64_t sessions = wire_path(&w->a, "sessions");
	MUST(wire_mkdir(&w->a, sessions, "uno", NULL) == 0);
	w->uno = wire_path(&w->a, "sessions/uno");
	w->log = wire_path(&w->a, "sessions/uno/log.jsonl");
	MUST(w->uno && w->log);
	return w;
}

struct world *world_new(unsigned flags)
{
	const struct fs_options o = { .owner = "ana" };
	return world_with(flags, &o);
}

void world_free(struct world *w)
{
	char command[256];
	wire_unmount(&w->a);
	wire_unmount(&w->b);
	fs_free(w->fs);
	store_close(w->store);
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", w->dir);
	MUST(system(command) == 0);
	free(w);
}

int world_open(void **state)
{
	*state = world_new(0);
	return 0;
}

int world_close(void **state)
{
	world_free(*state);
	return 0;
}

int64_t world_entries(struct world *w)
{
	struct status s;
	store_status(w->store, &s);
	return s.entries;
}
