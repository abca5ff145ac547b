/* SPDX-License-Identifier: MIT */
/* The tables of scratch files (index.h). */
#include "fs/scratch/index.h"
#include "store/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

static size_t at(const struct scratch_index *x, uint64_t hash)
{
	return (size_t)((hash * UINT64_C(0x9E3779B97F4A7C15)) >> 24) & (x->size - 1);
}

static size_t at_name(const struct scratch_index *x, uint64_t dir, const char *name)
{
	return at(x, hash_text(HASH_NONE ^ dir, name));
}

static void put_id(struct scratch_index *x, struct scratch *s)
{
	struct scratch **head = &x->by_id[at(x, (uint64_t)s->id)];
	s->id_next = *head;
	*head = s;
}

static void put_name(struct scratch_index *x, struct scratch *s)
{
	struct scratch **head = &x->by_name[at_name(x, s->dir, s->name)];
	s->name_next = *head;
	*head = s;
}

/* Mostly it is the newest. */
static void put_dir(struct scratch_index *x, struct scratch *s)
{
	struct index_chain *chain = &x->by_dir[at(x, s->dir)];
	struct scratch *before = chain->last;
	while (before && before->id > s->id)
		before = before->dir_prev;
	s->dir_prev = before;
	s->dir_next = before ? before->dir_next : chain->first;
	*(before ? &before->dir_next : &chain->first) = s;
	*(s->dir_next ? &s->dir_next->dir_prev : &chain->last) = s;
}

static void take_dir(struct scratch_index *x, struct scratch *s)
{
	struct index_chain *chain = &x->by_dir[at(x, s->dir)];
	*(s->dir_prev ? &s->dir_prev->dir_next : &chain->first) = s->dir_next;
	*(s->dir_next ? &s->dir_next->dir_prev : &chain->last) = s->dir_prev;
	s->dir_prev = s->dir_next = NULL;
}

/* All into tables of twice the size; what has a name is in `by_name`. */
static void grow(struct scratch_index *x)
{
	const struct scratch_index old = *x;
	struct scratch_index wide = { .size = old.size ? old.size * 2 : FIRST_SIZE,
		.count = old.count };
	wide.by_id = calloc(wide.size, sizeof *wide.by_id);
	wide.by_name = calloc(wide.size, sizeof *wide.by_name);
	wide.by_dir = calloc(wide.size, sizeof *wide.by_dir);
	if (!wide.by_id || !wide.by_name || !wide.by_dir) {
		index_release(&wide);
		return;
	}
	*x = wide;
	for (size_t i = 0; i < old.size; i++) {
		for (struct scratch *s = old.by_id[i], *next; s; s = next) {
			next = s->id_next;
			put_id(x, s);
		}
		for (struct scratch *s = old.by_name[i], *next; s; s = next) {
			next = s->name_next;
			put_name(x, s);
		}
		for (struct scratch *s = old.by_dir[i].first, *next; s; s = next) {
			next = s->dir_next;
			put_dir(x, s);
		}
	}
	free(old.by_id);
	free(old.by_name);
	free(old.by_dir);
}

void index_release(struct scratch_index *x)
{
	free(x->by_id);
	free(x->by_name);
	free(x->by_dir);
	*x = (struct scratch_index){ .size = 0 };
}

bool index_add(struct scratch_index *x, struct scratch *s)
{
	if (x->count >= x->size)
		grow(x);
	if (x->size == 0)
		return false;
	x->count++;
	put_id(x, s);
	return true;
}

void index_remove(struct scratch_index *x, struct scratch *s)
{
	struct scratch **p = &x->by_id[at(x, (uint64_t)s->id)];
	while (*p != s)
		p = &(*p)->id_next;
	*p = s->id_next;
	x->count--;
}

void index_name(struct scratch_index *x, struct scratch *s)
{
	put_name(x, s);
	put_dir(x, s);
}

void index_unname(struct scratch_index *x, struct scratch *s)
{
	struct scratch **p = &x->by_name[at_name(x, s->dir, s->name)];
	while (*p != s)
		p = &(*p)->name_next;
	*p = s->name_next;
	take_dir(x, s);
}

struct scratch *index_by_id(const struct scratch_index *x, int64_t id)
{
	struct scratch *s = x->size ? x->by_id[at(x, (uint64_t)id)] : NULL;
	while (s && s->id != id)
		s = s->id_next;
	return s;
}

struct scratch *index_by_name(const struct scratch_index *x, uint64_t dir, const char *name)
{
	struct scratch *s = x->size ? x->by_name[at_name(x, dir, name)] : NULL;
	while (s && (s->dir != dir || strcmp(s->name, name) != 0))
		s = s->name_next;
	return s;
}

struct scratch *index_next(const struct scratch_index *x, uint64_t dir, int64_t after)
{
	struct scratch *s = after ? index_by_id(x, after) : NULL;
	s = s && s->dir == dir && s->name[0] ? s->dir_next :
		x->size ? x->by_dir[at(x, dir)].first : NULL;
	while (s && (s->dir != dir || s->id <= after))
		s = s->dir_next;
	return s;
}
