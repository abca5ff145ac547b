/* SPDX-License-Identifier: MIT */
/* Lines of errors.log, without the secrets that a path or a reason may hold.  See told.h. */
#include "fs/base/told.h"

#include <stdio.h>
#include <string.h>

#include "fs/internal.h"

enum { KNOWN_BY = 5 }; /* bytes: "AKIA", "ghp_", "sk-" and "eyJ" are no secret yet */

/* A string that is written again, up to `size`. */
struct hiding {
	const char *text;
	size_t upto, len, size;
	char *dst;
};

static void add(struct hiding *h, const char *bytes, size_t len)
{
	size_t room = h->size - 1 - h->len;
	size_t n = len < room ? len : room;
	memcpy(h->dst + h->len, bytes, n);
	h->len += n;
}

static void hide_one(void *ctx, const struct secret *s)
{
	struct hiding *h = ctx;
	char word[64];
	int n = snprintf(word, sizeof word, "[%s]", s->kind);
	add(h, h->text + h->upto, s->at - h->upto);
	add(h, word, (size_t)n < sizeof word ? (size_t)n : sizeof word - 1);
	h->upto = s->at + s->len;
}

void told_hide(const struct fs *fs, const char *text, char *dst, size_t size)
{
	struct hiding h = { .text = text ? text : "", .dst = dst, .size = size };
	size_t len = strlen(h.text);
	if (fs->secrets != SECRETS_OFF)
		(void)render_secrets(h.text, len, hide_one, &h);
	add(&h, h.text + h.upto, len - h.upto);
	dst[h.len] = '\0';
}

/* What a complaint is about, and the complaint. */
struct begun {
	const char *offered;
	char *text;
	size_t size;
};

/* A complaint quotes the beginning of a word: where it is that of a secret it is known by this. */
static void hide_begun(void *ctx, const struct secret *s)
{
	const struct begun *b = ctx;
	const char *secret = b->offered + s->at;
	char rest[TOLD_TODO];
	for (char *at = b->text; s->len > KNOWN_BY; at++) {
		size_t len = KNOWN_BY;
		if (!(at = memmem(at, strlen(at), secret, KNOWN_BY)))
			return;
		while (len < s->len && at[len] && at[len] == secret[len])
			len++;
		(void)snprintf(rest, sizeof rest, "%s", at + len);
		(void)snprintf(at, b->size - (size_t)(at - b->text), "[%s]%s", s->kind, rest);
	}
}

static void hide_cut(const struct fs *fs, const char *offered, size_t len, struct told_text *out)
{
	struct begun reason = { offered, out->reason, sizeof out->reason };
	struct begun todo = { offered, out->todo, sizeof out->todo };
	if (!offered || fs->secrets == SECRETS_OFF)
		return;
	(void)render_secrets(offered, len, hide_begun, &reason);
	(void)render_secrets(offered, len, hide_begun, &todo);
}

void told_make(const struct fs *fs, const struct refusal *r, const char *name,
               const char *offered, size_t len, struct told_text *out)
{
	told_hide(fs, r->path, out->path, sizeof out->path);
	told_hide(fs, r->reason, out->reason, sizeof out->reason);
	told_hide(fs, r->todo, out->todo, sizeof out->todo);
	told_hide(fs, name, out->name, sizeof out->name);
	hide_cut(fs, offered, len, out);
	hide_cut(fs, r->path, r->path ? strlen(r->path) : 0, out);
	out->r = *r;
	out->r.path = out->path;
	out->r.reason = out->reason;
	out->r.todo = out->todo;
}

void told_line(struct fs *fs, const struct refusal *r)
{
	told_of(fs, r, NULL, 0);
}

void told_of(struct fs *fs, const struct refusal *r, const char *text, size_t len)
{
	struct told_text told;
	told_make(fs, r, NULL, text, len, &told);
	store_tell(fs->store, &told.r);
}

void told_database(const struct fs *fs, char *dst, size_t size)
{
	struct buf word = BUF_INIT;
	if (fs->database)
		render_shell_word(&word, fs->database);
	bool fits = word.len > 0 && !word.failed && word.len + sizeof " -d " <= size;
	(void)snprintf(dst, size, " -d %s", fits ? word.data : "DB");
	buf_release(&word);
}

int told_refuse(struct fs *fs, const struct refusal *r, const char *name, const char *offered,
                size_t len, char kept[NAME_LIMIT + 1])
{
	struct told_text told;
	told_make(fs, r, name, offered, len, &told);
	return store_refuse(fs->store, &told.r, told.name, offered, len, kept);
}
