/* SPDX-License-Identifier: MIT */
/*
 * From a version to the conversation it was saved in (NAME@log), and back from a session to the
 * versions (saves.jsonl).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* Rows are taken down first: what they lead to is asked when the store has returned. */
struct saves {
	struct doc_version *row;
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

/* The session that holds a conversation, as a path; what the agent calls it if none does. */
static int find_session(struct fs *fs, const char *talk, char where[NAME_LIMIT + 16])
{
	struct talk t = { .agent = "" };
	struct group g;
	int64_t id;
	(void)snprintf(t.session, sizeof t.session, "%s", talk);
	(void)snprintf(where, NAME_LIMIT + 16, "%s", talk);
	int err = *talk ? store_talk_session(fs->store, &t, &id) : STORE_ENOENT;
	err = err ? err : store_group_by_id(fs->store, LOG_SESSION, id, &g);
	if (!err)
		(void)snprintf(where, NAME_LIMIT + 16, "sessions/%s", g.name);
	if (!err && !tree_shows(fs, ino_make(KIND_SESSION, id)))
		*where = '\0';
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

int page_history(struct fs *fs, int64_t id, struct buf *out)
{
	struct saves s = { .row = NULL };
	char where[NAME_LIMIT + 16] = "";
	int err = errno_of_store(store_doc_history(fs->store, id, take_version, &s));
	for (size_t i = 0; !err && i < s.count; i++) {
		const char *talk = s.row[i].talk.session;
		if (i == 0 || strcmp(talk, s.row[i - 1].talk.session) != 0)
			err = find_session(fs, talk, where);
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
	for (size_t i = 0; !err && i < s.talks; i++)
		err = errno_of_store(store_doc_saves(fs->store, s.talk[i].session, take_version, &s));
	for (size_t i = 0; !err && i < s.count; i++) {
		tree_path(fs, ino_make(KIND_DOC, s.row[i].doc), NULL, path, sizeof path);
		render_save(out, &s.row[i], path);
	}
	saves_release(&s);
	return err ? err : s.failed ? -ENOMEM : 0;
}
