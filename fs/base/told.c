/* SPDX-License-Identifier: MIT */
/* Lines of errors.log, without the secrets that a path or a reason may hold.  See told.h. */
#include "fs/base/told.h"

#include <stdio.h>
#include <string.h>

#include "fs/internal.h"

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

void told_make(const struct fs *fs, const struct refusal *r, const char *name,
               struct told_text *out)
{
	told_hide(fs, r->path, out->path, sizeof out->path);
	told_hide(fs, r->reason, out->reason, sizeof out->reason);
	told_hide(fs, r->todo, out->todo, sizeof out->todo);
	told_hide(fs, name, out->name, sizeof out->name);
	out->r = *r;
	out->r.path = out->path;
	out->r.reason = out->reason;
	out->r.todo = out->todo;
}

void told_line(struct fs *fs, const struct refusal *r)
{
	struct told_text told;
	told_make(fs, r, NULL, &told);
	store_tell(fs->store, &told.r);
}

int told_refuse(struct fs *fs, const struct refusal *r, const char *name, const char *offered,
                size_t len, char kept[NAME_LIMIT + 1])
{
	struct told_text told;
	told_make(fs, r, name, &told);
	return store_refuse(fs->store, &told.r, told.name, offered, len, kept);
}
