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
	s->session = 0;
	s->hidden = (struct shown_hidden){ 0 };
	buf_init(&s->page);
	buf_init(&s->page_refs);
}

void shown_release(struct shown *s)
{
	for (int i = 0; i < SHOWN_SLOTS; i++)
		buf_release(&s->slot[i].refs);
	buf_release(&s->page);
	buf_release(&s->page_refs);
	pthread_mutex_destroy(&s->lock);
}

static struct shown_slot *slot_of(struct fs *fs, int64_t session)
{
	return &fs->shown.slot[session % SHOWN_SLOTS];
}

void shown_forget(struct shown *s)
{
	pthread_mutex_lock(&s->lock);
	buf_release(&s->page);
	buf_release(&s->page_refs);
	s->session = s->hidden.session = 0;
	pthread_mutex_unlock(&s->lock);
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

void shown_take(struct fs *fs, int64_t session, struct buf *out)
{
	struct shown_slot *slot = slot_of(fs, session);
	pthread_mutex_lock(&fs->shown.lock);
	if (slot->session == session) {
		*out = slot->refs;
		buf_init(&slot->refs);
	}
	pthread_mutex_unlock(&fs->shown.lock);
}

void shown_give_back(struct fs *fs, int64_t session, struct buf *refs)
{
	struct shown_slot *slot = slot_of(fs, session);
	pthread_mutex_lock(&fs->shown.lock);
	if (slot->session == session && slot->refs.len == 0) {
		buf_release(&slot->refs);
		slot->refs = *refs;
		buf_init(refs);
	}
	pthread_mutex_unlock(&fs->shown.lock);
	buf_release(refs);
}

void shown_look(struct fs *fs, struct shown_now *out)
{
	struct log_stat tape;
	int err = store_log_stat(fs->store, (struct log_id){ LOG_TAPE, 0 }, &tape);
	*out = (struct shown_now){ err ? -1 : tape.bytes, store_time(fs->store) / 60000000,
		store_refusal_count(fs->store) };
}

bool shown_hidden(struct fs *fs, int64_t session, int64_t last_seq, struct shown_hidden *out)
{
	pthread_mutex_lock(&fs->shown.lock);
	*out = fs->shown.hidden;
	pthread_mutex_unlock(&fs->shown.lock);
	return session > 0 && out->session == session && out->last_seq == last_seq;
}

void shown_keep_hidden(struct fs *fs, const struct shown_hidden *hidden)
{
	pthread_mutex_lock(&fs->shown.lock);
	fs->shown.hidden = *hidden;
	pthread_mutex_unlock(&fs->shown.lock);
}

bool shown_page(struct fs *fs, int64_t session, struct buf *page, struct buf *refs)
{
	struct shown *s = &fs->shown;
	struct shown_now now;
	shown_look(fs, &now);
	pthread_mutex_lock(&s->lock);
	bool same = s->session == session && now.tape_bytes >= 0 &&
	            s->now.tape_bytes == now.tape_bytes && s->now.minute == now.minute &&
	            s->now.refusals == now.refusals;
	if (same) {
		buf_add(page, s->page.data, s->page.len);
		if (refs)
			buf_add(refs, s->page_refs.data, s->page_refs.len);
	}
	pthread_mutex_unlock(&s->lock);
	return same;
}

void shown_keep_page(struct fs *fs, int64_t session, const struct shown_now *now,
                     const struct buf *page, const struct buf *refs)
{
	struct shown *s = &fs->shown;
	pthread_mutex_lock(&s->lock);
	buf_clear(&s->page);
	buf_clear(&s->page_refs);
	buf_add(&s->page, page->data, page->len);
	buf_add(&s->page_refs, refs->data, refs->len);
	s->session = s->page.failed || s->page_refs.failed ? 0 : session;
	s->now = *now;
	pthread_mutex_unlock(&s->lock);
}
