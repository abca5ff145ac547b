/* SPDX-License-Identifier: MIT */
/*
 * After bodies have gone for good: no page, snapshot or staged copy that may hold one of
 * them stays, in memory or in the kernel.  Called by the store's owner thread.  Which of
 * them did is not known, for the texts are gone: all go.
 */
#include <string.h>

#include "fs/context/context.h"
#include "fs/facts/facts.h"
#include "fs/fs.h"
#include "fs/internal.h"
#include "fs/logs/logs.h"
#include "fs/past/past.h"
#include "fs/request/request.h"
#include "fs/save/save.h"
#include "fs/search/search.h"
#include "fs/window/window.h"

static void take_handles(struct fs *fs)
{
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m; m = m->next) {
		for (struct handle *h = m->handles; h; h = h->next)
			if (h->ops->take)
				h->ops->take(h);
	}
	lock_give(&fs->lock);
}

/*
 * What nobody has changed is read again, and so is what stands before appended bytes: the rest is
 * the text of who wrote it.
 */
static void take_edits(struct fs *fs)
{
	for (struct edit *e = fs->edits; e; e = e->next) {
		enum kind kind = ino_kind(e->ino);
		bool again = e->doc || e->over || kind == KIND_FACT_LIST || kind == KIND_RETRIEVED;
		if (again && e->loaded && !e->truncated && (!e->written || e->appends))
			edit_reload(fs, e);
	}
	/* Who made a document and has it open yet may go on, behind what it is now. */
	for (struct scratch *s = scratch_first(fs); s; s = s->next)
		if (s->opens && s->promoted_to && (!s->written || s->appends))
			scratch_reload(fs, s);
}

static void add_message(void *ctx, int64_t seq)
{
	struct job *job = ctx;
	for (struct fs_mount *m = job->fs->mounts; m; m = m->next)
		job_add(job, m, ino_make(KIND_MESSAGE, seq));
}

/*
 * Of messages nobody notes whether the kernel has them (NODE_FIXED): they may be a million.  It is
 * told of each that ever went, and of other entries' numbers, which it does not know.
 */
static void tell_messages(struct fs *fs)
{
	struct job job;
	job_init(&job, fs);
	job.elsewhere = true; /* the caller keeps `fs` alive by a lock */
	lock_take(&fs->lock);
	(void)store_redacted(fs->store, add_message, &job);
	lock_give(&fs->lock);
	job_finish(&job, NULL, NULL, NULL);
}

void fs_on_redacted(void *arg)
{
	struct fs *fs = arg;
	lock_take(&fs->docs);
	take_handles(fs);
	scratch_follow(fs);
	take_edits(fs);
	vacant_forget(fs);
	lock_give(&fs->docs);
	context_cache_forget(fs);
	exposure_forget(fs);
	searches_forget(fs);
	facts_forget(fs);
	missing_forget(fs);
	session_defaults_forget(fs);
	past_forget(fs);
	tell_messages(fs);
	fs_on_foreign(fs, -1);
}
