/* SPDX-License-Identifier: MIT */
/* Nodes of the past: their numbers, names, sizes and bytes.  What they said is in past_page.c. */
#include "fs/past/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "store/lock.h"

enum { BUCKET_BITS = 16, BUCKETS = 1 << BUCKET_BITS, TRIES = 8 };

enum {
	LAST_MS = 1000, /* the page that was made last serves who reads on in it */
	LAST_MOST = 4 << 20
};

/*
 * A node of the past: `ino` is the inode of what it was.  Of a time that is not over `entries` is
 * how many there are: with each that comes it is another node.
 */
struct past_node {
	int64_t time_us, entries;
	uint64_t ino;
};

struct past_slot {
	int64_t id;
	struct past_node node;
	struct past_slot *same_pair, *same_id;   /* others of its buckets */
	struct past_slot *older, *newer;
};

/* The page that was made last, for whom, and until when it is taken. */
struct past_last {
	int64_t id, client, until; /* id 0: none; until: of now_ms() */
	struct buf page;
};

struct past {
	struct lock lock;
	/* All below is guarded by lock. */
	int64_t last, count;
	struct past_slot *oldest, *newest; /* by when they were found last */
	struct past_slot *by_pair[BUCKETS], *by_id[BUCKETS];
	struct past_last made;
	int64_t forgotten; /* past_forget(): what was made before it is not kept after it */
};

int past_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->past = calloc(1, sizeof *fs->past);
	if (!fs->past)
		return -ENOMEM;
	lock_init(&fs->past->lock, RANK_PAST);
	return 0;
}

void past_stop(struct fs *fs)
{
	struct past *p = fs->past;
	if (!p)
		return;
	for (struct past_slot *s = p->oldest, *next; s; s = next) {
		next = s->newer;
		free(s);
	}
	buf_release(&p->made.page);
	lock_destroy(&p->lock);
	free(p);
}

void past_forget(struct fs *fs)
{
	struct past *p = fs->past;
	lock_take(&p->lock);
	p->forgotten++;
	p->made.id = 0;
	buf_release(&p->made.page);
	lock_give(&p->lock);
}

static struct past_slot **pair_bucket(struct past *p, const struct past_node *n)
{
	uint64_t mix = ((uint64_t)n->time_us * 31 + (uint64_t)n->entries) * 31 + n->ino;
	mix *= UINT64_C(0x9E3779B97F4A7C15);
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
	if (row->flags & NODE_FORGOTTEN)
		return KIND_PAST_KEPT;
	return row->content == CONTENT_DIR ? KIND_PAST_DIR :
		row->content == CONTENT_LINK ? KIND_PAST_LINK : KIND_PAST_FILE;
}

/* True if the kernel may ask for it again. */
static bool in_use(struct fs *fs, const struct past_slot *s)
{
	uint64_t ino = ino_make(kind_of(fs, ino_kind(s->node.ino)), s->id);
	uint64_t now = ino_make(KIND_PAST_NOW, s->id);
	bool used = false;
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m && !used; m = m->next)
		used = kcache_has(&m->kcache, ino, false) ||
		       (ino_kind(s->node.ino) == KIND_ROOT && kcache_has(&m->kcache, now, false));
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
	while (s && (s->node.time_us != n->time_us || s->node.entries != n->entries ||
	             s->node.ino != n->ino))
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

/* -ESTALE: it is no number, or was let go. */
static int past_node(struct fs *fs, int64_t id, struct past_node *out)
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

static int ino_of(struct fs *fs, const struct past_node *n, uint64_t *ino)
{
	int64_t id = number_of(fs, n);
	*ino = ino_make(kind_of(fs, ino_kind(n->ino)), id);
	return id ? 0 : -ENOMEM;
}

/*
 * at/TIME.  Of a time that is not over more may come: entries, and refusals, which may be dated
 * after the next entry.  What there is up to the newest of both stays as it is, so that is the
 * time of all that is found below.
 */
int find_time(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct past_node n = { .ino = FUSE_ROOT_ID, .entries = store_entries(fs->store) };
	int64_t newest, refused;
	(void)dir;
	if (when_parse(name, &n.time_us))
		return -ENOENT;
	int err = errno_of_store(store_newest_time(fs->store, &newest));
	if (!err)
		err = past_refused(fs, INT64_MAX, &refused);
	if (err)
		return err;
	bool over = n.time_us < newest;
	int64_t last = newest > refused ? newest : refused;
	if (over)
		n.entries = 0;
	else if (n.time_us > last)
		n.time_us = last;
	err = ino_of(fs, &n, ino);
	if (!over)
		*ino = ino_make(KIND_PAST_NOW, ino_id(*ino));
	return err;
}

static int existed(struct fs *fs, const struct past_node *n)
{
	const struct node *row = node_of(fs, n->ino);
	return row->existed_at ? row->existed_at(fs, n->ino, n->time_us) : 0;
}

static struct past_node below(const struct past_node *dir, enum kind row)
{
	int64_t id = ino_kind(dir->ino) == KIND_ROOT ? 0 : ino_id(dir->ino);
	return (struct past_node){ dir->time_us, dir->entries, ino_make(row, id) };
}

int find_past(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct past_node n;
	int err = past_node(fs, ino_id(dir), &n);
	if (err)
		return err;
	const struct node *row = node_of(fs, n.ino);
	enum kind kind = tree_row(fs, ino_kind(n.ino), name);
	struct past_node child = kind != KIND_ROOT ? below(&n, kind) :
		(struct past_node){ n.time_us, n.entries, 0 };
	if (kind != KIND_ROOT)
		err = fs->tree[kind].flags & NODE_TRACELESS ? -ENOENT : existed(fs, &child);
	else if (row->find_at)
		err = row->find_at(fs, n.ino, n.time_us, name, &child.ino);
	else
		err = row->find ? row->find(fs, n.ino, name, &child.ino) : -ENOENT;
	if (!err && kind == KIND_ROOT)
		err = existed(fs, &child);
	return err ? err : ino_of(fs, &child, ino);
}

int find_no_past(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	(void)fs, (void)dir, (void)time_us, (void)name, (void)ino;
	return -ENOENT;
}

/* The next name that no row has, after *after; 1: there was one, 0: end. */
static int next_name(struct fs *fs, const struct past_node *dir, int64_t *after,
                     char name[NAME_LIMIT + 1], struct past_node *child)
{
	const struct node *row = node_of(fs, dir->ino);
	int got = 0;
	*child = (struct past_node){ dir->time_us, dir->entries, 0 };
	if (row->next_at)
		return row->next_at(fs, dir->ino, dir->time_us, after, name, &child->ino);
	while (row->next && (got = row->next(fs, dir->ino, after, name, &child->ino)) == 1)
		if (existed(fs, child) == 0)
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
		if (row == KIND_ROOT || fs->tree[row].parent != ino_kind(n.ino) || !fs->tree[row].name ||
		    (fs->tree[row].flags & (NODE_UNLISTED | NODE_TRACELESS)))
			continue;
		child = below(&n, row);
		if (existed(fs, &child))
			continue;
		(void)snprintf(name, NAME_LIMIT + 1, "%s", fs->tree[row].name);
		++*cursor;
		err = ino_of(fs, &child, ino);
		return err ? err : 1;
	}
	if (err)
		return err;
	int64_t after = *cursor - KIND_COUNT;
	int got = next_name(fs, &n, &after, name, &child);
	*cursor = after + KIND_COUNT;
	if (got == 1 && (err = ino_of(fs, &child, ino)))
		return err;
	return got;
}

void past_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct past_node n;
	struct doc d;
	(void)snprintf(dst, size, "?");
	if (past_node(fs, ino_id(ino), &n))
		return;
	if (ino_kind(n.ino) == KIND_ROOT) {
		when_print(n.time_us, dst, size);
	} else if (node_of(fs, n.ino)->flags & NODE_MOVES) {
		if (store_doc_place_at_time(fs->store, ino_id(n.ino), n.time_us, &d) == 0)
			(void)snprintf(dst, size, "%s", d.name);
	} else { /* that has not changed */
		tree_name(fs, n.ino, dst, size);
	}
}

uint64_t past_parent(struct fs *fs, uint64_t ino)
{
	struct past_node n;
	struct doc d;
	uint64_t parent = 0, past;
	if (past_node(fs, ino_id(ino), &n))
		return ino_make(KIND_AT, 0);
	if (node_of(fs, n.ino)->flags & NODE_MOVES) {
		if (store_doc_place_at_time(fs->store, ino_id(n.ino), n.time_us, &d) == 0)
			parent = place_ino(fs, d.parent);
	} else if (ino_kind(n.ino) != KIND_ROOT) {
		parent = tree_parent(fs, n.ino);
	}
	n.ino = parent;
	return parent && ino_of(fs, &n, &past) == 0 ? past : ino_make(KIND_AT, 0);
}

/* ---- sizes and bytes ----------------------------------------------------- */

static int page_then(struct fs *fs, const struct past_node *n, struct buf *out)
{
	const struct node *row = node_of(fs, n->ino);
	int err = row->page_at ? row->page_at(fs, ino_id(n->ino), n->time_us, out) :
		tree_page(fs, n->ino, out); /* it never changed */
	return !err && out->failed ? -ENOMEM : err;
}

int page_past(struct fs *fs, int64_t id, struct buf *out)
{
	struct past_node n;
	int err = past_node(fs, id, &n);
	return err ? err : page_then(fs, &n, out);
}

static int changed_then(struct fs *fs, const struct past_node *n, int64_t *us)
{
	const struct node *row = node_of(fs, n->ino);
	struct place p;
	*us = 0;
	if (row->changed_at)
		return row->changed_at(fs, n->ino, n->time_us, us);
	if (row->content != CONTENT_DIR)
		return row->changed ? row->changed(fs, ino_id(n->ino), us) : 0;
	int err = place_of(fs, n->ino, &p);
	return err || !p.key[0] ? 0 :
		errno_of_store(store_doc_dir_changed_at_time(fs->store, p.key, n->time_us, us));
}

int changed_past(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct past_node n;
	int err = past_node(fs, id, &n);
	return err ? err : changed_then(fs, &n, time_us);
}

static bool is_log(const struct fs *fs, const struct past_node *n)
{
	enum content content = node_of(fs, n->ino)->content;
	return content == CONTENT_LOG || content == CONTENT_TEXT;
}

/* How long a log or transcript was. */
static int cut_log(struct fs *fs, const struct past_node *n, struct log_stat *out)
{
	const struct node *row = node_of(fs, n->ino);
	struct group g;
	int err = errno_of_store(store_group_at_time(fs->store,
		(struct log_id){ row->log, ino_id(n->ino) }, n->time_us, &g));
	*out = (struct log_stat){ 0, 0 };
	if (err) /* a log of records is there from the beginning, empty */
		return err == -ENOENT && row->log == LOG_RECORD ? 0 : err;
	bool text = row->content == CONTENT_TEXT;
	*out = (struct log_stat){ text ? g.text_bytes : g.bytes, g.last_us };
	if (text && !g.last_us)
		out->last_us = g.made_us;
	return 0;
}

int past_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	struct past_node n;
	struct buf page = BUF_INIT;
	int err = past_node(fs, id, &n);
	*out = (struct log_stat){ 0, 0 };
	if (err)
		return err;
	if (is_log(fs, &n))
		return cut_log(fs, &n, out);
	if (node_of(fs, n.ino)->stat_at)
		return node_of(fs, n.ino)->stat_at(fs, ino_id(n.ino), n.time_us, out);
	err = page_then(fs, &n, &page);
	out->bytes = (int64_t)page.len;
	buf_release(&page);
	return err ? err : changed_then(fs, &n, &out->last_us);
}

/* -1: it is not the one that was made last. */
static ssize_t read_last(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size,
                         int64_t *forgotten)
{
	struct past *p = fs->past;
	struct past_last *last = &p->made;
	ssize_t got = -1;
	lock_take(&p->lock);
	*forgotten = p->forgotten;
	if (last->id == id && last->client == client_of(fs)->number && now_ms() < last->until)
		got = (ssize_t)page_part(&last->page, offset, dst, size);
	lock_give(&p->lock);
	return got;
}

/* Takes the page, which is longer than what was read of it. */
static void keep_last(struct fs *fs, int64_t id, struct buf *page, int64_t forgotten)
{
	struct past *p = fs->past;
	lock_take(&p->lock);
	if (p->forgotten == forgotten) {
		buf_release(&p->made.page);
		p->made = (struct past_last){ id, client_of(fs)->number, now_ms() + LAST_MS, *page };
		*page = (struct buf)BUF_INIT;
	}
	lock_give(&p->lock);
}

ssize_t past_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	struct past_node n;
	struct buf page = BUF_INIT;
	struct log_stat cut;
	int err = past_node(fs, id, &n);
	if (err)
		return err;
	if (is_log(fs, &n)) {
		err = cut_log(fs, &n, &cut);
		if (err || offset >= cut.bytes)
			return err;
		int64_t left = cut.bytes - offset;
		return tree_read(fs, n.ino, offset, dst, (int64_t)size < left ? size : (size_t)left);
	}
	int64_t forgotten;
	ssize_t got = read_last(fs, id, offset, dst, size, &forgotten);
	if (got >= 0)
		return got;
	err = page_then(fs, &n, &page);
	got = err ? err : (ssize_t)page_part(&page, offset, dst, size);
	if (!err && page.len > size && page.len <= LAST_MOST)
		keep_last(fs, id, &page, forgotten);
	buf_release(&page);
	return got;
}
