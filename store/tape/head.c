/* SPDX-License-Identifier: MIT */
/* A chained hash table of stream heads; see head.h for who may touch what. */
#include "store/tape/head.h"

#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"
#include "store/base/hash.h"
#include "store/store.h"

enum { FIRST_BUCKETS = 1024, MOST_HEADS = 1 << 16 };

int heads_init(struct heads *h)
{
	memset(h, 0, sizeof *h);
	h->buckets = calloc(FIRST_BUCKETS, sizeof(struct head *));
	if (!h->buckets)
		return STORE_ENOMEM;
	h->bucket_count = FIRST_BUCKETS;
	lock_init(&h->lock, RANK_HEADS);
	return 0;
}

void heads_release(struct heads *h)
{
	if (!h->buckets)
		return;
	heads_forget(h);
	free(h->buckets);
	h->buckets = NULL;
	lock_destroy(&h->lock);
}

static size_t bucket_of(const struct heads *h, const char *stream)
{
	return (size_t)(hash_text(HASH_NONE, stream) % h->bucket_count);
}

static struct head *find(const struct heads *h, const char *stream)
{
	struct head *head = h->buckets[bucket_of(h, stream)];
	while (head && strcmp(head->stream, stream) != 0)
		head = head->chain;
	return head;
}

struct head *heads_find(struct heads *h, const char *stream)
{
	return find(h, stream); /* only the committer changes the chains */
}

static void grow(struct heads *h)
{
	size_t bigger = h->bucket_count * 4;
	struct head **old = h->buckets;
	size_t old_count = h->bucket_count;
	struct head **fresh = calloc(bigger, sizeof *fresh);
	if (!fresh)
		return; /* longer chains, same answers */
	h->buckets = fresh;
	h->bucket_count = bigger;
	for (size_t i = 0; i < old_count; i++) {
		for (struct head *head = old[i], *next; head; head = next) {
			size_t b = bucket_of(h, head->stream);
			next = head->chain;
			head->chain = fresh[b];
			fresh[b] = head;
		}
	}
	free(old);
}

struct head *heads_add(struct heads *h, const char *stream)
{
	if (h->count >= MOST_HEADS && !h->dirty)
		heads_forget(h);
	struct head *head = calloc(1, sizeof *head);
	if (!head)
		return NULL;
	(void)snprintf(head->stream, sizeof head->stream, "%s", stream);
	lock_take(&h->lock);
	if (h->count >= h->bucket_count)
		grow(h);
	size_t b = bucket_of(h, stream);
	head->chain = h->buckets[b];
	h->buckets[b] = head;
	h->count++;
	lock_give(&h->lock);
	return head;
}

void heads_touch(struct heads *h, struct head *head)
{
	if (head->dirty)
		return;
	head->dirty = true;
	head->dirty_next = h->dirty;
	h->dirty = head;
}

void heads_publish(struct heads *h)
{
	lock_take(&h->lock);
	for (struct head *head = h->dirty; head; head = head->dirty_next) {
		head->count = head->next_count;
		head->bytes = head->next_bytes;
		head->last_us = head->next_us;
		head->dirty = false;
	}
	h->dirty = NULL;
	lock_give(&h->lock);
}

void heads_forget(struct heads *h)
{
	lock_take(&h->lock);
	for (size_t i = 0; i < h->bucket_count; i++) {
		for (struct head *head = h->buckets[i], *next; head; head = next) {
			next = head->chain;
			free(head);
		}
		h->buckets[i] = NULL;
	}
	h->count = 0;
	h->dirty = NULL;
	lock_give(&h->lock);
}

bool heads_stat(struct heads *h, const char *stream, int64_t *bytes, int64_t *last_us)
{
	lock_take(&h->lock);
	struct head *head = find(h, stream);
	/* A head being made by the open transaction has no committed row to speak for. */
	bool known = head && head->count > 0;
	if (known) {
		*bytes = head->bytes;
		*last_us = head->last_us;
	}
	lock_give(&h->lock);
	return known;
}
