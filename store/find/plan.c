/* SPDX-License-Identifier: MIT */
/*
 * A question becomes a plan: its words, what it needs and avoids as expressions, its time.  Words
 * go into FTS5's expressions only as quoted tokens of our own tokenizer, so nothing a user types is
 * syntax.
 */
#include "store/find/plan.h"

#include <string.h>

#include "store/internal.h"
#include "store/views/views.h"

enum { PHRASES_MOST = 32 }; /* phrases and exceptions, each */

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
		if (!err && words > SEARCH_PHRASE_WORDS)
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
	if (plan->term_count > 0) /* the newest of a role are found as fast without */
		add_scope(&need, 'r', q->role);
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

int plan_make(struct store *s, const struct search_query *q, struct search_plan *plan)
{
	struct search *x = s->index->search;
	*plan = (struct search_plan){ .session = q->session, .beginnings = q->beginnings,
		.weights = x->weights ? x->weights : &search_weights };
	int err = find_terms(x, q, plan);
	find_translations(s, plan);
	return err ? err : make_filters(x, q, plan);
}

void plan_release(struct search_plan *plan)
{
	sqlite3_free(plan->need);
	sqlite3_free(plan->avoid);
}

/* ---- time -------------------------------------------------------------- */

void plan_range(struct search *x, const struct search_query *q, struct search_plan *plan)
{
	int64_t end = views_upto(x->tape);
	int64_t first = q->after_us > 0 ? search_seq_of(x, q->after_us) : 0;
	int64_t stop = q->before_us > 0 ? search_seq_of(x, q->before_us) : end;
	bool back = first < 0 || stop < 0;
	plan->told = back || search_any_told(x);
	plan->after_us = q->after_us;
	plan->before_us = q->before_us;
	plan->dated = plan->told && (q->after_us > 0 || q->before_us > 0);
	plan->check = plan->check || plan->dated;
	plan->first = back ? 0 : first;
	plan->last = (plan->told ? end : stop) - 1;
	plan->whole = plan->first == 0 && plan->last == end - 1 && q->entry == 0;
	if (q->entry > 0 && (q->entry < plan->first || q->entry > plan->last))
		plan->last = plan->first - 1;
	else if (q->entry > 0)
		plan->first = plan->last = q->entry;
}
