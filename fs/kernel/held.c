/* SPDX-License-Identifier: MIT */
/* A list of the few logs that are being appended to while somebody holds them. */
#include "fs/kernel/held.h"

#include <stdlib.h>

#include "fs/internal.h"

void held_init(struct held *h)
{
	pthread_mutex_init(&h->lock, NULL);
	h->first = NULL;
}

void held_release(struct held *h)
{
	while (h->first) {
		struct held_size *next = h->first->next;
		free(h->first);
		h->first = next;
	}
	pthread_mutex_destroy(&h->lock);
}

static struct held_size *find(struct held *h, uint64_t ino)
{
	struct held_size *s = h->first;
	while (s && s->ino != ino)
		s = s->next;
	return s;
}

static bool anybody_holds(struct fs *fs, uint64_t ino)
{
	bool any = false;
	pthread_mutex_lock(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m && !any; m = m->next)
		any = !m->read_only && known_peek(&m->known, ino);
	pthread_mutex_unlock(&fs->lock);
	return any;
}

void held_begin(struct fs *fs, struct held_file *file, uint64_t ino)
{
	int64_t size;
	if (!anybody_holds(fs, ino))
		return;
	pthread_mutex_lock(&fs->kernel->held.lock);
	struct held_size *s = find(&fs->kernel->held, ino);
	if (!s && (s = calloc(1, sizeof *s))) {
		*s = (struct held_size){ .ino = ino, .size = -1, .next = fs->kernel->held.first };
		fs->kernel->held.first = s;
	}
	if (s) {
		s->users++;
		file->ino = ino;
	}
	/* First in the list, then measured: else another append could begin and end in between. */
	bool measure = s && s->size < 0;
	pthread_mutex_unlock(&fs->kernel->held.lock);
	if (!measure || fs->kernel_asks->size(fs, ino, &size) != 0)
		return;
	pthread_mutex_lock(&fs->kernel->held.lock);
	s = find(&fs->kernel->held, ino);
	if (s && s->size < 0)
		s->size = size;
	pthread_mutex_unlock(&fs->kernel->held.lock);
}

void held_measure(struct fs *fs, struct held_file *file)
{
	if (file->ino && fs->kernel_asks->size(fs, file->ino, &file->size))
		file->size = 0;
}

void held_end(struct fs *fs, struct held_file *file)
{
	if (!file->ino)
		return;
	pthread_mutex_lock(&fs->kernel->held.lock);
	for (struct held_size **p = &fs->kernel->held.first; *p; p = &(*p)->next) {
		struct held_size *s = *p;
		if (s->ino != file->ino)
			continue;
		if (file->size > s->size)
			s->size = file->size;
		if (--s->users == 0) {
			*p = s->next;
			free(s);
		}
		break;
	}
	pthread_mutex_unlock(&fs->kernel->held.lock);
	file->ino = 0;
}

int64_t held_told(struct fs *fs, uint64_t ino, int64_t size)
{
	pthread_mutex_lock(&fs->kernel->held.lock);
	const struct held_size *s = find(&fs->kernel->held, ino);
	if (s && s->size >= 0 && s->size < size)
		size = s->size;
	pthread_mutex_unlock(&fs->kernel->held.lock);
	return size;
}
