/* SPDX-License-Identifier: MIT */
/* Memory pressure and what is advised, as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct policy *const p = &policy_default;

static void test_pressure(void **state)
{
	static const struct {
		int64_t used, limit;
		double percent;
		enum pressure_level level;
	} rows[] = {
		{ 45242, 200000, 28.27625, PRESSURE_LOW }, /* an example: 45,242 / 160,000 */
		{ 0, 200000, 0, PRESSURE_LOW },
		{ 80000, 200000, 50, PRESSURE_LOW },
		{ 80001, 200000, 50.000625, PRESSURE_MEDIUM },
		{ 112000, 200000, 70, PRESSURE_MEDIUM },
		{ 112001, 200000, 70.000625, PRESSURE_HIGH },
		{ 160000, 200000, 100, PRESSURE_HIGH },
		{ 160001, 200000, 100.000625, PRESSURE_CRITICAL },
		{ 0, 0, 0, PRESSURE_LOW },
		{ 1, 0, 1000, PRESSURE_CRITICAL },
		{ 1, -5, 1000, PRESSURE_CRITICAL },
		{ -1, 1000, 0, PRESSURE_LOW },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pressure is = policy_pressure(p, rows[i].used, rows[i].limit);
		assert_true(fabs(is.percent - rows[i].percent) < 1e-9);
		assert_int_equal(is.level, rows[i].level);
	}
	assert_int_equal(policy_pressure(p, 1, 200000).safe, 160000);
	struct policy other = *p;
	other.threshold = 80;
	assert_int_equal(policy_pressure(&other, 75, 125).level, PRESSURE_LOW);
	assert_int_equal(policy_pressure(&other, 85, 125).level, PRESSURE_HIGH);
	assert_string_equal(policy_level_name(PRESSURE_LOW), "low");
	assert_string_equal(policy_level_name(PRESSURE_CRITICAL), "critical");
}

/* m a message, p pinned, s hidden by a summary, c beside it, o pruned, a A b B tools' results (upper case:
   failed), P a pinned failure of a. */
static size_t read_messages(const char *text, struct policy_message *m)
{
	size_t n = 0;
	for (; *text; text++, n++) {
		m[n] = (struct policy_message){ .id = (int64_t)n + 1, .tokens = 100 };
		m[n].pinned = *text == 'p' || *text == 'P';
		m[n].hidden = *text == 's';
		m[n].covered = *text == 'c';
		m[n].pruned = *text == 'o';
		m[n].tokens = m[n].hidden || m[n].pruned ? 0 : 100;
		m[n].tool = strchr("aAP", *text) ? "grep" : strchr("bB", *text) ? "make" : NULL;
		m[n].failed = *text >= 'A' && *text <= 'Z';
	}
	return n;
}

static void test_failures(void **state)
{
	static const struct {
		const char *messages, *failed;
	} rows[] = {
		{ "", "" },
		{ "mAmA", "...." },
		{ "AAA", "xxx" },
		{ "mAmAmAm", ".x.x.x." },
		{ "AAaA", "...." },
		{ "AAAa", "xxx." },
		{ "aAAAA", ".xxxx" },
		{ "ABABAB", "xxxxxx" },
		{ "ABABA", "x.x.x" },
		{ "AbABbA", "x.x..x" },
		{ "AAPA", "xx.x" },
		{ "APP", "x.." },
		{ "AAAaAAAaAA", "xxx.xxx..." },
		{ "BBmB", "xx.x" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_message m[32];
		bool failed[32];
		char got[33] = "";
		size_t n = read_messages(rows[i].messages, m), marked = 0;
		size_t told = policy_failures(p, m, n, failed);
		for (size_t k = 0; k < n; k++) {
			got[k] = failed[k] ? 'x' : '.';
			marked += failed[k];
		}
		assert_string_equal(got, rows[i].failed);
		assert_int_equal(told, marked);
	}
}

static void test_advise(void **state)
{
	/* 100 tokens a message; a limit of 1,250 is 1,000 safe ones, so 500 is the threshold */
	static const struct {
		const char *messages;
		int64_t stale, expiring;
		const char *advice; /* of the letters below */
		int64_t first, last, saves;
	} rows[] = {
		{ "", 0, 0, "", 0, 0, 0 },
		{ "mmmmm", 0, 0, "", 0, 0, 0 },              /* at the threshold is not above it */
		{ "mmmmmm", 0, 0, "P", 1, 1, 100 },          /* only two are not the window's: no summary */
		{ "mmmmmmm", 0, 0, "s", 1, 3, 250 },
		{ "mmmmmmmm", 0, 0, "s", 1, 4, 350 },        /* three are not enough */
		{ "mmmmmmmmmm", 0, 0, "s", 1, 6, 550 },
		{ "mmmmmmmmmmmmmmmmmmmm", 0, 0, "s", 1, 16, 1550 },
		{ "pmmmmmmmmm", 0, 0, "s", 2, 6, 450 },      /* what is pinned stays */
		{ "smmmmmmmmm", 0, 0, "s", 2, 6, 450 },      /* a summary is not summarised */
		{ "mmmsmmmmmmmm", 0, 0, "s", 5, 8, 350 },    /* nor what lies on both sides of one */
		{ "mmmcmmmmmmmm", 0, 0, "s", 5, 8, 350 },
		{ "momommmmmm", 0, 0, "s", 1, 6, 350 },      /* what is pruned can be */
		{ "mpmpmmmmmmmm", 0, 0, "s", 5, 8, 350 },
		{ "mpmpmpmmmm", 0, 0, "P", 1, 1, 100 },
		{ "spspsmmmmc", 0, 0, "P", 6, 6, 100 },
		{ "pppppppppp", 0, 0, "u", 1, 1, 100 },
		{ "AAA", 0, 0, "p", 0, 0, 300 },
		{ "APA", 0, 0, "p", 0, 0, 200 },
		{ "PPP", 0, 0, "", 0, 0, 0 },
		{ "AA", 0, 0, "", 0, 0, 0 },
		{ "mmm", 1, 0, "f", 0, 0, 0 },
		{ "mmm", 0, 2, "f", 0, 0, 0 },
		{ "AAAmmmmm", 3, 0, "spf", 1, 4, 350 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_message m[32];
		struct advice advice[ADVICE_MOST];
		char kinds[ADVICE_MOST + 1] = "";
		const struct policy_held held = { .messages = m, .count = read_messages(rows[i].messages, m), .whole = true,
			                              .stale = rows[i].stale, .expiring = rows[i].expiring };
		int64_t used = 0;
		for (size_t k = 0; k < held.count; k++)
			used += m[k].tokens;
		struct pressure now = policy_pressure(p, used, 1250);
		size_t count = policy_advise(p, &now, &held, advice);
		for (size_t k = 0; k < count; k++)
			kinds[k] = "-sPrFunpf"[advice[k].kind];
		assert_string_equal(kinds, rows[i].advice);
		if (count > 0) {
			assert_int_equal(advice[0].range[0].first, rows[i].first);
			assert_int_equal(advice[0].range[0].last, rows[i].last);
			assert_int_equal(advice[0].saves, rows[i].saves);
			assert_int_equal(advice[count - 1].stale, rows[i].stale);
			assert_int_equal(advice[count - 1].expiring, rows[i].expiring);
		}
		if (strcmp(kinds, "p") == 0)
			assert_string_equal(advice[0].tool, "grep");
	}
}

/* ---- a session that does as it is told -------------------------------------------- */

enum { MESSAGES = 120, FILES = 4, SUMMARIES = 64 };
struct model {
	struct {
		int64_t tokens;
		bool pinned, kept, pruned, shown; /* shown: active beside its summary */
		int summary;                /* 0: none */
		bool tool, failed;
	} m[MESSAGES + 1]; /* from 1 */
	int count, summaries;
	int64_t files[FILES], identity;
};

static uint32_t roll(uint32_t *seed, uint32_t most)
{
	*seed = *seed * 1664525U + 1013904223U;
	return (*seed >> 8) % most;
}

static bool model_active(const struct model *s, int i)
{
	return !s->m[i].pruned && (!s->m[i].summary || s->m[i].shown);
}

static int64_t model_summaries(const struct model *s)
{
	int64_t tokens = 0;
	for (int k = 1; k <= s->summaries; k++)
		for (int i = 1; i <= s->count; i++)
			if (s->m[i].summary == k) {
				tokens += p->summary_tokens;
				break;
			}
	return tokens;
}

static int64_t model_used(const struct model *s)
{
	int64_t used = s->identity + model_summaries(s);
	for (int i = 1; i <= s->count; i++)
		used += model_active(s, i) ? s->m[i].tokens : 0;
	for (int i = 0; i < FILES; i++)
		used += s->files[i];
	return used;
}

/* As ctl does it; false: it would refuse. */
static bool model_summarize(struct model *s, int64_t first, int64_t last)
{
	for (int64_t i = first; i <= last; i++)
		if (i < 1 || i > s->count || s->m[i].pinned || s->m[i].summary)
			return false;
	s->summaries++;
	for (int64_t i = first; i <= last; i++) {
		s->m[i].summary = s->summaries;
		s->m[i].pruned = s->m[i].shown = false;
	}
	return first <= last;
}

static bool model_prune(struct model *s, int64_t first, int64_t last)
{
	for (int64_t i = first; i <= last; i++)
		if (i < 1 || i > s->count || s->m[i].pinned)
			return false;
	for (int64_t i = first; i <= last; i++) {
		s->m[i].pruned = s->m[i].pruned || !s->m[i].summary;
		s->m[i].shown = false;
	}
	return first <= last;
}

static void model_reset(struct model *s)
{
	for (int i = 1; i <= s->count; i++) {
		s->m[i].pruned = s->m[i].shown = false;
		s->m[i].summary = 0;
	}
	s->summaries = 0;
}

static bool model_does(struct model *s, const struct advice *a)
{
	bool done = true;
	switch (a->kind) {
	case ADVICE_SUMMARIZE:
		return model_summarize(s, a->range[0].first, a->range[0].last);
	case ADVICE_PRUNE:
		return model_prune(s, a->range[0].first, a->range[0].last);
	case ADVICE_RESET:
		model_reset(s);
		for (int i = 0; i < a->ranges; i++)
			done = done && model_summarize(s, a->range[i].first, a->range[i].last);
		return done;
	case ADVICE_FILE:
		s->files[a->file] = 0;
		return true;
	case ADVICE_UNPIN:
		assert_true(s->m[a->range[0].first].pinned && !s->m[a->range[0].first].kept);
		s->m[a->range[0].first].pinned = false;
		return model_prune(s, a->range[0].first, a->range[0].last);
	default:
		return false;
	}
}

static size_t model_list(const struct model *s, struct policy_message *m)
{
	size_t n = 0;
	for (int i = 1; i <= s->count; i++) {
		bool hidden = s->m[i].summary && !s->m[i].shown;
		if (hidden && n > 0 && m[n - 1].hidden)
			continue;
		m[n++] = (struct policy_message){ .id = i, .tokens = model_active(s, i) ? s->m[i].tokens : 0,
			.pinned = s->m[i].pinned, .kept = s->m[i].kept, .pruned = s->m[i].pruned, .hidden = hidden,
			.covered = s->m[i].shown, .tool = s->m[i].tool ? "make" : NULL, .failed = s->m[i].failed };
	}
	return n;
}

/* Long, short, pinned, pruned, summarised, restored, in any mixture. */
static void model_make(struct model *s, uint32_t *seed)
{
	static const uint32_t lengths[] = { 12, 40, 300, 2000 };
	uint32_t length = lengths[roll(seed, 4)], pins = 3 + roll(seed, 30), edits = roll(seed, 12);
	*s = (struct model){ .count = (int)roll(seed, MESSAGES) + 1, .identity = roll(seed, 3) ? 0 : roll(seed, 400) };
	for (int i = 1; i <= s->count; i++) {
		s->m[i].tokens = roll(seed, length) + 1;
		s->m[i].pinned = roll(seed, pins) == 0;
		s->m[i].kept = s->m[i].pinned && roll(seed, 3) == 0;
		s->m[i].tool = roll(seed, 4) == 0;
		s->m[i].failed = s->m[i].tool && roll(seed, 2) == 0;
	}
	for (uint32_t k = 0; k < edits; k++) {
		int first = (int)roll(seed, (uint32_t)s->count) + 1, last = first + (int)roll(seed, 8);
		struct model as_it_was = *s;
		if (!(roll(seed, 2) ? model_summarize(s, first, last) : model_prune(s, first, last)))
			*s = as_it_was;
		else if (roll(seed, 3) == 0 && !s->m[first].pruned && s->m[first].summary)
			s->m[first].shown = true;
	}
	for (int i = 0; i < FILES; i++)
		s->files[i] = roll(seed, 3) ? 0 : roll(seed, 2000);
}

/* Whatever a session is like: what is advised is accepted, saves what it says, and ends below the threshold. */
static void test_advise_model(void **state)
{
	uint32_t seed = 3;
	int kinds[ADVICE_FACTS + 1] = { 0 }, most = 0;
	(void)state;
	for (int round = 0; round < 10000; round++) {
		struct model s;
		struct policy_message m[MESSAGES];
		struct advice advice[ADVICE_MOST];
		model_make(&s, &seed);
		int64_t limit = 100 + roll(&seed, 20000);
		for (int steps = 0;; steps++) {
			const struct policy_held held = { .messages = m, .count = model_list(&s, m), .whole = true,
				.summary_tokens = model_summaries(&s), .files = s.files, .file_count = FILES };
			int64_t used = model_used(&s);
			struct pressure now = policy_pressure(p, used, limit);
			size_t count = policy_advise(p, &now, &held, advice);
			most = steps > most ? steps : most;
			assert_true(steps < 200);
			if (now.percent <= p->threshold) {
				assert_true(count == 0 || advice[0].kind == ADVICE_FAILURES);
				break;
			}
			assert_true(count > 0 && advice[0].saves >= 0);
			kinds[advice[0].kind]++;
			if (advice[0].kind == ADVICE_SESSION) {
				int active = 0; /* one message is left, what a person pinned, and who the agent is */
				for (int i = 1; i <= s.count; i++)
					active += model_active(&s, i) && !s.m[i].kept;
				assert_true(active <= 1);
				break;
			}
			assert_true(model_does(&s, &advice[0]));
			assert_int_equal(used - model_used(&s), advice[0].saves);
			assert_true(advice[0].saves > 0);
		}
	}
	for (int k = ADVICE_SUMMARIZE; k <= ADVICE_SESSION; k++)
		assert_true(kinds[k] > 20); /* the sessions were of all sorts */
	print_message("at most %d steps\n", most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_advise),
		cmocka_unit_test(test_advise_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
