/* SPDX-License-Identifier: MIT */
/* Slots by number or name; who comes later takes the slot. */
#include "store/documents/doc_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/base/base.h"
#include "store/base/hash.h"

void doc_cache_init(struct doc_cache *l)
{
	memset(l, 0, sizeof *l);
	lock_init(&l->lock, RANK_DOC_CACHE);
}

void doc_cache_release(struct doc_cache *l)
{
	doc_cache_forget(l);
	lock_destroy(&l->lock);
}

void doc_cache_forget(struct doc_cache *l)
{
	lock_take(&l->lock);
	memset(l->slot, 0, sizeof l->slot);
	memset(l->dir, 0, sizeof l->dir);
	for (int i = 0; i < DOC_CACHE_TEXTS; i++)
		free(l->text[i].bytes);
	memset(l->text, 0, sizeof l->text);
	lock_give(&l->lock);
}

bool doc_cache_text(struct doc_cache *l, int64_t doc, int64_t n, char **bytes, size_t *len)
{
	char *own = NULL;
	lock_take(&l->lock);
	for (int i = 0; i < DOC_CACHE_TEXTS && !own; i++) {
		const struct doc_cache_text *t = &l->text[i];
		if (t->doc == doc && t->n == n && t->bytes && (own = bytes_copy(t->bytes, t->len)))
			*len = t->len;
	}
	lock_give(&l->lock);
	if (own)
		*bytes = own;
	return own != NULL;
}

/* The place of the document's version before, or the next in turn. */
static struct doc_cache_text *text_slot(struct doc_cache *l, int64_t doc)
{
	for (int i = 0; i < DOC_CACHE_TEXTS; i++)
		if (l->text[i].doc == doc)
			return &l->text[i];
	return &l->text[l->turn++ % DOC_CACHE_TEXTS];
}

void doc_cache_keep_text(struct doc_cache *l, int64_t doc, int64_t n, const char *bytes, size_t len)
{
	char *own = len <= DOC_CACHE_TEXT_MOST ? bytes_copy(bytes, len) : NULL;
	lock_take(&l->lock);
	struct doc_cache_text *t = own ? text_slot(l, doc) : NULL;
	char *old = t ? t->bytes : NULL;
	if (t)
		*t = (struct doc_cache_text){ .doc = doc, .n = n, .bytes = own, .len = len };
	lock_give(&l->lock);
	free(old);
}

/* Numbers in the first half of the slots, names in the second. */
static struct doc_cache_slot *slot_of_id(struct doc_cache *l, int64_t id)
{
	return &l->slot[(uint64_t)id % (DOC_CACHE_SLOTS / 2)];
}

static struct doc_cache_slot *slot_of_name(struct doc_cache *l, const char *parent,
                                           const char *name)
{
	uint64_t x = hash_text(hash_text(HASH_NONE, parent), name);
	return &l->slot[DOC_CACHE_SLOTS / 2 + (x >> 32) % (DOC_CACHE_SLOTS / 2)];
}

static bool take(const struct doc_cache_slot *s, bool same, int64_t entries, struct doc *out,
                 int *err)
{
	if (!same || s->entries == 0 || s->entries != entries)
		return false;
	*err = s->err;
	if (out && !s->err)
		*out = s->doc;
	return true;
}

bool doc_cache_by_id(struct doc_cache *l, int64_t entries, int64_t id, struct doc *out, int *err)
{
	lock_take(&l->lock);
	const struct doc_cache_slot *s = slot_of_id(l, id);
	bool found = take(s, s->id == id, entries, out, err);
	lock_give(&l->lock);
	return found;
}

bool doc_cache_by_name(struct doc_cache *l, int64_t entries, const char *parent, const char *name,
                    struct doc *out, int *err)
{
	lock_take(&l->lock);
	const struct doc_cache_slot *s = slot_of_name(l, parent, name);
	bool same = strcmp(s->doc.name, name) == 0 && strcmp(s->doc.parent, parent) == 0;
	bool found = take(s, same, entries, out, err);
	lock_give(&l->lock);
	return found;
}

static void keep(struct doc_cache *l, struct doc_cache_slot *s, int64_t entries, int64_t id,
                 const struct doc *d, int err)
{
	lock_take(&l->lock);
	*s = (struct doc_cache_slot){ .entries = entries, .id = id, .err = err, .doc = *d };
	lock_give(&l->lock);
}

void doc_cache_keep_id(struct doc_cache *l, int64_t entries, const struct doc *d, int err)
{
	keep(l, slot_of_id(l, d->id), entries, d->id, d, err);
}

void doc_cache_keep_name(struct doc_cache *l, int64_t entries, const struct doc *d, int err)
{
	keep(l, slot_of_name(l, d->parent, d->name), entries, 0, d, err);
}

static struct doc_cache_dir *slot_of_dir(struct doc_cache *l, const char *parent)
{
	return &l->dir[(hash_text(HASH_NONE, parent) >> 32) % DOC_CACHE_DIRS];
}

bool doc_cache_dir(struct doc_cache *l, int64_t entries, const char *parent, int64_t *changed_us)
{
	lock_take(&l->lock);
	const struct doc_cache_dir *d = slot_of_dir(l, parent);
	bool found = d->entries != 0 && d->entries == entries && strcmp(d->parent, parent) == 0;
	if (found)
		*changed_us = d->changed_us;
	lock_give(&l->lock);
	return found;
}

void doc_cache_keep_dir(struct doc_cache *l, int64_t entries, const char *parent,
                        int64_t changed_us)
{
	lock_take(&l->lock);
	struct doc_cache_dir *d = slot_of_dir(l, parent);
	*d = (struct doc_cache_dir){ .entries = entries, .changed_us = changed_us };
	(void)snprintf(d->parent, sizeof d->parent, "%s", parent);
	lock_give(&l->lock);
}

void doc_cache_advance(struct doc_cache *l, int64_t seq)
{
	lock_take(&l->lock);
	for (int i = 0; i < DOC_CACHE_SLOTS && seq > 0; i++)
		if (l->slot[i].entries == seq)
			l->slot[i].entries = seq + 1;
	for (int i = 0; i < DOC_CACHE_DIRS && seq > 0; i++)
		if (l->dir[i].entries == seq)
			l->dir[i].entries = seq + 1;
	lock_give(&l->lock);
}
