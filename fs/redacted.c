/* SPDX-License-Identifier: MIT */
/*
 * After bodies have gone for good: no page, snapshot or staged copy that may hold one of
 * them stays, in memory or in the kernel.  Called by the store's owner thread.  Which of
 * them did is not known, for the texts are gone: all go.
 */
#include <string.h>

#include "fs/fs.h"
#include "fs/handle.h"

/* A reader keeps the bytes of its open, but not these: it has to open again. */
static void take_handles(struct fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m; m = m->next) {
		for (struct handle *h = m->handles; h; h = h->next) {
			h->taken = h->taken || h->snapshot.len > 0;
			buf_release(&h->snapshot);
		}
	}
	pthread_mutex_unlock(&fs->lock);
}

/* What nobody has changed can be read again; what somebody has is that one's text. */
static void take_edits(struct fs *fs)
{
	for (struct edit *e = fs->edits; e; e = e->next) {
		bool again = e->doc > 0 || ino_kind(e->ino) == KIND_FACT_LIST;
		if (e->written || e->cut || !e->loaded || !again)
			continue;
		buf_release(&e->bytes);
		e->loaded = false;
		e->kept = 0;
	}
}

void fs_on_redacted(void *arg)
{
	struct fs *fs = arg;
	pthread_mutex_lock(&fs->docs);
	take_handles(fs);
	take_edits(fs);
	scratch_follow(fs);
	pthread_mutex_unlock(&fs->docs);
	shown_forget(&fs->shown);
	searches_forget(fs->searches);
	defaults_forget(&fs->defaults);
	fs_on_foreign(fs);
}
