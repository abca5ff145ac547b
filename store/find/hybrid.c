/* SPDX-License-Identifier: MIT */
/*
 * Words and meaning in one score:
 *
 *   z(words) + MEANING * z(cosine)        z over all texts that pass the filters
 *
 * A text that holds no word has a score of 0 by words; one without a vector is neither near nor
 * far, z = 0.  Put in the units of the scores by words, so that they stay what they are:
 *
 *   score = words + c * (cosine - mean)   c = MEANING * deviation of words / of cosines
 *
 * Mean and deviation are of the whole scope, by brute force; the sums are made for those texts only
 * that are among the best by words or by meaning.  What is in neither list is bounded by their last
 * ones, so the lists are made longer until nothing outside of them can be among the hits.
 */
#include "store/find/hybrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

enum {
	WHOLE = 2000, /* texts of a scope that are all looked at */
	LIST = 400,   /* else at first so many, and … */
	LIMITS = 4,   /* … so many times the hits that are wanted */
	ROUNDS = 3    /* each with lists four times as long */
};
#define ALIKE 1e-6 /* a deviation of cosines that is none */

struct pick {
	int64_t seq;
	float cosine;
};

struct mixing {
	struct search *x;
	struct vectors *v;
	const struct search_plan *plan;
	uint32_t *rows; /* places in v->rows of the texts that pass */
	size_t count;
	double texts;   /* how many pass, also those that are not in v->rows */
	float *cosine;  /* by number of the hash, NAN: none */
	double mean, deviation;
	struct pick *picks; /* the best by meaning, above the mean */
	size_t pick_count;
	double unit;    /* c, above */
	bool whole;     /* the lists hold all that can be found */
};

/* ---- scope ------------------------------------------------------------- */

static bool add_row(struct mixing *m, size_t at)
{
	int role = (m->v->rows[at].flags & FLAG_ROLE) >> FLAG_ROLE_SHIFT;
	bool message = (m->v->rows[at].flags & FLAG_KIND) == HIT_MESSAGE;
	if (!(m->plan->tables & (message ? IN_MESSAGES : IN_PAGES)))
		return false;
	if ((m->plan->role != ROLE_NONE && m->plan->role != role) ||
	    post_dated(m->x, m->plan, m->v->rows[at].seq) <= 0)
		return false;
	m->rows[m->count++] = (uint32_t)at;
	m->texts++;
	return true;
}

/* What must occur, less what must not; without the former, the latter. */
static char *match_of(const struct search_plan *plan)
{
	if (*plan->need && *plan->avoid)
		return sqlite3_mprintf("(%s) NOT (%s)", plan->need, plan->avoid);
	return sqlite3_mprintf("%s", *plan->need ? plan->need : plan->avoid);
}

/* Walks the rows and what the index says beside each other. */
static int read_scope(struct mixing *m)
{
	const struct search_plan *plan = m->plan;
	bool need = *plan->need, ask = need || *plan->avoid;
	sqlite3_stmt *q = m->x->stmt[SEARCH_PASSING];
	char *match = match_of(plan);
	size_t at = 0;
	int rc = SQLITE_DONE;
	if (!match)
		return STORE_ENOMEM;
	while (at < m->v->count && m->v->rows[at].seq < plan->first)
		at++;
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, plan->first);
	sqlite3_bind_int64(q, 3, plan->last);
	sqlite3_bind_int64(q, 4, plan->tables);
	while (ask && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		for (; at < m->v->count && m->v->rows[at].seq < seq; at++)
			if (!need)
				(void)add_row(m, at);
		bool here = at < m->v->count && m->v->rows[at].seq == seq;
		if (need && here)
			(void)add_row(m, at);
		m->texts += need && !here; /* it has no vector, for all we know */
		at += here;
	}
	for (; !need && at < m->v->count && m->v->rows[at].seq <= plan->last; at++)
		(void)add_row(m, at);
	int64_t unseen = plan->first > m->v->upto ? plan->first : m->v->upto;
	if (!need && plan->last >= unseen)
		m->texts += (double)(plan->last - unseen + 1);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	sqlite3_free(match);
	return db_error(rc);
}

/* ---- cosines ----------------------------------------------------------- */

static float cosine_of(const struct mixing *m, const struct vector_row *row)
{
	return row && row->id < PACK * m->v->pack_count ? m->cosine[row->id] : NAN;
}

static float cosine_at(const struct mixing *m, size_t i)
{
	return cosine_of(m, &m->v->rows[m->rows[i]]);
}

static int read_cosines(struct mixing *m, const float *unit)
{
	size_t packs = m->v->pack_count;
	uint64_t *want = calloc(packs + 1, sizeof *want);
	m->cosine = malloc((PACK * packs + 1) * sizeof *m->cosine);
	for (size_t i = 0; want && i < m->count; i++) {
		uint32_t id = m->v->rows[m->rows[i]].id;
		if (id / PACK < packs)
			want[id / PACK] |= UINT64_C(1) << id % PACK;
	}
	int err = want && m->cosine ? vectors_cosines(m->v, unit, want, m->cosine) : STORE_ENOMEM;
	free(want);
	return err;
}

/* False: too few have a vector, or all are alike. */
static bool weigh(struct mixing *m)
{
	double sum = 0, squares = 0, count = 0;
	for (size_t i = 0; i < m->count; i++) {
		float cosine = cosine_at(m, i);
		sum += isnan(cosine) ? 0 : (double)cosine;
		count += !isnan(cosine);
	}
	m->mean = count > 0 ? sum / count : 0;
	for (size_t i = 0; i < m->count; i++) {
		double off = (double)cosine_at(m, i) - m->mean;
		squares += isnan(off) ? 0 : off * off;
	}
	m->deviation = count > 0 ? sqrt(squares / count) : 0;
	return 2 * count >= m->texts && m->deviation > ALIKE;
}

static bool farther(struct pick a, struct pick b)
{
	return a.cosine < b.cosine || (!(a.cosine > b.cosine) && a.seq < b.seq);
}

/* The `most` nearest: a heap with the farthest on top. */
static int choose(struct mixing *m, size_t most)
{
	free(m->picks);
	m->picks = malloc((most + 1) * sizeof *m->picks);
	m->pick_count = 0;
	if (!m->picks)
		return STORE_ENOMEM;
	for (size_t i = 0; i < m->count; i++) {
		struct pick p = { m->v->rows[m->rows[i]].seq, cosine_at(m, i) };
		size_t at = 0;
		if (!((double)p.cosine > m->mean) || (m->pick_count == most && !farther(m->picks[0], p)))
			continue;
		if (m->pick_count < most) {
			at = m->pick_count++;
			for (; at > 0 && farther(p, m->picks[(at - 1) / 2]); at = (at - 1) / 2)
				m->picks[at] = m->picks[(at - 1) / 2];
		} else {
			for (size_t child; (child = 2 * at + 1) < most; at = child) {
				child += child + 1 < most && farther(m->picks[child + 1], m->picks[child]);
				if (!farther(m->picks[child], p))
					break;
				m->picks[at] = m->picks[child];
			}
		}
		m->picks[at] = p;
	}
	return 0;
}

/* ---- mixing ------------------------------------------------------------ */

static int by_seq(const void *a, const void *b)
{
	const struct search_found *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_score(const void *a, const void *b)
{
	const struct search_found *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score < y->score ? 1 : -1;
	return by_seq(b, a);
}

static size_t drop_doubles(struct search_found *f, size_t count)
{
	size_t kept = 0;
	if (count > 0)
		qsort(f, count, sizeof *f, by_seq);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || f[kept - 1].seq != f[i].seq)
			f[kept++] = f[i];
	return kept;
}

/* What the scores by words are worth in those by meaning; 0: they differ in nothing. */
static double unit_of(const struct mixing *m, const struct search_found *f, size_t count,
                      const struct search_spread *spread)
{
	double sum = 0, squares = 0, best = 0, texts = m->texts;
	for (size_t i = 0; i < count; i++) {
		sum += f[i].score;
		squares += f[i].score * f[i].score;
		best = f[i].score > best ? f[i].score : best;
	}
	if (best <= 0)
		return 1 / m->deviation; /* no words: the cosine's z alone */
	if (!spread->whole) {
		sum = spread->sum;
		squares = spread->squares;
	}
	texts = texts < (double)count ? (double)count : texts;
	double variance = squares / texts - sum / texts * (sum / texts);
	return variance > 0 ? MEANING * sqrt(variance) / m->deviation : 0;
}

/* True if none outside of the lists can be among the first `limit`. */
static bool settled(const struct mixing *m, const struct search_found *f, size_t count,
                    bool more_words, double last_words, bool more_picks)
{
	double bound = (more_words ? last_words : 0) +
		(more_picks ? m->unit * ((double)m->picks[0].cosine - m->mean) : 0);
	if (!more_words && !more_picks)
		return true;
	return count >= m->plan->limit && f[m->plan->limit - 1].score >= bound;
}

/* Without a word only what is nearer than the mean stays; best first. */
static void add_meaning(const struct mixing *m, struct search_found *f, size_t *count)
{
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++) {
		float cosine = cosine_of(m, vectors_row(m->v, f[i].seq));
		double off = isnan(cosine) ? 0 : (double)cosine - m->mean;
		if (f[i].score <= 0 && off <= 0)
			continue;
		f[kept] = f[i];
		f[kept++].score += m->unit * off;
	}
	*count = kept;
	if (kept > 0)
		qsort(f, kept, sizeof *f, by_score);
}

/* One round: *done when its hits are the best there are. */
static int mix(struct mixing *m, size_t list, struct search_found **out, size_t *count, bool *done)
{
	struct search_spread spread = { 0 };
	struct search_plan plan = *m->plan;
	int err = choose(m, list);
	int64_t *also = err ? NULL : malloc((m->pick_count + 1) * sizeof *also);
	if (!also)
		return STORE_ENOMEM;
	for (size_t i = 0; i < m->pick_count; i++)
		also[i] = m->picks[i].seq;
	plan.also = also;
	plan.also_count = m->pick_count;
	plan.spread = &spread;
	plan.limit = list;
	err = search_rank(m->x, &plan, out, count);
	free(also);
	if (err)
		return err;
	struct search_found *f = *out;
	bool more_words = spread.found == list;
	double last_words = more_words ? f[list - 1].score : 0;
	*count = drop_doubles(f, *count);
	m->unit = unit_of(m, f, *count, &spread);
	add_meaning(m, f, count);
	*done = settled(m, f, *count, more_words, last_words, m->pick_count == list);
	return 0;
}

static int by_words(struct search *x, const struct search_plan *plan, struct search_found **out,
                    size_t *count)
{
	*out = NULL;
	*count = 0;
	return plan->term_count > 0 ? search_rank(x, plan, out, count) : 0;
}

static int mix_all(struct mixing *m, struct search_found **out, size_t *count)
{
	size_t limit = m->plan->limit, list = LIMITS * limit > LIST ? LIMITS * limit : LIST;
	bool done = false;
	int err = 0;
	if (m->texts <= (double)WHOLE && list <= WHOLE)
		list = WHOLE + 1;
	for (int round = 0; !err && !done && round < ROUNDS; round++, list *= 4) {
		free(*out);
		*out = NULL;
		err = mix(m, list, out, count, &done);
	}
	*count = *count < limit ? *count : limit;
	if (!err && m->unit > 0)
		return 0;
	free(*out);
	return err ? err : by_words(m->x, m->plan, out, count);
}

/* 1: there is something to mix. */
static int prepare(struct mixing *m, const float *vector, const struct vector_model *model)
{
	float *unit = malloc((size_t)model->dims * sizeof *unit);
	int err = unit ? 0 : STORE_ENOMEM;
	if (!err && !vector_unit(vector, model->dims, unit))
		err = STORE_ENOENT;
	err = err ? err : vectors_load(m->v, model);
	m->rows = err ? NULL : malloc((m->v->count + 1) * sizeof *m->rows);
	if (!err && !m->rows)
		err = STORE_ENOMEM;
	err = err ? err : read_scope(m);
	err = err ? err : read_cosines(m, unit);
	free(unit);
	return err == STORE_ENOENT ? 0 : err ? err : weigh(m);
}

int search_mix(struct search *x, struct vectors *v, const struct search_plan *plan,
               const float *vector, const struct vector_model *model, struct search_found **out,
               size_t *count, int *failed)
{
	struct mixing m = { .x = x, .v = v, .plan = plan };
	*out = NULL;
	*count = 0;
	*failed = db_exec(v->db, "BEGIN");
	int ready = *failed ? 0 : prepare(&m, vector, model);
	*failed = ready < 0 ? ready : *failed;
	int err = ready > 0 ? mix_all(&m, out, count) : by_words(x, plan, out, count);
	db_rollback(v->db);
	free(m.rows);
	free(m.cosine);
	free(m.picks);
	return err;
}
