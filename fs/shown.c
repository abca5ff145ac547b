/* SPDX-License-Identifier: MIT */
/* Slots by session, as in defaults.c. */
#include "fs/shown.h"

#include "fs/internal.h"

void shown_init(struct shown *s)
{
	pthread_mutex_init(&s->lock, NULL);
	for (int i = 0; i < SHOWN_SLOTS; i++) {
		s->slot[i].session = 0;
		buf_init(&s->slot[i].refs);
	}
}

void shown_release(struct shown *s)
{
	for (int i = 0; i < SHOWN_SLOTS; i++)
		buf_release(&s->slot[i].refs);
	pthread_mutex_destroy(&s->lock);
}

static struct shown_slot *slot_of(struct fs *fs, int64_t session)
{
	return &fs->shown.slot[session % SHOWN_SLOTS];
}

void shown_put(struct fs *fs, int64_t session, struct buf *refs)
{
	struct shown_slot *slot = slot_of(fs, session);
	pthread_mutex_lock(&fs->shown.lock);
	buf_release(&slot->refs);
	slot->refs = *refs;
	slot->session = session;
	pthread_mutex_unlock(&fs->shown.lock);
	buf_init(refs);
}

void shown_copy(struct fs *fs, int64_t session, struct buf *out)
{
	const struct shown_slot *slot = slot_of(fs, session);
	pthread_mutex_lock(&fs->shown.lock);
	if (slot->session == session)
		buf_add(out, slot->refs.data, slot->refs.len);
	pthread_mutex_unlock(&fs->shown.lock);
}

void shown_answered(struct fs *fs, int64_t session)
{
	struct shown_slot *slot = slot_of(fs, session);
	pthread_mutex_lock(&fs->shown.lock);
	if (slot->session == session)
		buf_clear(&slot->refs);
	pthread_mutex_unlock(&fs->shown.lock);
}
