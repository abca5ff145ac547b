/* SPDX-License-Identifier: MIT */
/* A list of the few files that are being appended to while somebody holds them. */
#include "fs/held.h"

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
		any = known_peek(&m->known, ino);
	pthread_mutex_unlock(&fs->lock);
	return any;
}

void held_begin(struct fs *fs, struct held_set *set, uint64_t ino)
{
	struct stat st;
	if (set->count == HELD_MOST || !anybody_holds(fs, ino) || tree_stat(fs, ino, &st))
		return;
	pthread_mutex_lock(&fs->held.lock);
	struct held_size *s = find(&fs->held, ino);
	if (!s && (s = calloc(1, sizeof *s))) {
		s->ino = ino;
		s->size = st.st_size;
		s->next = fs->held.first;
		fs->held.first = s;
	}
	if (s) {
		s->users++;
		set->file[set->count++] = (struct held_file){ ino, 0 };
	}
	pthread_mutex_unlock(&fs->held.lock);
}

void held_measure(struct fs *fs, struct held_set *set)
{
	for (int i = 0; i < set->count; i++)
		if (tree_size(fs, set->file[i].ino, &set->file[i].size))
			set->file[i].size = 0;
}

void held_end(struct fs *fs, struct held_set *set)
{
	if (set->count == 0)
		return;
	pthread_mutex_lock(&fs->held.lock);
	for (int i = 0; i < set->count; i++) {
		for (struct held_size **p = &fs->held.first; *p; p = &(*p)->next) {
			struct held_size *s = *p;
			if (s->ino != set->file[i].ino)
				continue;
			if (set->file[i].size > s->size)
				s->size = set->file[i].size;
			if (--s->users == 0) {
				*p = s->next;
				free(s);
			}
			break;
		}
	}
	pthread_mutex_unlock(&fs->held.lock);
	set->count = 0;
}

int64_t held_told(struct fs *fs, uint64_t ino, int64_t size)
{
	pthread_mutex_lock(&fs->held.lock);
	const struct held_size *s = find(&fs->held, ino);
	if (s && s->size < size)
		size = s->size;
	pthread_mutex_unlock(&fs->held.lock);
	return size;
}
