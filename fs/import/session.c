/* SPDX-License-Identifier: MIT */
/*
 * A conversation's session: found by what the tape says of it, or made; and what was taken back in
 * the source is pruned from its window.  Nothing is rewritten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/import/import.h"
#include "fs/save/save.h"

enum { NAMES_TRIED = 20 };

static void add_field(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_addf(out, "%s: ", name);
	buf_add_json(out, value, strlen(value));
	buf_addc(out, '\n');
}

/* session.md: where it is from; none of its saves.  A failure costs the page alone. */
static void describe(struct fs_import *im)
{
	struct conversation *c = &im->talk;
	struct buf text = BUF_INIT;
	struct saved saved;
	struct why why = { 0 };
	buf_adds(&text, "---\n");
	add_field(&text, "title", c->title);
	add_field(&text, "agent", c->name.agent);
	add_field(&text, "conversation", c->name.session);
	add_field(&text, "directory", c->cwd);
	add_field(&text, "branch", c->branch);
	add_field(&text, "thread", c->thread);
	add_field(&text, "source", im->shown);
	buf_adds(&text, "---\n");
	const struct save save = { .dir = ino_make(KIND_SESSION, c->session), .name = "session.md",
		.bytes = text.data, .len = text.len, .author = im->author,
		.uid = im->fs->uid, .base = -1 };
	lock_take(&im->fs->docs);
	if (!text.failed && save_document(im->fs, &save, &saved, &why))
		import_skip(im, 0, why.text);
	lock_give(&im->fs->docs);
	buf_release(&text);
}

static int make(struct fs_import *im, const char *name)
{
	struct buf body = BUF_INIT;
	render_taken_session_body(&body, name, &im->talk.name);
	int err = body.failed ? STORE_ENOMEM : store_session_make(im->fs->store, name, body.data,
		body.len, im->author, &im->talk.session);
	buf_release(&body);
	return err;
}

/* The source's own words in it (its agent, the conversation's id) may hold a secret, too. */
static void name_made(const struct fs_import *im, int attempt, char name[NAME_LIMIT + 1])
{
	struct conversation shown = { .began_us = im->talk.began_us };
	told_hide(im->fs, im->talk.name.agent, shown.name.agent, sizeof shown.name.agent);
	told_hide(im->fs, im->talk.name.session, shown.name.session, sizeof shown.name.session);
	(void)snprintf(shown.title, sizeof shown.title, "%s", im->talk.title);
	import_session_name(name, &shown, attempt);
}

/* The name of --session, where secrets are refused. */
static void check_named(struct fs_import *im)
{
	struct why why = { 0 };
	if (!*im->session || secrets_refuse_name(im->fs, NULL, im->session, &why) == 0)
		return;
	import_skip(im, 0, "--session NAME, which looks like a secret: its title names it");
	im->session[0] = '\0';
}

int conversation_session(struct fs_import *im)
{
	struct conversation *c = &im->talk;
	char name[NAME_LIMIT + 1];
	if (c->session > 0)
		return 0;
	int err = store_talk_session(im->fs->store, &c->name, &c->session);
	if (err == STORE_ENOENT)
		check_named(im);
	for (int n = 0; err == STORE_ENOENT && n < NAMES_TRIED; n++) {
		if (*im->session && n == 0)
			(void)snprintf(name, sizeof name, "%s", im->session);
		else
			name_made(im, n - (*im->session != '\0'), name);
		err = make(im, name);
		if (err == 0) {
			if (secrets_tell_name(im->fs, "import", ino_make(KIND_SESSIONS, 0), name, im->author))
				im->counts.secrets++;
			describe(im);
			return 0;
		}
		if (err == STORE_EEXIST) /* perhaps by another import, for the same conversation */
			err = store_talk_session(im->fs->store, &c->name, &c->session);
	}
	return err == STORE_ENOENT ? -EEXIST : errno_of_store(err);
}

/* ---- pruning ------------------------------------------------------------ */

/* Which messages of the session are to be pruned. */
struct abandoned {
	const char **id; /* sorted; those that were taken back */
	size_t ids;
	struct context_range *range;
	size_t count, room;
	bool failed;
};

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_to(struct abandoned *a, int64_t n)
{
	if (a->count > 0 && a->range[a->count - 1].last == n - 1)
		a->range[a->count - 1].last = n;
	else if (ARRAY_ROOM(a->range, a->room, a->count))
		a->range[a->count++] = (struct context_range){ n, n };
	else
		a->failed = true;
}

/* A message that is here; of a piece of one, "ID+2", the whole counts. */
static void look(void *ctx, const char *id, int64_t n)
{
	struct abandoned *a = ctx;
	char whole[MESSAGE_ID + 1];
	const char *key = whole;
	(void)snprintf(whole, sizeof whole, "%s", id);
	bool gone = bsearch(&key, a->id, a->ids, sizeof key, compare_ids);
	char *plus = strrchr(whole, '+');
	if (!gone && plus && plus[1 + strspn(plus + 1, "0123456789")] == '\0') {
		*plus = '\0';
		gone = bsearch(&key, a->id, a->ids, sizeof key, compare_ids);
	}
	if (gone)
		add_to(a, n);
}

/* What is marked already, or pinned, is not touched: ranges are cut around it. */
struct marked {
	struct abandoned *from;
	struct context_range *range;
	size_t count, room;
};

static int note_mark(void *ctx, struct context_range r)
{
	struct marked *m = ctx;
	if (ARRAY_ROOM(m->range, m->room, m->count))
		m->range[m->count++] = r;
	else
		m->from->failed = true;
	return 0;
}

static bool is_marked(const struct marked *m, int64_t n)
{
	for (size_t i = 0; i < m->count; i++)
		if (n >= m->range[i].first && n <= m->range[i].last)
			return true;
	return false;
}

static void cut_marked(struct abandoned *a, const struct marked *m)
{
	struct context_range *old = a->range;
	size_t count = a->count;
	a->range = NULL;
	a->count = a->room = 0;
	for (size_t i = 0; i < count; i++)
		for (int64_t n = old[i].first; n <= old[i].last; n++) {
			if (!is_marked(m, n))
				add_to(a, n);
		}
	free(old);
}

/* As many operations as the ranges need. */
static int commit(struct fs_import *im, const struct abandoned *a)
{
	struct why why = { 0 };
	for (size_t at = 0; at < a->count; at += CONTEXT_RANGES_MOST) {
		size_t count = a->count - at < CONTEXT_RANGES_MOST ? a->count - at : CONTEXT_RANGES_MOST;
		const struct context_op op = { .verb = CONTEXT_PRUNE, .range = a->range + at,
			.count = count };
		int err = store_context_commit(im->fs->store, im->talk.session, &op, 1, im->author, NULL,
		                               &why);
		if (err)
			return err;
	}
	return 0;
}

static void list_gone(const struct buf *gone, struct abandoned *a)
{
	for (size_t at = 0; at < gone->len; at += strlen(gone->data + at) + 1)
		a->ids++;
	a->id = calloc(a->ids + 1, sizeof *a->id);
	a->failed = !a->id;
	for (size_t at = 0, n = 0; a->id && at < gone->len; at += strlen(gone->data + at) + 1)
		a->id[n++] = gone->data + at;
	if (a->id)
		qsort(a->id, a->ids, sizeof *a->id, compare_ids);
}

void conversation_prune(struct fs_import *im)
{
	struct conversation *c = &im->talk;
	struct abandoned a = { .id = NULL };
	struct marked m = { .from = &a };
	list_gone(&c->gone, &a);
	int err = a.failed ? STORE_ENOMEM :
		store_taken(im->fs->store, &c->name, c->session, look, &a);
	if (!err && a.count > 0)
		err = store_context_marked(im->fs->store, c->session, MARK_PRUNED, note_mark, &m);
	if (!err && a.count > 0)
		err = store_context_marked(im->fs->store, c->session, MARK_PINNED, note_mark, &m);
	if (!err && a.count > 0)
		cut_marked(&a, &m);
	err = err ? err : a.failed ? STORE_ENOMEM : commit(im, &a);
	for (size_t i = 0; !err && i < a.count; i++)
		im->counts.pruned += a.range[i].last - a.range[i].first + 1;
	if (err)
		im->error = errno_of_store(err);
	free(m.range);
	free(a.range);
	free(a.id);
}

void conversation_release(struct conversation *c)
{
	buf_release(&c->gone);
}
