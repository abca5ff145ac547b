/* SPDX-License-Identifier: MIT */
/*
 * store_search(): a question becomes a plan, the plan is ranked, and what was found is read from
 * the tape.  Words of a question go into FTS5's expressions only as quoted tokens of our own
 * tokenizer, so nothing a user types is syntax.
 */
#include "store/search.h"

#include <stdlib.h>
#include <string.h>

#include "store/find/hybrid.h"
#include "store/find/living.h"
#include "store/internal.h"
#include "store/views/views.h"

enum {
	BATCH = 2000,        /* entries a transaction while a search waits for the index */
	PHRASES_MOST = 32,   /* phrases and exceptions, each */
	PHRASE_WORDS = 64,   /* words in one */
	WORDS_BYTES = 1 << 20
};

/* ---- words ------------------------------------------------------------- */

struct gathering {
	struct search_plan *plan;
	const char *text;
	bool stop_words; /* keep them too */
	size_t start;    /* where the word begins whose stems come … */
	bool taken;      /* … and whether it has become the newest term */
};

static void add_stem(struct search_plan *p, const char *stem, size_t len)
{
	size_t t = p->term_count - 1, n = p->terms[t].others;
	if (n == STEMS_MOST || search_term(p, stem, len) < p->term_count)
		return;
	memcpy(p->terms[t].other[n], stem, len < STEM_MOST ? len : STEM_MOST);
	p->terms[t].other_len[n] = len;
	p->terms[t].others++;
}

static void gather(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct gathering *g = ctx;
	struct search_plan *p = g->plan;
	if (start == g->start) {
		if (g->taken)
			add_stem(p, term, len);
		return;
	}
	g->start = start;
	g->taken = false;
	if (p->term_count == TERMS_MOST || search_term(p, term, len) < p->term_count ||
	    (!g->stop_words && search_stop_word(g->text + start, end - start)))
		return;
	memcpy(p->terms[p->term_count].stem, term, len < STEM_MOST ? len : STEM_MOST);
	p->terms[p->term_count].stem_len = len;
	p->terms[p->term_count].date = search_date_of(g->text + start, end - start);
	p->terms[p->term_count].text = g->text + start;
	p->terms[p->term_count++].len = end - start;
	g->taken = true;
}

static int gather_words(struct search *x, struct gathering *g, const char *text)
{
	g->text = text;
	g->start = SIZE_MAX;
	return search_tokens_asked(&x->tokens, text, strlen(text), gather, g);
}

/* The question's words, else those of its phrases; stop words only if there are no others. */
static int find_terms(struct search *x, const struct search_query *q, struct search_plan *plan)
{
	struct gathering g = { .plan = plan };
	int err = 0;
	for (int pass = 0; !err && pass < 2 && plan->term_count == 0; pass++) {
		g.stop_words = pass > 0;
		err = gather_words(x, &g, q->words);
		for (size_t i = 0; !err && i < q->phrase_count; i++)
			err = gather_words(x, &g, q->phrases[i]);
	}
	plan->asks_when = search_asks_when(q->words);
	return err;
}

static void find_translations(struct store *s, struct search_plan *plan)
{
	struct dictionary *d = s->index->dictionary;
	for (size_t t = 0; d && t < plan->term_count; t++)
		plan->terms[t].likes = dictionary_look(d, &s->index->search->tokens, plan->terms[t].text,
		                                       plan->terms[t].len, plan->terms[t].like);
}

static void count_word(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	(void)term, (void)len, (void)start, (void)end;
	++*(size_t *)ctx;
}

/* ---- expressions ------------------------------------------------------- */

struct expression {
	sqlite3_str *text;
	const char *joint; /* " AND " or " OR " */
	int phrases;
};

static void add_phrase(struct expression *e, const char *column, const char *phrase)
{
	if (sqlite3_str_length(e->text) > 0)
		sqlite3_str_appendall(e->text, e->joint);
	sqlite3_str_appendf(e->text, "{%s} : \"", column);
	for (; *phrase; phrase++) {
		if (*phrase == '"')
			sqlite3_str_appendchar(e->text, 1, '"');
		sqlite3_str_appendchar(e->text, 1, *phrase);
	}
	sqlite3_str_appendchar(e->text, 1, '"');
	e->phrases++;
}

static void add_scope(struct expression *e, char what, const char *value)
{
	char word[SCOPE_SIZE];
	if (!value)
		return;
	search_scope(what, value, strlen(value), word);
	add_phrase(e, "scope", word);
}

/* Phrases that users gave; those without a word say nothing. */
static int add_phrases(struct search *x, struct expression *e, const char *const *list,
                       size_t count)
{
	int err = count > PHRASES_MOST ? STORE_EINVAL : 0;
	for (size_t i = 0; !err && i < count; i++) {
		size_t words = 0;
		err = search_tokens_each(&x->tokens, list[i], strlen(list[i]), count_word, &words);
		if (!err && words > PHRASE_WORDS)
			err = STORE_EINVAL;
		if (!err && words > 0)
			add_phrase(e, "body", list[i]);
	}
	return err;
}

/* Messages have words of their own, but no word of kind: they are what the others are not. */
static void add_kinds(struct expression *need, struct expression *avoid, unsigned in)
{
	if (in == SEARCH_MESSAGES)
		return;
	if (in & SEARCH_MESSAGES) {
		add_scope(avoid, 'k', in & SEARCH_DOCUMENTS ? NULL : "document");
		add_scope(avoid, 'k', in & SEARCH_FACTS ? NULL : "fact");
	} else if (in == (SEARCH_DOCUMENTS | SEARCH_FACTS)) {
		char document[SCOPE_SIZE], fact[SCOPE_SIZE];
		search_scope('k', "document", 8, document);
		search_scope('k', "fact", 4, fact);
		sqlite3_str_appendf(need->text, "%s{scope} : (\"%s\" OR \"%s\")",
		                    sqlite3_str_length(need->text) ? need->joint : "", document, fact);
		need->phrases += 2;
	} else {
		add_scope(need, 'k', in == SEARCH_DOCUMENTS ? "document" : "fact");
	}
}

static int make_filters(struct search *x, const struct search_query *q, struct search_plan *plan)
{
	struct expression need = { sqlite3_str_new(NULL), " AND ", 0 };
	struct expression avoid = { sqlite3_str_new(NULL), " OR ", 0 };
	char session[24];
	plan->role = q->role ? search_role(q->role) : ROLE_NONE;
	if (q->role && plan->role == ROLE_NONE)
		plan->role = -1;
	if (q->session > 0) {
		(void)snprintf(session, sizeof session, "%lld", (long long)q->session);
		add_scope(&need, 's', session);
	}
	int before = need.phrases;
	add_scope(&need, 't', q->thread);
	add_scope(&need, 'b', q->by);
	add_scope(&need, 'y', q->type);
	for (int i = 0; i < SEARCH_NAMED; i++)
		add_scope(&need, search_named[i], q->named[i]);
	int err = add_phrases(x, &need, q->phrases, q->phrase_count);
	if (!err)
		err = add_phrases(x, &avoid, q->without, q->without_count);
	plan->check = need.phrases > before || avoid.phrases > 0;
	unsigned in = q->in ? q->in : SEARCH_MESSAGES | SEARCH_DOCUMENTS | SEARCH_FACTS;
	if (q->status && !(q->status & 1u << LIFE_LIVE))
		in &= ~(unsigned)SEARCH_MESSAGES; /* none of them is retired for all */
	if (!err)
		add_kinds(&need, &avoid, in);
	plan->tables = (in & SEARCH_MESSAGES ? IN_MESSAGES : 0u) |
		(in & (SEARCH_DOCUMENTS | SEARCH_FACTS) ? IN_PAGES : 0u);
	plan->need_phrases = need.phrases;
	bool failed = sqlite3_str_errcode(need.text) || sqlite3_str_errcode(avoid.text);
	plan->need = sqlite3_str_finish(need.text); /* NULL when empty */
	plan->avoid = sqlite3_str_finish(avoid.text);
	plan->need = plan->need ? plan->need : sqlite3_mprintf("");
	plan->avoid = plan->avoid ? plan->avoid : sqlite3_mprintf("");
	return err ? err : failed || !plan->need || !plan->avoid ? STORE_ENOMEM : 0;
}

/* ---- time -------------------------------------------------------------- */

/* The first seq of that time or later: times never go back along the tape. */
static int64_t seq_at(struct search *x, int64_t time_us, int64_t end)
{
	int64_t low = 0, high = end;
	sqlite3_stmt *q = x->stmt[TAPE_TIME];
	while (low < high) {
		int64_t mid = low + (high - low) / 2;
		sqlite3_bind_int64(q, 1, mid);
		bool before = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int64(q, 0) < time_us;
		sqlite3_reset(q);
		if (before)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void make_range(struct search *x, const struct search_query *q, struct search_plan *plan)
{
	int64_t end = views_upto(x->tape);
	plan->told = search_any_told(x);
	plan->after_us = q->after_us;
	plan->before_us = q->before_us;
	plan->dated = plan->told && (q->after_us > 0 || q->before_us > 0);
	plan->check = plan->check || plan->dated;
	plan->first = q->after_us > 0 ? seq_at(x, q->after_us, end) : 0;
	plan->last = (q->before_us > 0 && !plan->told ? seq_at(x, q->before_us, end) : end) - 1;
	plan->whole = plan->first == 0 && plan->last == end - 1 && q->entry == 0;
	if (q->entry > 0 && (q->entry < plan->first || q->entry > plan->last))
		plan->last = plan->first - 1;
	else if (q->entry > 0)
		plan->first = plan->last = q->entry;
}

/* ---- running ----------------------------------------------------------- */

static bool has_word(const char *text)
{
	return text[strspn(text, " \t\r\n")] != '\0';
}

/* By words and by meaning, where there are vectors. */
static int rank(struct store *s, const struct search_query *q, const struct search_plan *plan,
                struct search_found **out, size_t *count)
{
	struct vectors *v = q->vector ? vectors_of(s, false) : NULL;
	int failed = 0;
	if (!v)
		return plan->term_count > 0 ? search_rank(s->index->search, plan, out, count) : 0;
	int err = search_mix(s->index->search, v, plan, q->vector, q->model, out, count, &failed);
	if (failed)
		vectors_failed(s, failed);
	return err;
}

static int find_run(struct store *s, const struct search_query *q, size_t limit,
                    struct search_found **out, size_t *count)
{
	struct search *x = s->index->search;
	struct search_plan plan = { .session = q->session,
		.limit = limit, .beginnings = q->beginnings,
		.weights = x->weights ? x->weights : &search_weights };
	int err = find_terms(x, q, &plan);
	find_translations(s, &plan);
	if (!err)
		err = make_filters(x, q, &plan);
	if (!err && (err = db_exec(x->tape, "BEGIN")) == 0) {
		err = db_exec(x->db, "BEGIN");
		make_range(x, q, &plan);
		if (!err && (plan.term_count > 0 || has_word(q->words))) /* "?!" asks for something */
			err = rank(s, q, &plan, out, count);
		else if (!err)
			err = search_list(x, &plan, out, count);
		db_rollback(x->db);
		db_rollback(x->tape);
	}
	sqlite3_free(plan.need);
	sqlite3_free(plan.avoid);
	return err;
}

static void release_found(struct search_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(found[i].name);
	free(found);
}

/* As many as are wanted, however many are retired; with their names and lives. */
static int find_all(struct store *s, const struct search_query *q, struct search_found **found,
                    size_t *count)
{
	size_t limit = (size_t)(q->limit ? q->limit : SEARCH_LIMIT), asked = limit;
	for (;;) {
		int err = find_run(s, q, asked, found, count);
		bool more = *count == asked && asked < SEARCH_LIMIT_MOST;
		if (!err)
			err = search_name(s->index->search, *found, *count);
		if (!err)
			err = find_living(s, q, found, count);
		if (err || !more || find_is_enough(q, *found, *count, limit)) {
			while (*count > limit)
				free((*found)[--*count].name);
			return err;
		}
		release_found(*found, *count);
		*found = NULL;
		*count = 0;
		asked = SEARCH_LIMIT_MOST;
	}
}

/*
 * Everything the views have now; on a full disk, or when that takes too long since the question
 * came, what the index has.  Who writes on, faster than words go into an index, does not keep us
 * waiting, nor do those who asked before.
 */
static int index_all(struct store *s, const struct search_query *q, int64_t asked)
{
	const struct index *x = s->index;
	const int64_t wait_us = q->wait_us ? q->wait_us : SEARCH_WAIT_US;
	int64_t until = 0, left;
	int err;
	do {
		err = search_keep_up(s, BATCH, &left);
		if (!err && until == 0 && left < INT64_MAX) /* else it begins anew */
			until = x->search->upto + left;
	} while (!err && left > 0 && (until == 0 || x->search->upto < until) && !x->search->fixed &&
	         clock_since_boot() - asked < wait_us);
	if ((err == STORE_ENOSPC || err == STORE_EROFS) && x->search)
		err = 0;
	if (!err && q->extent) {
		int64_t upto = x->search->upto;
		*q->extent = (struct search_extent){ upto, until > upto ? until : upto };
	}
	return err;
}

/* ---- handing out ------------------------------------------------------- */

enum { READ_AHEAD = 16 };

struct text_of {
	struct search_text text;
	char author[FIELD_MAX + 1];
	int domain;
	int err;
};

struct texts {
	struct store *s;
	const struct search_found *found;
	struct text_of items[READ_AHEAD];
};

static void read_text(void *ctx, size_t i, const struct entry *e, int err)
{
	struct texts *all = ctx;
	struct text_of *t = &all->items[i];
	const struct search_found *f = &all->found[i];
	t->err = err;
	if (err)
		return;
	(void)snprintf(t->author, sizeof t->author, "%s", e->author);
	t->domain = f->kind == HIT_FACT ? (int)store_stream_number(e->stream, 'f') : 0;
	if (f->kind == HIT_MESSAGE)
		t->err = search_text_message(e, f->session, &t->text);
	else if (f->kind == HIT_FACT)
		t->err = search_text_fact(e, t->domain, &t->text);
	else
		t->err = search_text_document(e, f->doc, f->root, f->name, all->s->config.plain_text,
		                              &t->text);
}

static int64_t id_of(const struct search_found *f)
{
	return f->kind == HIT_DOCUMENT ? f->doc : f->kind == HIT_FACT ? f->seq : 0;
}

/* Without its text: what is in the index is a hit, redacted or not. */
static int hand_out_unread(const struct search_found *f, hit_fn *fn, void *ctx)
{
	const struct search_hit h = { .kind = f->kind, .seq = f->seq, .session = f->session,
		.n = f->n, .id = id_of(f), .life = f->life, .heir = f->heir, .score = f->score,
		.time_us = f->said_us, .author = "", .by = "", .role = search_role_name(f->role),
		.owner = "", .text = "" };
	return fn(ctx, &h) != 0;
}

static int hand_out_one(const struct search_found *f, const struct text_of *t, hit_fn *fn,
                        void *ctx)
{
	if (t->err || !t->text.body) /* it was redacted meanwhile */
		return t->err == STORE_ENOENT ? 0 : t->err;
	const struct search_hit h = { .kind = f->kind, .seq = f->seq, .session = f->session,
		.n = f->n, .id = id_of(f), .domain = t->domain, .life = f->life, .heir = f->heir,
		.score = f->score, .time_us = f->said_us, .author = t->author, .by = t->text.by,
		.role = search_role_name(f->role), .owner = t->text.owner, .text = t->text.body,
		.len = t->text.len };
	return fn(ctx, &h) != 0;
}

/* At most READ_AHEAD, read together.  1: `fn` has had enough. */
static int hand_out_some(struct store *s, const struct search_found *found, size_t count,
                         hit_fn *fn, void *ctx)
{
	int64_t seqs[READ_AHEAD];
	struct texts *t = calloc(1, sizeof *t);
	if (!t)
		return STORE_ENOMEM;
	t->s = s;
	t->found = found;
	for (size_t i = 0; i < count; i++)
		seqs[i] = found[i].seq;
	int err = store_entries_at(s, seqs, count, read_text, t);
	for (size_t i = 0; err == 0 && i < count; i++)
		err = hand_out_one(&found[i], &t->items[i], fn, ctx);
	for (size_t i = 0; i < count; i++)
		search_text_release(&t->items[i].text);
	free(t);
	return err;
}

static int hand_out(struct store *s, const struct search_query *q,
                    const struct search_found *found, size_t count, hit_fn *fn, void *ctx)
{
	int err = 0;
	for (size_t i = 0; err == 0 && q->unread && i < count; i++)
		err = hand_out_unread(&found[i], fn, ctx);
	for (size_t i = 0, n; err == 0 && !q->unread && i < count; i += n) {
		n = count - i < READ_AHEAD ? count - i : READ_AHEAD;
		err = hand_out_some(s, found + i, n, fn, ctx);
	}
	return err;
}

int store_dictionary(struct store *s, const char *names, struct why *why)
{
	struct dictionary *d = NULL;
	int err = dictionary_open(names, &d, why);
	if (err || !s) {
		dictionary_close(d);
		return err;
	}
	lock_take(&s->index->lock);
	dictionary_close(s->index->dictionary);
	s->index->dictionary = d;
	lock_give(&s->index->lock);
	return 0;
}

/* True if one among them came in from another process since we looked. */
static bool newer(struct store *s, const struct search_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].seq >= tape_entries(s))
			return true;
	return false;
}

int store_search(struct store *s, const struct search_query *q, hit_fn *fn, void *ctx)
{
	struct search_found *found = NULL;
	size_t count = 0;
	int64_t behind = 0, asked = clock_since_boot();
	const unsigned all = SEARCH_MESSAGES | SEARCH_DOCUMENTS | SEARCH_FACTS;
	if (!q->words || strlen(q->words) > WORDS_BYTES || q->limit < 0 ||
	    q->limit > SEARCH_LIMIT_MOST || q->in > all || q->session < 0 || q->after_us < 0 ||
	    q->before_us < 0 || (q->vector && !vector_model_ok(q->model)))
		return STORE_EINVAL;
	tape_see_others(s); /* the maintenance thread would notice a little later */
	int err = store_catch_up(s);
	if (err)
		return err;
	lock_take(&s->index->lock);
	err = index_all(s, q, asked);
	if (!err && q->vector && vectors_keep_up(s, BATCH, &behind))
		behind = 0; /* then without what is new */
	if (!err)
		err = find_all(s, q, &found, &count);
	lock_give(&s->index->lock);
	if (newer(s, found, count))
		tape_see_others(s);
	err = err ? err : hand_out(s, q, found, count, fn, ctx);
	release_found(found, count);
	return err < 0 ? err : 0;
}
