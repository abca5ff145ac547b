/* SPDX-License-Identifier: MIT */
/* A queue of names and the thread that works it off. */
#include "fs/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

struct entry_notice {
	struct entry_notice *next;
	struct fs_mount *mount; /* kept alive by its `pending` */
	uint64_t dir;
	char name[NAME_LIMIT + 1];
};

static void *tell(void *arg)
{
	struct entries *n = &((struct fs *)arg)->entries;
	pthread_mutex_lock(&n->lock);
	for (;;) {
		while (!n->first && !n->stop)
			pthread_cond_wait(&n->wake, &n->lock);
		struct entry_notice *e = n->first;
		if (!e)
			break;
		n->first = e->next;
		if (!n->first)
			n->end = &n->first;
		pthread_mutex_unlock(&n->lock);
		/* -ENOENT only says that the kernel did not know the name. */
		(void)fuse_lowlevel_notify_inval_entry(e->mount->session, e->dir, e->name,
		                                       strlen(e->name));
		atomic_fetch_sub(&e->mount->pending, 1);
		free(e);
		pthread_mutex_lock(&n->lock);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

int entries_start(struct fs *fs)
{
	struct entries *n = &fs->entries;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->wake, NULL);
	n->end = &n->first;
	n->runs = pthread_create(&n->thread, NULL, tell, fs) == 0;
	return n->runs ? 0 : -EAGAIN;
}

void entries_stop(struct fs *fs)
{
	struct entries *n = &fs->entries;
	if (!n->runs)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
	n->runs = false;
}

static void queue(struct entries *n, struct fs_mount *m, uint64_t dir, const char *name)
{
	struct entry_notice *e = calloc(1, sizeof *e);
	if (!e)
		return; /* a name stays as it was until the kernel forgets it by itself */
	e->mount = m;
	e->dir = dir;
	(void)snprintf(e->name, sizeof e->name, "%s", name);
	atomic_fetch_add(&m->pending, 1);
	pthread_mutex_lock(&n->lock);
	*n->end = e;
	n->end = &e->next;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
}

void entries_forget(struct fs *fs, uint64_t dir, const char *name)
{
	pthread_mutex_lock(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m; m = m->next)
		queue(&fs->entries, m, dir, name);
	pthread_mutex_unlock(&fs->lock);
}
