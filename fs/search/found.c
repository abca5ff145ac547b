/* SPDX-License-Identifier: MIT */
/*
 * From a query to its answer: names are looked up, the store is asked, and each hit gets
 * the path it has in the tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/search/search.h"
#include "fs/meaning/meaning.h"

/* A hit as it is kept while the store goes on. */
struct hit {
	enum hit_kind kind;
	double score;
	int64_t time_us, doc; /* 0: no document */
	char author[FIELD_MAX + 1], by[FIELD_MAX + 1], role[32];
	enum life life;
	char *path, *name, *heir; /* heir: "": nobody stands for it */
	struct buf snippet;
};

_Static_assert((int)QUERY_NAMED == (int)SEARCH_NAMED, "the same members");

struct run {
	struct fs *fs;
	const struct query *q;
	struct terms terms;
	unsigned families; /* of documents: QUERY_MEMORIES, …; 0: all that the store gave */
	int64_t session, entry; /* to stay within, 0: any */
	struct hit *hits;
	size_t count;
	struct found_state state;
	struct search_extent extent;
	int err;
};

void found_release(struct found *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->path[i]);
		free(f->name[i]);
	}
	free(f->path);
	free(f->name);
	buf_release(&f->page);
	*f = (struct found){ .count = 0 };
}

/* ---- what is asked of the store ---------------------------------------------- */

/* Not a session or thread of that name: `why` says so. */
static int no_such(const char *what, const char *name, struct why *why)
{
	why_set(why, "ls sessions threads tells their names", "there is no %s %.150s", what, name);
	return -EINVAL;
}

/* The session to stay within, 0: all. */
static int session_of(struct fs *fs, const struct query *q, int64_t within, int64_t *id,
                      struct why *why)
{
	struct group g;
	*id = within;
	if (!q->session[0])
		return 0;
	int err = strcmp(q->session, "current") != 0 ?
		errno_of_store(store_group_by_name(fs->store, LOG_SESSION, q->session, &g)) :
		current_session(fs, &g);
	if (err == -ENOENT || (!err && !tree_shows(fs, ino_make(KIND_SESSION, g.id))))
		return no_such("session", q->session, why);
	if (!err && within && g.id != within) {
		why_set(why, "ask in search/ at the top", "this is a search within another session");
		return -EINVAL;
	}
	*id = err ? 0 : g.id;
	return err;
}

static int thread_of(struct fs *fs, const struct query *q, struct why *why)
{
	struct group g;
	/* Whether there is one is not for who is not shown all sessions: nothing is found then. */
	bool asks = q->thread[0] && client_sees_all(fs);
	int err = asks ? store_group_by_name(fs->store, LOG_THREAD, q->thread, &g) : 0;
	return err == STORE_ENOENT ? no_such("thread", q->thread, why) : errno_of_store(err);
}

/* The entry to find, 0: any. */
static int entry_of(struct fs *fs, const struct query *q, int64_t *entry, struct why *why)
{
	*entry = 0;
	int err = *q->hash ? store_entry_by_hash(fs->store, q->hash, entry) : 0;
	if (err == STORE_ENOENT)
		why_set(why, "grep '\"hash\":\"0f3a' sessions/*/log.jsonl tells of some",
		        "no entry has hash:%s", q->hash);
	if (err == STORE_EEXIST)
		why_set(why, "give more of its digits", "several entries begin with hash:%s", q->hash);
	return err == STORE_ENOENT || err == STORE_EEXIST ? -EINVAL : errno_of_store(err);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void places_of(struct run *run, const struct query *q, struct search_query *ask)
{
	unsigned families = QUERY_MEMORIES | QUERY_BLOCKS | QUERY_NOTES;
	if (q->in & QUERY_MESSAGES)
		ask->in |= SEARCH_MESSAGES;
	if (q->in & QUERY_FACTS)
		ask->in |= SEARCH_FACTS;
	if (q->in & (QUERY_DOCUMENTS | families))
		ask->in |= SEARCH_DOCUMENTS;
	run->families = q->in & QUERY_DOCUMENTS ? 0 : q->in & families;
	if (run->families || !client_sees_all(run->fs))
		ask->limit = SEARCH_LIMIT_MOST; /* some are left out here */
	if (ask->type)
		return;
	/* One family is a type, too: then the store leaves the others out. */
	ask->type = q->in == QUERY_MEMORIES ? "memory" : q->in == QUERY_BLOCKS ? "block" :
		q->in == QUERY_NOTES ? "note" : NULL;
}

/* ---- what it found --------------------------------------------------------------- */

static bool is_wanted(const struct run *run, enum hit_kind kind, const char *path)
{
	if (kind != HIT_DOCUMENT || !run->families)
		return true;
	return (run->families & QUERY_MEMORIES && tree_is_below(run->fs, path, KIND_MEMORIES)) ||
	       (run->families & QUERY_BLOCKS && tree_is_below(run->fs, path, KIND_BLOCKS)) ||
	       (run->families & QUERY_NOTES && tree_is_below(run->fs, path, KIND_NOTES));
}

int found_path(struct fs *fs, const struct search_hit *h, char *path, size_t size)
{
	char name[64];
	bool whole = false;
	switch (h->kind) {
	case HIT_MESSAGE:
		(void)snprintf(name, sizeof name, "%06lld.md", (long long)h->n);
		whole = tree_path(fs, ino_make(KIND_MESSAGES, h->session), name, path, size);
		break;
	case HIT_DOCUMENT:
		whole = tree_path(fs, ino_make(KIND_DOC, h->id), NULL, path, size);
		break;
	case HIT_FACT:
		whole = tree_path(fs, ino_make(KIND_FACT_LIST, h->domain), NULL, path, size);
		break;
	}
	return client_sees_all(fs) || (whole && client_sees(fs, path)) ? 0 : -ENOENT;
}

/* Of its link: a message says whose it is, all else what it is called. */
static char *name_of(const char *path, enum hit_kind kind)
{
	char *name = NULL;
	const char *last = strrchr(path, '/');
	const char *session = strchr(path, '/'), *end = session ? strchr(session + 1, '/') : NULL;
	if (kind != HIT_MESSAGE || !end)
		return strdup(last ? last + 1 : path);
	int n = asprintf(&name, "%.*s-%s", (int)(end - session - 1), session + 1, last + 1);
	return n < 0 ? NULL : name;
}

/* Where the memory is that stands for a hit. */
static char *heir_of(struct fs *fs, const struct search_hit *h)
{
	char path[PATH_LIMIT + 1] = "";
	uint64_t heir = ino_make(KIND_DOC, h->heir);
	if (h->heir && tree_shows(fs, heir))
		tree_path(fs, heir, NULL, path, sizeof path);
	return strdup(path);
}

static int add_hit(void *ctx, const struct search_hit *h)
{
	struct run *run = ctx;
	char path[PATH_LIMIT + 1];
	if (found_path(run->fs, h, path, sizeof path) || !is_wanted(run, h->kind, path))
		return 0;
	struct hit *hit = &run->hits[run->count];
	*hit = (struct hit){ .kind = h->kind, .score = h->score, .time_us = h->time_us,
		.doc = h->kind == HIT_DOCUMENT ? h->id : 0, .life = h->life, .path = strdup(path),
		.name = name_of(path, h->kind), .heir = heir_of(run->fs, h), .snippet = BUF_INIT };
	(void)snprintf(hit->author, sizeof hit->author, "%s", h->author);
	(void)snprintf(hit->by, sizeof hit->by, "%s", h->by);
	(void)snprintf(hit->role, sizeof hit->role, "%s", h->role);
	render_snippet(&hit->snippet, h->text, h->len, &run->terms);
	run->count++;
	if (!hit->path || !hit->name || !hit->heir || hit->snippet.failed)
		run->err = -ENOMEM;
	return run->err || run->count == (size_t)run->q->limit;
}

/* ---- the answer -------------------------------------------------------------------- */

static void write_hits(const struct run *run, found_hit_fn *each, void *ctx, struct buf *page)
{
	static const char *const kinds[] = { "message", "document", "fact" };
	for (size_t i = 0; i < run->count; i++) {
		const struct hit *h = &run->hits[i];
		struct result r = { .rank = (int)i + 1, .score = h->score, .kind = kinds[h->kind],
			.path = h->path, .author = h->author, .by = h->by, .role = h->role,
			.time_us = h->time_us, .life = h->life, .heir = h->heir,
			.snippet = h->snippet.data ? h->snippet.data : "" };
		if (each)
			each(ctx, &r);
		else
			render_result(page, &r);
	}
}

/* Paths and names become the answer's. */
static int take_paths(struct run *run, struct found *out)
{
	out->path = calloc(run->count + 1, sizeof *out->path);
	out->name = calloc(run->count + 1, sizeof *out->name);
	if (!out->path || !out->name)
		return -ENOMEM;
	for (; out->count < run->count; out->count++) {
		struct hit *h = &run->hits[out->count];
		out->path[out->count] = h->path;
		out->name[out->count] = h->name;
		h->path = h->name = NULL;
	}
	return out->page.failed ? -ENOMEM : 0;
}

static void run_release(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		free(run->hits[i].path);
		free(run->hits[i].name);
		free(run->hits[i].heir);
		buf_release(&run->hits[i].snippet);
	}
	free(run->hits);
	terms_release(&run->terms);
}

/* What was asked for, without its filters. */
static void add_question(struct buf *out, const struct query *q)
{
	buf_add(out, q->words.data, q->words.len);
	for (size_t i = 0; i < q->phrase_count; i++) {
		if (out->len)
			buf_addc(out, ' ');
		buf_adds(out, q->phrases[i]);
	}
}

/* The question's vector, if one is to be had: the caller frees it. */
static float *vector_of(struct run *run, struct vector_model *m)
{
	struct buf text = BUF_INIT;
	struct embedding_status status;
	if (!embedder_status(run->fs, &status))
		return NULL;
	float *vector = malloc(VECTOR_DIMS_MOST * sizeof *vector);
	add_question(&text, run->q);
	int err = vector && !text.failed ? embedder_question(run->fs, text.data ? text.data : "",
	                                                     text.len, vector, m) : -ENOMEM;
	buf_release(&text);
	run->state.by_words = err && err != -ENOENT;
	if (!err)
		return vector;
	free(vector);
	return NULL;
}

static int ask_store(struct run *run, enum found_how how)
{
	struct vector_model model;
	struct buf words = BUF_INIT;
	const struct query *q = run->q;
	if (how == FOUND_AS_ASKED)
		buf_add(&words, q->words.data ? q->words.data : "", q->words.len);
	else
		add_question(&words, q);
	struct search_query ask = {
		.words = words.data ? words.data : "", .beginnings = how == FOUND_BY_BEGINNINGS,
		.phrases = (const char *const *)q->phrases,
		.phrase_count = how == FOUND_AS_ASKED ? q->phrase_count : 0,
		.without = (const char *const *)q->without, .without_count = q->without_count,
		.session = run->session, .entry = run->entry, .thread = or_null(q->thread),
		.by = or_null(q->by),
		.role = or_null(q->role), .type = or_null(q->type),
		.after_us = q->after_us, .before_us = q->before_us, .status = q->status,
		.limit = q->limit, .extent = &run->extent,
		.wait_us = run->fs->unmounted ? INT64_MAX : 0, /* who runs a command waits for all */
	};
	for (int i = 0; i < QUERY_NAMED; i++)
		ask.named[i] = or_null(q->named[i]);
	places_of(run, q, &ask);
	float *vector = vector_of(run, &model);
	ask.vector = vector;
	ask.model = vector ? &model : NULL;
	run->hits = calloc((size_t)q->limit, sizeof *run->hits);
	int err = run->hits && !words.failed ? errno_of_render(render_terms(&run->terms, q,
		store_search_asked, store_search_tokens, store_search_is_common)) : -ENOMEM;
	if (!err)
		err = errno_of_store(store_search(run->fs->store, &ask, add_hit, run));
	run->state.wordless = run->terms.count == 0 && (q->words.len > 0 || q->phrase_count > 0);
	free(vector);
	buf_release(&words);
	return err ? err : run->err;
}

/* What finds nothing is asked again: quotations by their words, then words by their beginnings. */
static int ask_again(struct run *run)
{
	bool quoted = run->q->phrase_count > 0, asks = run->terms.count > 0;
	int err = 0;
	for (int how = FOUND_BY_WORDS; !err && asks && run->count == 0 && how <= FOUND_BY_BEGINNINGS;
	     how++) {
		if (how == FOUND_BY_WORDS && !quoted)
			continue;
		run->state.how = (enum found_how)how;
		free(run->hits);
		terms_release(&run->terms);
		err = ask_store(run, run->state.how);
	}
	return err;
}

/* To be found by one's words is a use, of who is live; a list of the newest is none, nor is a page
 * that somebody looks at (SEARCH_FOR_SITE). */
static void note_used(const struct run *run)
{
	int64_t id[QUERY_HITS_MOST];
	size_t n = 0;
	if (run->q->words.len == 0 && run->q->phrase_count == 0)
		return;
	for (size_t i = 0; i < run->count && n < QUERY_HITS_MOST; i++)
		if (run->hits[i].doc && run->hits[i].life == LIFE_LIVE &&
		    tree_is_below(run->fs, run->hits[i].path, KIND_MEMORIES))
			id[n++] = run->hits[i].doc;
	/* A count that is lost is not worth an answer that is. */
	(void)store_memory_accessed(run->fs->store, id, n, store_time(run->fs->store));
}

static int answer(struct fs *fs, int64_t where, const struct query *q, found_hit_fn *each,
                  void *ctx, struct found *out, struct why *why)
{
	const int64_t within = where > 0 ? where : 0;
	struct run run = { .fs = fs, .q = q };
	struct group g = { .name = "" };
	int err = session_of(fs, q, within, &run.session, why);
	if (!err)
		err = thread_of(fs, q, why);
	if (!err)
		err = entry_of(fs, q, &run.entry, why);
	if (!err && within)
		err = errno_of_store(store_group_by_id(fs->store, LOG_SESSION, within, &g));
	if (err)
		return err;
	err = ask_store(&run, FOUND_AS_ASKED);
	if (!err)
		err = ask_again(&run);
	if (!err) {
		run.state.searched = run.extent.searched;
		run.state.entries = run.extent.entries;
		render_results(&out->page, q, g.name, run.count, &run.state);
		out->by_words = run.state.by_words;
		out->partly = run.extent.searched < run.extent.entries;
		write_hits(&run, each, ctx, &out->page);
		if (where != SEARCH_FOR_SITE)
			note_used(&run);
		err = take_paths(&run, out);
	}
	run_release(&run);
	return err;
}

static void count_word(void *ctx, const char *word, size_t len, size_t start, size_t end)
{
	(void)word, (void)len, (void)start, (void)end;
	++*(size_t *)ctx;
}

/* *longer: the store takes no phrase of so many words. */
static int is_longer(const char *phrase, bool *longer)
{
	size_t words = 0;
	int err = store_search_tokens(phrase, strlen(phrase), count_word, &words);
	*longer = words > SEARCH_PHRASE_WORDS;
	return errno_of_store(err);
}

/* Phrases that are too long become words: most often a quote was left open. */
static int unquote(struct query *q, struct why *why)
{
	size_t kept = 0;
	bool longer = false;
	int err = 0;
	for (size_t i = 0; !err && !longer && i < q->without_count; i++)
		err = is_longer(q->without[i], &longer);
	if (!err && longer) {
		why_set(why, "quote less behind the minus",
		        "what a query is to be without has at most %d words", SEARCH_PHRASE_WORDS);
		return -EINVAL;
	}
	for (size_t i = 0; i < q->phrase_count; i++) {
		longer = false;
		err = err ? err : is_longer(q->phrases[i], &longer);
		if (!longer) {
			q->phrases[kept++] = q->phrases[i];
			continue;
		}
		if (q->words.len > 0)
			buf_addc(&q->words, ' ');
		buf_adds(&q->words, q->phrases[i]);
		free(q->phrases[i]);
		q->unquoted = true;
	}
	q->phrase_count = kept;
	return err ? err : q->words.failed ? -ENOMEM : 0;
}

int found_make(struct fs *fs, int64_t within, const char *text, size_t len, found_hit_fn *each,
               void *ctx, struct found *out, struct why *why)
{
	struct query q;
	*out = (struct found){ .count = 0 };
	int err = render_query_in(text, len, &q, why);
	err = err == RENDER_ENOMEM ? -ENOMEM : err ? -EINVAL : 0;
	if (!err)
		err = unquote(&q, why);
	if (!err)
		err = answer(fs, within, &q, each, ctx, out, why);
	query_release(&q);
	if (err == -EINVAL && why->text[0]) {
		found_release(out);
		render_no_query(&out->page, text, len, why);
		if (out->page.failed)
			err = -ENOMEM;
	}
	return err;
}
