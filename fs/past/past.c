/* SPDX-License-Identifier: MIT */
/* Nodes of the past: their numbers, names and directories.  What they say is in past_page.c. */
#include "fs/past/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/pages.h"
#include "fs/tree/place.h"
#include "fs/tree/when.h"
#include "fs/context/window.h"
#include "store/lock.h"

enum { BUCKET_BITS = 16, BUCKETS = 1 << BUCKET_BITS, TRIES = 8 };

struct past_slot {
	int64_t id;
	struct past_node node;
	struct past_slot *same_pair, *same_id;   /* others of its buckets */
	struct past_slot *older, *newer;
};

struct past {
	struct lock lock;
	/* All below is guarded by lock. */
	int64_t last, count;
	struct past_slot *oldest, *newest; /* by when they were found last */
	struct past_slot *by_pair[BUCKETS], *by_id[BUCKETS];
};

struct past *past_new(void)
{
	struct past *p = calloc(1, sizeof *p);
	if (p)
		lock_init(&p->lock, RANK_PAST);
	return p;
}

void past_free(struct past *p)
{
	if (!p)
		return;
	for (struct past_slot *s = p->oldest, *next; s; s = next) {
		next = s->newer;
		free(s);
	}
	lock_destroy(&p->lock);
	free(p);
}

static struct past_slot **pair_bucket(struct past *p, const struct past_node *n)
{
	uint64_t mix = ((uint64_t)n->time_us * 31 + n->ino) * UINT64_C(0x9E3779B97F4A7C15);
	return &p->by_pair[mix >> (64 - BUCKET_BITS)];
}

static void to_end(struct past *p, struct past_slot *s)
{
	s->newer = NULL;
	s->older = p->newest;
	*(p->newest ? &p->newest->newer : &p->oldest) = s;
	p->newest = s;
}

static void from_list(struct past *p, struct past_slot *s)
{
	*(s->older ? &s->older->newer : &p->oldest) = s->newer;
	*(s->newer ? &s->newer->older : &p->newest) = s->older;
}

/* Which sort of node the past of this kind is. */
static enum kind kind_of(const struct fs *fs, enum kind kind)
{
	const struct node *row = &fs->tree[kind];
	if (kind == KIND_ERRORS || row->parent == KIND_REJECTED)
		return KIND_PAST_KEPT;
	return row->content == CONTENT_DIR ? KIND_PAST_DIR :
		row->content == CONTENT_LINK ? KIND_PAST_LINK : KIND_PAST_FILE;
}

/* May the kernel ask for it again? */
static bool in_use(struct fs *fs, const struct past_slot *s)
{
	uint64_t ino = ino_make(kind_of(fs, ino_kind(s->node.ino)), s->id);
	uint64_t now = ino_make(KIND_PAST_NOW, s->id);
	bool used = false;
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m && !used; m = m->next)
		used = known_has(&m->known, ino, false) ||
		       (ino_kind(s->node.ino) == KIND_ROOT && known_has(&m->known, now, false));
	lock_give(&fs->lock);
	return used;
}

/* When there are many, the oldest that the kernel has forgotten goes. */
static void make_room(struct fs *fs, struct past *p)
{
	for (int i = 0; i < TRIES && p->count >= PAST_MOST; i++) {
		struct past_slot *s = p->oldest, **link;
		from_list(p, s);
		if (in_use(fs, s)) {
			to_end(p, s);
			continue;
		}
		for (link = pair_bucket(p, &s->node); *link != s; link = &(*link)->same_pair)
			;
		*link = s->same_pair;
		for (link = &p->by_id[s->id % BUCKETS]; *link != s; link = &(*link)->same_id)
			;
		*link = s->same_id;
		free(s);
		p->count--;
	}
}

static struct past_slot *add(struct past *p, const struct past_node *n)
{
	struct past_slot *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->id = ++p->last;
	s->node = *n;
	s->same_pair = *pair_bucket(p, n);
	*pair_bucket(p, n) = s;
	s->same_id = p->by_id[s->id % BUCKETS];
	p->by_id[s->id % BUCKETS] = s;
	to_end(p, s);
	p->count++;
	return s;
}

/* The number of a pair; 0: no memory. */
static int64_t number_of(struct fs *fs, const struct past_node *n)
{
	struct past *p = fs->past;
	lock_take(&p->lock);
	struct past_slot *s = *pair_bucket(p, n);
	while (s && (s->node.time_us != n->time_us || s->node.ino != n->ino))
		s = s->same_pair;
	if (s) { /* it is about to be handed out: not to be the next to go */
		from_list(p, s);
		to_end(p, s);
	} else {
		make_room(fs, p);
		s = add(p, n);
	}
	int64_t id = s ? s->id : 0;
	lock_give(&p->lock);
	return id;
}

int past_node(struct fs *fs, int64_t id, struct past_node *out)
{
	struct past *p = fs->past;
	lock_take(&p->lock);
	const struct past_slot *s = p->by_id[id % BUCKETS];
	while (s && s->id != id)
		s = s->same_id;
	if (s)
		*out = s->node;
	lock_give(&p->lock);
	return s ? 0 : -ESTALE;
}

static int ino_of(struct fs *fs, int64_t time_us, uint64_t then, uint64_t *ino)
{
	struct past_node n = { time_us, then };
	int64_t id = number_of(fs, &n);
	*ino = ino_make(kind_of(fs, ino_kind(then)), id);
	return id ? 0 : -ENOMEM;
}

/*
 * at/TIME.  Of a time that is not over more may come; what there is up to the
 * newest change stays as it is, so that is the time of all that is found below.
 */
int find_time(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int64_t us, newest, refused;
	(void)dir;
	if (when_parse(name, &us))
		return -ENOENT;
	int err = errno_of_store(store_newest_time(fs->store, &newest));
	if (!err)
		err = past_refused(fs, INT64_MAX, &refused);
	if (err)
		return err;
	newest = newest > refused ? newest : refused;
	bool over = us < newest;
	err = ino_of(fs, over ? us : newest, FUSE_ROOT_ID, ino);
	if (!over)
		*ino = ino_make(KIND_PAST_NOW, ino_id(*ino));
	return err;
}

/* Directories whose names of then are known. */
static bool names_kept(const struct fs *fs, const struct node *row)
{
	return !row->find || row->find == find_document || row->find == find_answer ||
	       row->find == find_fixed || row->find == find_session ||
	       row->find == find_thread || row->find == find_message ||
	       row->find == find_rejected || row->find == find_facts || row->find == find_summary ||
	       row == &fs->tree[KIND_SEARCH] || row == &fs->tree[KIND_QUESTIONS];
}

/* Is this row of the table also in the past?  What changes by itself left no trace. */
static bool is_kept(const struct fs *fs, enum kind kind)
{
	const struct node *row = &fs->tree[kind];
	if (kind == KIND_CTL || kind == KIND_ACTION_LOG) /* made of what is on the tape */
		return true;
	if (kind == KIND_CINTA || !row->name || (row->flags & NODE_FRESH))
		return false;
	if (row->content == CONTENT_DIR)
		return names_kept(fs, row);
	if (row->content == CONTENT_PAGE)
		return (row->flags & NODE_FIXED) || kind == KIND_ERRORS || kind == KIND_PAGE ||
		       kind == KIND_REFS || kind == KIND_FACTS_ALL || kind == KIND_FACTS_STALE;
	return row->content != CONTENT_SCRATCH;
}

/* The row of that name below a directory; 0: there is none. */
static enum kind row_named(const struct fs *fs, enum kind parent, const char *name)
{
	for (enum kind k = KIND_ROOT + 1; k < KIND_COUNT; k++)
		if (fs->tree[k].parent == parent && fs->tree[k].name &&
		    strcmp(fs->tree[k].name, name) == 0)
			return k;
	return KIND_ROOT;
}

static struct past_node below(const struct past_node *dir, enum kind row)
{
	int64_t id = ino_kind(dir->ino) == KIND_ROOT ? 0 : ino_id(dir->ino);
	return (struct past_node){ dir->time_us, ino_make(row, id) };
}

static uint64_t doc_ino(const struct doc *d)
{
	return ino_make(d->folder ? KIND_FOLDER : KIND_DOC, d->id);
}

/* An answer that did not hold any more then. */
static bool was_over(struct fs *fs, const struct place *p, const struct doc *d, int64_t time_us)
{
	return p->family == FAMILY_ANSWER && !d->folder && !answers_hold(fs, p, d->saved_us, time_us);
}

int find_past(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct past_node n, child;
	struct place p;
	struct doc d;
	char key[NAME_LIMIT + 1];
	int err = past_node(fs, ino_id(dir), &n);
	if (err)
		return err;
	enum kind kind = ino_kind(n.ino), row = row_named(fs, kind, name);
	child = (struct past_node){ n.time_us, 0 };
	if (row != KIND_ROOT) {
		child = below(&n, row);
		err = is_kept(fs, row) ? past_existed(fs, &child) : -ENOENT;
	} else if (kind == KIND_FACTS) {
		child.ino = ino_make(KIND_FACT_LIST, facts_domain(name));
		err = facts_domain(name) ? 0 : -ENOENT;
	} else if (kind == KIND_SUMMARIES) {
		err = find_summary_then(fs, ino_id(n.ino), n.time_us, name, &child.ino);
	} else if (kind == KIND_SEARCH || kind == KIND_QUESTIONS) {
		err = -ENOENT; /* it was empty; nothing is asked there */
	} else if (place_of(fs, n.ino, &p) == 0) {
		err = !p.key[0] || place_name(&p, name, key) ? -ENOENT :
			errno_of_store(store_doc_at_time(fs->store, n.time_us, p.key, key, &d));
		if (!err && was_over(fs, &p, &d, n.time_us))
			err = -ENOENT;
		child.ino = err ? 0 : doc_ino(&d);
	} else {
		err = fs->tree[kind].find ? fs->tree[kind].find(fs, n.ino, name, &child.ino) : -ENOENT;
		err = err ? err : past_existed(fs, &child);
	}
	return err ? err : ino_of(fs, child.time_us, child.ino, ino);
}

/* The next name that no row has, after *after; 1: there was one, 0: end. */
static int next_name(struct fs *fs, const struct past_node *dir, int64_t *after,
                     char name[NAME_LIMIT + 1], struct past_node *child)
{
	struct place p;
	struct doc d;
	enum kind kind = ino_kind(dir->ino);
	bool place = kind != KIND_FACTS && place_of(fs, dir->ino, &p) == 0;
	int got = 0;
	child->time_us = dir->time_us;
	if (place && p.key[0]) {
		do {
			int err = store_doc_next_at_time(fs->store, dir->time_us, p.key, *after, &d);
			if (err)
				return err == STORE_ENOENT ? 0 : errno_of_store(err);
			*after = d.id;
		} while (row_named(fs, kind, d.name) != KIND_ROOT || /* session.md: the row shows it */
		         was_over(fs, &p, &d, dir->time_us));
		child->ino = doc_ino(&d);
		memcpy(name, d.name, sizeof d.name);
		return 1;
	}
	if (kind == KIND_FACTS) {
		if (!store_fact_domain_name((int)*after + 1))
			return 0;
		child->ino = ino_make(KIND_FACT_LIST, ++*after);
		tree_name(fs, child->ino, name, NAME_LIMIT + 1);
		return 1;
	}
	if (kind == KIND_SUMMARIES)
		return next_summary_then(fs, ino_id(dir->ino), dir->time_us, after, name, &child->ino);
	while (!place && fs->tree[kind].next &&
	       (got = fs->tree[kind].next(fs, dir->ino, after, name, &child->ino)) == 1)
		if (past_existed(fs, child) == 0)
			return 1;
	return got;
}

/* The cursor: rows of the table, then KIND_COUNT more than what next_name() wants. */
int next_past(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino)
{
	struct past_node n, child;
	int err = past_node(fs, ino_id(dir), &n);
	for (; !err && *cursor < KIND_COUNT; ++*cursor) {
		enum kind row = (enum kind)*cursor;
		if (row == KIND_ROOT || fs->tree[row].parent != ino_kind(n.ino) || !is_kept(fs, row) ||
		    (fs->tree[row].flags & NODE_UNLISTED))
			continue;
		child = below(&n, row);
		if (past_existed(fs, &child))
			continue;
		(void)snprintf(name, NAME_LIMIT + 1, "%s", fs->tree[row].name);
		++*cursor;
		err = ino_of(fs, child.time_us, child.ino, ino);
		return err ? err : 1;
	}
	if (err)
		return err;
	int64_t after = *cursor - KIND_COUNT;
	int got = next_name(fs, &n, &after, name, &child);
	*cursor = after + KIND_COUNT;
	if (got == 1 && (err = ino_of(fs, child.time_us, child.ino, ino)))
		return err;
	return got;
}

void past_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct past_node n;
	struct doc d;
	char path[4 * NAME_LIMIT];
	(void)snprintf(dst, size, "?");
	if (past_node(fs, ino_id(ino), &n))
		return;
	enum kind kind = ino_kind(n.ino);
	if (kind == KIND_ROOT) {
		when_print(n.time_us, dst, size);
	} else if (kind == KIND_DOC || kind == KIND_FOLDER) {
		if (store_doc_place_at_time(fs->store, ino_id(n.ino), n.time_us, &d) == 0)
			(void)snprintf(dst, size, "%s", d.name);
	} else { /* it has not changed: the last part of its path now */
		tree_path(fs, n.ino, NULL, path, sizeof path);
		const char *slash = strrchr(path, '/');
		(void)snprintf(dst, size, "%s", slash ? slash + 1 : path);
	}
}

uint64_t past_parent(struct fs *fs, uint64_t ino)
{
	struct past_node n;
	struct doc d;
	uint64_t parent = 0, past;
	if (past_node(fs, ino_id(ino), &n))
		return ino_make(KIND_AT, 0);
	enum kind kind = ino_kind(n.ino);
	if (kind == KIND_DOC || kind == KIND_FOLDER) {
		if (store_doc_place_at_time(fs->store, ino_id(n.ino), n.time_us, &d) == 0)
			parent = place_ino(fs, d.parent);
	} else if (kind != KIND_ROOT) {
		parent = tree_parent(fs, n.ino);
	}
	return parent && ino_of(fs, n.time_us, parent, &past) == 0 ? past : ino_make(KIND_AT, 0);
}
