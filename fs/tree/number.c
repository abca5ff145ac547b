/* SPDX-License-Identifier: MIT */
/* Inode numbers that are shown, and generations (number.h). */
#include "fs/tree/number.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

/* In the order of the inodes. */
struct number_table {
	_Atomic size_t count; /* most memories have none */
	struct number {
		uint64_t ino, value;
	} *items;             /* guarded by the lock, as is the rest */
	size_t room;
};

struct numbers {
	struct lock lock;
	struct number_table shown, removed;
};

int numbers_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->numbers = calloc(1, sizeof *fs->numbers);
	if (!fs->numbers)
		return -ENOMEM;
	lock_init(&fs->numbers->lock, RANK_NUMBERS);
	return 0;
}

void numbers_stop(struct fs *fs)
{
	if (!fs->numbers)
		return;
	lock_destroy(&fs->numbers->lock);
	free(fs->numbers->shown.items);
	free(fs->numbers->removed.items);
	free(fs->numbers);
	fs->numbers = NULL;
}

/* NULL: there is none, nor memory for one, or it was not to be made.  The lock is held. */
static struct number *number_in(struct number_table *t, uint64_t ino, bool makes)
{
	size_t count = atomic_load(&t->count);
	size_t at = array_place(t->items, count, sizeof *t->items, (int64_t)ino);
	if (at < count && t->items[at].ino == ino)
		return &t->items[at];
	if (!makes || !ARRAY_ROOM(t->items, t->room, count))
		return NULL;
	memmove(t->items + at + 1, t->items + at, (count - at) * sizeof *t->items); /* mostly none */
	t->items[at] = (struct number){ .ino = ino };
	atomic_store(&t->count, count + 1);
	return &t->items[at];
}

static uint64_t value_of(struct fs *fs, struct number_table *t, uint64_t ino, uint64_t none)
{
	if (atomic_load(&t->count) == 0)
		return none;
	lock_take(&fs->numbers->lock);
	const struct number *n = number_in(t, ino, false);
	uint64_t value = n ? n->value : none;
	lock_give(&fs->numbers->lock);
	return value;
}

uint64_t number_shown(struct fs *fs, uint64_t ino)
{
	return value_of(fs, &fs->numbers->shown, ino, ino);
}

void number_keep(struct fs *fs, uint64_t ino, uint64_t shown)
{
	lock_take(&fs->numbers->lock);
	struct number *n = number_in(&fs->numbers->shown, ino, true);
	if (n && !n->value)
		n->value = shown;
	lock_give(&fs->numbers->lock);
}

uint64_t generation_of(struct fs *fs, uint64_t ino)
{
	return value_of(fs, &fs->numbers->removed, ino, 0);
}

void generation_ends(struct fs *fs, uint64_t ino)
{
	lock_take(&fs->numbers->lock);
	struct number *n = number_in(&fs->numbers->removed, ino, true);
	if (n)
		n->value++;
	lock_give(&fs->numbers->lock);
}
