/* SPDX-License-Identifier: MIT */
/*
 * The part Found of a context: what the whole memory has for what is asked now.
 *
 *   ask      the newest message of the user, with the turns before it where it is short
 *   take     hits as they come, each cut to the passage that matches (the store is not called)
 *   settle   what the page has already goes, and what the session pruned; paths are looked up
 *   choose   what fits into the rest of the page (store/policy/policy.h), by session and day
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/meaning/meaning.h"
#include "fs/search/search.h"

enum {
	HITS_FIRST = 80,    /* asked for; where they do not fill the page … */
	HITS_MOST = 300,    /* … as many as their length lets expect, at most so many */
	HIT_TOKENS = 200,   /* most of one */
	TOKEN_BYTES = 4, LINE_TOKENS = 6, /* roughly: of a token, of a line beside its text */
	PAGE_SPARE = 8      /* tokens: a heading, and how lines join */
};

struct hit {
	enum hit_kind kind;
	int64_t seq, session, id, time_us;
	int64_t n;          /* a message's number; a fact's domain */
	char role[16];
	char said[64];      /* for whom its writer says he speaks */
	char author[FIELD_MAX + 1]; /* "": not told */
	bool claimed;
	char *text;
	size_t len;
	bool within;        /* the text before is left out */
	int64_t left;       /* tokens that are */
	char *title, *where; /* NULL until it is settled */
	bool out;
};

struct finding {
	struct context *c;
	struct buf words;   /* what is asked */
	struct buf folded;  /* the user's message alone, as render_said() has it */
	struct terms terms;
	struct hit hit[HITS_MOST];
	size_t count;
	int seen;           /* hits that came, whatever became of them */
	int64_t tokens, most;
};

/* ---- what is asked ------------------------------------------------------------- */

/* The newest message of the user; a short one ("and when?") with what was said before it. */
static void find_words(struct finding *f)
{
	const struct context *c = f->c;
	size_t newest;
	(void)context_asked(c, ASKED_FEW, &f->words, &newest);
	if (newest < c->turns)
		render_said(&f->folded, c->turn[newest].text, c->turn[newest].len);
}

/* To be freed; NULL: by words, as a session's page: who asks for its size asks no endpoint. */
static float *vector_of(struct finding *f, struct vector_model *m)
{
	struct embedding_status status;
	if (f->c->session || !embedder_status(f->c->fs, &status))
		return NULL;
	float *vector = malloc(VECTOR_DIMS_MOST * sizeof *vector);
	if (vector && embedder_question(f->c->fs, f->words.data, f->words.len, vector, m) == 0)
		return vector;
	free(vector);
	return NULL;
}

/* ---- taking hits ---------------------------------------------------------------- */

static bool is_shown(const struct context *c, int64_t seq)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->piece[i].seq == seq)
			return true;
	return false;
}

/* The same question, asked before, tells nothing. */
static bool is_echo(const struct finding *f, const struct search_hit *h)
{
	struct buf said = BUF_INIT;
	if (h->kind != HIT_MESSAGE || h->len > 4 * f->folded.len + 64)
		return false;
	render_said(&said, h->text, h->len);
	bool same = said.len == f->folded.len && said.len > 0 && !said.failed &&
	            memcmp(said.data, f->folded.data, said.len) == 0;
	buf_release(&said);
	return same;
}

static void say_who(struct hit *hit, const struct search_hit *h)
{
	(void)snprintf(hit->author, sizeof hit->author, "%s", h->author);
	(void)snprintf(hit->role, sizeof hit->role, "%.15s", *h->role ? h->role : "user");
	render_name(hit->said, sizeof hit->said, *h->by ? h->by : h->owner);
}

/* Who mounted is not told, unless he speaks as the system: most messages are his, and each pays. */
static void settle_who(const struct finding *f, struct hit *h)
{
	bool own = claims_is_owner(f->c->fs, h->author), system = strcmp(h->role, "system") == 0;
	h->claimed = system && !own;
	if (own && !system)
		h->author[0] = '\0';
}

static int keep_text(struct finding *f, struct hit *hit, const char *text, size_t len)
{
	size_t from, fit;
	int err = render_passage(text, len, &f->terms, HIT_TOKENS, f->c->fs->count_tokens, &from, &fit);
	char *own = err ? NULL : malloc(fit + 1);
	if (!own)
		return -ENOMEM;
	memcpy(own, text + from, fit);
	own[fit] = '\0';
	free(hit->text);
	hit->text = own;
	hit->len = fit;
	hit->within = from > 0;
	hit->left = 0;
	if (fit < len) {
		store_count_fn *count = f->c->fs->count_tokens;
		int64_t tokens = count(own, fit), all = len > POLICY_TURN_BYTES ?
			(int64_t)(len / TOKEN_BYTES) : count(text, len);
		hit->left = all > tokens ? all - tokens : 1;
	}
	return 0;
}

/* Some are left out below, so there must be more than have room. */
static int64_t wanted(const struct finding *f)
{
	return f->most + f->most / 3 + HIT_TOKENS;
}

static bool is_full(const struct finding *f)
{
	return f->tokens > wanted(f);
}

static int take_hit(void *ctx, const struct search_hit *h)
{
	struct finding *f = ctx;
	f->seen++;
	if (h->len == 0 || is_shown(f->c, h->seq) || is_echo(f, h))
		return 0;
	struct hit *hit = &f->hit[f->count];
	*hit = (struct hit){ .kind = h->kind, .seq = h->seq, .session = h->session,
		.n = h->kind == HIT_FACT ? h->domain : h->n, .id = h->id, .time_us = h->time_us };
	say_who(hit, h);
	if (keep_text(f, hit, h->text, h->len)) {
		f->c->failed = true;
		return 1;
	}
	f->tokens += (int64_t)hit->len / TOKEN_BYTES + LINE_TOKENS;
	return ++f->count == HITS_MOST || is_full(f);
}

/* ---- settling them ---------------------------------------------------------------- */

static int look_at_turn(void *ctx, const struct turn *t)
{
	const struct policy_thing message = { .pruned = t->pruned };
	*(bool *)ctx = t->error || policy_life(&message, 0) != LIFE_LIVE;
	return 1;
}

/* Of its session, if a hit before it is of the same; NULL. */
static const char *name_of(const struct finding *f, const struct hit *h)
{
	for (const struct hit *o = f->hit; o < h; o++)
		if (o->kind == HIT_MESSAGE && !o->out && o->title && o->session == h->session)
			return o->title;
	return NULL;
}

/* What the session took out of its window, and its failed tries, do not come back by themselves. */
static int settle_message(struct finding *f, struct hit *h)
{
	const struct context *c = f->c;
	struct group g;
	int err = 0;
	if (c->session == h->session)
		err = store_turns(c->fs->store, h->session, h->n, h->n, look_at_turn, &h->out);
	const char *name = h->out ? NULL : name_of(f, h);
	if (!err && !h->out && !name) {
		err = store_group_by_id(c->fs->store, LOG_SESSION, h->session, &g);
		name = g.name;
	}
	h->title = !err && !h->out ? strdup(name) : NULL;
	settle_who(f, h);
	return errno_of_store(err);
}

struct fact_shown {
	const struct context *c;
	bool shown;
};

static void look_at_fact(void *ctx, const struct fact *fact)
{
	struct fact_shown *y = ctx;
	y->shown = fact->entry > 0 && is_shown(y->c, fact->entry);
}

/* As for the part Facts: not what is said in the window. */
static int settle_fact(struct finding *f, struct hit *h)
{
	struct fact_shown y = { f->c, false };
	int err = store_fact_by_id(f->c->fs->store, h->id, look_at_fact, &y);
	h->out = y.shown || err == STORE_ENOENT;
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

/* The document is on the page already, whole or as a memory, or another hit is the same one. */
static bool is_there(const struct finding *f, const struct hit *h)
{
	for (size_t i = 0; i < f->c->count; i++) {
		const struct context_part *p = &f->c->piece[i].part;
		if (f->c->piece[i].doc == h->id && (p->left == 0 || p->kind == CONTEXT_MEMORY))
			return true;
	}
	for (const struct hit *o = f->hit; o < h; o++)
		if (o->kind == HIT_DOCUMENT && !o->out && o->id == h->id)
			return true;
	return false;
}

/* Where it is, now that its document is known. */
static int find_place(struct finding *f, struct hit *h)
{
	char path[PATH_LIMIT + 1];
	const struct search_hit at = { .kind = h->kind, .session = h->session, .n = h->n, .id = h->id,
		.domain = h->kind == HIT_FACT ? (int)h->n : 0 };
	if (h->kind == HIT_MESSAGE && h->title)
		(void)snprintf(path, sizeof path, "sessions/%s/messages/%06lld.md", h->title,
		               (long long)h->n);
	else
		h->out = h->out || found_path(f->c->fs, &at, path, sizeof path) != 0;
	h->out = h->out || !client_sees(f->c->fs, path);
	if (h->out)
		return 0;
	free(h->where);
	h->where = strdup(path);
	if (!h->title)
		h->title = strdup(path);
	return h->where && h->title ? 0 : -ENOMEM;
}

static int settle(struct finding *f, struct hit *h)
{
	int err = 0;
	if (h->kind == HIT_MESSAGE)
		err = settle_message(f, h);
	else if (h->kind == HIT_FACT)
		err = settle_fact(f, h);
	else
		h->out = h->out || is_there(f, h);
	if (err == -ENOENT) { /* gone meanwhile */
		h->out = true;
		err = 0;
	}
	return err || h->out ? err : find_place(f, h);
}

/* ---- choosing --------------------------------------------------------------------- */

static struct context_part part_of(const struct hit *h)
{
	bool message = h->kind == HIT_MESSAGE;
	return (struct context_part){ .kind = CONTEXT_HIT, .title = h->title, .where = h->where,
		.text = h->text, .len = h->len, .within = h->within, .left = h->left,
		.first = message ? h->n : 0, .time_us = h->time_us, .role = message ? h->role : "",
		.said = message ? h->said : "", .author = message ? h->author : "",
		.claimed = message && h->claimed };
}

static int64_t head_tokens(const struct context *c, const struct context_part *p)
{
	struct buf text = BUF_INIT;
	render_context_group(&text, p);
	int64_t tokens = c->fs->count_tokens(text.data ? text.data : "", text.len);
	buf_release(&text);
	return tokens;
}

/* The number of the group's best hit. */
static size_t group_of(const struct finding *f, const struct policy_found *fit, size_t i)
{
	const struct context_part p = part_of(&f->hit[i]);
	for (size_t k = 0; k < i; k++) {
		const struct context_part o = part_of(&f->hit[k]);
		if (fit[k].group == (int64_t)k && !f->hit[k].out && render_context_together(&o, &p))
			return k;
	}
	return i;
}

static int64_t budget_of(const struct finding *f, int64_t most)
{
	struct buf head = BUF_INIT;
	render_context_heading(&head, CONTEXT_HIT);
	int64_t left = f->c->policy.total_tokens - PAGE_SPARE - context_tokens(f->c) -
	               f->c->fs->count_tokens(head.data ? head.data : "", head.len);
	buf_release(&head);
	return left < most ? left : most;
}

static void choose(struct finding *f)
{
	struct context *c = f->c;
	struct policy_found fit[HITS_MOST], *order[HITS_MOST];
	size_t n = 0;
	for (size_t i = 0; i < f->count; i++) {
		struct hit *h = &f->hit[i];
		fit[i] = (struct policy_found){ .group = (int64_t)i, .tokens = f->most + 1 };
		if (h->out)
			continue;
		const struct context_part p = part_of(h);
		fit[i].group = (int64_t)group_of(f, fit, i);
		fit[i].n = h->kind == HIT_MESSAGE ? h->n : (int64_t)i;
		fit[i].tokens = part_tokens(c, &p);
		fit[i].head = fit[i].group == (int64_t)i ? head_tokens(c, &p) :
			fit[fit[i].group].head;
	}
	(void)policy_found_fit(fit, f->count, f->most);
	for (size_t i = 0; i < f->count; i++)
		if (fit[i].shown)
			order[n++] = &fit[i];
	policy_found_order(order, n);
	for (size_t i = 0; i < n; i++) {
		const struct hit *h = &f->hit[order[i] - fit];
		const struct context_part p = part_of(h);
		(void)context_add_counted(c, &p, order[i]->tokens, PART_FOUND, h->seq,
		                          h->kind == HIT_DOCUMENT ? h->id : 0);
	}
}

/* ---- all of it ---------------------------------------------------------------------- */

static void drop_hits(struct finding *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->hit[i].text);
		free(f->hit[i].title);
		free(f->hit[i].where);
	}
	f->count = 0;
	f->tokens = 0;
	f->seen = 0;
}

/* A search costs by its limit. */
static int ask(struct finding *f, struct search_query *q)
{
	q->limit = HITS_FIRST;
	int err = errno_of_store(store_search(f->c->fs->store, q, take_hit, f));
	if (err || f->seen < HITS_FIRST || is_full(f))
		return err;
	int64_t expect = HITS_FIRST / 4 + wanted(f) * HITS_FIRST * 3 / 2 / (f->tokens + 1);
	q->limit = expect < HITS_MOST ? (int)expect : HITS_MOST;
	drop_hits(f);
	return errno_of_store(store_search(f->c->fs->store, q, take_hit, f));
}

static int search(struct finding *f)
{
	struct vector_model model;
	struct query words = { .words = f->words };
	int err = errno_of_render(render_terms(&f->terms, &words, store_search_asked,
	                                       store_search_tokens, store_search_is_common));
	float *vector = err ? NULL : vector_of(f, &model);
	struct search_query q = { .words = f->words.data, .status = 1u << LIFE_LIVE,
		.vector = vector, .model = vector ? &model : NULL };
	if (!err)
		err = ask(f, &q);
	if (!err && f->count == 0 && !f->c->session) { /* somebody asked for just this */
		q.beginnings = true;
		err = ask(f, &q);
	}
	free(vector);
	for (size_t i = 0; !err && i < f->count; i++)
		err = settle(f, &f->hit[i]);
	return err;
}

static void release(struct finding *f)
{
	drop_hits(f);
	terms_release(&f->terms);
	buf_release(&f->words);
	buf_release(&f->folded);
	free(f);
}

int context_found(struct context *c, int64_t most)
{
	struct finding *f = calloc(1, sizeof *f);
	int err = 0;
	if (!f)
		return -ENOMEM;
	f->c = c;
	f->most = budget_of(f, most);
	find_words(f);
	if (f->words.failed || f->folded.failed)
		err = -ENOMEM;
	else if (f->words.len > 0 && f->most > 0)
		err = search(f);
	if (!err)
		choose(f);
	release(f);
	return err;
}
