/* SPDX-License-Identifier: MIT */
/* A list of the few logs that are being appended to while somebody holds them. */
#include "fs/kernel/size_barrier.h"

#include <stdlib.h>

#include "fs/internal.h"

void size_barrier_init(struct size_barrier *h)
{
	lock_init(&h->lock, RANK_SIZE_BARRIER);
	h->first = NULL;
}

void size_barrier_release(struct size_barrier *h)
{
	while (h->first) {
		struct barrier_size *next = h->first->next;
		free(h->first);
		h->first = next;
	}
	lock_destroy(&h->lock);
}

static struct barrier_size *find(struct size_barrier *h, uint64_t ino)
{
	struct barrier_size *s = h->first;
	while (s && s->ino != ino)
		s = s->next;
	return s;
}

/* What was told while it was not measured stays told: no size goes back. */
static void raise_to(struct barrier_size *s, int64_t size)
{
	s->size = size > s->size ? size : s->size;
	s->measured = true;
}

static bool anybody_holds(struct fs *fs, uint64_t ino)
{
	bool any = false;
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m && !any; m = m->next)
		any = !m->read_only && kcache_peek(&m->kcache, ino);
	lock_give(&fs->lock);
	return any;
}

void size_barrier_begin(struct fs *fs, struct barrier_file *file, uint64_t ino)
{
	int64_t size;
	if (!anybody_holds(fs, ino))
		return;
	lock_take(&fs->kernel->barrier.lock);
	struct barrier_size *s = find(&fs->kernel->barrier, ino);
	if (!s && (s = calloc(1, sizeof *s))) {
		*s = (struct barrier_size){ .ino = ino, .next = fs->kernel->barrier.first };
		fs->kernel->barrier.first = s;
	}
	if (s) {
		s->users++;
		file->ino = ino;
	}
	/* First in the list, then measured: else another append could begin and end in between. */
	bool measure = s && !s->measured;
	lock_give(&fs->kernel->barrier.lock);
	if (!measure || fs->kernel_asks->size(fs, ino, &size) != 0)
		return;
	lock_take(&fs->kernel->barrier.lock);
	s = find(&fs->kernel->barrier, ino);
	if (s && !s->measured)
		raise_to(s, size);
	lock_give(&fs->kernel->barrier.lock);
}

/* Nobody held the log when this append began, but somebody does now, and another append is told. */
static void join(struct size_barrier *h, struct barrier_file *file, uint64_t ino)
{
	lock_take(&h->lock);
	struct barrier_size *s = find(h, ino);
	if (s) {
		s->users++;
		file->ino = ino;
	}
	lock_give(&h->lock);
}

void size_barrier_measure(struct fs *fs, struct barrier_file *file, uint64_t ino)
{
	if (!file->ino)
		join(&fs->kernel->barrier, file, ino);
	if (file->ino && fs->kernel_asks->size(fs, file->ino, &file->size))
		file->size = 0;
}

void size_barrier_end(struct fs *fs, struct barrier_file *file)
{
	if (!file->ino)
		return;
	lock_take(&fs->kernel->barrier.lock);
	for (struct barrier_size **p = &fs->kernel->barrier.first; *p; p = &(*p)->next) {
		struct barrier_size *s = *p;
		if (s->ino != file->ino)
			continue;
		if (file->size > 0) /* else nothing was stored */
			raise_to(s, file->size);
		if (--s->users == 0) {
			*p = s->next;
			free(s);
		}
		break;
	}
	lock_give(&fs->kernel->barrier.lock);
	file->ino = 0;
}

int64_t size_barrier_told(struct fs *fs, uint64_t ino, int64_t size)
{
	lock_take(&fs->kernel->barrier.lock);
	struct barrier_size *s = find(&fs->kernel->barrier, ino);
	if (s && !s->measured && s->size < size)
		s->size = size;
	else if (s && s->size < size)
		size = s->size;
	lock_give(&fs->kernel->barrier.lock);
	return size;
}
