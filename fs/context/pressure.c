/* SPDX-License-Identifier: MIT */
/*
 * How much of what the model may hold an agent uses that keeps all of a session's active messages,
 * and what to do about it: for dashboard.md, and the last lines of context.md.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/held.h"
#include "fs/scratch/scratch.h"

enum {
	MESSAGES_MOST = 2000, /* looked at for an advice */
	TOKEN_BYTES = 4       /* roughly; of files in the workspace, which may change at any time */
};

/* ---- what is used ------------------------------------------------------------------ */

/* Tokens of the messages that are not active. */
struct hidden_tokens {
	struct fs *fs;
	struct hidden_size sum;
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
	if (!ARRAY_ROOM(h->range, h->room, h->count))
		return STORE_ENOMEM;
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
static int used_tokens(const struct context *c, int64_t *used, int64_t *summaries)
{
	struct hidden_tokens h = { .fs = c->fs };
	struct store *store = c->fs->store;
	int err = 0;
	/* Only an operation hides messages, and there may be many of them. */
	if (c->session > 0 && !context_cache_hidden(c->fs, c->session, c->state.last_seq, &h.sum)) {
		h.sum = (struct hidden_size){ .session = c->session, .last_seq = c->state.last_seq };
		err = store_summaries(store, c->session, 0, hidden_summary, &h);
		err = err ? err : count_ranges(&h);
		h.pruned = true;
		err = err ? err : store_context_marked(store, c->session, MARK_PRUNED, hidden_range, &h);
		err = err ? err : count_ranges(&h);
		if (!err)
			context_cache_keep_hidden(c->fs, &h.sum);
		free(h.range);
	}
	*summaries = h.sum.summaries;
	*used = c->group.tokens - h.sum.tokens + h.sum.summaries;
	if (*used < 0)
		*used = 0;
	return errno_of_store(err);
}

static void add_file(struct held *h, const char *where, const char *section, int64_t tokens)
{
	struct held_file *f = &h->file[h->of.file_count];
	(void)snprintf(f->where, sizeof f->where, "%s", where);
	f->section = section;
	h->tokens[h->of.file_count++] = tokens;
}

static int count_subtasks(struct fs *fs, int64_t doc, struct dashboard *d)
{
	char *bytes;
	size_t size, len;
	const char *text;
	int err = store_doc_content(fs->store, doc, 0, &bytes, &size);
	if (err == STORE_EIO)
		return 0; /* damaged: the page says so elsewhere */
	if (err)
		return errno_of_store(err);
	render_body_of(bytes, size, &text, &len);
	render_subtasks(text, len, &d->subtasks_done, &d->subtasks);
	free(bytes);
	return 0;
}

/* Identity and sections that have text; their tokens are used, too. */
static int add_sections(struct held *h, struct dashboard *d)
{
	struct fs *fs = h->c->fs;
	d->sections_most = CONTEXT_SECTIONS + 1;
	for (int i = 0; i <= CONTEXT_SECTIONS; i++) {
		const char *name = i ? context_section[i - 1].name : "identity.md";
		struct doc_version v;
		struct doc doc;
		char where[64];
		int err = store_doc_at(fs->store, fs->tree[KIND_SMMA].place.key, name, &doc);
		if (!err)
			err = store_doc_version(fs->store, doc.id, 0, &v);
		if (err && err != STORE_ENOENT)
			return errno_of_store(err);
		(void)snprintf(where, sizeof where, "smma/%s", name);
		if (err || v.size == 0 || !client_sees(fs, where))
			continue;
		d->sections++;
		d->used += v.tokens;
		if (i > 0)
			add_file(h, where, name, v.tokens);
		if (strcmp(name, "current_task.md") == 0 && (err = count_subtasks(fs, doc.id, d)) != 0)
			return err;
	}
	return 0;
}

static bool in_workspace(struct fs *fs, const struct scratch *s)
{
	while (s && ino_kind(s->dir) == KIND_SCRATCH)
		s = scratch_by_id(fs, ino_id(s->dir));
	return s && ino_kind(s->dir) == KIND_WORKSPACE;
}

static void add_workspace(struct held *h, struct dashboard *d)
{
	struct fs *fs = h->c->fs;
	const struct scratch *largest = NULL;
	char where[PATH_LIMIT + 1];
	if (!client_sees_all(fs)) /* the largest may be a copy of what is not for it */
		return;
	lock_take(&fs->docs);
	for (const struct scratch *s = scratch_first(fs); s; s = s->next) {
		if (!S_ISREG(s->mode) || !s->name[0] || !in_workspace(fs, s))
			continue;
		d->workspace += (int64_t)s->bytes.len / TOKEN_BYTES;
		if (!largest || s->bytes.len > largest->bytes.len)
			largest = s;
	}
	if (largest && largest->bytes.len >= TOKEN_BYTES) {
		tree_path(fs, ino_make(KIND_SCRATCH, largest->id), NULL, where, sizeof where);
		add_file(h, where, NULL, (int64_t)largest->bytes.len / TOKEN_BYTES);
	}
	lock_give(&fs->docs);
	d->used += d->workspace;
}

/* ---- the messages an advice is about ------------------------------------------------- */

static struct policy_message *add_message(struct held *h, const char *tool)
{
	size_t n = h->of.count++;
	render_name(h->tool[n], sizeof h->tool[0], tool);
	h->message[n] = (struct policy_message){ .tool = *tool ? h->tool[n] : NULL };
	return &h->message[n];
}

static int take_message(void *ctx, const struct turn *t)
{
	struct held *h = ctx;
	bool hidden = !t->active && t->summary != 0;
	if (hidden && h->of.count > 0 && h->message[h->of.count - 1].hidden)
		return 0;
	struct policy_message *m = add_message(h, hidden ? "" : t->tool);
	m->id = t->n;
	m->tokens = t->active ? t->tokens : 0;
	m->pinned = t->pinned;
	m->kept = t->kept;
	m->pruned = !t->active && !hidden;
	m->hidden = hidden;
	m->covered = t->active && t->summary != 0;
	m->failed = t->error;
	return h->of.count == MESSAGES_MOST;
}

/* Ranges of summaries, whose messages are passed over unless some are shown beside them. */
static int keep_range(void *ctx, const struct summary *y)
{
	return hidden_range(ctx, (struct context_range){ y->first, y->last });
}

static int64_t covered(const struct hidden_tokens *h)
{
	int64_t n = 0;
	for (size_t i = 0; i < h->count; i++)
		n += h->range[i].last - h->range[i].first + 1;
	return n;
}

/* From *from on, with one in the place of those that a summary hides; past what they cover. */
static int take_covered(struct held *h, int64_t *from)
{
	const struct context *c = h->c;
	struct hidden_tokens p = { .fs = c->fs };
	int err = store_summaries(c->fs->store, c->session, 0, keep_range, &p);
	bool pass = covered(&p) == c->state.summarized;
	for (size_t i = 0; !err && pass && i < p.count && h->of.count < MESSAGES_MOST; i++) {
		const struct context_range r = p.range[i];
		if (r.first > *from)
			err = store_turns(c->fs->store, c->session, *from, r.first - 1, take_message, h);
		if (!err && h->of.count < MESSAGES_MOST) {
			struct policy_message *m = add_message(h, "");
			m->id = r.first;
			m->hidden = true;
		}
		*from = r.last + 1;
	}
	free(p.range);
	return err;
}

/*
 * Messages from the first on.  What a message is, and its tokens, never change, so of a session
 * that nobody has operated on since only those are read that have come since the last time.
 */
static int take_all(struct held *h)
{
	const struct context *c = h->c;
	struct held_messages known = { .message = h->message, .tool = h->tool };
	int64_t from = 1;
	int err = 0;
	context_cache_held(c->fs, c->session, c->state.last_seq, MESSAGES_MOST, &known);
	h->of.count = known.count;
	if (known.seen)
		from = known.seen + 1;
	else
		err = take_covered(h, &from);
	bool more = h->of.count < MESSAGES_MOST && from <= c->state.messages;
	if (!err && more)
		err = store_turns(c->fs->store, c->session, from, c->state.messages, take_message, h);
	h->of.whole = h->of.count < MESSAGES_MOST;
	if (!err && (more || !known.seen)) {
		known = (struct held_messages){ c->session, c->state.last_seq, c->state.messages,
			h->of.count, h->message, h->tool };
		context_cache_keep_held(c->fs, &known);
	}
	return errno_of_store(err);
}

/* The newest ones, which the context has looked at. */
static void take_newest(struct held *h)
{
	for (size_t i = 0; i < h->c->turns; i++) {
		const struct looked *t = &h->c->turn[i];
		struct policy_message *m = add_message(h, t->tool);
		m->id = t->n;
		m->tokens = t->tokens;
		m->pinned = t->pinned;
		m->failed = t->error;
	}
}

/* ---- all of it --------------------------------------------------------------------------- */

static int advise(struct held *h, struct dashboard *d, const struct pressure *now)
{
	struct advice advice[ADVICE_MOST];
	bool above = now->percent > h->c->policy.threshold;
	size_t room = above ? MESSAGES_MOST : POLICY_LOOK_BACK;
	h->message = calloc(room, sizeof *h->message);
	h->tool = calloc(room, sizeof *h->tool);
	int err = h->message && h->tool ? 0 : -ENOMEM;
	if (!err && above && h->c->session > 0)
		err = take_all(h);
	else if (!err)
		take_newest(h);
	if (err)
		return err;
	if (above)
		dashboard_alert(d, "the context is above %d %%", d->threshold);
	h->of.messages = h->message;
	h->of.files = h->tokens;
	size_t n = policy_advise(&h->c->policy, now, &h->of, advice);
	for (size_t i = 0; i < n; i++)
		advice_tell(h, d, &advice[i], i == 0);
	return 0;
}

/* A memory that takes no writes: an agent can do nothing but say so. */
static void tell_trouble(struct fs *fs, struct dashboard *d)
{
	char text[200] = "";
	if (store_refuses(fs->store))
		store_trouble(fs->store, text, sizeof text);
	if (!text[0]) /* or it is mounted to be read */
		return;
	dashboard_alert(d, "%s", text);
	(void)snprintf(d->action, sizeof d->action, "tell who keeps this memory: it takes nothing that"
	               " is written, and `cinta doctor DB` says why");
	d->command[0] = '\0';
}

int context_pressure(const struct context *c, struct dashboard *d)
{
	struct held *h = calloc(1, sizeof *h);
	if (!h)
		return -ENOMEM;
	h->c = c;
	h->of.stale = d->stale = c->facts.stale;
	h->of.expiring = d->expiring = c->facts.expiring;
	d->facts = c->facts.live;
	d->window = c->state;
	d->everything = c->group.tokens;
	d->threshold = (int)c->policy.threshold;
	int err = used_tokens(c, &d->used, &h->of.summary_tokens);
	if (!err)
		err = add_sections(h, d);
	if (!err) {
		add_workspace(h, d);
		const struct pressure now = policy_pressure(&c->policy, d->used, c->fs->model_limit);
		d->safe = now.safe;
		d->percent = now.percent;
		d->level = policy_level_name(now.level);
		err = advise(h, d, &now);
		tell_trouble(c->fs, d);
	}
	free(h->message);
	free(h->tool);
	free(h);
	return err;
}
