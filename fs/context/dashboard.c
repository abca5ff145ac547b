/* SPDX-License-Identifier: MIT */
/* smma/dashboard.md and .cinta/metrics: how full the current session's memory is; what to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/facts/facts.h"
#include "fs/meaning/meaning.h"

static int list_sessions(struct fs *fs, struct dashboard *d)
{
	struct group g;
	int64_t after = 0;
	int err = 0;
	while ((err = store_group_next(fs->store, LOG_SESSION, after, &g)) == 0) {
		after = g.id;
		int at = d->sessions < DASHBOARD_SESSIONS ? d->sessions++ : DASHBOARD_SESSIONS - 1;
		memmove(&d->of[1], &d->of[0], (size_t)at * sizeof d->of[0]);
		memcpy(d->of[0].name, g.name, sizeof g.name);
		d->of[0].messages = g.messages;
		d->of[0].tokens = g.tokens;
	}
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

static int measure_session(struct fs *fs, int64_t session, struct dashboard *d)
{
	struct buf page = BUF_INIT;
	struct context *c = context_new(fs);
	int err = c ? context_start(c, session) : -ENOMEM;
	if (!err)
		err = context_facts_count(c);
	if (!err)
		err = context_pressure(c, d);
	if (!err)
		err = context_page(fs, session, &page, NULL);
	if (!err)
		d->context = fs->count_tokens(page.data, page.len);
	buf_release(&page);
	context_free(c);
	return err;
}

/* The session a dashboard is of; 0: the current one. */
static int session_of(struct fs *fs, int64_t id, struct group *g)
{
	return id ? errno_of_store(store_group_by_id(fs->store, LOG_SESSION, id, g)) :
		current_session(fs, g);
}

static int measure(struct fs *fs, int64_t session, struct dashboard *d, char name[NAME_LIMIT + 1])
{
	struct embedding_status embedding;
	struct group g;
	struct policy policy;
	int err = fs_policy(fs, &policy);
	if (err)
		return err;
	const struct pressure none = policy_pressure(&policy, 0, fs->model_limit);
	memset(d, 0, sizeof *d);
	*name = '\0';
	d->session = name;
	if (embedder_status(fs, &embedding) && !embedding.up)
		dashboard_alert(d, "searches go by words alone: %s", embedding.trouble);
	d->safe = none.safe;
	d->level = policy_level_name(none.level);
	d->threshold = (int)policy.threshold;
	d->context_most = policy.total_tokens;
	d->sections_most = CONTEXT_SECTIONS + 1;
	err = session_of(fs, session, &g);
	if (err)
		return err == -ENOENT ? 0 : err;
	memcpy(name, g.name, sizeof g.name);
	err = measure_session(fs, g.id, d);
	return err ? err : list_sessions(fs, d);
}

int page_dashboard(struct fs *fs, int64_t id, struct buf *out)
{
	struct dashboard *d = malloc(sizeof *d);
	char name[NAME_LIMIT + 1];
	struct buf undecided = BUF_INIT;
	int err = d ? measure(fs, id, d, name) : -ENOMEM;
	if (!err)
		err = facts_undecided(fs, &undecided);
	if (!err && undecided.len > 0)
		dashboard_alert(d, "%s", "two facts may contradict each other: decide, below");
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
	}
	if (!err)
		render_metrics(out, &s, d, embeds ? &e : NULL);
	free(d);
	return err;
}
