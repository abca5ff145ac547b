/* SPDX-License-Identifier: MIT */
/* smma/dashboard.md and .cinta/metrics: how full the current session's memory is; what to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/facts/facts.h"
#include "fs/meaning/meaning.h"

static void add_session(void *ctx, const struct session_span *span)
{
	struct dashboard *d = ctx;
	struct dashboard_session *of = &d->items[d->sessions++];
	memcpy(of->name, span->group.name, sizeof of->name);
	of->messages = span->group.messages;
	of->tokens = span->group.tokens;
}

static int list_sessions(struct fs *fs, struct dashboard *d)
{
	return errno_of_store(store_sessions_back(fs->store, 0, DASHBOARD_SESSIONS, add_session, d));
}

int context_measure(struct fs *fs, int64_t session, struct dashboard *d)
{
	struct context *c = context_new(fs);
	int err = !c ? -ENOMEM : session ? context_start(c, session) :
		context_start_for(c, "no session yet");
	if (!err)
		err = context_facts_count(c);
	if (!err)
		err = context_pressure(c, d);
	context_free(c);
	return err;
}

/* The session a dashboard is of; 0: the current one. */
static int session_of(struct fs *fs, int64_t id, struct group *g)
{
	return id ? errno_of_store(store_group_by_id(fs->store, LOG_SESSION, id, g)) :
		current_session(fs, g);
}

/* Of this session, or as it was measured last if nothing has changed. */
static int measure_session(struct fs *fs, int64_t session, struct dashboard *d)
{
	struct cache_key now;
	const char *name = d->session;
	bool usual = d->alerts == 0; /* an endpoint's trouble is not in the key */
	context_cache_key(fs, &now);
	if (usual && context_cache_measured(fs, session, &now, d)) {
		d->session = name;
		return 0;
	}
	int err = context_measure(fs, session, d);
	err = err ? err : list_sessions(fs, d);
	if (!err && usual)
		context_cache_keep_measured(fs, session, &now, d);
	return err;
}

/* Facts, sections and files are there without a session, too. */
static int measure(struct fs *fs, int64_t session, struct dashboard *d, char name[NAME_LIMIT + 1])
{
	struct embedding_status embedding;
	struct group g = { .id = 0 };
	struct policy policy;
	int err = fs_policy(fs, &policy);
	if (err)
		return err;
	memset(d, 0, sizeof *d);
	d->session = name;
	d->context_most = policy.total_tokens;
	if (embedder_status(fs, &embedding) && !embedding.up)
		dashboard_alert(d, "searches go by words alone: %s", embedding.trouble);
	err = session_of(fs, session, &g);
	if (err && err != -ENOENT)
		return err;
	memcpy(name, g.name, sizeof g.name);
	return measure_session(fs, g.id, d);
}

int page_dashboard(struct fs *fs, int64_t id, struct buf *out)
{
	struct dashboard *d = malloc(sizeof *d);
	char name[NAME_LIMIT + 1];
	struct buf undecided = BUF_INIT;
	int err = d ? measure(fs, id, d, name) : -ENOMEM;
	if (!err)
		err = context_undecided(fs, d, ": decide, below", &undecided);
	if (!err)
		render_dashboard(out, d);
	if (!err && undecided.len > 0)
		buf_add(out, undecided.data, undecided.len);
	buf_release(&undecided);
	free(d);
	return err;
}

int page_metrics(struct fs *fs, int64_t id, struct buf *out)
{
	struct dashboard *d = malloc(sizeof *d);
	struct embedding_status e;
	struct status s;
	char name[NAME_LIMIT + 1];
	(void)id;
	store_status(fs->store, &s);
	bool embeds = embedder_status(fs, &e);
	int err = d ? measure(fs, 0, d, name) : -ENOMEM;
	struct context_counts counts;
	context_counts_get(fs, &counts);
	if (d) {
		d->pages_made = counts.made;
		d->pages_opened = counts.opened;
		d->tokens_given = counts.tokens;
		d->tokens_last = counts.last;
	}
	if (!err)
		render_metrics(out, &s, d, embeds ? &e : NULL);
	free(d);
	return err;
}
