/* SPDX-License-Identifier: MIT */
/* Facts and saves of their lists, a line each, with where they were said and who saved them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

/* ---- facts.jsonl ------------------------------------------------------------ */

static void take_source(void *ctx, const struct entry *e)
{
	struct fact_source *from = ctx;
	from->session = store_stream_session(e->stream);
	from->n = e->stream_seq + 1;
}

bool facts_source(struct fs *fs, int64_t entry, struct fact_source *out)
{
	*out = (struct fact_source){ 0, 0 };
	return entry > 0 && store_entry(fs->store, entry, take_source, out) == 0 && out->session > 0;
}

/*
 * Which facts come from a message is taken down first, by their ids, which only grow: where the
 * messages are is asked when the store has returned, and then all facts are read again.
 */
struct lines {
	struct fs *fs;
	int64_t time_us; /* of the past; 0: now */
	struct said_in {
		int64_t id, entry;
		struct fact_source from;
	} *items;
	size_t count, room;
	size_t at;       /* the next one to be met */
	int64_t session; /* whose directory this is; 0: none yet */
	bool shown;
	char dir[PATH_LIMIT + 1];
	struct buf *out;
	bool failed;
};

static void take_said(void *ctx, const struct fact *f)
{
	struct lines *l = ctx;
	if (f->entry == 0)
		return;
	l->failed = l->failed || !ARRAY_ROOM(l->items, l->room, l->count);
	if (!l->failed)
		l->items[l->count++] = (struct said_in){ .id = f->id, .entry = f->entry };
}

static int each_fact(struct lines *l, fact_fn *fn)
{
	struct store *s = l->fs->store;
	return errno_of_store(l->time_us ? store_fact_all_at_time(s, l->time_us, fn, l) :
	                      store_fact_all(s, fn, l));
}

/* Facts are often said one after the other in one session: its path is made once. */
static void find_dir(struct lines *l, int64_t session)
{
	uint64_t dir = ino_make(KIND_MESSAGES, session);
	if (l->session == session)
		return;
	l->session = session;
	l->shown = tree_shows(l->fs, dir) && tree_path(l->fs, dir, NULL, l->dir, sizeof l->dir);
}

static void add_line(void *ctx, const struct fact *f)
{
	struct lines *l = ctx;
	char path[PATH_LIMIT + 1] = "";
	while (l->at < l->count && l->items[l->at].id < f->id)
		l->at++;
	const struct said_in *said = l->at < l->count ? &l->items[l->at] : NULL;
	if (said && said->id == f->id && said->from.session) {
		find_dir(l, said->from.session);
		if (l->shown)
			(void)snprintf(path, sizeof path, "%.4000s/%06lld.md", l->dir, (long long)said->from.n);
	}
	struct fact shown = *f;
	if (!client_sees_all(l->fs)) /* a session that is hidden may hold that conversation */
		shown.talk.session[0] = '\0';
	render_fact_line(l->out, &shown, store_fact_domain_name(f->domain), path);
}

static int add_lines(struct fs *fs, int64_t time_us, struct buf *out)
{
	struct lines *l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	l->fs = fs;
	l->time_us = time_us;
	l->out = out;
	int err = each_fact(l, take_said);
	err = err || !l->failed ? err : -ENOMEM;
	for (size_t i = 0; !err && i < l->count; i++)
		(void)facts_source(fs, l->items[i].entry, &l->items[i].from);
	err = err ? err : each_fact(l, add_line);
	free(l->items);
	free(l);
	return err;
}

int page_facts_all(struct fs *fs, int64_t id, struct buf *out)
{
	(void)id;
	return add_lines(fs, 0, out);
}

int page_facts_all_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	(void)id;
	return add_lines(fs, time_us, out);
}

/* ---- DOMAIN.md@log ------------------------------------------------------------ */

struct saves {
	struct fact_save *items;
	size_t count, room;
	bool failed;
};

static void take_save(void *ctx, const struct fact_save *v)
{
	struct saves *s = ctx;
	s->failed = s->failed || !ARRAY_ROOM(s->items, s->room, s->count);
	if (!s->failed)
		s->items[s->count++] = *v;
}

int page_facts_log(struct fs *fs, int64_t domain, struct buf *out)
{
	struct saves s = { .items = NULL };
	char where[TALK_PATH] = "";
	if (!store_fact_domain_name((int)domain))
		return -ENOENT;
	int err = errno_of_store(store_fact_history(fs->store, (int)domain, take_save, &s));
	for (size_t i = 0; !err && i < s.count; i++) {
		const char *talk = s.items[i].talk.session;
		if (i == 0 || strcmp(talk, s.items[i - 1].talk.session) != 0)
			err = talk_path(fs, talk, where);
		render_fact_save(out, &s.items[i], where);
	}
	free(s.items);
	return err ? err : s.failed ? -ENOMEM : 0;
}
