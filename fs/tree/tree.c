/* SPDX-License-Identifier: MIT */
/* Walking the table (tree_table.c): names, listings, sizes, bytes, paths. */
#include "fs/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/answers/answers.h"
#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/pages.h"
#include "fs/past/past.h"
#include "fs/tree/place.h"
#include "fs/search/search.h"
#include "fs/context/window.h"

enum { DYNAMIC = 1 << INO_KIND_BITS }; /* readdir offsets below are rows of the table */
_Static_assert((int)KIND_COUNT < (int)DYNAMIC, "a row must not look like an id");

/* The inode of a static row under a directory: children share the directory's id. */
static uint64_t child_ino(enum kind kind, uint64_t dir)
{
	return ino_make(kind, tree[kind].parent == KIND_ROOT ? 0 : ino_id(dir));
}

int tree_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	enum kind parent = ino_kind(dir);
	if (strlen(name) > NAME_LIMIT)
		return -ENAMETOOLONG;
	for (enum kind k = KIND_ROOT + 1; k < KIND_COUNT; k++) {
		if (tree[k].parent != parent || !tree[k].name || strcmp(tree[k].name, name) != 0)
			continue;
		*ino = child_ino(k, dir);
		/* sessions/current is there when there is a session. */
		return k == KIND_CURRENT ? tree_page(fs, *ino, NULL) : 0;
	}
	return tree[parent].find ? tree[parent].find(fs, dir, name, ino) : -ENOENT;
}

bool tree_remembers_absent(uint64_t dir)
{
	/* Where names only come from the table nothing can appear later. */
	return !tree[ino_kind(dir)].find;
}

int tree_list(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino)
{
	enum kind parent = ino_kind(dir);
	for (; *cursor < KIND_COUNT; ++*cursor) {
		const struct node *row = &tree[*cursor];
		if (*cursor == KIND_ROOT || row->parent != parent || !row->name ||
		    (row->flags & NODE_UNLISTED))
			continue;
		enum kind kind = (enum kind)*cursor;
		*ino = child_ino(kind, dir);
		if (kind == KIND_CURRENT && tree_page(fs, *ino, NULL) != 0)
			continue;
		(void)snprintf(name, NAME_LIMIT + 1, "%s", row->name);
		++*cursor;
		return 1;
	}
	if (!tree[parent].next)
		return 0;
	int64_t after = *cursor < DYNAMIC ? 0 : *cursor - DYNAMIC;
	int got = tree[parent].next(fs, dir, &after, name, ino);
	*cursor = after + DYNAMIC;
	return got;
}

int tree_page(struct fs *fs, uint64_t ino, struct buf *out)
{
	struct buf own = BUF_INIT;
	struct buf *page = out ? out : &own;
	const struct node *row = &tree[ino_kind(ino)];
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

/* Size and time of a file's content. */
static int measure(struct fs *fs, uint64_t ino, struct log_stat *out)
{
	const struct node *row = &tree[ino_kind(ino)];
	struct buf page = BUF_INIT;
	struct rejected file;
	int err = 0;
	*out = (struct log_stat){ 0, 0 };
	switch (row->content) {
	case CONTENT_DIR:
		err = row->changed ? 0 : changed_place(fs, ino, &out->last_us);
		break;
	case CONTENT_LOG:
		return errno_of_store(store_log_stat(fs->store, (struct log_id){ row->log, ino_id(ino) },
		                                     out));
	case CONTENT_TEXT:
		return text_size(fs, row->log, ino_id(ino), out);
	case CONTENT_LINK:
	case CONTENT_PAGE:
		err = tree_page(fs, ino, &page);
		out->bytes = (int64_t)page.len;
		buf_release(&page);
		break;
	case CONTENT_BLOB:
		err = errno_of_store(store_rejected_by_id(fs->store, ino_id(ino), &file));
		*out = (struct log_stat){ err ? 0 : file.size, err ? 0 : file.time_us };
		break;
	case CONTENT_DOC:
		return document_stat(fs, ino_id(ino), out);
	case CONTENT_PAST:
		return past_stat(fs, ino_id(ino), out);
	case CONTENT_SCRATCH:
		return scratch_stat(fs, ino_id(ino), out);
	}
	if (!err && row->changed)
		err = row->changed(fs, ino_id(ino), &out->last_us);
	return err;
}

int tree_size(struct fs *fs, uint64_t ino, int64_t *size)
{
	struct log_stat now;
	int err = measure(fs, ino, &now);
	*size = now.bytes;
	return err;
}

bool is_document(uint64_t ino)
{
	return ino_kind(ino) == KIND_DOC || ino_kind(ino) == KIND_PAGE ||
	       ino_kind(ino) == KIND_FACT_LIST || ino_kind(ino) == KIND_RETRIEVED;
}

bool tree_is_dir(struct fs *fs, uint64_t ino)
{
	return S_ISDIR(tree_mode(fs, ino));
}

int tree_stat(struct fs *fs, uint64_t ino, enum stat_size which, struct stat *st)
{
	if (ino_kind(ino) >= KIND_COUNT)
		return -ENOENT;
	const struct node *row = &tree[ino_kind(ino)];
	struct log_stat size = { 0, 0 };
	int err = which == SIZE_NONE && row->content == CONTENT_PAGE ?
		(row->changed ? row->changed(fs, ino_id(ino), &size.last_us) : 0) :
		measure(fs, ino, &size);
	if (err)
		return err;
	if (which == SIZE_HELD && (row->content == CONTENT_LOG || row->content == CONTENT_TEXT))
		size.bytes = held_told(fs, ino, size.bytes);
	int64_t us = size.last_us ? size.last_us : fs->began_us;
	memset(st, 0, sizeof *st);
	st->st_ino = document_ino(fs, ino);
	st->st_mode = tree_mode(fs, ino);
	st->st_nlink = S_ISDIR(st->st_mode) ? 2 : 1;
	st->st_uid = fs->uid;
	st->st_gid = fs->gid;
	st->st_size = size.bytes;
	st->st_blksize = 4096;
	st->st_blocks = (size.bytes + 511) / 512;
	st->st_mtim = (struct timespec){ us / 1000000, us % 1000000 * 1000 };
	st->st_atim = st->st_ctim = st->st_mtim;
	return 0;
}

struct window {
	int64_t offset;
	char *dst;
	size_t size, done;
	struct buf part;
	int err;
};

/* One message of a transcript: what of it lies in the window. */
static int copy_text(void *ctx, const struct entry *e, int64_t start)
{
	struct window *w = ctx;
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
	struct window w = { .offset = offset, .dst = dst, .size = size, .part = BUF_INIT };
	int err = store_text_each(fs->store, log, offset, copy_text, &w);
	buf_release(&w.part);
	if (err)
		return errno_of_store(err);
	return w.err ? w.err : (ssize_t)w.done;
}

static ssize_t read_page(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size)
{
	struct buf page = BUF_INIT;
	int err = tree_page(fs, ino, &page);
	size_t take = 0;
	if (!err && offset < (int64_t)page.len) {
		take = page.len - (size_t)offset < size ? page.len - (size_t)offset : size;
		memcpy(dst, page.data + offset, take);
	}
	buf_release(&page);
	return err ? err : (ssize_t)take;
}

ssize_t tree_read(struct fs *fs, uint64_t ino, int64_t offset, char *dst, size_t size)
{
	const struct node *row = &tree[ino_kind(ino)];
	struct log_id log = { row->log, ino_id(ino) };
	ssize_t got;
	switch (row->content) {
	case CONTENT_LOG:
		got = store_log_read(fs->store, log, offset, dst, size);
		return got < 0 ? errno_of_store((int)got) : got;
	case CONTENT_TEXT:
		return read_text(fs, log, offset, dst, size);
	case CONTENT_PAGE:
	case CONTENT_DOC:
		return read_page(fs, ino, offset, dst, size);
	case CONTENT_PAST:
		return past_read(fs, ino_id(ino), offset, dst, size);
	case CONTENT_BLOB:
		got = store_rejected_read(fs->store, ino_id(ino), offset, dst, size);
		return got < 0 ? errno_of_store((int)got) : got;
	case CONTENT_SCRATCH: /* of a read-only mount: nobody opened it */
		return scratch_read(fs, ino_id(ino), offset, dst, size);
	default:
		return -EISDIR;
	}
}

static void see_session(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = store_stream_session(e->stream);
}

uint64_t tree_parent(struct fs *fs, uint64_t ino)
{
	enum kind kind = ino_kind(ino), parent = tree[kind].parent;
	int64_t session = 0;
	if (parent == KIND_ROOT)
		return FUSE_ROOT_ID;
	if (parent == KIND_AT)
		return past_parent(fs, ino);
	switch (kind) {
	case KIND_MESSAGE:
		(void)store_entry(fs->store, ino_id(ino), see_session, &session);
		return ino_make(parent, session);
	case KIND_SUMMARY:
		return summary_parent(fs, ino);
	case KIND_FOLDER:
	case KIND_DOC:
	case KIND_HISTORY:
	case KIND_VERSION:
	case KIND_SCRATCH:
		return document_parent(fs, ino);
	case KIND_SEARCH_PAGE:
	case KIND_SEARCH_DIR:
	case KIND_SEARCH_HIT:
		return searches_parent(fs, ino);
	case KIND_SESSION:
	case KIND_THREAD:
	case KIND_BLOCK_DIR:
	case KIND_FACT_LIST:
	case KIND_FACT_LOG:
	case KIND_FACT_VERSION:
	case KIND_MEMORY_DIR:
	case KIND_COMPONENT_DIR:
	case KIND_RECORD:
	case KIND_REJECTED_FILE:
	case KIND_REJECTED_WHY:
	case KIND_RETRIEVED:
		return ino_make(parent, 0);
	default:
		return ino_make(parent, ino_id(ino));
	}
}

static bool row_is_rejected(enum kind kind)
{
	return kind == KIND_REJECTED_FILE || kind == KIND_REJECTED_WHY;
}

/* The name of a row that has none in the table. */
static void dynamic_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct group g;
	struct rejected file;
	enum kind kind = ino_kind(ino);
	if (kind == KIND_MESSAGE)
		message_name(fs, ino_id(ino), dst, size);
	else if (kind == KIND_SUMMARY)
		summary_file_name(fs, ino, dst, size);
	else if (tree[kind].parent == KIND_AT)
		past_name(fs, ino, dst, size);
	else if (tree[kind].parent == KIND_FACTS)
		facts_name(ino, dst, size);
	else if (tree[kind].parent == KIND_ACTIVE_DIR)
		active_name(fs, ino, dst, size);
	else if (tree[kind].parent == KIND_SEARCH || tree[kind].parent == KIND_SEARCH_DIR)
		searches_name(fs, ino, dst, size);
	else if (tree[kind].parent == KIND_NOTES || kind == KIND_RETRIEVED)
		document_name(fs, ino, dst, size);
	else if (tree[tree[kind].parent].find == find_fixed)
		(void)snprintf(dst, size, "%s", fixed_name(ino));
	else if (row_is_rejected(kind) && store_rejected_by_id(fs->store, ino_id(ino), &file) == 0)
		(void)snprintf(dst, size, "%.250s%s", file.name, kind == KIND_REJECTED_WHY ? ".why" : "");
	else if (store_group_by_id(fs->store, kind == KIND_THREAD ? LOG_THREAD : LOG_SESSION,
	                           ino_id(ino), &g) == 0)
		(void)snprintf(dst, size, "%s", g.name);
	else
		(void)snprintf(dst, size, "?");
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

void tree_path(struct fs *fs, uint64_t ino, const char *child, char *dst, size_t size)
{
	char path[PATH_LIMIT + 1], name[NAME_LIMIT + 1];
	size_t at = sizeof path - 1; /* where it begins: it is written from its end */
	path[at] = '\0';
	if (child)
		at = put_before(path, at, sizeof path - 1, child);
	for (int depth = 0; ino_kind(ino) != KIND_ROOT && depth < DEPTH_MOST; depth++) {
		const struct node *row = &tree[ino_kind(ino)];
		if (row->name)
			(void)snprintf(name, sizeof name, "%s", row->name);
		else
			dynamic_name(fs, ino, name, sizeof name);
		size_t before = put_before(path, at, sizeof path - 1, name);
		if (before == at)
			break;
		at = before;
		ino = tree_parent(fs, ino);
	}
	(void)snprintf(dst, size, "%s", path[at] ? path + at : ".");
}
