/* SPDX-License-Identifier: MIT */
/* Looking at the server for all who wait, and answering them after that (fresh.h). */
#include "fs/kernel/fresh.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "fs/internal.h"
#include "store/thread.h"

struct waiting {
	struct queued queued;
	fuse_req_t req;
	fresh_fn *answer;
	void *ctx;
};

static void fresh_run(struct fs *fs, struct queued *item)
{
	struct waiting *w = (struct waiting *)item;
	struct fs_mount *m = mount_of(w->req);
	client_is(fs, &m->client);
	w->answer(w->req, w->ctx);
	client_is(fs, &fs->usual);
	free(w);
	atomic_fetch_sub(&m->pending, 1); /* from here on the mount may go */
}

/* The lock is held, and given back meanwhile. */
static void look(struct fs *fs, struct fresh *f)
{
	struct queued *all = f->asked.first;
	bool asks = false;
	queued_init(&f->asked);
	for (struct queued *item = all; item; item = item->next)
		asks |= mount_of(((struct waiting *)item)->req)->fresh == FRESH_OPEN;
	f->looks = true;
	lock_give(&f->lock);
	if (store_fresh(fs->store, asks))
		notices_wait(fs);
	lock_take(&f->lock);
	for (struct queued *item = all, *next; item; item = next) {
		next = item->next;
		queued_add(&f->ready, item);
	}
	f->looks = false;
	pthread_cond_broadcast(&f->changed);
}

static void *work(void *arg)
{
	struct fs *fs = arg;
	struct fresh *f = &fs->kernel->fresh;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* who reads the answers over a socket may have gone */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	lock_take(&f->lock);
	while (f->ready.first || f->asked.first || !f->stop) {
		if (f->ready.first) {
			struct queued *item = queued_take(&f->ready);
			lock_give(&f->lock);
			fresh_run(fs, item);
			thread_clear();
			lock_take(&f->lock);
		} else if (f->asked.first && !f->looks) {
			look(fs, f);
		} else {
			lock_wait(&f->lock, &f->changed);
		}
	}
	lock_give(&f->lock);
	return NULL;
}

int fresh_wait(fuse_req_t req, fresh_fn *answer, void *ctx)
{
	struct fresh *f = &fs_of(req)->kernel->fresh;
	struct waiting *w = malloc(sizeof *w);
	if (!w)
		return -ENOMEM;
	*w = (struct waiting){ .req = req, .answer = answer, .ctx = ctx };
	atomic_fetch_add(&mount_of(req)->pending, 1);
	lock_take(&f->lock);
	queued_add(&f->asked, &w->queued);
	pthread_cond_signal(&f->changed);
	lock_give(&f->lock);
	return 0;
}

int fresh_threads(struct fs *fs, int wanted)
{
	struct fresh *f = &fs->kernel->fresh;
	lock_take(&f->lock);
	while (f->threads < wanted && f->threads < FRESH_MOST &&
	       !pthread_create(&f->thread[f->threads], NULL, work, fs))
		f->threads++;
	bool enough = f->threads > 0;
	lock_give(&f->lock);
	return enough ? 0 : -EAGAIN;
}

void fresh_init(struct fresh *f)
{
	queued_init(&f->asked);
	queued_init(&f->ready);
	lock_init(&f->lock, RANK_FRESH);
	pthread_cond_init(&f->changed, NULL);
}

void fresh_release(struct fresh *f)
{
	lock_take(&f->lock);
	f->stop = true;
	pthread_cond_broadcast(&f->changed);
	lock_give(&f->lock);
	for (int i = 0; i < f->threads; i++)
		pthread_join(f->thread[i], NULL);
	pthread_cond_destroy(&f->changed);
	lock_destroy(&f->lock);
}
