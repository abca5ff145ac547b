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
		if (!ARRAY_ROOM(c->claim, room, c->count))
			return;
		(void)snprintf(p.code, sizeof p.code, "%.*s", (int)(strlen(d.name) - 3), d.name);
		c->claim[c->count++] = p;
	}
}

void claims_player(struct fs *fs, uid_t uid, const char *name, char code[NAME_LIMIT + 1])
{
	struct claims *c = &fs->documents->claims;
	bool own = uid == fs->uid; /* another user's program of that name is not the one meant */
	code[0] = '\0';
	lock_take(&c->lock);
	if (atomic_exchange(&c->stale, false))
		load(fs, c);
	for (size_t i = 0; i < c->count; i++) {
		const struct claim *p = &c->claim[i];
		bool program = own && *p->program && strcmp(p->program, name) == 0;
		if (program || (!*code && !*p->program && p->uid == (int64_t)uid))
			(void)snprintf(code, NAME_LIMIT + 1, "%s", p->code);
		if (program)
			break;
	}
	lock_give(&c->lock);
}

enum { USER_MS = 10000 };

void claims_user(struct fs *fs, uid_t uid, char dst[FIELD_MAX + 1])
{
	struct claims *c = &fs->documents->claims;
	char text[1024];
	struct passwd pw, *found = NULL;
	lock_take(&c->lock);
	struct claim_user u = c->user;
	lock_give(&c->lock);
	if (u.uid != uid || now_ms() >= u.until_ms) {
		bool known = getpwuid_r(uid, &pw, text, sizeof text, &found) == 0 && found;
		u = (struct claim_user){ .uid = uid, .until_ms = now_ms() + USER_MS };
		(void)snprintf(u.name, sizeof u.name, "%s", known ? found->pw_name : "");
		lock_take(&c->lock);
		c->user = u;
		lock_give(&c->lock);
	}
	memcpy(dst, u.name, sizeof u.name);
}

void claims_init(struct claims *c)
{
	lock_init(&c->lock, RANK_CLAIMS);
	c->user.until_ms = 0;
	atomic_store(&c->stale, true);
}

void claims_release(struct claims *c)
{
	free(c->claim);
	lock_destroy(&c->lock);
}

void claims_on_saved(struct job *job, const struct saved *saved)
{
	if (!saved || ino_kind(saved->dir) == KIND_COMPONENT_DIR)
		atomic_store(&job->fs->documents->claims.stale, true);
}

bool claims_is_owner(struct fs *fs, const char *author)
{
	char user[FIELD_MAX + 1], code[NAME_LIMIT + 1], number[32];
	size_t len = strcspn(author, ":");
	claims_user(fs, fs->uid, user);
	claims_player(fs, fs->uid, "", code);
	(void)snprintf(number, sizeof number, "uid%u", (unsigned)fs->uid);
	const char *const names[] = { client_of(fs)->owner, user, code, number };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == len && len > 0 && memcmp(names[i], author, len) == 0)
			return true;
	return false;
}
