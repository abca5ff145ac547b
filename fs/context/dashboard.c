/* SPDX-License-Identifier: MIT */
/* smma/dashboard.md and .cinta/metrics: how full the current session's memory is; what to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/meaning/meaning.h"

enum { MESSAGES_MOST = 2000 }; /* looked at for an advice */

/* Tokens of the messages that are not active. */
struct hidden_tokens {
	struct fs *fs;
	struct shown_hidden sum;
	bool pruned; /* count only these */
	struct context_range *range; /* to be looked at */
	size_t count, room;
};

static int add_hidden(void *ctx, const struct turn *t)
{
	struct hidden_tokens *h = ctx;
	if (!t->active && (!h->pruned || t->summary == 0))
		h->sum.tokens += t->tokens;
	return 0;
}

/* For later: who is called back asks the store nothing (store.h). */
static int hidden_range(void *ctx, struct context_range r)
{
	struct hidden_tokens *h = ctx;
	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : 16;
		struct context_range *more = realloc(h->range, room * sizeof *more);
		if (!more)
			return STORE_ENOMEM;
		h->range = more;
		h->room = room;
	}
	h->range[h->count++] = r;
	return 0;
}

static int hidden_summary(void *ctx, const struct summary *y)
{
	struct hidden_tokens *h = ctx;
	h->sum.summaries += h->fs->count_tokens(y->text, y->len);
	return hidden_range(ctx, (struct context_range){ y->first, y->last });
}

static int count_ranges(struct hidden_tokens *h)
{
	int err = 0;
	for (size_t i = 0; !err && i < h->count; i++)
		err = store_turns(h->fs->store, h->sum.session, h->range[i].first, h->range[i].last,
		                  add_hidden, h);
	h->count = 0;
	return err;
}

/* What an agent has in its context that keeps all active messages. */
static int used_tokens(const struct context *c, int64_t *used)
{
	struct hidden_tokens h = { .fs = c->fs };
	struct store *store = c->fs->store;
	int err = 0;
	/* Only an operation hides messages, and there may be many of them. */
	if (!shown_hidden(c->fs, c->session, c->state.last_seq, &h.sum)) {
		h.sum = (struct shown_hidden){ .session = c->session, .last_seq = c->state.last_seq };
		err = store_summaries(store, c->session, 0, hidden_summary, &h);
		err = err ? err : count_ranges(&h);
		h.pruned = true;
		err = err ? err : store_context_marked(store, c->session, MARK_PRUNED, hidden_range, &h);
		err = err ? err : count_ranges(&h);
		if (!err)
			shown_keep_hidden(c->fs, &h.sum);
		free(h.range);
	}
	*used = c->group.tokens - h.sum.tokens + h.sum.summaries;
	if (*used < 0)
		*used = 0;
	return errno_of_store(err);
}

/* Identity and sections that have text; their tokens are used, too. */
static int add_sections(const struct context *c, struct dashboard *d)
{
	static const char *const identity[] = { "identity.md" };
	d->sections_most = CONTEXT_SECTIONS + 1;
	for (int i = 0; i <= CONTEXT_SECTIONS; i++) {
		const char *name = i ? context_section[i - 1].name : identity[0];
		struct doc_version v;
		struct doc doc;
		int err = store_doc_at(c->fs->store, c->fs->tree[KIND_SMMA].place.key, name, &doc);
		if (!err)
			err = store_doc_version(c->fs->store, doc.id, 0, &v);
		if (err && err != STORE_ENOENT)
			return errno_of_store(err);
		if (!err && v.size > 0) {
			d->sections++;
			d->used += v.tokens;
		}
	}
	return 0;
}

struct messages {
	struct policy_message *of;
	char (*tool)[64];
	size_t count;
};

static int take_message(void *ctx, const struct turn *t)
{
	struct messages *m = ctx;
	if (!t->active)
		return 0;
	render_name(m->tool[m->count], sizeof m->tool[0], t->tool);
	m->of[m->count] = (struct policy_message){ .id = t->n, .tokens = t->tokens,
		.pinned = t->pinned, .tool = *t->tool ? m->tool[m->count] : NULL, .failed = t->error };
	return ++m->count == MESSAGES_MOST;
}

static void __attribute__((format(printf, 2, 3))) alert(struct dashboard *d, const char *fmt, ...)
{
	va_list ap;
	if (d->alerts == DASHBOARD_ALERTS)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(d->alert[d->alerts++], sizeof d->alert[0], fmt, ap);
	va_end(ap);
}

/* "3 5 7-9" of the failed messages, as ctl takes them. */
static void list_failed(const struct messages *m, const bool *failed, char *dst, size_t size)
{
	size_t at = 0;
	*dst = '\0';
	for (size_t i = 0; i < m->count && at + 24 < size; i++)
		if (failed[i])
			at += (size_t)snprintf(dst + at, size - at, " %lld", (long long)m->of[i].id);
}

/* What to paste: a line for the session's ctl. */
static void set_command(const struct context *c, char *dst, size_t size, const char *line)
{
	struct buf out = BUF_INIT, path = BUF_INIT;
	buf_addf(&path, "sessions/%s/ctl", c->group.name);
	buf_addf(&out, "echo '%s' >> ", line);
	if (!path.failed)
		render_shell_word(&out, path.data);
	(void)snprintf(dst, size, "%s", out.failed || path.failed ? "" : out.data);
	buf_release(&out);
	buf_release(&path);
}

static void tell_advice(const struct context *c, struct dashboard *d, const struct messages *m,
                        const struct advice *a, bool first)
{
	char action[256] = "", line[192] = "", ids[160];
	bool *failed;
	switch (a->kind) {
	case ADVICE_SUMMARIZE:
		alert(d, "the context is above %d %%", d->threshold);
		(void)snprintf(action, sizeof action, "summarize messages %lld-%lld (saves %lld tokens)",
		               (long long)a->first, (long long)a->last, (long long)a->saves);
		(void)snprintf(line, sizeof line, "summarize %lld-%lld TEXT", (long long)a->first,
		               (long long)a->last);
		break;
	case ADVICE_PRUNE:
		alert(d, "%s failed %d times in a row", a->tool, c->policy.failures);
		failed = calloc(m->count + 1, sizeof *failed);
		if (!failed)
			return;
		(void)policy_failures(&c->policy, m->of, m->count, failed);
		list_failed(m, failed, ids, sizeof ids);
		free(failed);
		(void)snprintf(action, sizeof action, "prune the failed attempts of %s and note the "
		               "conclusion in smma/agent_notes.md", a->tool);
		(void)snprintf(line, sizeof line, "prune%s", ids);
		break;
	case ADVICE_FACTS:
		if (a->stale)
			alert(d, "%lld facts are stale: confirm or remove them in facts/",
			      (long long)a->stale);
		if (a->expiring)
			alert(d, "%lld facts will be stale within a week", (long long)a->expiring);
		(void)snprintf(action, sizeof action, "look at facts/stale.md");
		break;
	default:
		return;
	}
	if (first) {
		memcpy(d->action, action, sizeof d->action);
		if (*line)
			set_command(c, d->command, sizeof d->command, line);
	}
}

static int advise(const struct context *c, struct dashboard *d, const struct pressure *now)
{
	struct messages m = { .of = calloc(MESSAGES_MOST, sizeof *m.of),
		.tool = calloc(MESSAGES_MOST, sizeof *m.tool) };
	struct advice advice[ADVICE_MOST];
	int err = m.of && m.tool ? 0 : -ENOMEM;
	/* All of a short session; of a long one the oldest if they are too many, else the newest. */
	int64_t from = c->state.messages > MESSAGES_MOST && now->percent <= d->threshold ?
		c->state.messages - MESSAGES_MOST + 1 : 1;
	if (!err)
		err = errno_of_store(store_turns(c->fs->store, c->session, from, c->state.messages,
		                                 take_message, &m));
	if (!err) {
		size_t n = policy_advise(&c->policy, now, m.of, m.count, d->stale, d->expiring, advice);
		for (size_t i = 0; i < n; i++)
			tell_advice(c, d, &m, &advice[i], i == 0);
	}
	free(m.of);
	free(m.tool);
	return err;
}

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
	struct context *c = malloc(sizeof *c);
	if (!c)
		return -ENOMEM;
	struct pressure now;
	int err = context_start(c, fs, session);
	if (!err)
		err = used_tokens(c, &d->used);
	if (!err)
		err = add_sections(c, d);
	if (!err)
		err = context_facts(c);
	if (!err)
		err = context_page(fs, session, &page, NULL);
	if (!err) {
		now = policy_pressure(&c->policy, d->used, fs->model_limit);
		d->window = c->state;
		d->everything = c->group.tokens;
		d->context = fs->count_tokens(page.data, page.len);
		d->facts = c->facts_live;
		d->stale = c->facts_stale;
		d->expiring = c->facts_expiring;
		d->percent = now.percent;
		d->level = policy_level_name(now.level);
		err = advise(c, d, &now);
	}
	buf_release(&page);
	context_release(c);
	free(c);
	return err;
}

static int measure(struct fs *fs, struct dashboard *d, char name[NAME_LIMIT + 1])
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
		alert(d, "searches go by words alone: %s", embedding.trouble);
	d->safe = none.safe;
	d->level = policy_level_name(none.level);
	d->threshold = (int)policy.threshold;
	d->context_most = policy.total_tokens;
	d->sections_most = CONTEXT_SECTIONS + 1;
	err = current_session(fs, &g);
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
	(void)id;
	int err = d ? measure(fs, d, name) : -ENOMEM;
	if (!err)
		render_dashboard(out, d);
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
	int err = d ? measure(fs, d, name) : -ENOMEM;
	if (!err)
		render_metrics(out, &s, d, embeds ? &e : NULL);
	free(d);
	return err;
}
