/* SPDX-License-Identifier: MIT */
/* Rows that are to go from the side database (drops.h). */
#include "fs/scratch/drops.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/array.h"
#include "store/store.h"

/* One that is not there was never written, or went with a side file that was removed. */
static bool is_gone(struct store *s, int64_t id)
{
	int err = store_scratch_drop(s, id);
	return !err || err == STORE_ENOENT;
}

void drops_row(struct scratch_drops *d, struct store *s, int64_t id)
{
	if (!is_gone(s, id) && ARRAY_ROOM(d->ids, d->room, d->count))
		d->ids[d->count++] = id;
}

void drops_again(struct scratch_drops *d, struct store *s)
{
	while (d->count > 0 && is_gone(s, d->ids[d->count - 1]))
		d->count--;
}

void drops_release(struct scratch_drops *d)
{
	free(d->ids);
}
