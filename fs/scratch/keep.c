/* SPDX-License-Identifier: MIT */
/* Scratch files into the side database, so that a crash does not take them along. */
#include <assert.h>

#include "fs/internal.h"
#include "fs/scratch/scratch.h"

int scratch_keep_all(struct fs *fs, struct scratch *const *list, size_t count)
{
	struct scratch_row row[KEPT_TOGETHER];
	struct scratch *of[KEPT_TOGETHER];
	size_t n = 0;
	assert(count <= KEPT_TOGETHER);
	for (size_t i = 0; i < count; i++) {
		struct scratch *s = list[i];
		if ((s->stored && !s->written) || s->promoted_to || s->newborn || !s->name[0])
			continue;
		of[n] = s;
		row[n++] = (struct scratch_row){ .id = s->id, .dir = s->dir, .name = s->name,
			.mode = s->mode, .changed_us = s->changed_us, .touched_us = s->touched_us,
			.bytes = s->bytes.data ? s->bytes.data : "", .len = s->bytes.len };
	}
	int err = n ? errno_of_store(store_scratch_put(fs->store, row, n)) : 0;
	for (size_t i = 0; i < n; i++)
		of[i]->unkept = err != 0;
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		of[i]->stored = true;
		of[i]->written = false;
	}
	return 0;
}

int scratch_keep(struct fs *fs, struct scratch *s)
{
	return scratch_keep_all(fs, &s, 1);
}
