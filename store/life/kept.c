/* SPDX-License-Identifier: MIT */
/* The list of memories that follows the tape (kept.h). */
#include "store/life/life.h"

#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/documents/documents.h"
#include "store/policy/policy.h"

enum { FOLLOWED_MOST = 20000 }; /* entries looked through; behind more all are read */

struct kept {
	struct lock lock;
	/* All below is guarded by lock. */
	struct kept_list list;
	size_t room, kin_room;
	int64_t upto;            /* entries; 0: nothing is kept */
	uint8_t leaf[HASH_SIZE]; /* of the last of them */
};

int kept_new(struct store *s)
{
	s->kept = calloc(1, sizeof *s->kept);
	if (!s->kept)
		return STORE_ENOMEM;
	lock_init(&s->kept->lock, RANK_KEPT);
	return 0;
}

void kept_free(struct store *s)
{
	if (!s->kept)
		return;
	free(s->kept->list.items);
	free(s->kept->list.kin);
	lock_destroy(&s->kept->lock);
	free(s->kept);
}

void kept_give(struct store *s)
{
	lock_give(&s->kept->lock);
}

enum memory_type memory_type_of(const char *name)
{
	static const char *const names[] = { "preference", "decision", "fact", "entity", "temporal" };
	int i = 0;
	while (i < MEMORY_TYPES && (!name || strcmp(name, names[i]) != 0))
		i++;
	return (enum memory_type)i;
}

enum life kept_life(const struct kept_memory *m, int64_t now_us)
{
	bool lasts = m->said == LIFE_LIVE || m->said == LIFE_SUPERSEDED;
	return lasts && m->expires_us > 0 && m->expires_us <= now_us ? LIFE_EXPIRED : m->said;
}

/* ---- rows --------------------------------------------------------------------- */

static void set_row(struct kept *k, size_t at, const struct doc_memory *d)
{
	const struct policy_thing said = { .status = d->status };
	uint64_t place = hash_text(hash_text(HASH_NONE, d->type), "/");
	k->list.items[at] = (struct kept_memory){ .id = d->id, .made_us = d->made_us,
		.expires_us = d->expires_us, .newest = d->newest, .importance = d->importance,
		.place = hash_text(place, d->name), .type = (short)memory_type_of(d->type),
		.said = policy_life(&said, 0), .names_heir = d->names_heir };
	k->list.kin[at] = (struct kin){ .id = d->id, .link = d->link, .saved_us = d->saved_us };
}

static int add_row(struct kept *k, size_t at, const struct doc_memory *d)
{
	struct kept_list *l = &k->list;
	if (!ARRAY_ROOM(l->items, k->room, l->count) || !ARRAY_ROOM(l->kin, k->kin_room, l->count))
		return STORE_ENOMEM;
	memmove(l->items + at + 1, l->items + at, (l->count - at) * sizeof *l->items);
	memmove(l->kin + at + 1, l->kin + at, (l->count - at) * sizeof *l->kin);
	l->count++;
	set_row(k, at, d);
	return 0;
}

static void drop_row(struct kept *k, size_t at)
{
	struct kept_list *l = &k->list;
	l->count--;
	memmove(l->items + at, l->items + at + 1, (l->count - at) * sizeof *l->items);
	memmove(l->kin + at, l->kin + at + 1, (l->count - at) * sizeof *l->kin);
}

static int read_all(struct kept *k, struct reader *r)
{
	sqlite3_stmt *q = doc_memories(r, 0);
	int rc = SQLITE_DONE, err = 0;
	k->list.count = 0;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct doc_memory d;
		doc_memory_of(q, &d);
		err = add_row(k, k->list.count, &d);
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

/* Document `id` as it is now; *names: the name of a memory came or went. */
static int read_again(struct kept *k, struct reader *r, int64_t id, bool *changed, bool *names)
{
	struct kept_list *l = &k->list;
	size_t at = array_place(l->items, l->count, sizeof *l->items, id);
	bool was = at < l->count && l->items[at].id == id;
	uint64_t place = was ? l->items[at].place : 0;
	sqlite3_stmt *q = doc_memory(r);
	struct doc_memory d;
	int err = 0;
	sqlite3_bind_int64(q, 1, id);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	bool is = rc == SQLITE_ROW;
	if (is) {
		doc_memory_of(q, &d);
		if (was)
			set_row(k, at, &d);
		else
			err = add_row(k, at, &d);
	} else if (was && rc == SQLITE_DONE) {
		drop_row(k, at);
	}
	*changed |= was || is;
	*names |= was != is || (is && !err && l->items[at].place != place);
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

/* ---- following the tape --------------------------------------------------------- */

struct since {
	int64_t *doc;
	size_t count, room;
	bool redacted;
};

static int read_since(struct reader *r, int64_t from, int64_t upto, struct since *out)
{
	sqlite3_stmt *q = doc_since(r);
	int rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, upto);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		if (!ARRAY_ROOM(out->doc, out->room, out->count))
			return STORE_ENOMEM;
		out->redacted |= sqlite3_column_int(q, 1) != 0;
		out->doc[out->count++] = sqlite3_column_int64(q, 0);
	}
	sqlite3_reset(q);
	return db_error(rc);
}

static int read_heirs(struct kept *k, struct reader *r, bool *changed)
{
	bool names = false;
	int err = 0;
	for (size_t i = 0; !err && i < k->list.count; i++)
		if (k->list.items[i].names_heir)
			err = read_again(k, r, k->list.items[i].id, changed, &names);
	return err;
}

/* Entries from k->upto on; *all: they cannot say it. */
static int follow(struct kept *k, struct reader *r, int64_t upto, bool *changed, bool *all)
{
	struct since since = { .doc = NULL };
	bool names = false;
	int err = read_since(r, k->upto, upto, &since);
	*all = since.redacted;
	for (size_t i = 0; !err && !*all && i < since.count; i++)
		err = read_again(k, r, since.doc[i], changed, &names);
	if (!err && !*all && names)
		err = read_heirs(k, r, changed);
	free(since.doc);
	return err;
}

/* Leaf hash of the last of the first `upto` entries. */
static int leaf_of(struct reader *r, int64_t upto, uint8_t leaf[HASH_SIZE])
{
	sqlite3_stmt *q = doc_leaf(r);
	memset(leaf, 0, HASH_SIZE);
	sqlite3_bind_int64(q, 1, upto - 1);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW && sqlite3_column_bytes(q, 0) == HASH_SIZE)
		memcpy(leaf, sqlite3_column_blob(q, 0), HASH_SIZE);
	sqlite3_reset(q);
	return db_error(rc);
}

/* What is kept is how this history began, and what came since is not too much. */
static int can_follow(const struct kept *k, struct reader *r, int64_t upto, bool *can)
{
	uint8_t leaf[HASH_SIZE];
	*can = k->upto > 0 && upto >= k->upto && upto - k->upto <= FOLLOWED_MOST;
	int err = *can ? leaf_of(r, k->upto, leaf) : 0;
	*can = *can && !err && memcmp(leaf, k->leaf, HASH_SIZE) == 0;
	return err;
}

static int bring_up(struct kept *k, struct reader *r)
{
	const int64_t upto = views_upto(r->db);
	bool can = false, all = false, changed = false;
	int err = can_follow(k, r, upto, &can);
	if (!err && can && upto == k->upto)
		return 0;
	if (!err && can)
		err = follow(k, r, upto, &changed, &all);
	if (!err && (!can || all)) {
		changed = true;
		err = read_all(k, r);
	}
	if (!err && changed) {
		kin_follow(k->list.kin, k->list.count);
		k->list.version++;
	}
	k->upto = err ? 0 : upto;
	return err ? err : leaf_of(r, upto, k->leaf);
}

int kept_take(struct store *s, struct reader *r, const struct kept_list **out)
{
	lock_take(&s->kept->lock);
	int err = bring_up(s->kept, r);
	*out = &s->kept->list;
	if (err)
		lock_give(&s->kept->lock);
	return err;
}
