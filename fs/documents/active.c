/* SPDX-License-Identifier: MIT */
/* Names such as server=DECK.md to numbers, and the pages. */
#include "fs/documents/active.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

void active_blocks_init(struct active_blocks *a)
{
	lock_init(&a->lock, RANK_ACTIVE_BLOCKS);
	a->items = NULL;
	a->last = 0;
}

void active_blocks_release(struct active_blocks *a)
{
	free(a->items);
	lock_destroy(&a->lock);
}

/* The oldest number that there is yet, or will be. */
static int64_t first_number(const struct active_blocks *a)
{
	return a->last > ACTIVE_MOST ? a->last - ACTIVE_MOST + 1 : 1;
}

/* The number of a pair of codes; a new one if need be. */
static int number(struct active_blocks *a, const struct active *want, int64_t *id)
{
	lock_take(&a->lock);
	const int64_t first = first_number(a);
	if (!a->items)
		a->items = calloc(ACTIVE_MOST, sizeof *a->items);
	const bool made = a->items;
	for (*id = a->last; made && *id >= first; --*id) {
		const struct active *have = &a->items[*id % ACTIVE_MOST];
		if (strcmp(have->server, want->server) == 0 && strcmp(have->agent, want->agent) == 0)
			break;
	}
	if (made && *id < first) {
		*id = ++a->last;
		a->items[*id % ACTIVE_MOST] = *want;
	}
	lock_give(&a->lock);
	return made ? 0 : -ENOMEM;
}

/* 0: of everybody.  -ESTALE: it is none, or no longer. */
static int by_number(struct active_blocks *a, int64_t id, struct active *out)
{
	*out = (struct active){ "", "" };
	lock_take(&a->lock);
	const bool found = id > 0 && id >= first_number(a) && id <= a->last;
	if (found)
		*out = a->items[id % ACTIVE_MOST];
	lock_give(&a->lock);
	return found || id == 0 ? 0 : -ESTALE;
}

/* "KEY=CODE": the code, or NULL. */
static const char *value(const char *name, const char *key)
{
	size_t len = strlen(key);
	return strncmp(name, key, len) == 0 && name[len] == '=' ? name + len + 1 : NULL;
}

int find_active(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	bool below_server = ino_kind(dir) == KIND_ACTIVE_SERVER;
	struct active want = { "", "" };
	int err = below_server ? by_number(&fs->documents->active_blocks, ino_id(dir), &want) : 0;
	const char *server = below_server ? NULL : value(name, "server"), *agent = value(name, "agent");
	const char *code = server ? server : agent;
	size_t len = code ? strlen(code) : 0;
	bool file = len > 3 && strcmp(code + len - 3, ".md") == 0;
	int64_t id;
	len -= file ? 3 : 0;
	if (err)
		return err;
	if (len == 0 || len > ACTIVE_CODE || (agent && !file))
		return -ENOENT;
	(void)snprintf(server ? want.server : want.agent, ACTIVE_CODE + 1, "%.*s", (int)len, code);
	err = number(&fs->documents->active_blocks, &want, &id);
	*ino = ino_make(file ? KIND_ACTIVE_FOR : KIND_ACTIVE_SERVER, id);
	return err;
}

static void add_block(void *ctx, const struct doc_block *b)
{
	render_block(ctx, b->category, b->code, b->name, b->content, b->len);
}

int page_active(struct fs *fs, int64_t id, struct buf *out)
{
	struct active a;
	int err = by_number(&fs->documents->active_blocks, id, &a);
	if (err)
		return err;
	return errno_of_store(store_active_blocks(fs->store, NULL, *a.server ? a.server : NULL,
	                                          *a.agent ? a.agent : NULL, add_block, out));
}

/* The newest change below blocks/, of names or of content. */
int changed_active(struct fs *fs, int64_t id, int64_t *time_us)
{
	char name[NAME_LIMIT + 1];
	int64_t cursor = 0, changed;
	uint64_t dir;
	(void)id;
	*time_us = 0;
	while (next_fixed(fs, ino_make(KIND_BLOCKS, 0), &cursor, name, &dir) == 1)
		if (place_changed(fs, dir, &changed) == 0 && changed > *time_us)
			*time_us = changed;
	return 0;
}

void active_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct active a;
	(void)by_number(&fs->documents->active_blocks, ino_id(ino), &a);
	const char *end = ino_kind(ino) == KIND_ACTIVE_FOR ? ".md" : "";
	if (*a.server && *a.agent)
		(void)snprintf(dst, size, "server=%s/agent=%s%s", a.server, a.agent, end);
	else
		(void)snprintf(dst, size, "%s=%s%s", *a.server ? "server" : "agent",
		               *a.server ? a.server : a.agent, end);
}

void active_blocks_on_saved(struct job *job, const struct saved *saved)
{
	struct fs *fs = job->fs;
	if (!saved || ino_kind(saved->dir) != KIND_BLOCK_DIR)
		return;
	lock_take(&fs->documents->active_blocks.lock);
	const int64_t first = first_number(&fs->documents->active_blocks);
	const int64_t last = fs->documents->active_blocks.last;
	lock_give(&fs->documents->active_blocks.lock);
	job_inode(job, ino_make(KIND_ACTIVE, 0));
	for (int64_t i = first; i <= last; i++)
		job_inode(job, ino_make(KIND_ACTIVE_FOR, i));
}
