/* SPDX-License-Identifier: MIT */
/* Who asks: "alice:vim".  A player of components/ply may claim a user or a program. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/internal.h"

/* Visible ASCII without what JSON or the author's own syntax would have to escape. */
static bool plain(unsigned char c)
{
	return c > 0x20 && c < 0x7F && !strchr("%\"\\", c);
}

static void add_encoded(char *dst, size_t size, const char *text, const char *also)
{
	size_t len = strlen(dst);
	for (const char *p = text; *p && len + 4 < size; p++) {
		unsigned char c = (unsigned char)*p;
		if (plain(c) && !strchr(also, c))
			dst[len++] = *p;
		else
			len += (size_t)snprintf(dst + len, 4, "%%%02X", c);
	}
	dst[len] = '\0';
}

/* The name of the program that asks, "" if it cannot be known. */
static void program(pid_t pid, char name[64])
{
	char path[48];
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t got = fd >= 0 ? read(fd, name, 63) : -1;
	if (fd >= 0)
		close(fd);
	name[got > 0 ? got : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

/*
 * The low bits of a process's exit code, field 52 of its stat, are the signal that ends it.
 * Who ends closes its files after its memory is gone, and so the program it ran: where that can
 * be told, nobody is ending, and the many fields of stat need not be made.
 */
bool is_killed(pid_t pid)
{
	enum { CODE = 52, NAME = 2, SIGNAL = 0x7F };
	char path[48], text[1024];
	(void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	if (pid > 0 && readlink(path, text, sizeof text) > 0)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	const char *at = strrchr(text, ')'); /* the name before may hold anything */
	for (int field = NAME; at && field < CODE; field++)
		at = strchr(at + 1, ' ');
	return at && (atoi(at) & SIGNAL);
}

bool is_same_process(pid_t a, pid_t b)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d", (int)a, (int)b);
	return a == b || access(path, F_OK) == 0;
}

bool is_child(pid_t pid, pid_t opener)
{
	char path[64];
	if (opener <= 0 || is_same_process(opener, pid))
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d", (int)opener);
	return access(path, F_OK) == 0;
}

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

/* The player (components/ply) who claims this program, or else this user; "" if nobody does. */
static void claimed(struct fs *fs, uid_t uid, const char *name, char code[NAME_LIMIT + 1])
{
	struct claims *c = &fs->claims;
	code[0] = '\0';
	lock_take(&c->lock);
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
	lock_give(&c->lock);
}

enum { USER_MS = 10000 };

/* The system's name of a user, "" if it has none. */
static void user_name(struct claims *c, uid_t uid, char dst[FIELD_MAX + 1])
{
	char text[1024];
	struct passwd pw, *found = NULL;
	lock_take(&c->lock);
	struct user u = c->user;
	lock_give(&c->lock);
	if (u.uid != uid || now_ms() >= u.until_ms) {
		bool known = getpwuid_r(uid, &pw, text, sizeof text, &found) == 0 && found;
		u = (struct user){ .uid = uid, .until_ms = now_ms() + USER_MS };
		(void)snprintf(u.name, sizeof u.name, "%s", known ? found->pw_name : "");
		lock_take(&c->lock);
		c->user = u;
		lock_give(&c->lock);
	}
	memcpy(dst, u.name, sizeof u.name);
}

void author_of(fuse_req_t req, char author[FIELD_MAX + 1])
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	const char *owner = fs_of(req)->owner;
	char name[64], text[FIELD_MAX + 1], code[NAME_LIMIT + 1];
	author[0] = '\0';
	program(ctx->pid, name);
	if (!*owner) {
		claimed(fs_of(req), ctx->uid, name, code);
		owner = code;
	}
	if (!*owner) {
		user_name(&fs_of(req)->claims, ctx->uid, text);
		owner = text;
	}
	if (!*owner) {
		(void)snprintf(text, sizeof text, "uid%u", (unsigned)ctx->uid);
		owner = text;
	}
	add_encoded(author, FIELD_MAX - 40, owner, ":");
	if (*name) {
		size_t len = strlen(author); /* at most FIELD_MAX - 40 so far */
		(void)snprintf(author + len, FIELD_MAX + 1 - len, ":");
		add_encoded(author, FIELD_MAX + 1, name, "");
	}
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
