/* SPDX-License-Identifier: MIT */
/* An open-addressing table of inodes; deletion shifts back, so there are no tombstones. */
#include "fs/kernel/kcache.h"

#include <stdlib.h>

#include "fs/base/base.h"

enum { FIRST_SIZE = 256 };

void kcache_init(struct kcache *k)
{
	lock_init(&k->lock, RANK_KCACHE);
	k->slot = NULL;
	k->size = k->used = k->over = 0;
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

/* NULL: the kernel has nothing of it.  k->lock held, as for all that follow. */
static struct kcache_slot *find(struct kcache *k, uint64_t key)
{
	struct kcache_slot *slot = k->size ? probe(k, key) : NULL;
	return slot && slot->ino ? slot : NULL;
}

static struct kcache_slot *find_node(struct kcache *k, uint64_t node)
{
	struct kcache_slot *slot = find(k, ino_of_node(node));
	return slot && slot->edition == ino_edition(node) ? slot : find(k, node | KCACHE_OVER);
}

static bool is_over(const struct kcache_slot *slot)
{
	return slot->ino & KCACHE_OVER;
}

/* The first that is not still known as one that is over (invariant 3); EDITIONS: all are. */
static unsigned next_edition(struct kcache *k, uint64_t ino)
{
	unsigned n = 0;
	while (k->over && n < EDITIONS && find(k, ino_node(ino, n) | KCACHE_OVER))
		n++;
	return n;
}

uint64_t kcache_mark(struct kcache *k, uint64_t ino, uint32_t lookups, uint32_t marks)
{
	uint64_t node = ino;
	lock_take(&k->lock);
	if (k->used * 4 >= k->size * 3 && !grow(k)) {
		k->overflow = true;
		goto out;
	}
	struct kcache_slot *slot = probe(k, ino);
	if (!slot->ino) {
		slot->edition = (uint8_t)next_edition(k, ino);
		slot->ino = ino;
		k->used++;
	}
	slot->lookups += lookups;
	slot->marks = (uint8_t)(slot->marks | marks);
	node = ino_node(ino, slot->edition);
out:
	lock_give(&k->lock);
	return node;
}

static void drop(struct kcache *k, struct kcache_slot *slot)
{
	size_t hole = (size_t)(slot - k->slot), mask = k->size - 1;
	k->over -= is_over(slot);
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

void kcache_forget(struct kcache *k, uint64_t node, uint64_t lookups)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find_node(k, node);
	if (slot) {
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

uint64_t kcache_node(struct kcache *k, uint64_t ino)
{
	lock_take(&k->lock);
	const struct kcache_slot *slot = find(k, ino);
	unsigned edition = slot && !is_over(slot) ? slot->edition : 0;
	lock_give(&k->lock);
	return ino_node(ino & ~KCACHE_OVER, edition);
}

bool kcache_is_over(struct kcache *k, uint64_t node)
{
	lock_take(&k->lock);
	bool over = k->over && find(k, node | KCACHE_OVER);
	lock_give(&k->lock);
	return over;
}

void kcache_mark_node(struct kcache *k, uint64_t node, uint32_t marks)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find_node(k, node);
	if (slot)
		slot->marks = (uint8_t)(slot->marks | marks);
	lock_give(&k->lock);
}

/* False: so many editions of it are over that no number would be left. */
static bool may_end(struct kcache *k, const struct kcache_slot *slot)
{
	return !k->over || next_edition(k, slot->ino) < EDITIONS - 1;
}

/* Takes it out of the table, and puts it back as one that is over; false: there are too many. */
static bool supersede(struct kcache *k, struct kcache_slot *slot)
{
	struct kcache_slot old = *slot;
	uint64_t key = ino_node(old.ino, old.edition) | KCACHE_OVER;
	if (!may_end(k, slot))
		return false;
	drop(k, slot);
	old.ino = key;
	*probe(k, key) = old;
	k->used++;
	k->over++;
	return true;
}

bool kcache_tell(struct kcache *k, uint64_t node, int64_t version, bool *ended)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find_node(k, node);
	bool may = !slot || !is_over(slot);
	*ended = false;
	if (slot && may && slot->version != version && slot->opens > 0) {
		*ended = supersede(k, slot);
		may = !*ended;
	} else if (slot && may) {
		slot->version = slot->version == 0 || slot->version == version ? version : -1;
	}
	lock_give(&k->lock);
	return may;
}

bool kcache_open(struct kcache *k, uint64_t node, int64_t *version)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find_node(k, node);
	bool can = slot && !is_over(slot) && !k->overflow && slot->opens < UINT16_MAX;
	if (can && slot->version == 0)
		slot->version = *version;
	if (can && *version == 0)
		*version = slot->version;
	can = can && slot->version > 0 && slot->version == *version && may_end(k, slot);
	if (can)
		slot->opens++;
	lock_give(&k->lock);
	return can;
}

void kcache_close(struct kcache *k, uint64_t node)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find_node(k, node);
	if (slot && slot->opens > 0)
		slot->opens--;
	lock_give(&k->lock);
}

int64_t kcache_version(struct kcache *k, uint64_t node)
{
	lock_take(&k->lock);
	const struct kcache_slot *slot = find_node(k, node);
	bool told = slot && (is_over(slot) ? slot->opens > 0 : slot->marks & KCACHE_ATTR);
	int64_t version = told ? slot->version : 0;
	lock_give(&k->lock);
	return version;
}

int64_t kcache_kept(struct kcache *k, uint64_t node)
{
	lock_take(&k->lock);
	const struct kcache_slot *slot = find_node(k, node);
	int64_t version = slot && slot->opens > 0 ? slot->version : 0;
	lock_give(&k->lock);
	return version;
}

bool kcache_supersede(struct kcache *k, uint64_t ino)
{
	lock_take(&k->lock);
	struct kcache_slot *slot = find(k, ino);
	bool over = slot && slot->opens > 0 && supersede(k, slot);
	lock_give(&k->lock);
	return over;
}

/* What was told is taken back: the next telling may be of another version, if nobody reads. */
static uint32_t slot_take(struct kcache_slot *slot)
{
	uint32_t marks = slot->marks;
	slot->marks = 0;
	if (ino_doc(slot->ino) && !is_over(slot) && slot->opens == 0)
		slot->version = 0;
	return marks;
}

uint32_t kcache_take(struct kcache *k, uint64_t ino)
{
	uint32_t marks = 0;
	lock_take(&k->lock);
	struct kcache_slot *slot = k->size ? probe(k, ino) : NULL;
	if (slot && slot->ino)
		marks = slot_take(slot);
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
		slot->marks = (uint8_t)(slot->marks & ~marks);
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
			(void)slot_take(&k->slot[i]);
		}
	}
	lock_give(&k->lock);
	return all;
}
