/* SPDX-License-Identifier: MIT */
/* An open-addressing table of inodes; deletion shifts back, so there are no tombstones. */
#include "fs/kernel/kcache.h"

#include <stdlib.h>

enum { FIRST_SIZE = 256 };

void kcache_init(struct kcache *k)
{
	lock_init(&k->lock, RANK_KCACHE);
	k->slot = NULL;
	k->size = k->used = 0;
	k->overflow = false;
}

void kcache_release(struct kcache *k)
{
	free(k->slot);
	k->slot = NULL;
	lock_destroy(&k->lock);
}

static size_t home(const struct kcache *k, uint64_t ino)
{
	return (size_t)((ino * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (k->size - 1);
}

/* The slot of `ino`, or the free one where it would go; size must not be 0. */
static struct kcache_slot *probe(struct kcache *k, uint64_t ino)
{
	size_t i = home(k, ino);
	while (k->slot[i].ino != 0 && k->slot[i].ino != ino)
		i = (i + 1) & (k->size - 1);
	return &k->slot[i];
}

static bool grow(struct kcache *k)
{
	struct kcache old = *k;
	size_t size = k->size ? k->size * 2 : FIRST_SIZE;
	struct kcache_slot *slot = calloc(size, sizeof *slot);
	if (!slot)
		return false;
	k->slot = slot;
	k->size = size;
	for (size_t i = 0; i < old.size; i++)
		if (old.slot[i].ino)
			*probe(k, old.slot[i].ino) = old.slot[i];
	free(old.slot);
	return true;
}

void kcache_mark(struct kcache *k, uint64_t ino, uint32_t lookups, uint32_t marks)
{
	lock_take(&k->lock);
	if (k->used * 4 >= k->size * 3 && !grow(k)) {
		k->overflow = true;
		goto out;
	}
	struct kcache_slot *slot = probe(k, ino);
	if (!slot->ino) {
		slot->ino = ino;
		k->used++;
	}
	slot->lookups += lookups;
	slot->marks |= marks;
out:
	lock_give(&k->lock);
}

static void drop(struct kcache *k, struct kcache_slot *slot)
{
	size_t hole = (size_t)(slot - k->slot), mask = k->size - 1;
	k->used--;
	for (size_t i = (hole + 1) & mask; k->slot[i].ino; i = (i + 1) & mask) {
		size_t want = home(k, k->slot[i].ino);
		if (((i - want) & mask) >= ((i - hole) & mask)) {
			k->slot[hole] = k->slot[i];
			hole = i;
		}
	}
	k->slot[hole] = (struct kcache_slot){ .ino = 0 };
}

void kcache_forget(struct kcache *k, uint64_t ino, uint64_t lookups)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	if (slot && slot->ino) {
		slot->lookups -= lookups < slot->lookups ? (uint32_t)lookups : slot->lookups;
		if (slot->lookups == 0)
			drop(k, slot);
	}
	lock_give(&k->lock);
}

bool kcache_has(struct kcache *k, uint64_t ino, bool sure)
{
	lock_take(&k->lock);
	bool has = (k->overflow && !sure) || (k->size && probe(k, ino)->lookups > 0);
	lock_give(&k->lock);
	return has;
}

int64_t kcache_size(struct kcache *k, uint64_t ino)
{
	lock_take(&k->lock);
	int64_t size = k->size ? probe(k, ino)->size : 0; /* a free slot is all zeros */
	lock_give(&k->lock);
	return size;
}

void kcache_set_size(struct kcache *k, uint64_t ino, int64_t size)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	if (slot && slot->ino)
		slot->size = size;
	lock_give(&k->lock);
}

bool kcache_peek(struct kcache *k, uint64_t ino)
{
	lock_take(&k->lock);
	const struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	bool any = k->overflow || (slot && slot->ino && slot->marks);
	lock_give(&k->lock);
	return any;
}

bool kcache_marked(struct kcache *k, uint64_t ino, uint32_t mark)
{
	lock_take(&k->lock);
	bool marked = k->overflow || (k->size && (probe(k, ino)->marks & mark));
	lock_give(&k->lock);
	return marked;
}

uint32_t kcache_take(struct kcache *k, uint64_t ino)
{
	uint32_t marks = 0;
	lock_take(&k->lock);
	struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	if (slot && slot->ino) {
		marks = slot->marks;
		slot->marks = 0;
	}
	if (k->overflow)
		marks = KCACHE_ATTR | KCACHE_DATA | KCACHE_FOREVER;
	lock_give(&k->lock);
	return marks;
}

void kcache_unmark(struct kcache *k, uint64_t ino, uint32_t marks)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	if (slot && slot->ino)
		slot->marks &= ~marks;
	lock_give(&k->lock);
}

uint64_t *kcache_take_all(struct kcache *k, size_t *count)
{
	lock_take(&k->lock);
	uint64_t *all = k->used ? malloc(k->used * sizeof *all) : NULL;
	*count = 0;
	for (size_t i = 0; all && i < k->size; i++) {
		if (k->slot[i].ino && k->slot[i].marks) {
			all[(*count)++] = k->slot[i].ino;
			k->slot[i].marks = 0;
		}
	}
	lock_give(&k->lock);
	return all;
}
