/* SPDX-License-Identifier: MIT */
/* A run of `cinta import`: files in, what was understood of them out to batch.c and note.c. */
#include "fs/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void conversation_end(struct fs_import *im)
{
	struct conversation *c = &im->talk;
	batch_flush(im);
	if (!im->error && c->gone.failed)
		im->error = -ENOMEM;
	if (!im->error && !im->o.dry && c->session > 0 && c->gone.len > 0)
		conversation_prune(im);
	conversation_release(c);
	memset(c, 0, sizeof *c);
}

static bool goes_on(const struct fs_import *im, const struct import_talk *t)
{
	return strcmp(im->talk.name.agent, t->name.agent) == 0 &&
	       strcmp(im->talk.name.session, t->name.session) == 0;
}

static void on_talk(void *ctx, const struct import_talk *t)
{
	struct fs_import *im = ctx;
	struct conversation *c = &im->talk;
	if (goes_on(im, t))
		return;
	conversation_end(im);
	c->name = t->name;
	c->began_us = t->began_us;
	told_hide(im->fs, t->title, c->title, sizeof c->title);
	const char *cwd = *t->cwd || !im->o.directory ? t->cwd : im->o.directory;
	(void)snprintf(c->cwd, sizeof c->cwd, "%s", cwd);
	(void)snprintf(c->branch, sizeof c->branch, "%s", t->branch);
	import_thread_name(c->thread, cwd);
}

static void on_said(void *ctx, const struct import_said *s)
{
	struct fs_import *im = ctx;
	if (!im->error)
		batch_add(im, s);
}

static void on_gone(void *ctx, const char *id)
{
	struct fs_import *im = ctx;
	buf_add(&im->talk.gone, id, strlen(id) + 1);
}

static void on_note(void *ctx, const char *path, const char *bytes, size_t len)
{
	import_note(ctx, path, bytes, len);
}

static void on_skipped(void *ctx, int64_t at, const char *reason)
{
	import_skip(ctx, at, reason);
}

static void take_hash(void *ctx, const struct entry *e)
{
	buf_add_hex(ctx, e->leaf_hash, HASH_SIZE);
	buf_adds(ctx, "");
}

static bool on_here(void *ctx, int64_t seq, const char *hash)
{
	struct fs_import *im = ctx;
	struct buf here = BUF_INIT;
	int err = store_entry(im->fs->store, seq, take_hash, &here);
	bool is = !err && !here.failed && strcmp(here.data, hash) == 0;
	im->error = im->error ? im->error : here.failed ? -ENOMEM : 0;
	buf_release(&here);
	return is;
}

static void on_known(void *ctx)
{
	struct fs_import *im = ctx;
	im->counts.known++;
}

int import_open(struct fs *fs, const struct fs_import_options *o, struct fs_import **out)
{
	struct fs_import *im = calloc(1, sizeof *im);
	if (!im)
		return -ENOMEM;
	im->fs = fs;
	im->o = *o;
	im->sink = (struct import_sink){ im, on_talk, on_said, on_gone, on_note, on_skipped, on_here,
		on_known };
	(void)snprintf(im->author, sizeof im->author, "%s", o->author);
	(void)snprintf(im->session, sizeof im->session, "%s", o->session ? o->session : "");
	*out = im;
	return 0;
}

int fs_import_begin(struct fs_import *im, const char *shown, const char *name, const char *folder)
{
	static const enum import_tools tools[] = { [FS_TOOLS_NAMES] = IMPORT_TOOLS_NAMES,
		[FS_TOOLS_FULL] = IMPORT_TOOLS_FULL, [FS_TOOLS_NONE] = IMPORT_TOOLS_NONE };
	(void)snprintf(im->shown, sizeof im->shown, "%s", shown);
	(void)snprintf(im->folder, sizeof im->folder, "%s", folder);
	im->reader = render_import_new(name, tools[im->o.tools], &im->sink);
	return im->reader ? 0 : -ENOMEM;
}

int fs_import_bytes(struct fs_import *im, const char *bytes, size_t len)
{
	int err = errno_of_render(render_import_bytes(im->reader, bytes, len));
	return im->error ? im->error : err;
}

static void set_why(int err, struct why *why)
{
	why_not_stored(err, "import again", why);
}

int fs_import_end(struct fs_import *im, struct why *why)
{
	*why = (struct why){ 0 };
	int err = errno_of_render(render_import_end(im->reader, why));
	conversation_end(im);
	render_import_free(im->reader);
	im->reader = NULL;
	if (im->error)
		*why = (struct why){ 0 };
	err = im->error ? im->error : err;
	if (err)
		set_why(err, why);
	return err;
}

int fs_import_note(struct fs_import *im, const char *shown, const char *folder, const char *path,
                   const char *bytes, size_t len, struct why *why)
{
	*why = (struct why){ 0 };
	(void)snprintf(im->shown, sizeof im->shown, "%s", shown);
	(void)snprintf(im->folder, sizeof im->folder, "%s", folder);
	import_note(im, path, bytes, len);
	if (im->error)
		set_why(im->error, why);
	return im->error;
}

const struct fs_import_counts *fs_import_counts(const struct fs_import *im)
{
	return &im->counts;
}

struct fs *import_close(struct fs_import *im)
{
	struct fs *fs = im->fs;
	render_import_free(im->reader);
	conversation_release(&im->talk);
	batch_release(&im->batch);
	seen_release(&im->met);
	free(im);
	return fs;
}
