/* SPDX-License-Identifier: MIT */
/*
 * The part Facts of a context: of what is believed, what belongs to what is talked about.
 *
 *   take      the live facts that may be shown
 *   rank      by a search among facts for the words of the last turns; by meaning, too, where
 *             an embedding model is configured and has seen them (nobody is asked here: who
 *             looks up a page's size comes along this road); the domain tips the scales
 *   order     what matches first, the newest first among those of one subject
 *   fit       what matches in facts_most tokens, others up to facts_least (store/policy/policy.h)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/meaning/meaning.h"

enum {
	HITS_MOST = 80,    /* asked for: 150 tokens hold far fewer */
	LOOKED_AT = 200,   /* facts that are tried for size */
	SUBJECTS_MOST = 40 /* of those that match, how many are compared with each other */
};
#define OF_ONE_SUBJECT 0.5 /* likeness of the letters, as for facts that are corrected (fs/facts) */
#define OF_ITS_DOMAIN 1.1  /* a score in a domain that is talked about weighs so much more */

struct chosen {
	int64_t id, entry, confirmed_us;
	int domain;
	enum confidence confidence;
	bool inferred, of_domain;
	bool matches;      /* what is talked about */
	double score;
	char *text;
	size_t len;
};

struct choice {
	struct context *c;
	struct chosen *items;
	size_t count, room;
	int64_t now_us;
	unsigned domains;  /* that are talked about, a bit each */
	struct buf said;   /* the last turns, as render_says() wants them */
	struct buf words;  /* what they are about */
	bool by_words;     /* which search this is: who is found by words, matches */
};

/* ---- taking them ------------------------------------------------------------------ */

/* Which lists belong to what is talked about. */
static unsigned domains_of(enum topic_domain talk)
{
	static const unsigned of[TALK_COUNT] = {
		[TALK_WORK] = 1u << FACT_WORK | 1u << FACT_DECISIONS | 1u << FACT_PROJECTS,
		[TALK_PERSONAL] = 1u << FACT_PERSONAL,
		[TALK_CODE] = 1u << FACT_PROJECTS | 1u << FACT_DECISIONS | 1u << FACT_WORK,
		[TALK_PLANNING] = 1u << FACT_PROJECTS | 1u << FACT_DECISIONS };
	return of[talk] | 1u << FACT_PREFERENCES;
}

static void take_fact(void *ctx, const struct fact *f)
{
	struct choice *ch = ctx;
	struct context *c = ch->c;
	if (!tree_shows(c->fs, ino_make(KIND_FACT_LIST, f->domain)))
		return;
	fact_counts_add(&c->facts, f, ch->now_us);
	if (store_fact_state(f, ch->now_us) != FACT_INJECTED || f->len == 0)
		return;
	char *text = ARRAY_ROOM(ch->items, ch->room, ch->count) ? malloc(f->len + 1) : NULL;
	if (!text) {
		c->failed = true;
		return;
	}
	memcpy(text, f->text, f->len + 1);
	ch->items[ch->count++] = (struct chosen){ .id = f->id, .entry = f->entry,
		.confirmed_us = f->confirmed_us,
		.domain = f->domain, .confidence = f->confidence, .inferred = !f->explicit_,
		.of_domain = (ch->domains >> f->domain & 1u) != 0, .text = text, .len = f->len };
}

/* What the last turns say, and what they are about. */
static void look_at_talk(struct choice *ch)
{
	struct context *c = ch->c;
	struct summary_turn last[TOPIC_SIDE];
	size_t n = 0;
	for (size_t i = c->turns > TOPIC_SIDE ? c->turns - TOPIC_SIDE : 0; i < c->turns; i++) {
		const struct looked *t = &c->turn[i];
		last[n++] = (struct summary_turn){ .text = t->text, .len = t->len,
			.user = looked_by_user(t), .tool = strcmp(t->role, "tool") == 0 };
		render_said(&ch->said, t->text, t->len);
	}
	ch->domains = domains_of(render_topic_domain(last, n));
}

/* ---- ranking ------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int take_hit(void *ctx, const struct search_hit *h)
{
	struct choice *ch = ctx;
	const struct chosen key = { .id = h->id };
	struct chosen *f = bsearch(&key, ch->items, ch->count, sizeof key, by_id);
	if (f) {
		f->score = h->score * (f->of_domain ? OF_ITS_DOMAIN : 1);
		f->matches = f->matches || (ch->by_words && h->score > 0);
	}
	return 0;
}

static int search(struct choice *ch, const float *vector, const struct vector_model *model)
{
	const struct search_query q = { .words = ch->words.data, .in = SEARCH_FACTS,
		.limit = HITS_MOST, .unread = true, .vector = vector, .model = model };
	ch->by_words = !vector;
	return errno_of_store(store_search(ch->c->fs->store, &q, take_hit, ch));
}

/* Those as near in meaning as turns that belong together. */
static void match_by_meaning(struct choice *ch, const float *asked, const struct vector_model *m,
                             const struct model_calibration *calibration)
{
	for (size_t i = 0; i < ch->count; i++) {
		struct chosen *f = &ch->items[i];
		float *vector = f->matches || f->score <= 0 ? NULL :
			meaning_of(ch->c->fs, m, f->text, f->len);
		f->matches = f->matches || (vector && policy_calibrated(&calibration->turns,
			vector_cosine(asked, vector, m->dims)) >= ch->c->policy.close);
		free(vector);
	}
}

static int rank_by_meaning(struct choice *ch, const struct looked *newest)
{
	struct vector_model model;
	struct model_calibration calibration;
	if (!embedder_model(ch->c->fs, &model))
		return 0;
	float *asked = meaning_of(ch->c->fs, &model, newest->text, newest->len);
	int err = asked ? search(ch, asked, &model) : 0;
	if (asked && !err && meaning_calibration(ch->c->fs, &model, &calibration))
		match_by_meaning(ch, asked, &model, &calibration);
	free(asked);
	return err;
}

static int rank(struct choice *ch)
{
	size_t newest;
	if (ch->count == 0 || context_asked(ch->c, ASKED_ENOUGH, &ch->words, &newest) == 0)
		return 0;
	if (ch->words.failed)
		return -ENOMEM;
	qsort(ch->items, ch->count, sizeof *ch->items, by_id);
	int err = search(ch, NULL, NULL);
	return err ? err : rank_by_meaning(ch, &ch->c->turn[newest]);
}

/* ---- the order ------------------------------------------------------------------------ */

static int by_relevance(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	if (x->matches != y->matches)
		return x->matches ? -1 : 1;
	if (!x->matches && x->of_domain != y->of_domain)
		return x->of_domain ? -1 : 1;
	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	if (x->confidence != y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	if (x->confirmed_us != y->confirmed_us)
		return x->confirmed_us > y->confirmed_us ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

static bool of_one_subject(const struct chosen *a, const struct chosen *b)
{
	return render_similarity(a->text, a->len, b->text, b->len) >= OF_ONE_SUBJECT;
}

/* What was said last of a subject stands before what was said of it earlier. */
static void newest_first(struct choice *ch)
{
	size_t n = 0;
	while (n < ch->count && n < SUBJECTS_MOST && ch->items[n].matches)
		n++;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (ch->items[k].confirmed_us > ch->items[i].confirmed_us &&
			    of_one_subject(&ch->items[i], &ch->items[k])) {
				const struct chosen newer = ch->items[k];
				memmove(&ch->items[i + 1], &ch->items[i], (k - i) * sizeof newer);
				ch->items[i] = newer;
			}
}

/* ---- what is shown ----------------------------------------------------------------------- */

/*
 * Said in one of the last turns: by its own words, or in the message it came from.  A question says
 * nothing, and a thread's page does not show what was said.
 */
static bool said_lately(const struct choice *ch, const struct chosen *f)
{
	const struct context *c = ch->c;
	int64_t now = 0, seen = 0;
	if (!c->session || c->of_thread)
		return false;
	for (size_t i = 0; i < c->turns; i++) {
		now++;
		if (c->turn[i].seq == f->entry)
			seen = now;
	}
	if (policy_omits_fact(&c->policy, now, seen))
		return true;
	return render_says(&ch->said, f->text, f->len);
}

static struct context_part part_of(const struct chosen *f)
{
	return (struct context_part){ .kind = CONTEXT_FACTS, .text = f->text, .len = f->len,
		.title = store_fact_domain_name(f->domain), .where = "facts/", .role = "",
		.inferred = f->inferred, .confidence = f->confidence, .time_us = f->confirmed_us };
}

static void add_facts(struct choice *ch)
{
	struct policy_fact fit[LOOKED_AT];
	const struct chosen *of[LOOKED_AT];
	size_t n = 0;
	for (size_t i = 0; i < ch->count && n < LOOKED_AT; i++) {
		const struct chosen *f = &ch->items[i];
		const struct context_part part = part_of(f);
		if (said_lately(ch, f)) {
			ch->c->left.repeated++;
			continue;
		}
		of[n] = f;
		fit[n++] = (struct policy_fact){ .relevant = f->matches,
			.tokens = part_tokens(ch->c, &part) };
	}
	(void)policy_facts_fit(&ch->c->policy, fit, n);
	int64_t shown = 0;
	for (size_t i = 0; i < n; i++) {
		const struct context_part part = part_of(of[i]);
		if (!fit[i].shown)
			continue;
		shown++;
		(void)context_add_counted(ch->c, &part, fit[i].tokens, PART_FACT, of[i]->id, 0);
	}
	ch->c->left.facts = ch->c->facts.live - shown;
	ch->c->left.stale = ch->c->facts.stale;
}

int context_facts_count(struct context *c)
{
	struct fact_counts n;
	int err = 0;
	for (int d = 1; !err && store_fact_domain_name(d); d++) {
		if (!tree_shows(c->fs, ino_make(KIND_FACT_LIST, d)))
			continue;
		err = facts_count(c->fs, d, &n);
		if (err)
			break;
		c->facts.live += n.live;
		c->facts.stale += n.stale;
		c->facts.expiring += n.expiring;
	}
	return err;
}

/* A search that cannot be made leaves the facts their domains. */
int context_facts(struct context *c)
{
	struct choice ch = { .c = c, .now_us = store_time(c->fs->store), .said = BUF_INIT,
		.words = BUF_INIT };
	int err = 0;
	look_at_talk(&ch);
	for (int d = 1; !err && store_fact_domain_name(d); d++)
		err = errno_of_store(store_fact_live(c->fs->store, d, take_fact, &ch));
	if (!err && rank(&ch) == -ENOMEM)
		err = -ENOMEM;
	if (!err && ch.count)
		qsort(ch.items, ch.count, sizeof *ch.items, by_relevance);
	if (!err) {
		newest_first(&ch);
		add_facts(&ch);
	}
	for (size_t i = 0; i < ch.count; i++)
		free(ch.items[i].text);
	free(ch.items);
	buf_release(&ch.said);
	buf_release(&ch.words);
	return err;
}
