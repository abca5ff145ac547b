/* SPDX-License-Identifier: MIT */
/* Walking the table (tree_table.c): names, listings, sizes, bytes, paths. */
#include "fs/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/tree/place.h"

enum { DYNAMIC = 1 << INO_KIND_BITS }; /* readdir offsets below are rows of the table */
_Static_assert((int)KIND_COUNT < (int)DYNAMIC, "a row must not look like an id");

/* The inode of a static row under a directory: children share the directory's id. */
static uint64_t child_ino(const struct fs *fs, enum kind kind, uint64_t dir)
{
	return ino_make(kind, fs->tree[kind].parent == KIND_ROOT ? 0 : ino_id(dir));
}

enum kind tree_row(const struct fs *fs, enum kind parent, const char *name)
{
	for (enum kind k = KIND_ROOT + 1; k < KIND_COUNT; k++)
		if (fs->tree[k].parent == parent && fs->tree[k].name &&
		    strcmp(fs->tree[k].name, name) == 0)
			return k;
	return KIND_ROOT;
}

int tree_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	if (strlen(name) > NAME_LIMIT)
		return -ENAMETOOLONG;
	enum kind kind = tree_row(fs, ino_kind(dir), name);
	if (kind != KIND_ROOT) {
		*ino = child_ino(fs, kind, dir);
		return fs->tree[kind].flags & NODE_MAYBE ? tree_page(fs, *ino, NULL) : 0;
	}
	return node_of(fs, dir)->find ? node_of(fs, dir)->find(fs, dir, name, ino) : -ENOENT;
}

bool tree_remembers_absent(const struct fs *fs, uint64_t dir)
{
	/* Where names only come from the table nothing can appear later. */
	return !node_of(fs, dir)->find;
}

int tree_list(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino)
{
	enum kind parent = ino_kind(dir);
	for (; *cursor < KIND_COUNT; ++*cursor) {
		const struct node *row = &fs->tree[*cursor];
		if (*cursor == KIND_ROOT || row->parent != parent || !row->name ||
		    (row->flags & NODE_UNLISTED))
			continue;
		*ino = child_ino(fs, (enum kind)*cursor, dir);
		if ((row->flags & NODE_MAYBE) && tree_page(fs, *ino, NULL) != 0)
			continue;
		(void)snprintf(name, NAME_LIMIT + 1, "%s", row->name);
		++*cursor;
		return 1;
	}
	if (!fs->tree[parent].next)
		return 0;
	int64_t after = *cursor < DYNAMIC ? 0 : *cursor - DYNAMIC;
	int got = fs->tree[parent].next(fs, dir, &after, name, ino);
	*cursor = after + DYNAMIC;
	return got;
}

int tree_page(struct fs *fs, uint64_t ino, struct buf *out)
{
	struct buf own = BUF_INIT;
	struct buf *page = out ? out : &own;
	const struct node *row = node_of(fs, ino);
	int err = row->page ? row->page(fs, ino_id(ino), page) : -EINVAL;
	if (!err && page->failed)
		err = -ENOMEM;
	buf_release(&own);
	return err;
}

static int text_size(struct fs *fs, enum log_kind kind, int64_t id, struct log_stat *out)
{
	struct group g;
	int err = store_catch_up(fs->store);
	if (!err)
		err = store_group_by_id(fs->store, kind, id, &g);
	out->bytes = err ? 0 : g.text_bytes;
	out->last_us = err ? 0 : g.last_us ? g.last_us : g.made_us;
	return errno_of_store(err);
}

int tree_measure(struct fs *fs, uint64_t ino, struct log_stat *out)
{
	const struct node *row = node_of(fs, ino);
	struct buf page = BUF_INIT;
	int err = 0;
	*out = (struct log_stat){ 0, 0 };
	switch (row->content) {
	case CONTENT_DIR:
		err = row->changed ? 0 : place_changed(fs, ino, &out->last_us);
		break;
	case CONTENT_LOG:
		return errno_of_store(store_log_stat(fs->store, (struct log_id){ row->log, ino_id(ino) },
		                                     out));
	case CONTENT_TEXT:
		return text_size(fs, row->log, ino_id(ino), out);
	case CONTENT_LINK:
	case CONTENT_PAGE:
		if (row->stat)
			return row->stat(fs, ino_id(ino), out);
		err = tree_page(fs, ino, &page);
		out->bytes = (int64_t)page.len;
		buf_release(&page);
		break;
	case CONTENT_OWN:
	case CONTENT_SCRATCH:
		return row->stat(fs, ino_id(ino), out);
	}
	if (!err && row->changed)
		err = row->changed(fs, ino_id(ino), &out->last_us);
	return err;
}

int tree_size(struct fs *fs, uint64_t ino, int64_t *size)
{
	struct log_stat now;
	int err = tree_measure(fs, ino, &now);
	*size = now.bytes;
	return err;
}

mode_t tree_mode(struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	return row->mode_of ? row->mode_of(fs, ino_id(ino)) : row->mode;
}

bool tree_is_dir(struct fs *fs, uint64_t ino)
{
	return S_ISDIR(tree_mode(fs, ino));
}

int tree_stat(struct fs *fs, uint64_t ino, enum stat_size which, struct stat *st)
{
	if (ino_kind(ino) >= KIND_COUNT)
		return -ENOENT;
	const struct node *row = node_of(fs, ino);
	struct log_stat size = { 0, 0 };
	int err = which == SIZE_NONE && row->content == CONTENT_PAGE ?
		(row->changed ? row->changed(fs, ino_id(ino), &size.last_us) : 0) :
		tree_measure(fs, ino, &size);
	if (err)
		return err;
	if (which == SIZE_HELD && (row->content == CONTENT_LOG || row->content == CONTENT_TEXT))
		size.bytes = size_barrier_told(fs, ino, size.bytes);
	int64_t us = size.last_us ? size.last_us : fs->began_us;
	memset(st, 0, sizeof *st);
	st->st_ino = number_shown(fs, row->shown_as ? row->shown_as(fs, ino) : ino);
	st->st_mode = tree_mode(fs, ino);
	st->st_nlink = S_ISDIR(st->st_mode) ? 2 : 1;
	st->st_uid = fs->uid;
	st->st_gid = fs->gid;
	st->st_size = size.bytes;
	st->st_blksize = 4096;
	st->st_blocks = (size.bytes + 511) / 512;
	st->st_atim = st->st_ctim = st->st_mtim = timespec_of(us);
	return 0;
}

struct slice {
	int64_t offset;
	char *dst;
	size_t size, done;
	struct buf part;
	int err;
};

/* One message of a transcript: what of it lies in the slice. */
static int copy_text(void *ctx, const struct entry *e, int64_t start)
{
	struct slice *w = ctx;
	buf_clear(&w->part);
	render_transcript(&w->part, e);
	if (w->part.failed) {
		w->err = -ENOMEM;
		return 1;
	}
	size_t skip = w->offset > start ? (size_t)(w->offset - start) : 0;
	size_t left = w->part.len > skip ? w->part.len - skip : 0;
	size_t take = left < w->size - w->done ? left : w->size - w->done;
	if (take > 0)
		memcpy(w->dst + w->done, w->part.data + skip, take);
	w->done += take;
	return w->done == w->size;
}

static ssize_t read_text(struct fs *fs, struct log_id log, int64_t offset, char *dst, size_t size)
{
	struct slice w = { .offset = offset, .dst = dst, .size = size, .part = BUF_INIT };
	int err = store_text_each(fs->store, log, offset, copy_text, &w);
	buf_release(&w.part);
	if (err)
		return errno_of_store(err);
	return w.err ? w.err : (ssize_t)w.done;
}

size_t page_part(const struct buf *page, int64_t offset, char *dst, size_t size)
{
	if (offset >= (int64_t)page->len)
		return 0;
	size_t left = page->len - (size_t)offset, take = left < size ? left : size;
	memcpy(dst, page->data + offset, take);
	return take;
}

static ssize_t read_page(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size)
{
	struct buf page = BUF_INIT;
	int err = tree_page(fs, ino, &page);
	size_t take = err ? 0 : page_part(&page, offset, dst, size);
	buf_release(&page);
	return err ? err : (ssize_t)take;
}

ssize_t tree_read(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size)
{
	const struct node *row = node_of(fs, ino);
	struct log_id log = { row->log, ino_id(ino) };
	ssize_t got;
	switch (row->content) {
	case CONTENT_LOG:
		got = store_log_read(fs->store, log, offset, dst, size);
		return got < 0 ? errno_of_store((int)got) : got;
	case CONTENT_TEXT:
		return read_text(fs, log, offset, dst, size);
	case CONTENT_PAGE:
	case CONTENT_OWN:
	case CONTENT_SCRATCH: /* of a read-only mount: nobody opened it */
		return row->read ? row->read(fs, ino_id(ino), offset, dst, size) :
			read_page(fs, ino, offset, dst, size);
	default:
		return -EISDIR;
	}
}

/* A directory that stands in the root by its name is one: its id is 0. */
uint64_t tree_parent(struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino), *above = &fs->tree[row->parent];
	if (row->parent == KIND_ROOT)
		return FUSE_ROOT_ID;
	if (row->parent_of)
		return row->parent_of(fs, ino);
	return ino_make(row->parent, above->parent == KIND_ROOT && above->name ? 0 : ino_id(ino));
}

bool tree_climb(struct fs *fs, struct climb *c)
{
	c->ino = tree_parent(fs, c->ino);
	if (c->ino == c->seen)
		return false;
	c->steps++;
	if ((c->steps & (c->steps - 1)) == 0)
		c->seen = c->ino;
	return true;
}

uint64_t tree_top(struct fs *fs, uint64_t ino, uint64_t *dir)
{
	struct climb up = { .ino = ino };
	for (;;) {
		uint64_t top = up.ino;
		bool goes_on = tree_climb(fs, &up);
		*dir = up.ino;
		if (!goes_on || ino_kind(*dir) != ino_kind(ino))
			return top;
	}
}

void tree_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	const struct node *row = node_of(fs, ino);
	(void)snprintf(dst, size, "%s", row->name ? row->name : "?");
	if (row->name_of)
		row->name_of(fs, ino, dst, size);
}

/* A name, and a slash if something follows; nothing if there is no room for both. */
static size_t put_before(char *path, size_t at, size_t end, const char *name)
{
	size_t len = strlen(name), slash = at < end;
	if (len + slash > at)
		return at;
	if (slash)
		path[--at] = '/';
	memcpy(path + at - len, name, len);
	return at - len;
}

bool tree_path(struct fs *fs, uint64_t ino, const char *child, char *dst, size_t size)
{
	char path[PATH_LIMIT + 1], name[NAME_LIMIT + 1];
	size_t at = sizeof path - 1; /* where it begins: it is written from its end */
	path[at] = '\0';
	if (child)
		at = put_before(path, at, sizeof path - 1, child);
	for (int depth = 0; ino_kind(ino) != KIND_ROOT && depth < DEPTH_MOST; depth++) {
		tree_name(fs, ino, name, sizeof name);
		size_t before = put_before(path, at, sizeof path - 1, name);
		if (before == at)
			break;
		at = before;
		ino = tree_parent(fs, ino);
	}
	int len = snprintf(dst, size, "%s", path[at] ? path + at : ".");
	return ino_kind(ino) == KIND_ROOT && (size_t)len < size;
}

bool tree_shows(struct fs *fs, uint64_t ino)
{
	char path[PATH_LIMIT + 1];
	return client_sees_all(fs) ||
	       (tree_path(fs, ino, NULL, path, sizeof path) && client_sees(fs, path));
}

bool tree_is_below(const struct fs *fs, const char *path, enum kind root)
{
	size_t len = strlen(fs->tree[root].name);
	return strncmp(path, fs->tree[root].name, len) == 0 && path[len] == '/';
}
