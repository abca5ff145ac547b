/* SPDX-License-Identifier: MIT */
/* A queue of names and the thread that works it off. */
#include "fs/kernel/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

struct entry_notice {
	struct entry_notice *next;
	struct fs_mount *mount; /* kept alive by its `pending` */
	int64_t doc;            /* the name does not lead to this document; 0: none such */
	fuse_req_t asks;        /* it is to be answered, and no name told; or NULL */
	uint64_t dir;
	char name[NAME_LIMIT + 1];
};

static void tell_one(const struct entry_notice *e)
{
	if (e->asks)
		fuse_reply_err(e->asks, ESTALE);
	else /* -ENOENT only says that the kernel did not know the name */
		(void)fuse_lowlevel_notify_inval_entry(e->mount->session, e->dir, e->name,
		                                       strlen(e->name));
}

enum { TELLING_MS = 2000, SENT_MS = 20, BACK_MS = 50 };

/* Where it stands that this document's names are told; NULL: they are not.  n->lock held. */
static struct moved_doc *moved_of(struct entries *n, const struct fs_mount *m, int64_t doc)
{
	for (int i = 0; doc && i < MOVED_SLOTS; i++)
		if (n->moved[i].mount == m && n->moved[i].doc == doc && now_ms() < n->moved[i].until_ms)
			return &n->moved[i];
	return NULL;
}

/* From now on who opens it has to look again. */
static void moves(struct entries *n, const struct fs_mount *m, int64_t doc)
{
	struct moved_doc *d = moved_of(n, m, doc);
	if (!d && doc)
		d = &n->moved[n->turn++ % MOVED_SLOTS];
	if (d)
		*d = (struct moved_doc){ .mount = m, .doc = doc, .until_ms = now_ms() + TELLING_MS };
}

static void mark_sent(struct entries *n, pid_t pid)
{
	n->sent[n->turn++ % SENT_SLOTS] = (struct sent_thread){ pid, now_ms() + BACK_MS };
}

static void *tell(void *arg)
{
	struct entries *n = &((struct fs *)arg)->kernel->entries;
	pthread_mutex_lock(&n->lock);
	for (;;) {
		while (!n->first && !n->stop)
			pthread_cond_wait(&n->wake, &n->lock);
		struct entry_notice *e = n->first;
		if (!e)
			break;
		pthread_mutex_unlock(&n->lock);
		tell_one(e);
		pthread_mutex_lock(&n->lock);
		struct moved_doc *d = moved_of(n, e->mount, e->doc);
		if (d)
			d->until_ms = now_ms() + SENT_MS;
		n->first = e->next; /* only now: who asks is answered behind it */
		if (!n->first)
			n->end = &n->first;
		atomic_fetch_sub(&e->mount->pending, 1);
		free(e);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

int entries_start(struct fs *fs)
{
	struct entries *n = &fs->kernel->entries;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->wake, NULL);
	n->end = &n->first;
	n->runs = pthread_create(&n->thread, NULL, tell, fs) == 0;
	return n->runs ? 0 : -EAGAIN;
}

void entries_stop(struct fs *fs)
{
	struct entries *n = &fs->kernel->entries;
	if (!n->runs)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
	n->runs = false;
}

/* Behind the others; n->lock held.  Without memory a name stays until the kernel forgets it. */
static bool queue(struct entries *n, const struct entry_notice *what)
{
	struct entry_notice *e = malloc(sizeof *e);
	if (!e)
		return false;
	*e = *what;
	e->next = NULL;
	atomic_fetch_add(&e->mount->pending, 1);
	*n->end = e;
	n->end = &e->next;
	pthread_cond_signal(&n->wake);
	return true;
}

void entries_forget(struct fs *fs, uint64_t dir, const char *name, int64_t doc)
{
	struct entry_notice e = { .doc = doc, .dir = dir };
	(void)snprintf(e.name, sizeof e.name, "%s", name);
	pthread_mutex_lock(&fs->lock);
	pthread_mutex_lock(&fs->kernel->entries.lock);
	for (e.mount = fs->mounts; e.mount; e.mount = e.mount->next)
		if (queue(&fs->kernel->entries, &e))
			moves(&fs->kernel->entries, e.mount, doc);
	pthread_mutex_unlock(&fs->kernel->entries.lock);
	pthread_mutex_unlock(&fs->lock);
}

bool entries_answer(fuse_req_t req, int64_t doc)
{
	struct entries *n = &fs_of(req)->kernel->entries;
	struct entry_notice answer = { .mount = mount_of(req), .asks = req };
	pthread_mutex_lock(&n->lock);
	struct moved_doc *d = moved_of(n, answer.mount, doc);
	if (d)
		mark_sent(n, fuse_req_ctx(req)->pid);
	bool queued = d && n->first && queue(n, &answer);
	pthread_mutex_unlock(&n->lock);
	if (d && !queued)
		fuse_reply_err(req, ESTALE);
	return d != NULL;
}

bool entries_back(fuse_req_t req)
{
	struct entries *n = &fs_of(req)->kernel->entries;
	bool back = false;
	pthread_mutex_lock(&n->lock);
	for (int i = 0; i < SENT_SLOTS; i++) {
		struct sent_thread *t = &n->sent[i];
		if (t->pid != fuse_req_ctx(req)->pid || t->until_ms == 0)
			continue;
		back = back || now_ms() < t->until_ms;
		t->until_ms = 0;
	}
	pthread_mutex_unlock(&n->lock);
	return back;
}
