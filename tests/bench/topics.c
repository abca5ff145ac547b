/* SPDX-License-Identifier: MIT */
/*
 * What the n-gram vectors of policy.h know about topics, on conversations with sessions.
 *
 *   LOCOMO=file topics      from the top of the source tree
 *
 * The file is in the form of the LoCoMo benchmark (its licence does not let us bring it
 * along): [{"conversation":{"session_1":[{"text":…},…],…}},…].  Borders:
 *
 *   within   3 turns and the next 3 of one session: a shift there is a false alarm
 *   session  the last 3 of a session and the first 3 of the next
 *   hard     3 turns and 3 of another conversation
 *
 * The constants of calibration_turns and calibration_windows (store/policy/topic.c) are the
 * quantiles printed here.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/render.h"
#include "store/store.h"

enum { TURNS_MOST = 8192, BORDERS_MOST = 16384, SIDES = 2 * TOPIC_SIDE };

struct said_turn {
	struct ngram_vector ngrams;
	const char *text; /* borrowed from the JSON */
	int talk, session; /* which conversation, which of its sessions */
};

struct set {
	const char *name;
	double *similarity;
	size_t count, domains; /* borders; how many of them change the domain */
};

static struct said_turn turns[TURNS_MOST];
static size_t turn_count;

static void fail(const char *what)
{
	fprintf(stderr, "topics: %s\n", what);
	exit(1);
}

static void add_session(const json_t *session, int talk, int number)
{
	size_t i;
	json_t *turn;
	json_array_foreach(session, i, turn) {
		const char *text = json_string_value(json_object_get(turn, "text"));
		if (!text || turn_count == TURNS_MOST)
			continue;
		struct said_turn *t = &turns[turn_count++];
		*t = (struct said_turn){ .text = text, .talk = talk, .session = number };
		if (ngram_vector_of(&t->ngrams, text, strlen(text)) != 0)
			fail("no memory");
	}
}

static void read_talks(const json_t *talks)
{
	size_t i;
	json_t *talk;
	char name[32];
	json_array_foreach(talks, i, talk)
		for (int n = 1; n < 100; n++) {
			(void)snprintf(name, sizeof name, "session_%d", n);
			add_session(json_object_get(json_object_get(talk, "conversation"), name), (int)i, n);
		}
}

/* ---- borders ---------------------------------------------------------------- */

static enum topic_domain domain_of(size_t first)
{
	struct summary_turn side[TOPIC_SIDE];
	for (size_t i = 0; i < TOPIC_SIDE; i++)
		side[i] = (struct summary_turn){ .text = turns[first + i].text, .len = strlen(turns[first + i].text) };
	return render_topic_domain(side, TOPIC_SIDE);
}

/* Not calibrated: of the 3 turns from `before` and the 3 from `after`. */
static double cosine(size_t before, size_t after)
{
	const struct ngram_vector *some[SIDES];
	struct ngram_vector a, b;
	for (size_t i = 0; i < TOPIC_SIDE; i++) {
		some[i] = &turns[before + i].ngrams;
		some[TOPIC_SIDE + i] = &turns[after + i].ngrams;
	}
	if (ngram_vector_mean(&a, some, TOPIC_SIDE) != 0 ||
	    ngram_vector_mean(&b, some + TOPIC_SIDE, TOPIC_SIDE) != 0)
		fail("no memory");
	double is = ngram_vector_similarity(&a, &b);
	ngram_vector_release(&a);
	ngram_vector_release(&b);
	return is;
}

static void add_border(struct set *s, size_t before, size_t after)
{
	if (s->count == BORDERS_MOST)
		fail("too many borders");
	enum topic_domain a = domain_of(before), b = domain_of(after);
	s->similarity[s->count++] = cosine(before, after);
	s->domains += a != TALK_NONE && b != TALK_NONE && a != b;
}

static bool same(size_t a, size_t b)
{
	return turns[a].talk == turns[b].talk && turns[a].session == turns[b].session;
}

/* A turn of another conversation with two more behind it in its session. */
static size_t stranger(size_t i)
{
	for (size_t k = 1; k < turn_count; k++) {
		size_t at = (i + turn_count / 2 + 7 * k) % turn_count;
		if (turns[at].talk != turns[i].talk && at + 2 < turn_count && same(at, at + 2))
			return at;
	}
	fail("only one conversation");
	return 0;
}

static void find_borders(struct set *within, struct set *session, struct set *hard)
{
	for (size_t i = TOPIC_SIDE; i + TOPIC_SIDE <= turn_count; i++) {
		if (!same(i - 3, i - 1) || !same(i, i + 2))
			continue;
		if (same(i - 1, i)) {
			add_border(within, i - 3, i);
			add_border(hard, i - 3, stranger(i));
		} else if (turns[i - 1].talk == turns[i].talk) {
			add_border(session, i - 3, i);
		}
	}
}

/* ---- figures ------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double share_below(const double *sorted, size_t n, double limit)
{
	size_t below = 0;
	while (below < n && sorted[below] < limit)
		below++;
	return n ? (double)below / (double)n : 0;
}

/* How often a border is less similar than a turn within a session; ties count half. */
static double auc(const struct set *within, const struct set *other)
{
	double sum = 0;
	for (size_t i = 0; i < other->count; i++)
		for (size_t k = 0; k < within->count; k++)
			sum += other->similarity[i] < within->similarity[k]    ? 1
			       : other->similarity[i] <= within->similarity[k] ? 0.5
			                                                       : 0;
	return sum / ((double)other->count * (double)within->count);
}

static double quantile(const double *sorted, size_t n, double share)
{
	return sorted[(size_t)(share * (double)(n - 1))];
}

static double fires(const struct set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->count; i++)
		n += policy_calibrated(&calibration_windows, s->similarity[i]) < policy_default.shift;
	return (double)n / (double)s->count;
}

/* Where one conversation differs from the others, so will the next one. */
static void report_talks(void)
{
	size_t all = 0, fired = 0;
	printf("\nfalse alarms by conversation:");
	for (size_t i = TOPIC_SIDE; i + TOPIC_SIDE <= turn_count; i++) {
		if (same(i - 3, i + 2)) {
			all++;
			fired += policy_calibrated(&calibration_windows, cosine(i - 3, i)) < policy_default.shift;
		}
		if (all > 0 && (i + TOPIC_SIDE == turn_count || turns[i + 1].talk != turns[i].talk)) {
			printf(" %.3f", (double)fired / (double)all);
			all = fired = 0;
		}
	}
	printf("\n");
}

static void report(struct set *s, const struct set *within)
{
	printf("%-8s %6zu   %.4f %.4f %.4f   %.3f   %.3f   %.3f\n", s->name, s->count,
	       quantile(s->similarity, s->count, 0.1), quantile(s->similarity, s->count, 0.5),
	       quantile(s->similarity, s->count, 0.9), fires(s), (double)s->domains / (double)s->count,
	       s == within ? 0.5 : auc(within, s));
}

static void report_turns(void)
{
	double *all = calloc(turn_count, sizeof *all);
	size_t n = 0, sizes[3] = { 0 };
	double sum = 0, last = -1;
	if (!all)
		fail("no memory");
	for (size_t i = 1; i < turn_count; i++) {
		if (!same(i - 1, i)) {
			last = -1;
			continue;
		}
		double now = ngram_vector_similarity(&turns[i - 1].ngrams, &turns[i].ngrams), two[2];
		sum += all[n++] = now;
		two[0] = policy_calibrated(&calibration_turns, last);
		two[1] = policy_calibrated(&calibration_turns, now);
		if (last >= 0)
			sizes[policy_window(&policy_default, two, 2) / 2 - 2]++;
		last = now;
	}
	qsort(all, n, sizeof *all, rising);
	printf("turns: %zu of %zu pairs, mean cosine %.3f, below .4 %.3f; as calibrated: below .3 %.3f, above .7 "
	       "%.3f\n", n, turn_count, sum / (double)n, share_below(all, n, 0.4),
	       share_below(all, n, calibration_turns.cosine[0]), 1 - share_below(all, n, calibration_turns.cosine[1]));
	printf("quantiles .14 .36 .50 .96: %.4f %.4f %.4f %.4f\n", quantile(all, n, 0.14), quantile(all, n, 0.36),
	       quantile(all, n, 0.5), quantile(all, n, 0.963));
	printf("windows of 4, 6, 8 turns: %zu %zu %zu\n", sizes[0], sizes[1], sizes[2]);
	free(all);
}

static void report_cost(void)
{
	struct timespec from, to;
	size_t bytes = 0;
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0; i < turn_count; i++) {
		struct ngram_vector s;
		if (ngram_vector_of(&s, turns[i].text, strlen(turns[i].text)) != 0)
			fail("no memory");
		bytes += strlen(turns[i].text);
		ngram_vector_release(&s);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	double us = (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
	printf("an n-gram vector of %.0f bytes: %.1f us\n", (double)bytes / (double)turn_count, us / (double)turn_count);
}

int main(void)
{
	const char *path = getenv("LOCOMO");
	json_error_t error;
	json_t *talks = path ? json_load_file(path, 0, &error) : NULL;
	struct set within = { .name = "within" }, session = { .name = "session" }, hard = { .name = "hard" };
	if (!talks)
		fail(path ? error.text : "LOCOMO names no file");
	within.similarity = calloc(BORDERS_MOST, sizeof(double));
	session.similarity = calloc(BORDERS_MOST, sizeof(double));
	hard.similarity = calloc(BORDERS_MOST, sizeof(double));
	if (!within.similarity || !session.similarity || !hard.similarity)
		fail("no memory");
	read_talks(talks);
	find_borders(&within, &session, &hard);
	if (!within.count || !session.count)
		fail("not enough turns");
	qsort(within.similarity, within.count, sizeof(double), rising);
	qsort(session.similarity, session.count, sizeof(double), rising);
	qsort(hard.similarity, hard.count, sizeof(double), rising);
	printf("%-8s %6s   %-20s   %-5s   %-6s  %-5s\n", "border", "n", "cosine .1 .5 .9", "shift", "domain", "auc");
	report(&within, &within);
	report(&session, &within);
	report(&hard, &within);
	report_talks();
	report_turns();
	report_cost();
	for (size_t i = 0; i < turn_count; i++)
		ngram_vector_release(&turns[i].ngrams);
	free(within.similarity);
	free(session.similarity);
	free(hard.similarity);
	json_decref(talks);
	return 0;
}
