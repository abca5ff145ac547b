/* SPDX-License-Identifier: MIT */
/* Slots by session; a later session may take an earlier one's. */
#include "fs/defaults.h"

#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

void defaults_init(struct defaults *d)
{
	memset(d, 0, sizeof *d);
	pthread_mutex_init(&d->lock, NULL);
	atomic_store(&d->saves, 1);
}

void defaults_release(struct defaults *d)
{
	for (int i = 0; i < DEFAULTS_SLOTS; i++)
		buf_release(&d->slot[i].members);
	pthread_mutex_destroy(&d->lock);
}

void defaults_forget(struct defaults *d)
{
	pthread_mutex_lock(&d->lock);
	for (int i = 0; i < DEFAULTS_SLOTS; i++) {
		buf_release(&d->slot[i].members);
		d->slot[i].session = d->slot[i].saves = 0;
	}
	pthread_mutex_unlock(&d->lock);
}

void defaults_changed(struct defaults *d)
{
	atomic_fetch_add(&d->saves, 1);
}

static void load(struct fs *fs, int64_t session, struct buf *out)
{
	char key[DOC_KEY_MAX + 1], *bytes = NULL;
	struct doc d;
	size_t len = 0;
	(void)snprintf(key, sizeof key, "session:%lld", (long long)session);
	if (store_doc_at(fs->store, key, tree[KIND_PAGE].name, &d) == 0 &&
	    store_doc_content(fs->store, d.id, d.versions, &bytes, &len) == 0)
		render_session_defaults(out, bytes, len);
	free(bytes);
}

void defaults_of(struct fs *fs, int64_t session, struct buf *out)
{
	struct defaults *d = &fs->defaults;
	struct defaults_slot *slot = &d->slot[session % DEFAULTS_SLOTS];
	pthread_mutex_lock(&d->lock);
	int64_t saves = atomic_load(&d->saves); /* before the look */
	if (slot->session != session || slot->saves != saves) {
		buf_clear(&slot->members);
		load(fs, session, &slot->members);
		slot->session = session;
		slot->saves = saves;
	}
	buf_add(out, slot->members.data, slot->members.len);
	pthread_mutex_unlock(&d->lock);
}
