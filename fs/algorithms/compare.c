/* SPDX-License-Identifier: MIT */
/*
 * Asks two versions of an algorithm the same questions (compare.h) and measures their rankings.
 * It never counts a use and never writes.
 */
#include "fs/algorithms/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs/internal.h"

enum { CASES_SHOWN = 5 };

struct ranking {
	struct ranked items[MEMORIES_REORDERED];
	size_t count;
};

struct outcome {
	const struct asked_question *asked;
	double overlap, tau, ndcg[2];
	int64_t best[2]; /* documents, 0: nothing */
	bool answered, same;
};

struct measured {
	struct outcome *items;
	size_t count;
	int64_t *want; /* expected documents of all questions, one after the other */
	struct compare_case unlike[CASES_SHOWN];
	char path[2 * (CASES_SHOWN + 1)][PATH_LIMIT + 1];
};

struct mean {
	double sum;
	size_t count;
};

static void mean_add(struct mean *m, double value)
{
	if (isnan(value))
		return;
	m->sum += value;
	m->count++;
}

static double mean_of(const struct mean *m)
{
	return m->count ? m->sum / (double)m->count : NAN;
}

struct run {
	struct fs *fs;
	const struct compared *side;
	struct comparison *out;
	struct measured *in;
	int64_t now; /* one for all, or the later question has the older memories */
	struct mean overlap, tau, cost[2], recall[2], reciprocal[2], ndcg[2];
};

/* ---- what is expected ------------------------------------------------------- */

static int expected_doc(struct fs *fs, const char *path, int line, int64_t *id, struct why *why)
{
	const char *name = strrchr(path, '/');
	char parent[DOC_KEY_MAX + 1];
	struct doc d = { .id = 0 };
	bool fits = name && tree_is_below(fs, path, KIND_MEMORIES) &&
		(size_t)(name - path) < sizeof parent;
	int err = -ENOENT;
	if (fits) {
		(void)snprintf(parent, sizeof parent, "%.*s", (int)(name - path), path);
		err = errno_of_store(store_doc_at(fs->store, parent, name + 1, &d));
	}
	if (err == -ENOENT) {
		why_set(why, "name it as memories/TYPE/KEY.md", "%.200s is no memory", path);
		why->line = line;
	}
	*id = d.id;
	return err;
}

/* Who was superseded is expected as who stands for it; whoever is gone is expected in vain. */
static int expect_all(struct run *run, const struct asked_questions *asked, struct why *why)
{
	size_t all = 0, at = 0;
	int err = 0;
	for (size_t i = 0; i < asked->count; i++)
		all += asked->items[i].count;
	run->in->want = calloc(all + 1, sizeof *run->in->want);
	int64_t *named = calloc(all + 1, sizeof *named);
	if (!run->in->want || !named)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < asked->count; i++)
		for (size_t j = 0; !err && j < asked->items[i].count; j++, at++)
			err = expected_doc(run->fs, asked->items[i].expected[j], asked->items[i].line,
			                   &named[at], why);
	if (!err)
		memcpy(run->in->want, named, all * sizeof *named);
	if (!err)
		err = errno_of_store(store_memory_heirs(run->fs->store, run->in->want, all, run->now));
	for (at = 0; !err && at < all; at++)
		if (run->in->want[at] == 0)
			run->in->want[at] = -named[at];
	free(named);
	return err;
}

/* Two names of one memory are one expectation. */
static size_t distinct(int64_t *want, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;
		while (j < kept && want[j] != want[i])
			j++;
		want[j] = want[i];
		kept += j == kept;
	}
	return kept;
}

/* ---- asking ------------------------------------------------------------------ */

static int add_ranked(void *ctx, const struct memory_hit *h)
{
	struct ranking *r = ctx;
	r->items[r->count++] = (struct ranked){ h->id, h->score.total };
	return r->count == MEMORIES_REORDERED;
}

static double cpu_us(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The first to be asked also warms the caches: they take turns. */
static int rank_both(struct run *run, const char *words, size_t turn, struct ranking both[2],
                     double cost[2])
{
	int err = 0;
	for (size_t i = 0; !err && i < 2; i++) {
		size_t side = (turn + i) % 2;
		double from = cpu_us();
		both[side].count = 0;
		err = errno_of_store(store_rank_memories(run->fs->store, &run->side[side].by,
		                                         *words ? words : NULL, run->now, add_ranked,
		                                         &both[side]));
		cost[side] = cpu_us() - from;
	}
	return err;
}

static void compare_both(const struct ranking both[2], size_t k, struct outcome *r)
{
	const struct ranking *a = &both[0], *b = &both[1];
	r->overlap = measure_overlap(a->items, a->count, b->items, b->count, k);
	r->tau = measure_tau(a->items, a->count, b->items, b->count);
	r->answered = a->count + b->count > 0;
	r->same = a->count == b->count;
	for (size_t i = 0; r->same && i < a->count; i++)
		r->same = a->items[i].id == b->items[i].id;
	for (int i = 0; i < 2; i++)
		r->best[i] = both[i].count ? both[i].items[0].id : 0;
}

static void judge(struct run *run, const struct ranking both[2], const int64_t *want, size_t wants,
                  struct outcome *r)
{
	size_t k = run->out->k;
	for (int i = 0; i < 2; i++) {
		const struct ranking *one = &both[i];
		r->ndcg[i] = measure_ndcg(one->items, one->count, want, wants, k);
		mean_add(&run->ndcg[i], r->ndcg[i]);
		mean_add(&run->recall[i], measure_recall(one->items, one->count, want, wants, k));
		mean_add(&run->reciprocal[i], measure_reciprocal(one->items, one->count, want, wants, k));
	}
	run->out->judged += wants > 0;
	run->out->side[0].better += r->ndcg[0] > r->ndcg[1];
	run->out->side[1].better += r->ndcg[1] > r->ndcg[0];
}

static int ask_one(struct run *run, const struct asked_question *asked, int64_t *want)
{
	struct ranking both[2];
	struct outcome *r = &run->in->items[run->in->count];
	double cost[2] = { 0 };
	int err = rank_both(run, asked->words, run->in->count, both, cost);
	if (err)
		return err;
	*r = (struct outcome){ .asked = asked };
	compare_both(both, run->out->k, r);
	judge(run, both, want, distinct(want, asked->count), r);
	mean_add(&run->overlap, r->overlap);
	mean_add(&run->tau, r->tau);
	mean_add(&run->cost[0], cost[0]);
	mean_add(&run->cost[1], cost[1]);
	run->out->answered += r->answered;
	run->out->same += r->answered && r->same;
	run->out->other_best += r->best[0] != r->best[1];
	run->in->count++;
	return 0;
}

static int ask_nothing(struct run *run)
{
	struct ranking both[2];
	struct outcome r;
	double cost[2];
	int err = rank_both(run, "", 0, both, cost);
	if (!err)
		compare_both(both, run->out->k, &r);
	run->out->unasked = err ? (struct compare_case){ .words = "" } :
		(struct compare_case){ .words = "", .overlap = r.overlap, .tau = r.tau,
		                       .ndcg = { NAN, NAN }, .best = { "", "" } };
	return err;
}

/* ---- where they differ most ---------------------------------------------------- */

static double or_same(double x)
{
	return isnan(x) ? 1 : x;
}

static double gap(const struct outcome *r)
{
	return isnan(r->ndcg[0]) ? 0 : fabs(r->ndcg[0] - r->ndcg[1]);
}

/* What is judged otherwise first, then what has less in common, then what has another order. */
static int by_difference(const void *a, const void *b)
{
	const struct outcome *x = a, *y = b;
	const double by[3][2] = { { gap(y), gap(x) }, { or_same(x->overlap), or_same(y->overlap) },
		{ or_same(x->tau), or_same(y->tau) } };
	for (int i = 0; i < 3; i++)
		if (by[i][0] < by[i][1] || by[i][0] > by[i][1])
			return by[i][0] < by[i][1] ? -1 : 1;
	return (x->asked > y->asked) - (x->asked < y->asked);
}

static void show_unlike(struct run *run)
{
	struct measured *in = run->in;
	size_t shown = 0;
	qsort(in->items, in->count, sizeof *in->items, by_difference);
	for (size_t i = 0; i < in->count && shown < CASES_SHOWN; i++) {
		const struct outcome *r = &in->items[i];
		struct compare_case *c = &in->unlike[shown];
		if (r->same)
			continue;
		*c = (struct compare_case){ .words = r->asked->words, .overlap = r->overlap,
			.tau = r->tau, .ndcg = { r->ndcg[0], r->ndcg[1] } };
		for (size_t side = 0; side < 2; side++) {
			char *path = in->path[2 * shown + side];
			if (r->best[side])
				tree_path(run->fs, ino_make(KIND_DOC, r->best[side]), NULL, path, PATH_LIMIT + 1);
			c->best[side] = path;
		}
		shown++;
	}
	run->out->unlike = in->unlike;
	run->out->unlikes = shown;
}

/* ---- the whole ------------------------------------------------------------------- */

static void summarise(struct run *run)
{
	struct comparison *c = run->out;
	c->overlap = mean_of(&run->overlap);
	c->tau = mean_of(&run->tau);
	c->alike = memcmp(&run->side[0].by, &run->side[1].by, sizeof run->side[0].by) == 0;
	for (int i = 0; i < 2; i++) {
		struct compare_side *s = &c->side[i];
		s->version = run->side[i].version;
		s->status = run->side[i].status;
		s->recall = mean_of(&run->recall[i]);
		s->reciprocal = mean_of(&run->reciprocal[i]);
		s->ndcg = mean_of(&run->ndcg[i]);
		s->cost_us = mean_of(&run->cost[i]);
	}
	show_unlike(run);
}

int compare_run(struct fs *fs, const struct compared side[2], struct asked_questions *asked,
                struct comparison *out, struct measured **in, struct why *why)
{
	struct run run = { .fs = fs, .side = side, .out = out, .now = store_time(fs->store) };
	run.in = *in = calloc(1, sizeof **in);
	if (!run.in)
		return -ENOMEM;
	run.in->items = calloc(asked->count + 1, sizeof *run.in->items);
	int err = run.in->items ? expect_all(&run, asked, why) : -ENOMEM;
	int64_t *want = run.in->want;
	if (!err && asked->count > 0) /* once for nothing: what has to catch up does */
		err = rank_both(&run, asked->items[0].words, 0, (struct ranking[2]){ 0 }, (double[2]){ 0 });
	for (size_t i = 0; !err && i < asked->count; i++) {
		err = ask_one(&run, &asked->items[i], want);
		want += asked->items[i].count;
	}
	out->questions = asked->count;
	out->time_us = run.now;
	if (!err)
		err = ask_nothing(&run);
	if (!err)
		summarise(&run);
	return err;
}

void measured_free(struct measured *m)
{
	if (m) {
		free(m->items);
		free(m->want);
	}
	free(m);
}
