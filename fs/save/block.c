/* SPDX-License-Identifier: MIT */
/*
 * A code and a text stand among the active blocks once (001 §blocks: both are UNIQUE), else a model
 * is told the same twice, or two things under one name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/internal.h"

/* The block that is to be, and what of it another has. */
struct once {
	int64_t id, there; /* its document, and the one that is in its place; 0: none */
	char code[NAME_LIMIT + 1];
	const char *text;
	size_t len;
	bool had_code, had_text; /* it was active with this code, this text, before */
	char code_at[PATH_LIMIT + 1], text_at[PATH_LIMIT + 1]; /* paths of others, or "" */
};

static void keep_path(char at[PATH_LIMIT + 1], const struct doc_block *b)
{
	if (!*at)
		(void)snprintf(at, PATH_LIMIT + 1, "blocks/%s/%s.md", b->category, b->code);
}

static void compare(void *ctx, const struct doc_block *b)
{
	struct once *o = ctx;
	const char *text;
	size_t len;
	render_body_of(b->content, b->len, &text, &len);
	bool same_code = strcmp(b->code, o->code) == 0;
	bool same_text = len == o->len && len > 0 && memcmp(text, o->text, len) == 0;
	if (b->id == o->id || b->id == o->there) {
		o->had_code = o->had_code || same_code;
		o->had_text = o->had_text || same_text;
		return;
	}
	if (same_code)
		keep_path(o->code_at, b);
	if (same_text)
		keep_path(o->text_at, b);
}

/* Its path, for who is shown it. */
static const char *named(struct fs *fs, const char *path)
{
	return client_sees(fs, path) ? path : "another block";
}

int block_once(struct fs *fs, const struct place *p, const char *name, int64_t id,
               const char *bytes, size_t len, const struct buf *fields, struct why *why)
{
	struct once o = { .id = id };
	struct doc there;
	const char *dot = strrchr(name, '.');
	if (!render_block_active(fields))
		return 0;
	bytes = bytes ? bytes : "";
	(void)snprintf(o.code, sizeof o.code, "%.*s", (int)(dot ? dot - name : NAME_LIMIT), name);
	render_body_of(bytes, len, &o.text, &o.len);
	int err = place_doc(fs, p, name, &there);
	if (err && err != -ENOENT)
		return err;
	o.there = err ? 0 : there.id;
	err = errno_of_store(store_blocks_like(fs->store, name, bytes, len, compare, &o));
	if (err)
		return err;
	if (*o.code_at && !o.had_code)
		why_set(why, "edit that one, give this another name, or `status: inactive` to one of them",
		        "%s is active and has this code", named(fs, o.code_at));
	else if (*o.text_at && !o.had_text)
		why_set(why, "edit that one, or `status: inactive` to one of them: a model reads both",
		        "%s is active and has this text", named(fs, o.text_at));
	else
		return 0;
	return -EEXIST;
}
