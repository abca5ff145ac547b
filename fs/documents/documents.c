/* SPDX-License-Identifier: MIT */
/* Documents and their history as the tree shows them: names, sizes, times, bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* A version's id: document and number, each in half of the bits. */
static int version_ino(int64_t doc, int64_t n, uint64_t *ino)
{
	if (doc >> VERSION_BITS || n >> VERSION_BITS)
		return -EOVERFLOW;
	*ino = ino_make(KIND_VERSION, doc << VERSION_BITS | n);
	return 0;
}

static int64_t version_doc(int64_t id)
{
	return id >> VERSION_BITS;
}

static int64_t version_n(int64_t id)
{
	return id & ((INT64_C(1) << VERSION_BITS) - 1);
}

/* NAME@3, NAME@2026-11-20, NAME@log; of a memory NAME@score */
int document_find_history(struct fs *fs, const struct place *p, const char *name, uint64_t *ino)
{
	const char *at = strrchr(name, '@');
	char asked[NAME_LIMIT + 1], base[NAME_LIMIT + 1], *end;
	struct doc d;
	struct doc_version v;
	int64_t us;
	if (!at || at == name || !at[1])
		return -ENOENT;
	(void)snprintf(asked, sizeof asked, "%.*s", (int)(at - name), name);
	if (place_name(p, asked, base))
		return -ENOENT;
	int err = errno_of_store(store_doc_at(fs->store, p->key, base, &d));
	if (err == -ENOENT) /* renamed or retired: what it was can still be read under its old name */
		err = errno_of_store(store_doc_last_at(fs->store, p->key, base, &d));
	if (err || d.folder)
		return err ? err : -ENOENT;
	if (strcmp(at + 1, "log") == 0) {
		*ino = ino_make(KIND_HISTORY, d.id);
		return 0;
	}
	if (p->family == FAMILY_MEMORY && strcmp(at + 1, "score") == 0) {
		*ino = ino_make(KIND_SCORE, d.id);
		return 0;
	}
	long long n = strtoll(at + 1, &end, 10);
	if (!*end && at[1] >= '1' && at[1] <= '9')
		return n <= d.versions ? version_ino(d.id, n, ino) : -ENOENT;
	if (when_parse(at + 1, &us))
		return -ENOENT;
	err = errno_of_store(store_doc_version_at(fs->store, d.id, us, &v));
	return err ? err : version_ino(d.id, v.n, ino);
}

static uint64_t doc_ino(const struct doc *d)
{
	return ino_make(d->folder ? KIND_FOLDER : KIND_DOC, d->id);
}

static int find_locked(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct place p;
	struct doc d;
	int err = place_of(fs, dir, &p);
	/* No file off the tape stands before what a document was. */
	bool past = !err && place_is_past(&p, name);
	if (!past && scratch_lookup(fs, dir, name, ino) == 0)
		return 0;
	if (err || !p.key[0])
		return err ? err : -ENOENT;
	err = errno_of_store(store_doc_at(fs->store, p.key, name, &d));
	if (!err && is_hidden(fs, d.id))
		return -ENOENT;
	if (!err)
		*ino = doc_ino(&d);
	return err == -ENOENT ? document_find_history(fs, &p, name, ino) : err;
}

int find_document(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	lock_take(&fs->docs);
	int err = find_locked(fs, dir, name, ino);
	lock_give(&fs->docs);
	return err;
}

/* The cursor: 2·id of a document, then 2·id + 1 of a scratch file. */
static int next_locked(struct fs *fs, uint64_t dir, document_next_fn *next, int64_t *cursor,
                       char name[NAME_LIMIT + 1], uint64_t *ino)
{
	struct place p;
	struct doc d = { .id = *cursor / 2 };
	int err = *cursor % 2 ? -ENOENT : place_of(fs, dir, &p);
	while (!err && p.key[0]) {
		err = next(fs, &p, d.id, &d);
		if (err || is_hidden(fs, d.id) || p.family == FAMILY_SESSION) /* session.md has a row */
			continue;
		*cursor = d.id * 2;
		*ino = doc_ino(&d);
		memcpy(name, d.name, sizeof d.name);
		return 1;
	}
	if (err && err != -ENOENT)
		return err;
	const struct scratch *s = scratch_next(fs, dir, *cursor % 2 ? *cursor / 2 : 0);
	if (!s)
		return 0;
	*cursor = s->id * 2 + 1;
	*ino = ino_make(KIND_SCRATCH, s->id);
	memcpy(name, s->name, sizeof s->name);
	return 1;
}

int document_next_by(struct fs *fs, uint64_t dir, document_next_fn *next, int64_t *cursor,
                     char name[NAME_LIMIT + 1], uint64_t *ino)
{
	lock_take(&fs->docs);
	int got = next_locked(fs, dir, next, cursor, name, ino);
	lock_give(&fs->docs);
	return got;
}

static int next_any(struct fs *fs, const struct place *p, int64_t after, struct doc *d)
{
	return errno_of_store(store_doc_next(fs->store, p->key, after, d));
}

int next_document(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                  uint64_t *ino)
{
	return document_next_by(fs, dir, next_any, cursor, name, ino);
}

int document_find_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name,
                     struct place *p, struct doc *d)
{
	char key[NAME_LIMIT + 1];
	int err = place_of(fs, dir, p);
	return err ? err : !p->key[0] || place_name(p, name, key) ? -ENOENT :
		errno_of_store(store_doc_at_time(fs->store, time_us, p->key, key, d));
}

int find_document_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	struct place p;
	struct doc d;
	int err = document_find_at(fs, dir, time_us, name, &p, &d);
	*ino = err ? 0 : doc_ino(&d);
	return err;
}

int next_document_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                     char name[NAME_LIMIT + 1], uint64_t *ino)
{
	struct place p;
	struct doc d;
	int err = place_of(fs, dir, &p);
	if (err || !p.key[0])
		return err;
	do {
		err = store_doc_next_at_time(fs->store, time_us, p.key, *after, &d);
		if (err)
			return err == STORE_ENOENT ? 0 : errno_of_store(err);
		*after = d.id;
	} while (tree_row(fs, ino_kind(dir), d.name) != KIND_ROOT); /* session.md: the row shows it */
	*ino = doc_ino(&d);
	memcpy(name, d.name, sizeof d.name);
	return 1;
}

/* A document by id; of one that gave its name to another, that other. */
int document_living(struct fs *fs, int64_t id, struct doc *d)
{
	int err = errno_of_store(store_doc_by_id(fs->store, id, d));
	for (int hops = 0; !err && d->into && hops < 16; hops++)
		err = errno_of_store(store_doc_by_id(fs->store, d->into, d));
	return err;
}

int64_t document_version(struct fs *fs, int64_t id)
{
	struct doc d;
	return store_doc_by_id(fs->store, id, &d) || d.into || d.versions == 0 ? -1 : d.versions;
}

int document_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	struct doc d;
	int err = document_living(fs, id, &d);
	lock_take(&fs->docs);
	*out = (struct log_stat){ err ? 0 : d.size, err ? 0 : times_of(fs, d.id, d.saved_us) };
	lock_give(&fs->docs);
	return err;
}

static int page_of(struct fs *fs, int64_t doc, int64_t version, struct buf *out)
{
	char *bytes = NULL;
	size_t len = 0;
	int err = errno_of_store(store_doc_content(fs->store, doc, version, &bytes, &len));
	if (!err)
		buf_add(out, bytes, len);
	free(bytes);
	return err;
}

int page_document(struct fs *fs, int64_t id, struct buf *out)
{
	struct doc d;
	int err = document_living(fs, id, &d);
	return err ? err : page_of(fs, d.id, d.versions, out);
}

int page_version(struct fs *fs, int64_t id, struct buf *out)
{
	return page_of(fs, version_doc(id), version_n(id), out);
}

int changed_document(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct doc d;
	int err = errno_of_store(store_doc_by_id(fs->store, id, &d));
	lock_take(&fs->docs);
	*time_us = err ? 0 : times_of(fs, id, d.saved_us);
	lock_give(&fs->docs);
	return err;
}

int changed_version(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct doc_version v;
	int err = errno_of_store(store_doc_version(fs->store, version_doc(id), version_n(id), &v));
	*time_us = err ? 0 : v.time_us;
	return err;
}

int64_t document_of(uint64_t ino)
{
	return ino_kind(ino) == KIND_VERSION ? version_doc(ino_id(ino)) : ino_id(ino);
}

bool document_is_past(uint64_t ino)
{
	return ino_kind(ino) == KIND_VERSION || ino_kind(ino) == KIND_HISTORY;
}

void document_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct doc d;
	(void)snprintf(dst, size, "?");
	if (store_doc_by_id(fs->store, document_of(ino), &d))
		return;
	if (ino_kind(ino) == KIND_VERSION)
		(void)snprintf(dst, size, "%s@%lld", d.name, (long long)version_n(ino_id(ino)));
	else
		(void)snprintf(dst, size, "%s%s", d.name, ino_kind(ino) == KIND_HISTORY ? "@log" :
		               ino_kind(ino) == KIND_SCORE ? "@score" : "");
}

uint64_t document_parent(struct fs *fs, uint64_t ino)
{
	struct doc d;
	uint64_t parent = 0;
	if (store_doc_by_id(fs->store, document_of(ino), &d) == 0)
		parent = place_ino(fs, d.parent);
	return parent ? parent : FUSE_ROOT_ID;
}

/* Every document of a directory. */
static void job_neighbours(struct job *job, uint64_t dir)
{
	struct place p;
	struct doc d = { .id = 0 };
	if (place_of(job->fs, dir, &p))
		return;
	while (store_doc_next(job->fs->store, p.key, d.id, &d) == 0) {
		job_inode(job, ino_make(KIND_DOC, d.id));
		job_inode(job, ino_make(KIND_HISTORY, d.id));
	}
}

/* Of a retired document, in all mounts. */
static void forget_name(struct fs *fs, int64_t id, uint64_t dir)
{
	struct doc d;
	if (store_doc_by_id(fs->store, id, &d) == 0)
		dentry_forget(fs, dir, d.name, id);
}

void documents_on_saved(struct job *job, const struct saved *saved)
{
	if (!saved || ino_kind(saved->ino) != KIND_DOC)
		return;
	job_inode(job, saved->ino);
	job_inode(job, ino_make(KIND_HISTORY, ino_id(saved->ino)));
	if (saved->made || saved->listed) /* else its directory is as it was */
		job_inode(job, saved->dir);
	if (saved->noted)
		job_errors(job);
	if (saved->gone)
		forget_name(job->fs, ino_id(saved->ino), saved->dir);
	if (saved->others)
		job_neighbours(job, saved->dir);
}

int folder_bring_back(struct fs *fs, const struct place *p, const char *name, const char *path,
                      const char *author, int64_t *id)
{
	struct buf body = BUF_INIT;
	struct doc d;
	bool held = false;
	int err = place_retired(fs, p, name, true, &d);
	if (!err)
		err = errno_of_store(store_folder_held(fs->store, d.id, &held));
	if (err || !held)
		return err ? err : -ENOENT;
	render_rename_body(&body, p->key, name, path);
	const struct doc_entry e = { d.id, "rename", { body.data, body.len }, &d, true };
	err = body.failed ? -ENOMEM :
		errno_of_store(store_doc_append_all(fs->store, NULL, &e, 1, author));
	buf_release(&body);
	*id = d.id;
	return err == -ESTALE ? -EEXIST : err;
}

int documents_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->documents = calloc(1, sizeof *fs->documents);
	if (!fs->documents)
		return -ENOMEM;
	claims_init(&fs->documents->claims);
	active_blocks_init(&fs->documents->active_blocks);
	return 0;
}

void documents_stop(struct fs *fs)
{
	if (!fs->documents)
		return;
	claims_release(&fs->documents->claims);
	active_blocks_release(&fs->documents->active_blocks);
	free(fs->documents);
}
