/* SPDX-License-Identifier: MIT */
/*
 * What a mount with bounds (base/bounds.h) reaches of an inode.  What cannot be told is not shown:
 * a path that is unknown or does not fit, the history of what was elsewhere once.
 */
#include "fs/request/request.h"

#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

/* True if it shows all of these (tree.h). */
static bool shows_all(const struct bounds *b, const char *holds)
{
	char path[NAME_LIMIT + 1];
	if (!holds)
		return bounds_whole(b, "");
	for (size_t len; *holds; holds += len + (holds[len] == ':')) {
		len = strcspn(holds, ":");
		(void)snprintf(path, sizeof path, "%.*s", (int)len, holds);
		if (!bounds_whole(b, path))
			return false;
	}
	return true;
}

/* True if a part of the path is the name of what nobody knows. */
static bool is_lost(const char *path)
{
	for (const char *p = path; (p = strchr(p, '?')); p++)
		if ((p == path || p[-1] == '/') && (!p[1] || p[1] == '/'))
			return true;
	return false;
}

enum reach reach_path(struct fs *fs, const struct bounds *b, uint64_t ino, const char *child)
{
	char path[PATH_LIMIT + 1];
	bool whole = tree_path(fs, ino, child, path, sizeof path);
	return whole && !is_lost(path) ? bounds_path(b, path) : REACH_NONE;
}

/* Where a link of the tree leads, read as text from the directory in which it stands. */
static bool leads_to(struct fs *fs, uint64_t ino, char path[PATH_LIMIT + 1])
{
	struct buf target = BUF_INIT;
	bool whole = tree_path(fs, tree_parent(fs, ino), NULL, path, PATH_LIMIT + 1) &&
		tree_page(fs, ino, &target) == 0;
	if (strcmp(path, ".") == 0)
		*path = '\0';
	const char *part = whole ? target.data : "";
	for (size_t n; whole && *part; part += n + (part[n] == '/')) {
		size_t len = strlen(path);
		n = strcspn(part, "/");
		if (n == 2 && part[0] == '.' && part[1] == '.') {
			char *slash = strrchr(path, '/');
			*(slash ? slash : path) = '\0';
		} else if (len + n + 2 > PATH_LIMIT) {
			whole = false;
		} else {
			(void)snprintf(path + len, PATH_LIMIT + 1 - len, "%s%.*s", len ? "/" : "", (int)n,
			               part);
		}
	}
	buf_release(&target);
	return whole && *path;
}

/* Where a document stood, as the store tells: asked about when that has returned. */
struct stood {
	struct place_name {
		char parent[DOC_KEY_MAX + 1], name[NAME_LIMIT + 1];
	} *at;
	size_t count, room;
	bool failed;
};

static void take_place(void *ctx, const char *parent, const char *name)
{
	struct stood *s = ctx;
	s->failed = s->failed || !ARRAY_ROOM(s->at, s->room, s->count);
	if (s->failed)
		return;
	(void)snprintf(s->at[s->count].parent, sizeof s->at->parent, "%s", parent);
	(void)snprintf(s->at[s->count++].name, sizeof s->at->name, "%s", name);
}

/* True if the document, and the folders it stood in, have never been where the mount does not
 * reach: else what it was, and what it was called, is not for it. */
static bool was_always_here(struct fs *fs, const struct bounds *b, int64_t doc, int depth)
{
	struct stood s = { .at = NULL };
	bool here = depth < DEPTH_MOST &&
		store_touched_places(fs->store, doc, 1, take_place, &s) == 0 && !s.failed;
	for (size_t i = 0; here && i < s.count; i++) {
		uint64_t dir = place_ino(fs, s.at[i].parent);
		here = dir && reach_path(fs, b, dir, s.at[i].name) > REACH_NONE &&
			(ino_kind(dir) != KIND_FOLDER || was_always_here(fs, b, ino_id(dir), depth + 1));
	}
	free(s.at);
	return here;
}

/* Beside a hidden document stand copies of it, for as long as somebody edits it. */
static bool is_copy(struct fs_mount *m, uint64_t ino)
{
	struct fs *fs = m->fs;
	char dir[PATH_LIMIT + 1];
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	bool own = s && s->client == m->client.number;
	lock_give(&fs->docs);
	return !own && (!tree_path(fs, tree_parent(fs, ino), NULL, dir, sizeof dir) ||
	                bounds_hides_in(m->client.bounds, dir));
}

/* A scratch file that has no name any more is where it was. */
static enum reach reach_scratch(struct fs_mount *m, uint64_t ino)
{
	char name[NAME_LIMIT + 1];
	tree_name(m->fs, ino, name, sizeof name);
	if (is_copy(m, ino))
		return REACH_NONE;
	return strcmp(name, "?") != 0 ? reach_path(m->fs, m->client.bounds, ino, NULL) :
		reach_path(m->fs, m->client.bounds, tree_parent(m->fs, ino), NULL);
}

enum reach reach_of(struct fs_mount *m, uint64_t ino)
{
	struct fs *fs = m->fs;
	const struct bounds *b = m->client.bounds;
	char target[PATH_LIMIT + 1];
	struct doc d;
	if (!b)
		return REACH_WRITE;
	ino = scratch_ino_now(fs, ino_of_node(ino));
	const struct node *row = node_of(fs, ino);
	if (ino_kind(ino) >= KIND_COUNT || !shows_all(b, row->holds))
		return REACH_NONE;
	if (ino_kind(ino) == KIND_SCRATCH)
		return reach_scratch(m, ino);
	if (ino_kind(ino) == KIND_DOC && document_living(fs, ino_id(ino), &d) == 0)
		ino = ino_make(KIND_DOC, d.id);
	enum reach reach = reach_path(fs, b, ino, NULL);
	if (row->content == CONTENT_LINK && ino_kind(ino) == KIND_CURRENT && reach < REACH_READ)
		reach = REACH_READ; /* it is where it leads */
	if (reach == REACH_WAY && row->content != CONTENT_DIR)
		reach = REACH_NONE;
	if (reach > REACH_NONE && row->content == CONTENT_LINK &&
	    !(leads_to(fs, ino, target) && bounds_path(b, target) > REACH_NONE))
		reach = REACH_NONE;
	if (reach > REACH_NONE && !bounds_whole(b, "") && document_is_past(ino) &&
	    !was_always_here(fs, b, document_of(ino), 0))
		reach = REACH_NONE;
	return reach;
}
