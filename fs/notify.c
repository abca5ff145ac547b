/* SPDX-License-Identifier: MIT */
/* The notifier thread, its queue, and the watchdog over it. */
#include "fs/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs/internal.h"
#include "fs/serve.h"

static int64_t now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void send_notice(struct notifier *n, const struct notice *notice)
{
	struct fuse_session *se = notice->mount->session;
	pthread_mutex_lock(&n->lock);
	n->calling = notice->mount;
	n->since = now_seconds();
	pthread_mutex_unlock(&n->lock);
	/* -ENOENT only says that the kernel held nothing. */
	(void)fuse_lowlevel_notify_inval_inode(se, notice->ino, 0, 0);
	pthread_mutex_lock(&n->lock);
	n->calling = NULL;
	pthread_mutex_unlock(&n->lock);
	atomic_fetch_sub(&notice->mount->pending, 1); /* from here on the mount may go */
}

static void work_off(struct notifier *n, struct job *j)
{
	for (size_t i = 0; i < j->count; i++)
		send_notice(n, &j->notice[i]);
	held_end(j->fs, &j->held);
	if (j->req) {
		struct fs_mount *m = mount_of(j->req);
		j->answer(j->req, j->ctx);
		atomic_fetch_sub(&m->pending, 1);
	}
	free(j->notice);
	free(j);
}

static void *notify(void *arg)
{
	struct notifier *n = arg;
	pthread_mutex_lock(&n->lock);
	for (;;) {
		while (!n->first && !n->stop)
			pthread_cond_wait(&n->wake, &n->lock);
		struct job *j = n->first;
		if (!j)
			break;
		n->first = j->next;
		if (!n->first)
			n->end = &n->first;
		n->busy = true;
		pthread_mutex_unlock(&n->lock);
		work_off(n, j);
		pthread_mutex_lock(&n->lock);
		n->busy = false;
		if (!n->first)
			pthread_cond_broadcast(&n->idle);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

static void *watch(void *arg)
{
	struct notifier *n = arg;
	pthread_mutex_lock(&n->lock);
	while (!n->stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 1;
		pthread_cond_timedwait(&n->idle, &n->lock, &until);
		if (n->calling && now_seconds() - n->since > NOTIFY_LIMIT) {
			fprintf(stderr, "cinta: the kernel has not taken an invalidation for %d seconds:"
			        " aborting the mount\n", NOTIFY_LIMIT);
			mount_abort(n->calling);
			n->since = now_seconds();
		}
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

int notifier_start(struct notifier *n)
{
	memset(n, 0, sizeof *n);
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->wake, NULL);
	pthread_cond_init(&n->idle, NULL);
	n->end = &n->first;
	if (pthread_create(&n->thread, NULL, notify, n))
		return -EAGAIN;
	n->runs = true;
	if (pthread_create(&n->watchdog, NULL, watch, n)) {
		n->watchdog = n->thread;
		notifier_stop(n);
		return -EAGAIN;
	}
	return 0;
}

void notifier_stop(struct notifier *n)
{
	if (!n->runs)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_broadcast(&n->wake);
	pthread_cond_broadcast(&n->idle);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
	if (!pthread_equal(n->watchdog, n->thread))
		pthread_join(n->watchdog, NULL);
	n->runs = false;
}

void notifier_drain(struct notifier *n)
{
	pthread_mutex_lock(&n->lock);
	while (n->first || n->busy)
		pthread_cond_wait(&n->idle, &n->lock);
	pthread_mutex_unlock(&n->lock);
}

void job_init(struct job *j, struct fs *fs)
{
	memset(j, 0, sizeof *j);
	j->fs = fs;
}

void job_add(struct job *j, struct fs_mount *mount, uint64_t ino)
{
	if (j->count == j->room) {
		size_t room = j->room ? j->room * 2 : 8;
		struct notice *more = realloc(j->notice, room * sizeof *more);
		if (!more)
			return; /* no memory: a reader may see old bytes for a moment, nothing is lost */
		j->notice = more;
		j->room = room;
	}
	atomic_fetch_add(&mount->pending, 1); /* so that it outlives this job */
	j->notice[j->count++] = (struct notice){ mount, ino };
}

void job_inode(struct job *j, uint64_t ino)
{
	pthread_mutex_lock(&j->fs->lock);
	for (struct fs_mount *m = j->fs->mounts; m; m = m->next)
		if (known_take(&m->known, ino))
			job_add(j, m, ino);
	pthread_mutex_unlock(&j->fs->lock);
}

void job_written(struct job *j, uint64_t ino, fuse_req_t req)
{
	pthread_mutex_lock(&j->fs->lock);
	for (struct fs_mount *m = j->fs->mounts; m; m = m->next) {
		uint32_t marks = known_take(&m->known, ino);
		if (m == mount_of(req) ? marks & KNOWN_DATA : marks)
			job_add(j, m, ino);
	}
	pthread_mutex_unlock(&j->fs->lock);
}

void job_finish(struct job *j, fuse_req_t req, answer_fn *answer, void *ctx)
{
	struct notifier *n = &j->fs->notifier;
	struct job *queued = j->count ? malloc(sizeof *queued) : NULL;
	if (!queued) {
		for (size_t i = 0; i < j->count; i++)
			atomic_fetch_sub(&j->notice[i].mount->pending, 1);
		free(j->notice);
		held_end(j->fs, &j->held);
		if (req)
			answer(req, ctx);
		return;
	}
	*queued = *j;
	queued->req = req;
	queued->answer = answer;
	queued->ctx = ctx;
	if (req)
		atomic_fetch_add(&mount_of(req)->pending, 1);
	pthread_mutex_lock(&n->lock);
	queued->next = NULL;
	*n->end = queued;
	n->end = &queued->next;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
}

void answer_err(fuse_req_t req, void *err)
{
	fuse_reply_err(req, (int)(intptr_t)err);
}

void answer_write(fuse_req_t req, void *size)
{
	fuse_reply_write(req, (size_t)(uintptr_t)size);
}

void answer_entry(fuse_req_t req, void *entry)
{
	fuse_reply_entry(req, entry);
	free(entry);
}
