/* SPDX-License-Identifier: MIT */
/* The claims of components/ply, and the users of the system (claims.h). */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/documents/documents.h"

/* All claims of components/ply, read again after one was saved.  c->lock held. */
static void load(struct fs *fs, struct claims *c)
{
	struct doc d = { .id = 0 };
	char *bytes = NULL;
	size_t len, room = 0;
	c->count = 0;
	while (store_doc_next(fs->store, "components/ply", d.id, &d) == 0) {
		struct claim p;
		if (store_doc_content(fs->store, d.id, d.versions, &bytes, &len))
			continue;
		bool claims = render_claim(d.name, bytes, len, &p.uid, p.program);
		free(bytes);
		if (!claims)
			continue;
		struct claim *more = c->count < room ? c->claim :
			realloc(c->claim, (room = room * 2 + 8) * sizeof *more);
		if (!more)
			return;
		c->claim = more;
		(void)snprintf(p.code, sizeof p.code, "%.*s", (int)(strlen(d.name) - 3), d.name);
		c->claim[c->count++] = p;
	}
}

void claims_player(struct fs *fs, uid_t uid, const char *name, char code[NAME_LIMIT + 1])
{
	struct claims *c = &fs->documents->claims;
	code[0] = '\0';
	pthread_mutex_lock(&c->lock);
	if (atomic_exchange(&c->stale, false))
		load(fs, c);
	for (size_t i = 0; i < c->count; i++) {
		const struct claim *p = &c->claim[i];
		bool program = *p->program && strcmp(p->program, name) == 0;
		if (program || (!*code && !*p->program && p->uid == (int64_t)uid))
			(void)snprintf(code, NAME_LIMIT + 1, "%s", p->code);
		if (program)
			break;
	}
	pthread_mutex_unlock(&c->lock);
}

enum { USER_MS = 10000 };

void claims_user(struct fs *fs, uid_t uid, char dst[FIELD_MAX + 1])
{
	struct claims *c = &fs->documents->claims;
	char text[1024];
	struct passwd pw, *found = NULL;
	pthread_mutex_lock(&c->lock);
	struct claim_user u = c->user;
	pthread_mutex_unlock(&c->lock);
	if (u.uid != uid || now_ms() >= u.until_ms) {
		bool known = getpwuid_r(uid, &pw, text, sizeof text, &found) == 0 && found;
		u = (struct claim_user){ .uid = uid, .until_ms = now_ms() + USER_MS };
		(void)snprintf(u.name, sizeof u.name, "%s", known ? found->pw_name : "");
		pthread_mutex_lock(&c->lock);
		c->user = u;
		pthread_mutex_unlock(&c->lock);
	}
	memcpy(dst, u.name, sizeof u.name);
}

void claims_init(struct claims *c)
{
	pthread_mutex_init(&c->lock, NULL);
	c->user.until_ms = 0;
	atomic_store(&c->stale, true);
}

void claims_release(struct claims *c)
{
	free(c->claim);
	pthread_mutex_destroy(&c->lock);
}

void claims_on_saved(struct job *job, const struct saved *saved)
{
	if (!saved || ino_kind(saved->dir) == KIND_COMPONENT_DIR)
		atomic_store(&job->fs->documents->claims.stale, true);
}
