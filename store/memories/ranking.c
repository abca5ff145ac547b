/* SPDX-License-Identifier: MIT */
/*
 * The order of memories by score, kept: without it each look would score all of them.
 *
 * A score falls with time and does not rise, until a memory is saved, used or past its end; so all
 * were scored at one moment, and who asks later scores anew from the front, until what it has is
 * better than the next could be.
 *
 *   1. `of` has those that could be chosen at `at_us`, by their score then, which is the most that
 *      each can have before `until_us`.
 *   2. It holds for one version of the list (kept.h), one state of the uses, one set of numbers.
 *   3. What is handed out is what a sort of all would put first, equal scores by number.
 */
#include "store/memories/memories.h"

#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/life/life.h"
#include "store/policy/policy.h"

#define DAY_US 86400e6
#define ROUNDED 1e-12 /* by so much a sum of four doubles may be off */
#define SETTLED_US INT64_C(60000000)

enum { BEYOND = 256 }; /* scored in vain, after which the order is made anew */

struct standing {
	uint32_t at; /* in the list */
	int64_t uses, used_us;
	double bound;
};

struct ranking {
	struct standing *items;
	size_t count, room;
	uint64_t version; /* of the list */
	struct access_stamp used;
	struct scoring by;
	int64_t at_us, until_us, most;
	bool made;
};

int ranking_new(struct store *s)
{
	s->ranking = calloc(1, sizeof *s->ranking);
	return s->ranking ? 0 : STORE_ENOMEM;
}

void ranking_free(struct store *s)
{
	if (s->ranking)
		free(s->ranking->items);
	free(s->ranking);
}

static double score(const struct ranking *k, const struct kept_list *all, const struct standing *m,
                    int64_t now)
{
	const struct kept_memory *row = &all->items[m->at];
	const struct memory_state state = { .type = (enum memory_type)row->type,
		.days = (double)(now - (m->used_us ? m->used_us : row->made_us)) / DAY_US,
		.importance = row->importance, .uses = m->uses, .most = k->most };
	return memory_score(&k->by, &state).total;
}

/* ---- making the order ------------------------------------------------------------ */

static bool can_be_chosen(const struct kept_list *all, size_t i, int64_t now)
{
	return all->items[i].type < MEMORY_TYPES && all->kin[i].heir == i &&
	       kept_life(&all->items[i], now) == LIFE_LIVE;
}

static int by_bound(const void *a, const void *b)
{
	const struct standing *x = a, *y = b;
	if (x->bound < y->bound || x->bound > y->bound)
		return x->bound < y->bound ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* All that can be chosen, with their uses: both lists are by number. */
static int take_all(struct ranking *k, const struct kept_list *all, const struct access *used,
                    size_t used_count)
{
	size_t u = 0;
	k->count = 0;
	k->most = 0;
	k->until_us = INT64_MAX;
	for (size_t i = 0; i < all->count; i++) {
		const struct kept_memory *row = &all->items[i];
		if (!can_be_chosen(all, i, k->at_us))
			continue;
		while (u < used_count && used[u].doc < row->id)
			u++;
		bool is_used = u < used_count && used[u].doc == row->id;
		int64_t last_us = is_used ? access_last(used[u].last_us, k->at_us) : 0;
		if (!ARRAY_ROOM(k->items, k->room, k->count))
			return STORE_ENOMEM;
		k->items[k->count++] = (struct standing){ .at = (uint32_t)i,
			.uses = is_used ? used[u].uses : 0, .used_us = last_us };
		if (is_used && used[u].uses > k->most)
			k->most = used[u].uses;
		if (is_used && last_us == 0 && used[u].last_us > 0 && /* then it is known */
		    used[u].last_us - CLOCK_SLACK_US < k->until_us)
			k->until_us = used[u].last_us - CLOCK_SLACK_US;
		if (row->expires_us > 0 && row->expires_us < k->until_us)
			k->until_us = row->expires_us;
	}
	return 0;
}

static int make(struct store *s, const struct kept_list *all, const struct scoring *by, int64_t now,
                const struct access_stamp *stamp)
{
	struct ranking *k = s->ranking;
	struct access *used = NULL;
	size_t count = 0;
	k->made = false;
	k->by = *by;
	k->at_us = now;
	int err = access_load(s, &used, &count);
	err = err ? err : take_all(k, all, used, count);
	free(used);
	if (err)
		return err;
	for (size_t i = 0; i < k->count; i++)
		k->items[i].bound = score(k, all, &k->items[i], now);
	if (k->count > 1)
		qsort(k->items, k->count, sizeof *k->items, by_bound);
	k->version = all->version;
	k->used = *stamp;
	k->made = true;
	return 0;
}

static bool is_same(const struct scoring *a, const struct scoring *b)
{
	const double *const x[] = { &a->recency, &a->importance, &a->relevance, &a->frequency };
	const double *const y[] = { &b->recency, &b->importance, &b->relevance, &b->frequency };
	bool same = true;
	for (int i = 0; i < 4; i++)
		same = same && *x[i] <= *y[i] && *x[i] >= *y[i];
	for (int i = 0; i < MEMORY_TYPES; i++)
		same = same && a->decay[i] <= b->decay[i] && a->decay[i] >= b->decay[i];
	return same;
}

static bool holds(const struct ranking *k, const struct kept_list *all, const struct scoring *by,
                  int64_t now, const struct access_stamp *stamp)
{
	return k->made && k->version == all->version && k->used.counted == stamp->counted &&
	       k->used.file == stamp->file && now >= k->at_us && now < k->until_us &&
	       is_same(&k->by, by);
}

/* ---- the best of it ---------------------------------------------------------------- */

/* Into `out`, which is best first, equal ones by number; the last goes if there are too many. */
static void best_put(struct best *out, size_t *count, size_t limit, const struct best *m)
{
	size_t at = *count;
	while (at > 0 && (out[at - 1].total < m->total ||
	                  (out[at - 1].total <= m->total && out[at - 1].id > m->id)))
		at--;
	if (at == limit)
		return;
	size_t last = *count < limit ? *count : limit - 1;
	memmove(out + at + 1, out + at, (last - at) * sizeof *out);
	out[at] = *m;
	*count = last + 1;
}

/* Returns how many were scored. */
static size_t choose(const struct ranking *k, const struct kept_list *all, int64_t now,
                     size_t limit, struct best *out, size_t *count)
{
	size_t i = 0;
	*count = 0;
	for (; i < k->count; i++) {
		const struct standing *m = &k->items[i];
		if (*count == limit && out[limit - 1].total > m->bound + ROUNDED)
			break;
		const struct best one = { .id = all->items[m->at].id, .uses = m->uses,
			.used_us = m->used_us, .total = score(k, all, m, now) };
		best_put(out, count, limit, &one);
	}
	return i;
}

int ranking_best(struct store *s, struct reader *r, const struct scoring *by, int64_t now,
                 size_t limit, struct best *out, size_t *count, int64_t *most)
{
	const struct access_stamp stamp = access_stamp(s); /* before they are read */
	const struct kept_list *all;
	struct ranking *k = s->ranking;
	int err = kept_take(s, r, &all);
	*count = 0;
	if (err)
		return err;
	if (!holds(k, all, by, now, &stamp))
		err = make(s, all, by, now, &stamp);
	size_t scored = err ? 0 : choose(k, all, now, limit, out, count);
	if (scored > limit + BEYOND && now - k->at_us > SETTLED_US) {
		err = make(s, all, by, now, &stamp);
		if (!err)
			(void)choose(k, all, now, limit, out, count);
	}
	*most = k->most;
	kept_give(s);
	return err;
}
