/* SPDX-License-Identifier: MIT */
/* After a redaction: scratch files follow what the side database has left of them. */
#include "fs/scratch/scratch.h"

#include <stdlib.h>

#include "fs/internal.h"

/* The ids in the side database, sorted as store_scratch_each() hands them out. */
struct ids {
	int64_t *items;
	size_t count, cap;
	bool failed;
};

static void add_id(void *ctx, const struct scratch_row *row)
{
	struct ids *ids = ctx;
	if (!ARRAY_ROOM(ids->items, ids->cap, ids->count))
		ids->failed = true;
	else
		ids->items[ids->count++] = row->id;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static bool has_id(const struct ids *ids, int64_t id)
{
	return ids->count > 0 && bsearch(&id, ids->items, ids->count, sizeof id, by_id);
}

void scratch_follow(struct fs *fs)
{
	struct ids ids = { .items = NULL };
	bool known = store_scratch_each(fs->store, add_id, &ids) == 0 && !ids.failed;
	for (struct scratch *s = scratch_first(fs), *next; s; s = next) {
		next = s->next;
		bool gone = known && s->stored && !has_id(&ids, s->id);
		if (gone || (s->promoted_to && !s->written && !s->opens)) {
			scratch_count_bytes(fs, s, -(int64_t)s->bytes.len);
			buf_release(&s->bytes);
		}
		if (gone) {
			s->written = false;
			scratch_unlink(fs, s);
		}
	}
	free(ids.items);
}
