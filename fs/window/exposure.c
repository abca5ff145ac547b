/* SPDX-License-Identifier: MIT */
/* Slots by session, as in fs/logs/session_defaults.c. */
#include "fs/window/exposure.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

enum { EXPOSURE_SLOTS = 256 };

struct exposure {
	struct lock lock;
	struct exposure_slot {
		int64_t session; /* a later session may take an earlier one's slot */
		struct buf refs; /* a JSON array of references; empty: nothing to take */
	} slot[EXPOSURE_SLOTS]; /* guarded by lock */
};

int exposure_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->exposure = calloc(1, sizeof *fs->exposure);
	if (!fs->exposure)
		return -ENOMEM;
	lock_init(&fs->exposure->lock, RANK_EXPOSURE);
	return 0;
}

void exposure_stop(struct fs *fs)
{
	struct exposure *x = fs->exposure;
	if (!x)
		return;
	for (int i = 0; i < EXPOSURE_SLOTS; i++)
		buf_release(&x->slot[i].refs);
	lock_destroy(&x->lock);
	free(x);
}

static struct exposure_slot *slot_of(struct fs *fs, int64_t session)
{
	return &fs->exposure->slot[session % EXPOSURE_SLOTS];
}

void exposure_forget(struct fs *fs)
{
	lock_take(&fs->exposure->lock);
	for (int i = 0; i < EXPOSURE_SLOTS; i++)
		buf_release(&fs->exposure->slot[i].refs);
	lock_give(&fs->exposure->lock);
}

void exposure_put(struct fs *fs, int64_t session, struct buf *refs)
{
	struct exposure_slot *slot = slot_of(fs, session);
	lock_take(&fs->exposure->lock);
	buf_release(&slot->refs);
	slot->refs = *refs;
	slot->session = session;
	lock_give(&fs->exposure->lock);
	buf_init(refs);
}

void exposure_take(struct fs *fs, int64_t session, struct buf *out)
{
	struct exposure_slot *slot = slot_of(fs, session);
	lock_take(&fs->exposure->lock);
	if (slot->session == session) {
		*out = slot->refs;
		buf_init(&slot->refs);
	}
	lock_give(&fs->exposure->lock);
}

void exposure_give_back(struct fs *fs, int64_t session, struct buf *refs)
{
	struct exposure_slot *slot = slot_of(fs, session);
	lock_take(&fs->exposure->lock);
	if (slot->session == session && slot->refs.len == 0) {
		buf_release(&slot->refs);
		slot->refs = *refs;
		buf_init(refs);
	}
	lock_give(&fs->exposure->lock);
	buf_release(refs);
}
