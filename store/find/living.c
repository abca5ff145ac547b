/* SPDX-License-Identifier: MIT */
/* Retired things come last, and a superseded memory is answered by its heir (living.h). */
#include "store/find/living.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "store/internal.h"
#include "store/life/life.h"

struct settling {
	const struct search_query *q;
	struct search_found *from; /* as they were found; a name that was taken is NULL */
	struct life_of *items;     /* of each */
	bool *placed;              /* each is in `to` */
	size_t count;
	struct search_found *to;
	size_t used;
};

static bool wanted(const struct search_query *q, enum life life)
{
	return q->status == 0 || (q->status >> life & 1u) != 0;
}

/* True if it can be told that a memory passes all filters, though the search did not find it. */
static bool heirs_answer(const struct search_query *q)
{
	return q->phrase_count == 0 && q->without_count == 0 && !q->by && !q->role && !q->thread &&
	       q->entry == 0 &&
	       q->session == 0 && q->after_us == 0 && q->before_us == 0 &&
	       (q->in == 0 || q->in & SEARCH_DOCUMENTS);
}

/* memories/TYPE */
static bool is_of_type(const struct search_query *q, const char *root)
{
	const char *type = root ? strchr(root, '/') : NULL;
	return !q->type || strcasecmp(q->type, "memory") == 0 ||
	       strcasecmp(q->type, "memories") == 0 || strcasecmp(q->type, "document") == 0 ||
	       (type && strcasecmp(q->type, type + 1) == 0);
}

static void place(struct settling *t, size_t i)
{
	if (t->placed[i] || !wanted(t->q, t->items[i].life))
		return;
	t->placed[i] = true;
	t->from[i].life = t->items[i].life;
	t->from[i].heir = t->items[i].heir;
	t->to[t->used++] = t->from[i];
	t->from[i].name = NULL;
}

static size_t find_document(const struct settling *t, int64_t doc)
{
	size_t i = 0;
	while (i < t->count && !(t->from[i].kind == HIT_DOCUMENT && t->from[i].doc == doc))
		i++;
	return i;
}

static bool is_placed(const struct settling *t, int64_t doc)
{
	for (size_t i = 0; i < t->used; i++)
		if (t->to[i].kind == HIT_DOCUMENT && t->to[i].doc == doc)
			return true;
	return false;
}

/* In place of the memory at `i`. */
static int place_heir(struct store *s, struct settling *t, size_t i)
{
	int64_t heir = t->items[i].heir;
	size_t at = find_document(t, heir);
	if (at < t->count) {
		place(t, at);
		return 0;
	}
	if (is_placed(t, heir) || !heirs_answer(t->q) || !wanted(t->q, LIFE_LIVE))
		return 0;
	struct search_found *to = &t->to[t->used];
	*to = (struct search_found){ .seq = t->items[i].heir_seq, .score = t->from[i].score,
		.kind = HIT_DOCUMENT, .doc = heir };
	int err = search_name(s->index->search, to, 1);
	if (err || !is_of_type(t->q, to->root))
		free(to->name);
	else
		t->used++;
	return err;
}

static int settle(struct store *s, struct settling *t)
{
	int err = 0;
	for (size_t i = 0; i < t->count; i++)
		t->items[i] = (struct life_of){ .kind = t->from[i].kind, .id = t->from[i].kind == HIT_FACT ?
			t->from[i].seq : t->from[i].doc };
	int64_t now = t->q->now_us ? t->q->now_us : store_time(s);
	err = store_lives(s, t->items, t->count, now);
	for (size_t i = 0; !err && i < t->count; i++) {
		if (t->items[i].life == LIFE_LIVE)
			place(t, i);
		else if (t->items[i].heir)
			err = place_heir(s, t, i);
	}
	for (size_t i = 0; !err && i < t->count; i++)
		place(t, i);
	return err;
}

int find_living(struct store *s, const struct search_query *q, struct search_found **found,
                size_t *count)
{
	struct settling t = { .q = q, .from = *found, .count = *count };
	if (*count == 0)
		return 0;
	t.items = calloc(t.count, sizeof *t.items);
	t.placed = calloc(t.count, sizeof *t.placed);
	t.to = calloc(2 * t.count, sizeof *t.to); /* each may bring an heir */
	int err = t.items && t.placed && t.to ? settle(s, &t) : STORE_ENOMEM;
	for (size_t i = 0; i < t.count; i++)
		free(t.from[i].name);
	free(t.from);
	free(t.items);
	free(t.placed);
	*found = t.to;
	*count = t.used;
	return err;
}

bool find_is_enough(const struct search_query *q, const struct search_found *found, size_t count,
                    size_t limit)
{
	size_t first = 0;
	while (first < count && (q->status || found[first].life == LIFE_LIVE))
		first++;
	return first >= limit;
}
