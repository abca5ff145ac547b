/* SPDX-License-Identifier: MIT */
/* Looking at the server for all who wait, and answering them after that (fresh.h). */
#include "fs/kernel/fresh.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "fs/internal.h"
#include "store/thread.h"

struct fresh_waiting {
	struct fresh_waiting *next;
	fuse_req_t req;
	fresh_fn *answer;
	void *ctx;
};

static void line_add(struct fresh_line *l, struct fresh_waiting *w)
{
	w->next = NULL;
	*l->end = w;
	l->end = &w->next;
}

static struct fresh_waiting *line_take(struct fresh_line *l)
{
	struct fresh_waiting *w = l->first;
	l->first = w->next;
	if (!l->first)
		l->end = &l->first;
	return w;
}

/* `to` is empty. */
static void line_move(struct fresh_line *from, struct fresh_line *to)
{
	to->first = from->first;
	to->end = to->first ? from->end : &to->first;
	from->first = NULL;
	from->end = &from->first;
}

static void run(struct fs *fs, struct fresh_waiting *w)
{
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
	struct fresh_line all;
	line_move(&f->asked, &all);
	f->looks = true;
	lock_give(&f->lock);
	if (store_fresh(fs->store))
		notices_wait(fs);
	lock_take(&f->lock);
	while (all.first)
		line_add(&f->ready, line_take(&all));
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
			struct fresh_waiting *w = line_take(&f->ready);
			lock_give(&f->lock);
			run(fs, w);
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
	struct fresh_waiting *w = malloc(sizeof *w);
	if (!w)
		return -ENOMEM;
	*w = (struct fresh_waiting){ .req = req, .answer = answer, .ctx = ctx };
	atomic_fetch_add(&mount_of(req)->pending, 1);
	lock_take(&f->lock);
	line_add(&f->asked, w);
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
	f->asked.end = &f->asked.first;
	f->ready.end = &f->ready.first;
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
