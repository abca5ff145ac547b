/* SPDX-License-Identifier: MIT */
/*
 * A file that says of each line which one it follows: what was given up by going back.  Parallel
 * calls of tools fork, too, and lines of programs stand anywhere, in any order.  So a branch is
 * given up if a person's words begin it, and at the same place words of later lines begin another:
 *
 *     a ─ b ┬ c ─ d         c, d: given up
 *           └ e ─ f         the branch of the file's newest line
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"
#include "store/base/hash.h"

struct node {
	uint64_t id, parent;   /* hashes of names; parent 0: none */
	uint32_t name;         /* where in i->ids */
	enum branch_kind kind;
};

/* The tree, by index; numbers of lines count from 1, 0 is none. */
struct tree {
	const struct node *node;
	uint32_t count, ordered;
	uint32_t *by_id;    /* sorted by the hash */
	uint32_t *parent;   /* count: none is known */
	uint32_t *children; /* how many are still to be looked at */
	uint32_t *order;    /* children before their parents; what goes in circles is not in it */
	uint32_t *head;     /* the first line of the conversation from here on */
	uint32_t *last;     /* the last one */
	uint32_t *newest;   /* the greatest `last` of those children that words begin */
	bool *leaf, *gone;
};

uint64_t branch_hash(const char *name)
{
	return hash_text(HASH_NONE, name);
}

void branch_note(struct import *i, const char *id, const char *parent, enum branch_kind kind)
{
	const struct node n = { branch_hash(id), *parent ? branch_hash(parent) : 0,
		(uint32_t)i->ids.len, kind };
	if (i->ids.len > UINT32_MAX - MESSAGE_NAME || strlen(id) > MESSAGE_NAME)
		return;
	buf_add(&i->turns, &n, sizeof n);
	if (kind != BRANCH_PROGRAM)
		buf_add(&i->ids, id, strlen(id) + 1);
	i->failed |= i->turns.failed || i->ids.failed;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct node *node = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (node[x].id != node[y].id)
		return node[x].id < node[y].id ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first node of that hash; `count`: there is none. */
static uint32_t find(const struct tree *t, uint64_t id)
{
	uint32_t low = 0, high = t->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->node[t->by_id[middle]].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->node[t->by_id[low]].id == id ? t->by_id[low] : t->count;
}

/* A line that is repeated is no second node: it hangs nowhere. */
static void link_nodes(struct tree *t)
{
	for (uint32_t n = 0; n < t->count; n++)
		t->by_id[n] = n;
	qsort_r(t->by_id, t->count, sizeof *t->by_id, compare, (void *)t->node);
	for (uint32_t n = 0; n < t->count; n++) {
		bool first = find(t, t->node[n].id) == n;
		t->parent[n] = first && t->node[n].parent ? find(t, t->node[n].parent) : t->count;
		if (t->parent[n] < t->count)
			t->children[t->parent[n]]++;
	}
}

static bool is_words(const struct tree *t, uint32_t head)
{
	return head > 0 && (t->node[head - 1].kind == BRANCH_WORDS ||
	                    t->node[head - 1].kind == BRANCH_COMMAND);
}

/* What is known of a node, all of whose children have been looked at, to its parent. */
static void look(struct tree *t, uint32_t n)
{
	uint32_t p = t->parent[n];
	if (t->node[n].kind != BRANCH_PROGRAM)
		t->head[n] = n + 1;
	if (t->node[n].kind != BRANCH_PROGRAM && t->last[n] < n + 1)
		t->last[n] = n + 1;
	t->order[t->ordered++] = n;
	if (p == t->count)
		return;
	if (t->head[n] > 0 && (t->head[p] == 0 || t->head[n] < t->head[p]))
		t->head[p] = t->head[n];
	if (t->last[p] < t->last[n])
		t->last[p] = t->last[n];
	if (is_words(t, t->head[n]) && t->newest[p] < t->last[n])
		t->newest[p] = t->last[n];
	t->children[p]--;
}

/* From each leaf up, as far as no other child is missing. */
static void climb(struct tree *t)
{
	for (uint32_t n = 0; n < t->count; n++)
		t->leaf[n] = t->children[n] == 0;
	for (uint32_t leaf = 0; leaf < t->count; leaf++)
		for (uint32_t n = leaf; t->leaf[leaf] && n < t->count && t->children[n] == 0;
		     n = t->parent[n])
			look(t, n);
}

static void decide(struct import *i, struct tree *t)
{
	for (uint32_t k = t->ordered; k > 0; k--) {
		uint32_t n = t->order[k - 1], p = t->parent[n], head = t->head[n];
		if (p < t->count)
			t->gone[n] = t->gone[p] || (head > 0 && t->node[head - 1].kind == BRANCH_WORDS &&
			                            t->newest[p] > t->last[n]);
	}
	for (uint32_t n = 0; n < t->count; n++)
		if (t->gone[n] && t->node[n].kind != BRANCH_PROGRAM)
			i->sink->gone(i->sink->ctx, i->ids.data + t->node[n].name);
}

void branch_tell(struct import *i)
{
	struct tree t = { .node = (const struct node *)(const void *)i->turns.data,
		.count = (uint32_t)(i->turns.len / sizeof *t.node) };
	uint32_t **const lists[] = { &t.by_id, &t.parent, &t.children, &t.order, &t.head, &t.last,
		&t.newest };
	enum { LISTS = sizeof lists / sizeof *lists };
	uint32_t *room = calloc((size_t)t.count + 1, LISTS * sizeof *room);
	bool *flags = calloc((size_t)t.count + 1, 2 * sizeof *flags);
	for (size_t k = 0; room && k < LISTS; k++)
		*lists[k] = room + k * t.count;
	i->failed |= !room || !flags;
	if (!i->failed) {
		t.leaf = flags;
		t.gone = flags + t.count;
		link_nodes(&t);
		climb(&t);
		decide(i, &t);
	}
	free(room);
	free(flags);
	buf_clear(&i->turns);
	buf_clear(&i->ids);
}
