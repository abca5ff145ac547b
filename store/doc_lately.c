/* SPDX-License-Identifier: MIT */
/* Slots by number or name; who comes later takes the slot. */
#include "store/doc_lately.h"

#include <string.h>

void lately_init(struct doc_lately *l)
{
	memset(l, 0, sizeof *l);
	pthread_mutex_init(&l->lock, NULL);
}

void lately_release(struct doc_lately *l)
{
	pthread_mutex_destroy(&l->lock);
}

/* Numbers in the first half of the slots, names in the second. */
static struct lately_slot *slot_of_id(struct doc_lately *l, int64_t id)
{
	return &l->slot[(uint64_t)id % (LATELY_SLOTS / 2)];
}

static struct lately_slot *slot_of_name(struct doc_lately *l, const char *parent, const char *name)
{
	uint64_t x = 0xcbf29ce484222325u; /* FNV-1a, as in head.c */
	for (; *parent; parent++)
		x = (x ^ (uint8_t)*parent) * 0x100000001b3u;
	for (; *name; name++)
		x = (x ^ (uint8_t)*name) * 0x100000001b3u;
	return &l->slot[LATELY_SLOTS / 2 + (x >> 32) % (LATELY_SLOTS / 2)];
}

static bool take(const struct lately_slot *s, bool same, int64_t entries, struct doc *out, int *err)
{
	if (!same || s->entries == 0 || s->entries != entries)
		return false;
	*err = s->err;
	if (out && !s->err)
		*out = s->doc;
	return true;
}

bool lately_by_id(struct doc_lately *l, int64_t entries, int64_t id, struct doc *out, int *err)
{
	pthread_mutex_lock(&l->lock);
	const struct lately_slot *s = slot_of_id(l, id);
	bool found = take(s, s->id == id, entries, out, err);
	pthread_mutex_unlock(&l->lock);
	return found;
}

bool lately_by_name(struct doc_lately *l, int64_t entries, const char *parent, const char *name,
                    struct doc *out, int *err)
{
	pthread_mutex_lock(&l->lock);
	const struct lately_slot *s = slot_of_name(l, parent, name);
	bool same = strcmp(s->doc.name, name) == 0 && strcmp(s->doc.parent, parent) == 0;
	bool found = take(s, same, entries, out, err);
	pthread_mutex_unlock(&l->lock);
	return found;
}

static void keep(struct doc_lately *l, struct lately_slot *s, int64_t entries, int64_t id,
                 const struct doc *d, int err)
{
	pthread_mutex_lock(&l->lock);
	*s = (struct lately_slot){ .entries = entries, .id = id, .err = err, .doc = *d };
	pthread_mutex_unlock(&l->lock);
}

void lately_keep_id(struct doc_lately *l, int64_t entries, const struct doc *d, int err)
{
	keep(l, slot_of_id(l, d->id), entries, d->id, d, err);
}

void lately_keep_name(struct doc_lately *l, int64_t entries, const struct doc *d, int err)
{
	keep(l, slot_of_name(l, d->parent, d->name), entries, 0, d, err);
}
