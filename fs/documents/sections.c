/* SPDX-License-Identifier: MIT */
/*
 * The sections of smma/ that nobody has saved yet.  A document begins with its first save, but an
 * agent that lists the directory in its first minute is to see what there is to fill in: so these
 * names stand there from the start, empty, and the identity with what holds until somebody sets it.
 * The first save of one makes the document, which has the name from then on (save/edit.h).
 */
#include <errno.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* A section's id is its place here, from 1. */
static const char *const names[] = { "identity.md", "user_profile.md", "project_context.md",
	"current_task.md", "agent_notes.md" };
enum { SECTIONS = sizeof names / sizeof *names, IDENTITY = 1 };

/* Of a listing: behind all documents and scratch files. */
#define CURSOR (INT64_C(1) << 60)
#define NOW INT64_MAX

static const char *name_of(int64_t id)
{
	return id >= 1 && id <= SECTIONS ? names[id - 1] : "?";
}

static int doc_of(struct fs *fs, int64_t id, struct doc *d)
{
	return errno_of_store(store_doc_at(fs->store, fs->tree[KIND_SMMA].place.key, name_of(id), d));
}

static uint64_t section_ino(int64_t id)
{
	return ino_make(id == IDENTITY ? KIND_IDENTITY : KIND_SECTION, id);
}

/* Its id; 0: it is none. */
static int64_t section_of(const char *name)
{
	int64_t id = SECTIONS;
	while (id > 0 && strcmp(name, name_of(id)) != 0)
		id--;
	return id;
}

/* 0: nobody has saved it, and nothing else has its name; -ENOENT: it has. */
static int is_free(struct fs *fs, uint64_t dir, int64_t id)
{
	struct doc d;
	lock_take(&fs->docs);
	bool taken = scratch_find(fs, dir, name_of(id)) != NULL;
	lock_give(&fs->docs);
	int err = taken ? 0 : doc_of(fs, id, &d);
	return err == -ENOENT ? 0 : err ? err : -ENOENT;
}

static int was_free(struct fs *fs, int64_t time_us, int64_t id)
{
	struct doc d;
	int err = errno_of_store(store_doc_at_time(fs->store, time_us,
	                                           fs->tree[KIND_SMMA].place.key, name_of(id), &d));
	return err == -ENOENT ? 0 : err ? err : -ENOENT;
}

int find_section(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int err = find_document(fs, dir, name, ino);
	int64_t id = err == -ENOENT ? section_of(name) : 0;
	if (!id)
		return err;
	*ino = section_ino(id);
	return is_free(fs, dir, id); /* a document that is hidden has its name */
}

/* The next of those that were free then; 1, 0 at the end, or negative. */
static int next_free(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *cursor,
                     char name[NAME_LIMIT + 1], uint64_t *ino)
{
	int64_t id = *cursor < CURSOR ? 1 : *cursor - CURSOR + 1;
	for (; id <= SECTIONS; id++) {
		int err = time_us == NOW ? is_free(fs, dir, id) : was_free(fs, time_us, id);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		*cursor = CURSOR + id;
		*ino = section_ino(id);
		(void)snprintf(name, NAME_LIMIT + 1, "%s", name_of(id));
		return 1;
	}
	return 0;
}

int next_section(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino)
{
	int got = *cursor < CURSOR ? next_document(fs, dir, cursor, name, ino) : 0;
	return got ? got : next_free(fs, dir, NOW, cursor, name, ino);
}

void section_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	(void)fs;
	(void)snprintf(dst, size, "%s", name_of(ino_id(ino)));
}

int page_section(struct fs *fs, int64_t id, struct buf *out)
{
	struct doc d;
	int err = doc_of(fs, id, &d);
	if (err == -ENOENT && id == IDENTITY)
		render_identity(out);
	return err == -ENOENT ? 0 : err ? err : page_document(fs, d.id, out);
}

int changed_section(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct doc d;
	int err = doc_of(fs, id, &d);
	*time_us = 0; /* as old as the memory */
	return err == -ENOENT ? 0 : err ? err : changed_document(fs, d.id, time_us);
}

/* ---- as they were ---------------------------------------------------------------- */

int find_section_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	int err = find_document_at(fs, dir, time_us, name, ino);
	int64_t id = err == -ENOENT ? section_of(name) : 0;
	if (!id)
		return err;
	*ino = section_ino(id);
	return 0;
}

int next_section_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                    char name[NAME_LIMIT + 1], uint64_t *ino)
{
	int got = *after < CURSOR ? next_document_at(fs, dir, time_us, after, name, ino) : 0;
	return got ? got : next_free(fs, dir, time_us, after, name, ino);
}

/* Of then: a section that had been saved would be its document. */
int page_section_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	(void)fs, (void)time_us;
	if (id == IDENTITY)
		render_identity(out);
	return 0;
}

int changed_section_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	(void)fs, (void)ino, (void)time_us;
	*us = 0;
	return 0;
}
