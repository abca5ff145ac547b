/* SPDX-License-Identifier: MIT */
/* Slots by session; a later session may take an earlier one's. */
#include "fs/logs/session_defaults.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

enum { DEFAULTS_SLOTS = 256 };

struct session_defaults {
	struct lock lock;
	_Atomic int64_t saves; /* how often a session.md was saved */
	struct session_defaults_slot {
		int64_t session, saves; /* lock; as of how many saves; 0: empty */
		struct buf members;     /* lock */
	} slot[DEFAULTS_SLOTS];
};

int session_defaults_start(struct fs *fs, const struct fs_options *o)
{
	struct session_defaults *d = calloc(1, sizeof *d);
	(void)o;
	if (!d)
		return -ENOMEM;
	lock_init(&d->lock, RANK_SESSION_DEFAULTS);
	atomic_store(&d->saves, 1);
	fs->session_defaults = d;
	return 0;
}

void session_defaults_stop(struct fs *fs)
{
	struct session_defaults *d = fs->session_defaults;
	if (!d)
		return;
	for (int i = 0; i < DEFAULTS_SLOTS; i++)
		buf_release(&d->slot[i].members);
	lock_destroy(&d->lock);
	free(d);
}

void session_defaults_forget(struct fs *fs)
{
	struct session_defaults *d = fs->session_defaults;
	lock_take(&d->lock);
	for (int i = 0; i < DEFAULTS_SLOTS; i++) {
		buf_release(&d->slot[i].members);
		d->slot[i].session = d->slot[i].saves = 0;
	}
	lock_give(&d->lock);
}

void session_defaults_on_saved(struct job *job, const struct saved *saved)
{
	if (!saved || ino_kind(saved->dir) == KIND_SESSION)
		atomic_fetch_add(&job->fs->session_defaults->saves, 1);
}

static void load(struct fs *fs, int64_t session, struct buf *out)
{
	char key[DOC_KEY_MAX + 1], *bytes = NULL;
	struct doc d;
	size_t len = 0;
	(void)snprintf(key, sizeof key, "session:%lld", (long long)session);
	if (store_doc_at(fs->store, key, fs->tree[KIND_PAGE].name, &d) == 0 &&
	    store_doc_content(fs->store, d.id, d.versions, &bytes, &len) == 0)
		render_session_defaults(out, bytes, len);
	free(bytes);
}

void session_defaults_of(struct fs *fs, int64_t session, struct buf *out)
{
	struct session_defaults *d = fs->session_defaults;
	struct session_defaults_slot *slot = &d->slot[session % DEFAULTS_SLOTS];
	lock_take(&d->lock);
	int64_t saves = atomic_load(&d->saves); /* before the look */
	if (slot->session != session || slot->saves != saves) {
		buf_clear(&slot->members);
		load(fs, session, &slot->members);
		slot->session = session;
		slot->saves = saves;
	}
	buf_add(out, slot->members.data, slot->members.len);
	lock_give(&d->lock);
}
