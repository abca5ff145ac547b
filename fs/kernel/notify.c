/* SPDX-License-Identifier: MIT */
/* The notifier thread, its queue, and the watchdog over it. */
#include "fs/kernel/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/internal.h"

enum {
	UNDER_WAY = 100, /* times to look for an inode that is, about milliseconds */
	LOOK_MS = 1000   /* between two looks of the watchdog */
};

/* The watchdog looks at calls of the kernel between these two. */
static void call_begins(struct fs_mount *m)
{
	struct notifier *n = &m->fs->kernel->notifier;
	lock_take(&n->queue.lock);
	n->calling = m;
	n->waited_ms = 0;
	lock_give(&n->queue.lock);
}

static void call_ends(struct fs_mount *m)
{
	struct notifier *n = &m->fs->kernel->notifier;
	lock_take(&n->queue.lock);
	n->calling = NULL;
	lock_give(&n->queue.lock);
}

bool size_ordered(const struct fs_mount *m, uint64_t ino)
{
	const struct kernel_file file = m->fs->kernel_asks->file(m->fs, ino);
	return file.log >= 0 && (m->read_only || !file.appended);
}

/* A log ends in a newline: no need to walk to its last line. */
static bool last_byte(struct fs *fs, uint64_t ino, int64_t size, char *byte)
{
	*byte = '\n';
	return fs->kernel_asks->file(fs, ino).lines ||
	       fs->kernel_asks->read(fs, ino, size - 1, byte, 1) == 1;
}

/*
 * -ENOENT: the kernel has nothing of it.  But if it counts as looked up, its entry
 * is on the way there with attributes from before, and must arrive to be taken
 * back; or the inode is on the way from there.  Either is a matter of moments.
 */
static int drop_pages(struct fs_mount *m, uint64_t ino)
{
	lock_assert_none();
	const uint64_t node = kcache_node(&m->kcache, ino);
	int err = fuse_lowlevel_notify_inval_inode(m->session, node, 0, 0);
	for (int i = 0; i < UNDER_WAY && err == -ENOENT && kcache_has(&m->kcache, ino, true) &&
	     !mount_is_over(m); i++) {
		usleep(i < 10 ? 20 : 1000);
		err = fuse_lowlevel_notify_inval_inode(m->session, node, 0, 0);
	}
	return err;
}

/* Old pages go; then, if `size` is not 0, the kernel gets it.  It was measured before. */
static void invalidate(struct fs_mount *m, uint64_t ino, int64_t size)
{
	char last;
	struct fuse_bufvec bytes = FUSE_BUFVEC_INIT(1);
	bytes.buf[0].mem = &last;
	bool stores = size > 0 && last_byte(m->fs, ino, size, &last);
	call_begins(m);
	int err = drop_pages(m, ino);
	if (stores && !err)
		err = fuse_lowlevel_notify_store(m->session, ino, size - 1, &bytes, 0);
	call_ends(m);
	if (stores && !err)
		kcache_set_size(&m->kcache, ino, size);
}

void notify_size(struct fs_mount *m, uint64_t ino, int64_t size)
{
	if (size > kcache_size(&m->kcache, ino))
		invalidate(m, ino, size);
}

static void send_notice(const struct notice *notice)
{
	struct fs_mount *m = notice->mount;
	int64_t size = 0;
	if (size_ordered(m, notice->ino) && m->fs->kernel_asks->size(m->fs, notice->ino, &size) != 0)
		size = 0;
	invalidate(m, notice->ino, size > kcache_size(&m->kcache, notice->ino) ? size : 0);
	atomic_fetch_sub(&m->pending, 1); /* from here on the mount may go */
}

static void work_off(void *ctx, struct queued *item)
{
	(void)ctx;
	struct job *j = (struct job *)item;
	for (size_t i = 0; i < j->count; i++)
		send_notice(&j->notice[i]);
	size_barrier_end(j->fs, &j->held);
	if (j->req) {
		struct fs_mount *m = mount_of(j->req);
		if (j->reply)
			j->reply(j->req, j->ino);
		else
			j->answer(j->req, j->ctx);
		atomic_fetch_sub(&m->pending, 1);
	}
	free(j->notice);
	if (!j->end)
		return;
	struct notifier *n = &j->fs->kernel->notifier;
	lock_take(&n->queue.lock);
	j->end->is_done = true;
	pthread_cond_signal(&j->end->done);
	lock_give(&n->queue.lock);
}

static void *watch(void *arg)
{
	struct notifier *n = arg;
	int64_t before = now_ms();
	while (ticker_wait(&n->watch, LOOK_MS)) {
		int64_t passed = now_ms() - before; /* a look that comes late was kept from coming */
		before += passed;
		lock_take(&n->queue.lock);
		n->waited_ms += passed < 2 * LOOK_MS ? passed : LOOK_MS;
		struct fs_mount *m = n->calling && n->waited_ms > NOTIFY_LIMIT * INT64_C(1000) ?
			n->calling : NULL;
		if (m) {
			n->waited_ms = 0;
			atomic_fetch_add(&m->pending, 1); /* so that it outlives the abort */
		}
		lock_give(&n->queue.lock);
		if (!m)
			continue;
		fprintf(stderr, "cinta: the kernel has not taken an invalidation for %d seconds:"
		        " aborting the mount\n", NOTIFY_LIMIT);
		m->fs->kernel_asks->abort(m);
		atomic_fetch_sub(&m->pending, 1);
	}
	return NULL;
}

int notifier_start(struct notifier *n)
{
	memset(n, 0, sizeof *n);
	ticker_init(&n->watch, RANK_WATCH);
	int err = queue_start(&n->queue, RANK_NOTIFIER, work_off, NULL, NULL);
	n->watches = !err && pthread_create(&n->watchdog, NULL, watch, n) == 0;
	if (!err && !n->watches)
		notifier_stop(n);
	return n->watches ? 0 : -EAGAIN;
}

void notifier_stop(struct notifier *n)
{
	if (!n->queue.runs)
		return;
	queue_stop(&n->queue);
	ticker_stop(&n->watch);
	if (n->watches)
		pthread_join(n->watchdog, NULL);
	n->watches = false;
}

void job_init(struct job *j, struct fs *fs)
{
	memset(j, 0, sizeof *j);
	j->fs = fs;
}

static void add_notice(struct job *j, struct fs_mount *mount, uint64_t ino, bool pages)
{
	if (!ARRAY_ROOM(j->notice, j->room, j->count))
		return; /* no memory: a reader may see old bytes for a moment, nothing is lost */
	atomic_fetch_add(&mount->pending, 1); /* so that it outlives this job */
	j->notice[j->count++] = (struct notice){ mount, ino, pages };
}

void job_add(struct job *j, struct fs_mount *mount, uint64_t ino)
{
	add_notice(j, mount, ino, true);
}

void job_inode(struct job *j, uint64_t ino)
{
	bool superseded = false;
	growing_note(j->fs, ino);
	lock_take(&j->fs->lock);
	for (struct fs_mount *m = j->fs->mounts; m; m = m->next) {
		if (ino_doc(ino) && kcache_supersede(&m->kcache, ino)) {
			superseded = true; /* who has it open keeps what he has */
			continue;
		}
		uint32_t marks = kcache_take(&m->kcache, ino);
		if (marks)
			add_notice(j, m, ino, marks & KCACHE_DATA);
	}
	lock_give(&j->fs->lock);
	if (superseded)
		dentry_forget_edition(j->fs, ino_doc(ino));
}

void job_errors(struct job *j)
{
	job_inode(j, ino_make(KIND_ERRORS, 0));
	job_inode(j, ino_make(KIND_REJECTED, 0));
}

void job_current(struct job *j)
{
	job_inode(j, ino_make(KIND_CURRENT, 0));
	job_inode(j, ino_make(KIND_CONTEXT_NOW, 0));
}

void job_written(struct job *j, uint64_t ino, fuse_req_t req)
{
	lock_take(&j->fs->lock);
	for (struct fs_mount *m = j->fs->mounts; m; m = m->next) {
		uint32_t marks = kcache_take(&m->kcache, ino);
		if (m == mount_of(req) ? marks & KCACHE_DATA : marks)
			add_notice(j, m, ino, marks & KCACHE_DATA);
	}
	lock_give(&j->fs->lock);
}

static void enqueue(struct job *j)
{
	struct notifier *n = &j->fs->kernel->notifier;
	if (j->req)
		atomic_fetch_add(&mount_of(j->req)->pending, 1);
	lock_take(&n->queue.lock);
	queue_add(&n->queue, &j->queued);
	lock_give(&n->queue.lock);
}

/* Its attributes go, and no page; false: as drop_pages() says of -ENOENT, it takes a while. */
static bool drop_attributes(struct fs_mount *m, uint64_t ino)
{
	lock_assert_none();
	const uint64_t node = kcache_node(&m->kcache, ino);
	return fuse_lowlevel_notify_inval_inode(m->session, node, -1, 0) != -ENOENT ||
	       !kcache_has(&m->kcache, ino, true);
}

/*
 * Of these no page shows more than was read when the size grows: documents have none, and what is
 * kept of a directory is a listing.  Of a log the pages of before must go before the size comes.
 */
static bool needs_no_turn(const struct notice *n)
{
	const struct fs *fs = n->mount->fs;
	return !n->pages && fs->kernel_asks->file(fs, n->ino).unpaged &&
	       !size_ordered(n->mount, n->ino);
}

/*
 * Pages have locks that requests may hold, attributes have none: so what is only about these
 * needs no other thread.  Leaves the rest.
 */
static void tell_attributes(struct job *j)
{
	size_t left = 0;
	for (size_t i = 0; i < j->count; i++) {
		struct notice n = j->notice[i];
		if (!needs_no_turn(&n) || !drop_attributes(n.mount, n.ino))
			j->notice[left++] = n;
		else
			atomic_fetch_sub(&n.mount->pending, 1);
	}
	j->count = left;
}

void job_finish(struct job *j, fuse_req_t req, answer_fn *answer, void *ctx)
{
	if (!j->held.ino && !j->elsewhere)
		tell_attributes(j);
	struct job *queued = j->count ? malloc(sizeof *queued) : NULL;
	if (!queued) {
		for (size_t i = 0; i < j->count; i++)
			atomic_fetch_sub(&j->notice[i].mount->pending, 1);
		free(j->notice);
		size_barrier_end(j->fs, &j->held);
		if (req)
			answer(req, ctx);
		return;
	}
	*queued = *j;
	queued->req = req;
	queued->answer = answer;
	queued->ctx = ctx;
	enqueue(queued);
}

void job_defer(fuse_req_t req, deferred_reply_fn *reply, uint64_t ino)
{
	struct job *j = malloc(sizeof *j);
	if (!j) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	job_init(j, fs_of(req));
	j->req = req;
	j->reply = reply;
	j->ino = ino;
	enqueue(j);
}

void notices_wait(struct fs *fs)
{
	struct notifier *n = &fs->kernel->notifier;
	struct job_end end = { .is_done = false };
	struct job *j = malloc(sizeof *j);
	if (!j)
		return; /* no memory: a reader may see old bytes for a moment, nothing is lost */
	job_init(j, fs);
	pthread_cond_init(&end.done, NULL);
	j->end = &end;
	lock_take(&n->queue.lock);
	queue_add(&n->queue, &j->queued);
	while (!end.is_done)
		lock_wait(&n->queue.lock, &end.done);
	lock_give(&n->queue.lock);
	pthread_cond_destroy(&end.done);
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
