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
	a->count = 0;
}

void active_blocks_release(struct active_blocks *a)
{
	free(a->items);
	lock_destroy(&a->lock);
}

/* The number of a pair of codes; a new one if need be. */
static int number(struct active_blocks *a, const struct active *want, int64_t *id)
{
	int err = 0;
	lock_take(&a->lock);
	int i = 0;
	while (i < a->count && (strcmp(a->items[i].server, want->server) != 0 ||
	                        strcmp(a->items[i].agent, want->agent) != 0))
		i++;
	if (i == a->count) {
		struct active *more = i < ACTIVE_MOST ?
			realloc(a->items, ((size_t)i + 1) * sizeof *more) : NULL;
		err = more ? 0 : i < ACTIVE_MOST ? -ENOMEM : -ENFILE;
		if (more) {
			a->items = more;
			more[a->count++] = *want;
		}
	}
	lock_give(&a->lock);
	*id = i + 1;
	return err;
}

static struct active by_number(struct active_blocks *a, int64_t id)
{
	struct active found = { "", "" };
	lock_take(&a->lock);
	if (id >= 1 && id <= a->count)
		found = a->items[id - 1];
	lock_give(&a->lock);
	return found;
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
	struct active want = by_number(&fs->documents->active_blocks, below_server ? ino_id(dir) : 0);
	const char *server = below_server ? NULL : value(name, "server"), *agent = value(name, "agent");
	const char *code = server ? server : agent;
	size_t len = code ? strlen(code) : 0;
	bool file = len > 3 && strcmp(code + len - 3, ".md") == 0;
	int64_t id;
	len -= file ? 3 : 0;
	if (len == 0 || len > ACTIVE_CODE || (agent && !file))
		return -ENOENT;
	(void)snprintf(server ? want.server : want.agent, ACTIVE_CODE + 1, "%.*s", (int)len, code);
	int err = number(&fs->documents->active_blocks, &want, &id);
	*ino = ino_make(file ? KIND_ACTIVE_FOR : KIND_ACTIVE_SERVER, id);
	return err;
}

static void add_block(void *ctx, const struct doc_block *b)
{
	render_block(ctx, b->category, b->code, b->name, b->content, b->len);
}

int page_active(struct fs *fs, int64_t id, struct buf *out)
{
	const struct active a = by_number(&fs->documents->active_blocks, id);
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
	const struct active a = by_number(&fs->documents->active_blocks, ino_id(ino));
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
	int count = fs->documents->active_blocks.count;
	lock_give(&fs->documents->active_blocks.lock);
	job_inode(job, ino_make(KIND_ACTIVE, 0));
	for (int i = 1; i <= count; i++)
		job_inode(job, ino_make(KIND_ACTIVE_FOR, i));
}
