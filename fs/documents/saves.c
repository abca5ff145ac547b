/* SPDX-License-Identifier: MIT */
/*
 * From a version to the conversation it was saved in (NAME@log), and back from a session to the
 * versions of documents and of lists of facts (saves.jsonl).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* Rows are taken down first: what they lead to is asked when the store has returned. */
struct saves {
	struct doc_version *row; /* a list of facts: `doc` is 0, and `size` its domain */
	size_t count, room;
	struct talk *talk; /* of a session */
	size_t talks, talk_room;
	bool failed;
};

static void take_version(void *ctx, const struct doc_version *v)
{
	struct saves *s = ctx;
	s->failed = s->failed || !ARRAY_ROOM(s->row, s->room, s->count);
	if (!s->failed)
		s->row[s->count++] = *v;
}

static void take_facts(void *ctx, const struct fact_save *f)
{
	struct doc_version v = { .n = f->n, .seq = f->seq, .time_us = f->time_us, .size = f->domain,
		.added = f->added, .removed = f->retracted, .talk = f->talk };
	(void)snprintf(v.author, sizeof v.author, "%s", f->author);
	(void)snprintf(v.hash, sizeof v.hash, "%s", f->hash);
	take_version(ctx, &v);
}

static int by_seq(const void *a, const void *b)
{
	const struct doc_version *x = a, *y = b;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void take_talk(void *ctx, const struct talk *t)
{
	struct saves *s = ctx;
	s->failed = s->failed || !ARRAY_ROOM(s->talk, s->talk_room, s->talks);
	if (!s->failed)
		s->talk[s->talks++] = *t;
}

static void saves_release(struct saves *s)
{
	free(s->row);
	free(s->talk);
}

int talk_path(struct fs *fs, const char *talk, char where[TALK_PATH])
{
	struct talk t = { .agent = "" };
	struct group g;
	int64_t id;
	(void)snprintf(t.session, sizeof t.session, "%s", talk);
	(void)snprintf(where, TALK_PATH, "%s", talk);
	int err = *talk ? store_talk_session(fs->store, &t, &id) : STORE_ENOENT;
	err = err ? err : store_group_by_id(fs->store, LOG_SESSION, id, &g);
	if (!err)
		(void)snprintf(where, TALK_PATH, "sessions/%s", g.name);
	if (!err && !tree_shows(fs, ino_make(KIND_SESSION, id)))
		*where = '\0';
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

int page_history(struct fs *fs, int64_t id, struct buf *out)
{
	struct saves s = { .row = NULL };
	char where[TALK_PATH] = "";
	int err = errno_of_store(store_doc_history(fs->store, id, take_version, &s));
	for (size_t i = 0; !err && i < s.count; i++) {
		const char *talk = s.row[i].talk.session;
		if (i == 0 || strcmp(talk, s.row[i - 1].talk.session) != 0)
			err = talk_path(fs, talk, where);
		render_version(out, &s.row[i], where);
	}
	saves_release(&s);
	return err ? err : s.failed ? -ENOMEM : 0;
}

int page_saves(struct fs *fs, int64_t session, struct buf *out)
{
	struct saves s = { .row = NULL };
	char path[PATH_LIMIT + 1];
	int err = errno_of_store(store_talks(fs->store, session, take_talk, &s));
	for (size_t i = 0; !err && i < s.talks; i++) {
		err = errno_of_store(store_doc_saves(fs->store, s.talk[i].session, take_version, &s));
		if (!err)
			err = errno_of_store(store_fact_talk(fs->store, s.talk[i].session, take_facts, &s));
	}
	if (s.count > 1)
		qsort(s.row, s.count, sizeof *s.row, by_seq);
	for (size_t i = 0; !err && i < s.count; i++) {
		const struct doc_version *v = &s.row[i];
		tree_path(fs, v->doc ? ino_make(KIND_DOC, v->doc) : ino_make(KIND_FACT_LIST, v->size), NULL,
		          path, sizeof path);
		render_save(out, v, path);
	}
	saves_release(&s);
	return err ? err : s.failed ? -ENOMEM : 0;
}
