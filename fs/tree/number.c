/* SPDX-License-Identifier: MIT */
/* Inode numbers that are shown (number.h): a table in the order of the inodes. */
#include "fs/tree/number.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

struct numbers {
	_Atomic size_t count; /* most memories have none */
	struct lock lock;
	struct number {
		uint64_t ino, shown;
	} *of;                /* guarded by lock, as is the rest */
	size_t room;
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
	free(fs->numbers->of);
	free(fs->numbers);
	fs->numbers = NULL;
}

/* Where it stands, or would. */
static size_t place_of_number(const struct numbers *n, uint64_t ino)
{
	size_t low = 0, high = atomic_load(&n->count);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (n->of[middle].ino < ino)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t number_shown(struct fs *fs, uint64_t ino)
{
	struct numbers *n = fs->numbers;
	if (atomic_load(&n->count) == 0)
		return ino;
	lock_take(&n->lock);
	size_t at = place_of_number(n, ino);
	if (at < atomic_load(&n->count) && n->of[at].ino == ino)
		ino = n->of[at].shown;
	lock_give(&n->lock);
	return ino;
}

void number_keep(struct fs *fs, uint64_t ino, uint64_t shown)
{
	struct numbers *n = fs->numbers;
	lock_take(&n->lock);
	size_t count = atomic_load(&n->count), at = place_of_number(n, ino);
	bool there = at < count && n->of[at].ino == ino;
	if (!there && ARRAY_ROOM(n->of, n->room, count)) {
		memmove(n->of + at + 1, n->of + at, (count - at) * sizeof *n->of); /* mostly none */
		n->of[at] = (struct number){ ino, shown };
		atomic_store(&n->count, count + 1);
	}
	lock_give(&n->lock);
}
