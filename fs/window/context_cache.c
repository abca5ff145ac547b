/* SPDX-License-Identifier: MIT */
/* One page for all sessions: who asks for its size reads it next. */
#include "fs/window/context_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/scratch/scratch.h"

struct context_cache {
	struct lock lock;
	/* All below is guarded by lock: the page made last, asked for by size and then read. */
	int64_t session; /* 0: none */
	struct cache_key now;
	struct buf page, page_refs;
	struct context_used used;
	struct hidden_size hidden;
	struct context_counts counts;
	struct dashboard *measured; /* NULL: none yet */
	int64_t measured_of;        /* session; 0: none */
	struct cache_key measured_at;
	struct held_messages held;
};

static void held_release(struct held_messages *h)
{
	free(h->message);
	free(h->tool);
	*h = (struct held_messages){ .session = 0 };
}

int context_cache_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->context_cache = calloc(1, sizeof *fs->context_cache);
	if (!fs->context_cache)
		return -ENOMEM;
	lock_init(&fs->context_cache->lock, RANK_CONTEXT_CACHE);
	return 0;
}

void context_cache_stop(struct fs *fs)
{
	struct context_cache *s = fs->context_cache;
	if (!s)
		return;
	buf_release(&s->page);
	buf_release(&s->page_refs);
	held_release(&s->held);
	free(s->measured);
	lock_destroy(&s->lock);
	free(s);
}

void context_cache_forget(struct fs *fs)
{
	struct context_cache *s = fs->context_cache;
	lock_take(&s->lock);
	buf_release(&s->page);
	buf_release(&s->page_refs);
	s->session = s->hidden.session = s->measured_of = 0;
	held_release(&s->held);
	free(s->measured);
	s->measured = NULL;
	lock_give(&s->lock);
}

void context_cache_key(struct fs *fs, struct cache_key *out)
{
	struct log_stat tape;
	int err = store_log_stat(fs->store, (struct log_id){ LOG_TAPE, 0 }, &tape);
	lock_take(&fs->docs);
	int64_t scratch = scratch_bytes(fs);
	lock_give(&fs->docs);
	*out = (struct cache_key){ .tape_bytes = err ? -1 : tape.bytes,
		.minute = store_time(fs->store) / 60000000,
		.refusals = store_refusal_count(fs->store), .scratch = scratch,
		.known = store_entries(fs->store), .client = client_of(fs)->number,
		.refuses = store_refuses(fs->store) };
}

bool context_cache_hidden(struct fs *fs, int64_t session, int64_t last_seq, struct hidden_size *out)
{
	lock_take(&fs->context_cache->lock);
	*out = fs->context_cache->hidden;
	lock_give(&fs->context_cache->lock);
	return session > 0 && out->session == session && out->last_seq == last_seq;
}

void context_cache_keep_hidden(struct fs *fs, const struct hidden_size *hidden)
{
	lock_take(&fs->context_cache->lock);
	fs->context_cache->hidden = *hidden;
	lock_give(&fs->context_cache->lock);
}

static bool is_same(const struct cache_key *a, const struct cache_key *b)
{
	return a->tape_bytes >= 0 && a->tape_bytes == b->tape_bytes && a->minute == b->minute &&
	       a->refusals == b->refusals && a->scratch == b->scratch && a->known == b->known &&
	       a->client == b->client && a->refuses == b->refuses;
}

bool context_cache_get(struct fs *fs, int64_t session, struct buf *page, struct buf *refs)
{
	struct context_cache *s = fs->context_cache;
	struct cache_key now;
	context_cache_key(fs, &now);
	lock_take(&s->lock);
	bool same = s->session == session && is_same(&now, &s->now);
	if (same) {
		buf_add(page, s->page.data, s->page.len);
		if (refs)
			buf_add(refs, s->page_refs.data, s->page_refs.len);
	}
	lock_give(&s->lock);
	return same;
}

void context_cache_keep(struct fs *fs, int64_t session, const struct cache_key *now,
                     const struct buf *page, const struct buf *refs,
                     const struct context_used *used)
{
	struct context_cache *s = fs->context_cache;
	lock_take(&s->lock);
	buf_clear(&s->page);
	buf_clear(&s->page_refs);
	buf_add(&s->page, page->data, page->len);
	buf_add(&s->page_refs, refs->data, refs->len);
	s->session = s->page.failed || s->page_refs.failed ? 0 : session;
	s->now = *now;
	s->used = *used;
	s->counts.made++;
	lock_give(&s->lock);
}

void context_cache_used(struct fs *fs, int64_t session, struct context_used *out)
{
	struct context_cache *s = fs->context_cache;
	out->count = 0;
	lock_take(&s->lock);
	if (s->session == session) {
		*out = s->used;
		s->used.count = 0;
	}
	lock_give(&s->lock);
}

void context_counts_open(struct fs *fs, int64_t tokens)
{
	lock_take(&fs->context_cache->lock);
	fs->context_cache->counts.opened++;
	fs->context_cache->counts.tokens += tokens;
	fs->context_cache->counts.last = tokens;
	lock_give(&fs->context_cache->lock);
}

void context_counts_get(struct fs *fs, struct context_counts *out)
{
	lock_take(&fs->context_cache->lock);
	*out = fs->context_cache->counts;
	lock_give(&fs->context_cache->lock);
}

bool context_cache_measured(struct fs *fs, int64_t session, const struct cache_key *now,
                            struct dashboard *out)
{
	struct context_cache *s = fs->context_cache;
	lock_take(&s->lock);
	bool same = session > 0 && s->measured_of == session && is_same(now, &s->measured_at);
	if (same)
		*out = *s->measured;
	lock_give(&s->lock);
	return same;
}

void context_cache_keep_measured(struct fs *fs, int64_t session, const struct cache_key *now,
                                 const struct dashboard *d)
{
	struct context_cache *s = fs->context_cache;
	lock_take(&s->lock);
	if (!s->measured)
		s->measured = malloc(sizeof *s->measured);
	if (s->measured)
		*s->measured = *d;
	s->measured_of = s->measured ? session : 0;
	s->measured_at = *now;
	lock_give(&s->lock);
}

/* Each message's `tool` points to its own entry. */
static void copy_held(struct held_messages *to, const struct held_messages *from)
{
	memcpy(to->message, from->message, from->count * sizeof *to->message);
	memcpy(to->tool, from->tool, from->count * sizeof *to->tool);
	for (size_t i = 0; i < from->count; i++)
		if (from->message[i].tool)
			to->message[i].tool = to->tool[i];
	to->session = from->session;
	to->last_seq = from->last_seq;
	to->seen = from->seen;
	to->count = from->count;
}

void context_cache_held(struct fs *fs, int64_t session, int64_t last_seq, size_t most,
                        struct held_messages *into)
{
	struct context_cache *s = fs->context_cache;
	into->count = 0;
	into->seen = 0;
	lock_take(&s->lock);
	if (s->held.session == session && s->held.last_seq == last_seq && s->held.count <= most)
		copy_held(into, &s->held);
	lock_give(&s->lock);
}

void context_cache_keep_held(struct fs *fs, const struct held_messages *held)
{
	struct context_cache *s = fs->context_cache;
	lock_take(&s->lock);
	held_release(&s->held);
	s->held.message = calloc(held->count + 1, sizeof *s->held.message);
	s->held.tool = calloc(held->count + 1, sizeof *s->held.tool);
	if (s->held.message && s->held.tool)
		copy_held(&s->held, held);
	lock_give(&s->lock);
}
