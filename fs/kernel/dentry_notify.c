/* SPDX-License-Identifier: MIT */
/* Names to look up again, and what is answered behind them. */
#include "fs/kernel/dentry_notify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

struct dentry_notice {
	struct queued queued;
	struct fs_mount *mount; /* kept alive by its `pending` */
	int64_t doc;            /* the name does not lead to this document; 0: none such */
	fuse_req_t asks;        /* it is to be answered, and no name told; or NULL */
	uint64_t dir;
	char name[NAME_LIMIT + 1];
};

static void dentry_tell(void *ctx, struct queued *item)
{
	(void)ctx;
	const struct dentry_notice *e = (const struct dentry_notice *)item;
	lock_assert_none();
	if (e->asks)
		fuse_reply_err(e->asks, ESTALE);
	else /* -ENOENT only says that the kernel did not know the name */
		(void)fuse_lowlevel_notify_inval_entry(e->mount->session, e->dir, e->name,
		                                       strlen(e->name));
}

enum {
	TELLING_MS = 2000,
	BACK_MS = 10 * 1000, /* it comes at once, but a machine may be busy, or the answer queued */
};

/* Where it stands that this document's names are told; NULL: they are not.  n->queue.lock held. */
static struct moved_doc *moved_of(struct dentry_notify *n, const struct fs_mount *m, int64_t doc)
{
	for (int i = 0; doc && i < MOVED_SLOTS; i++)
		if (n->moved[i].mount == m && n->moved[i].doc == doc && now_ms() < n->moved[i].until_ms)
			return &n->moved[i];
	return NULL;
}

/* From now on who opens it has to look again. */
static void moves(struct dentry_notify *n, const struct fs_mount *m, int64_t doc)
{
	struct moved_doc *d = moved_of(n, m, doc);
	if (!d && doc)
		d = &n->moved[n->next_moved++ % MOVED_SLOTS];
	if (d)
		*d = (struct moved_doc){ .mount = m, .doc = doc, .until_ms = now_ms() + TELLING_MS };
}

/* In the place of one that is back or never comes, or of the oldest. */
static void mark_sent(struct dentry_notify *n, pid_t pid)
{
	struct sent_thread *t = &n->sent[0];
	for (int i = 1; i < SENT_SLOTS; i++)
		if (n->sent[i].until_ms < t->until_ms)
			t = &n->sent[i];
	*t = (struct sent_thread){ pid, now_ms() + n->back_ms };
}

/* Only now may who asks be answered at once: until here it is answered behind the notice. */
static void told(void *ctx, struct queued *item)
{
	const struct dentry_notify *n = ctx;
	const struct dentry_notice *e = (const struct dentry_notice *)item;
	struct moved_doc *d = moved_of(ctx, e->mount, e->doc);
	if (d)
		d->until_ms = now_ms() + n->sent_ms;
	atomic_fetch_sub(&e->mount->pending, 1);
}

int dentry_notify_start(struct fs *fs, const struct fs_options *o)
{
	struct dentry_notify *n = &fs->kernel->dentries;
	n->sent_ms = o->name_sent_ms ? o->name_sent_ms : 20;
	n->back_ms = o->name_back_ms ? o->name_back_ms : BACK_MS;
	return queue_start(&n->queue, RANK_DENTRIES, dentry_tell, told, n);
}

void dentry_notify_stop(struct fs *fs)
{
	queue_stop(&fs->kernel->dentries.queue);
}

/* Behind the others; n->queue.lock held.  Without memory the kernel forgets a name by itself. */
static bool queue(struct dentry_notify *n, const struct dentry_notice *what)
{
	struct dentry_notice *e = malloc(sizeof *e);
	if (!e)
		return false;
	*e = *what;
	atomic_fetch_add(&e->mount->pending, 1);
	queue_add(&n->queue, &e->queued);
	return true;
}

void dentry_forget(struct fs *fs, uint64_t dir, const char *name, int64_t doc)
{
	struct dentry_notice e = { .doc = doc, .dir = dir };
	if (!*name)
		return; /* no kernel has such an entry, and one refuses to be told of it */
	(void)snprintf(e.name, sizeof e.name, "%s", name);
	lock_take(&fs->lock);
	lock_take(&fs->kernel->dentries.queue.lock);
	for (e.mount = fs->mounts; e.mount; e.mount = e.mount->next)
		if (queue(&fs->kernel->dentries, &e))
			moves(&fs->kernel->dentries, e.mount, doc);
	lock_give(&fs->kernel->dentries.queue.lock);
	lock_give(&fs->lock);
}

void dentry_forget_edition(struct fs *fs, int64_t doc)
{
	char name[NAME_LIMIT + 1];
	uint64_t dir;
	if (fs->kernel_asks->stands(fs, doc, &dir, name))
		dentry_forget(fs, dir, name, 0);
}

void dentry_answer_again(fuse_req_t req)
{
	struct dentry_notify *n = &fs_of(req)->kernel->dentries;
	lock_take(&n->queue.lock);
	mark_sent(n, fuse_req_ctx(req)->pid);
	lock_give(&n->queue.lock);
	fuse_reply_err(req, ESTALE);
}

bool dentry_answer_stale(fuse_req_t req, int64_t doc)
{
	struct dentry_notify *n = &fs_of(req)->kernel->dentries;
	struct dentry_notice answer = { .mount = mount_of(req), .asks = req };
	lock_take(&n->queue.lock);
	struct moved_doc *d = moved_of(n, answer.mount, doc);
	if (d)
		mark_sent(n, fuse_req_ctx(req)->pid);
	bool queued = d && n->queue.items.first && queue(n, &answer);
	lock_give(&n->queue.lock);
	if (d && !queued)
		fuse_reply_err(req, ESTALE);
	return d != NULL;
}

bool dentry_was_stale(fuse_req_t req)
{
	struct dentry_notify *n = &fs_of(req)->kernel->dentries;
	bool back = false;
	lock_take(&n->queue.lock);
	for (int i = 0; i < SENT_SLOTS; i++) {
		struct sent_thread *t = &n->sent[i];
		if (t->pid != fuse_req_ctx(req)->pid || t->until_ms == 0)
			continue;
		back = back || now_ms() < t->until_ms;
		t->until_ms = 0;
	}
	lock_give(&n->queue.lock);
	return back;
}
