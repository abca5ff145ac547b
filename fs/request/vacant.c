/* SPDX-License-Identifier: MIT */
/* See vacant.h.  Few names at a time: the oldest make room. */
#include "fs/request/vacant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/save/save.h"

enum { VACANT_MS = 5000, VACANT_MOST = 64 };
#define MADE "/" /* no file's name: that the session was made */

struct vacants {
	_Atomic int64_t until; /* when the last one ends */
	/* Guarded by fs->docs. */
	struct vacancy {
		uint64_t dir;
		char name[NAME_LIMIT + 1]; /* "": none */
		pid_t process;
		int64_t until; /* now_ms() */
		bool asked;
	} slot[VACANT_MOST];
	size_t next;
};

int vacant_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->vacants = calloc(1, sizeof *fs->vacants);
	return fs->vacants ? 0 : -ENOMEM;
}

void vacant_stop(struct fs *fs)
{
	free(fs->vacants);
	fs->vacants = NULL;
}

/* A page that is no document yet, and is not being written. */
static bool is_unsaved(struct fs *fs, uint64_t ino)
{
	int64_t doc;
	lock_take(&fs->docs);
	bool unsaved = edit_doc(fs, ino, &doc) == 0 && doc == 0 && !edit_staged(fs, ino);
	lock_give(&fs->docs);
	return unsaved;
}

bool is_untouched(struct fs *fs, uint64_t ino)
{
	struct log_stat now;
	char name[NAME_LIMIT + 1];
	int64_t cursor = 0;
	uint64_t child;
	switch (ino_kind(ino)) {
	case KIND_LOG: case KIND_RECORD: case KIND_TRANSCRIPT:
		return tree_measure(fs, ino, &now) == 0 && now.bytes == 0;
	case KIND_PAGE: case KIND_SECTION:
		return is_unsaved(fs, ino);
	case KIND_FACT_LIST:
		return facts_version(fs, (int)ino_id(ino)) == 0;
	case KIND_SUMMARIES:
		return tree_list(fs, ino, &cursor, name, &child) == 0;
	default:
		return false;
	}
}

void vacant_add(struct fs *fs, uint64_t dir, const char *name, pid_t thread)
{
	int64_t until = now_ms() + VACANT_MS;
	lock_take(&fs->docs);
	struct vacancy *v = &fs->vacants->slot[fs->vacants->next++ % VACANT_MOST];
	*v = (struct vacancy){ .dir = dir, .process = process_of(thread), .until = until };
	(void)snprintf(v->name, sizeof v->name, "%s", name);
	atomic_store(&fs->vacants->until, until);
	lock_give(&fs->docs);
}

void vacant_session(struct fs *fs, uint64_t session, pid_t thread)
{
	vacant_add(fs, session, MADE, thread);
	if (!copies_trees(thread)) /* others open what they know to be there */
		return;
	for (enum kind k = KIND_ROOT + 1; k < KIND_COUNT; k++) {
		const struct node *row = &fs->tree[k];
		if (row->parent == KIND_SESSION && row->name && !(row->flags & NODE_UNLISTED))
			vacant_add(fs, session, row->name, thread);
	}
}

/* fs->docs held. */
static struct vacancy *find(struct fs *fs, uint64_t dir, const char *name, pid_t thread)
{
	pid_t process = 0;
	for (size_t i = 0; i < VACANT_MOST; i++) {
		struct vacancy *v = &fs->vacants->slot[i];
		if (v->dir != dir || strcmp(v->name, name) != 0 || v->until < now_ms())
			continue;
		process = process ? process : process_of(thread);
		if (v->process == process)
			return v;
	}
	return NULL;
}

static bool may_be(struct fs *fs)
{
	return atomic_load(&fs->vacants->until) >= now_ms();
}

bool vacant_asked(struct fs *fs, uint64_t dir, const char *name, uint64_t ino, pid_t thread)
{
	if (!may_be(fs) || !is_untouched(fs, ino))
		return false;
	lock_take(&fs->docs);
	struct vacancy *v = find(fs, dir, name, thread);
	bool first = v && !v->asked;
	if (first)
		v->asked = true;
	else if (v)
		*v = (struct vacancy){ .dir = 0 }; /* it looks again: it did not mean to make it */
	lock_give(&fs->docs);
	return first;
}

bool vacant_restores(struct fs *fs, uint64_t session, pid_t thread)
{
	if (!may_be(fs) || !is_untouched(fs, ino_make(KIND_LOG, ino_id(session))))
		return false;
	lock_take(&fs->docs);
	struct vacancy *v = find(fs, session, MADE, thread);
	if (v) {
		v->until = now_ms() + VACANT_MS;
		atomic_store(&fs->vacants->until, v->until);
	}
	lock_give(&fs->docs);
	return v;
}

bool vacant_take(struct fs *fs, uint64_t dir, const char *name, pid_t thread)
{
	if (!may_be(fs))
		return false;
	lock_take(&fs->docs);
	struct vacancy *v = find(fs, dir, name, thread);
	bool asked = v && v->asked;
	if (v)
		*v = (struct vacancy){ .dir = 0 };
	lock_give(&fs->docs);
	return asked;
}

void vacant_forget(struct fs *fs)
{
	lock_assert(&fs->docs);
	memset(fs->vacants->slot, 0, sizeof fs->vacants->slot);
}
