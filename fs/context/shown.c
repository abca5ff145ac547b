/* SPDX-License-Identifier: MIT */
/* Slots by session, as in defaults.c. */
#include "fs/context/shown.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

enum { SHOWN_SLOTS = 256 };

struct shown {
	struct lock lock;
	struct shown_slot { /* guarded by lock, as all below */
		int64_t session; /* a later session may take an earlier one's slot */
		struct buf refs; /* a JSON array of references; empty: nothing to take */
	} slot[SHOWN_SLOTS];
	/* The page made last, which is asked for by size and then to be read. */
	int64_t session; /* 0: none */
	struct shown_now now;
	struct buf page, page_refs;
	struct shown_hidden hidden;
};

int shown_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->shown = calloc(1, sizeof *fs->shown);
	if (!fs->shown)
		return -ENOMEM;
	lock_init(&fs->shown->lock, RANK_SHOWN);
	return 0;
}

void shown_stop(struct fs *fs)
{
	struct shown *s = fs->shown;
	if (!s)
		return;
	for (int i = 0; i < SHOWN_SLOTS; i++)
		buf_release(&s->slot[i].refs);
	buf_release(&s->page);
	buf_release(&s->page_refs);
	lock_destroy(&s->lock);
	free(s);
}

static struct shown_slot *slot_of(struct fs *fs, int64_t session)
{
	return &fs->shown->slot[session % SHOWN_SLOTS];
}

void shown_forget(struct fs *fs)
{
	struct shown *s = fs->shown;
	lock_take(&s->lock);
	buf_release(&s->page);
	buf_release(&s->page_refs);
	s->session = s->hidden.session = 0;
	lock_give(&s->lock);
}

void shown_put(struct fs *fs, int64_t session, struct buf *refs)
{
	struct shown_slot *slot = slot_of(fs, session);
	lock_take(&fs->shown->lock);
	buf_release(&slot->refs);
	slot->refs = *refs;
	slot->session = session;
	lock_give(&fs->shown->lock);
	buf_init(refs);
}

void shown_take(struct fs *fs, int64_t session, struct buf *out)
{
	struct shown_slot *slot = slot_of(fs, session);
	lock_take(&fs->shown->lock);
	if (slot->session == session) {
		*out = slot->refs;
		buf_init(&slot->refs);
	}
	lock_give(&fs->shown->lock);
}

void shown_give_back(struct fs *fs, int64_t session, struct buf *refs)
{
	struct shown_slot *slot = slot_of(fs, session);
	lock_take(&fs->shown->lock);
	if (slot->session == session && slot->refs.len == 0) {
		buf_release(&slot->refs);
		slot->refs = *refs;
		buf_init(refs);
	}
	lock_give(&fs->shown->lock);
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
	lock_take(&fs->shown->lock);
	*out = fs->shown->hidden;
	lock_give(&fs->shown->lock);
	return session > 0 && out->session == session && out->last_seq == last_seq;
}

void shown_keep_hidden(struct fs *fs, const struct shown_hidden *hidden)
{
	lock_take(&fs->shown->lock);
	fs->shown->hidden = *hidden;
	lock_give(&fs->shown->lock);
}

bool shown_page(struct fs *fs, int64_t session, struct buf *page, struct buf *refs)
{
	struct shown *s = fs->shown;
	struct shown_now now;
	shown_look(fs, &now);
	lock_take(&s->lock);
	bool same = s->session == session && now.tape_bytes >= 0 &&
	            s->now.tape_bytes == now.tape_bytes && s->now.minute == now.minute &&
	            s->now.refusals == now.refusals;
	if (same) {
		buf_add(page, s->page.data, s->page.len);
		if (refs)
			buf_add(refs, s->page_refs.data, s->page_refs.len);
	}
	lock_give(&s->lock);
	return same;
}

void shown_keep_page(struct fs *fs, int64_t session, const struct shown_now *now,
                     const struct buf *page, const struct buf *refs)
{
	struct shown *s = fs->shown;
	lock_take(&s->lock);
	buf_clear(&s->page);
	buf_clear(&s->page_refs);
	buf_add(&s->page, page->data, page->len);
	buf_add(&s->page_refs, refs->data, refs->len);
	s->session = s->page.failed || s->page_refs.failed ? 0 : session;
	s->now = *now;
	lock_give(&s->lock);
}
