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

/* m a message, p pinned, s a summary, a A b B tools' results (upper case: failed), P a pinned failure of a. */
static size_t read_messages(const char *text, struct policy_message *m)
{
	size_t n = 0;
	for (; *text; text++, n++) {
		m[n] = (struct policy_message){ .id = (int64_t)n + 1, .tokens = 100 };
		m[n].pinned = *text == 'p' || *text == 'P';
		m[n].summary = *text == 's';
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
		const char *advice; /* s: summarise, p: prune, f: facts */
		int64_t first, last, saves;
	} rows[] = {
		{ "", 0, 0, "", 0, 0, 0 },
		{ "mmmmm", 0, 0, "", 0, 0, 0 },              /* at the threshold is not above it */
		{ "mmmmmm", 0, 0, "", 0, 0, 0 },             /* above, but only two are not the window's */
		{ "mmmmmmm", 0, 0, "s", 1, 3, 250 },
		{ "mmmmmmmm", 0, 0, "s", 1, 3, 250 },        /* 800 - 500 = 300: no second three below the window */
		{ "mmmmmmmmmm", 0, 0, "s", 1, 6, 500 },
		{ "mmmmmmmmmmmmmmmmmmmm", 0, 0, "s", 1, 15, 1250 },
		{ "pmmmmmmmmm", 0, 0, "s", 2, 4, 250 },      /* what is pinned stays; 5 and 6 are no three */
		{ "smmmmmmmmm", 0, 0, "s", 2, 4, 250 },      /* nor is a summary summarised */
		{ "mpmpmmmmmmmm", 0, 0, "s", 5, 7, 250 },
		{ "pppppppppp", 0, 0, "", 0, 0, 0 },
		{ "AAA", 0, 0, "p", 0, 0, 300 },
		{ "APA", 0, 0, "p", 0, 0, 200 },
		{ "PPP", 0, 0, "", 0, 0, 0 },
		{ "AA", 0, 0, "", 0, 0, 0 },
		{ "mmm", 1, 0, "f", 0, 0, 0 },
		{ "mmm", 0, 2, "f", 0, 0, 0 },
		{ "AAAmmmmm", 3, 0, "spf", 1, 3, 250 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_message m[32];
		struct advice advice[ADVICE_MOST];
		char kinds[ADVICE_MOST + 1] = "";
		size_t n = read_messages(rows[i].messages, m);
		struct pressure now = policy_pressure(p, (int64_t)n * 100, 1250);
		size_t count = policy_advise(p, &now, m, n, rows[i].stale, rows[i].expiring, advice);
		for (size_t k = 0; k < count; k++)
			kinds[k] = "-spf"[advice[k].kind];
		assert_string_equal(kinds, rows[i].advice);
		if (count > 0) {
			assert_int_equal(advice[0].first, rows[i].first);
			assert_int_equal(advice[0].last, rows[i].last);
			assert_int_equal(advice[0].saves, rows[i].saves);
			assert_int_equal(advice[count - 1].stale, rows[i].stale);
			assert_int_equal(advice[count - 1].expiring, rows[i].expiring);
		}
		if (strcmp(kinds, "p") == 0)
			assert_string_equal(advice[0].tool, "grep");
	}
}

/* Following the advice helps and never touches what it must not. */
static void test_advise_any(void **state)
{
	uint32_t seed = 3;
	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct policy_message m[60];
		struct advice advice[ADVICE_MOST];
		size_t n = (seed = seed * 1664525U + 1013904223U) >> 8 & 31;
		int64_t used = 0;
		for (size_t i = 0; i < n; i++) {
			uint32_t dice = (seed = seed * 1664525U + 1013904223U) >> 8;
			m[i] = (struct policy_message){ .id = (int64_t)i + 10, .tokens = dice % 300, .pinned = dice % 7 == 0,
				                            .summary = dice % 5 == 0 };
			used += m[i].tokens;
		}
		struct pressure now = policy_pressure(p, used, 2500);
		size_t count = policy_advise(p, &now, m, n, 0, 0, advice);
		assert_true(count <= 1);
		if (count == 0)
			continue;
		assert_int_equal(advice[0].kind, ADVICE_SUMMARIZE);
		assert_true(now.percent > 50 && advice[0].saves > 0);
		int64_t tokens = 0;
		for (int64_t id = advice[0].first; id <= advice[0].last; id++) {
			assert_false(m[id - 10].pinned || m[id - 10].summary);
			tokens += m[id - 10].tokens;
		}
		int64_t threes = (advice[0].last - advice[0].first + 1) / 3;
		assert_int_equal(threes * 3, advice[0].last - advice[0].first + 1);
		assert_int_equal(advice[0].saves, tokens - 50 * threes);
		assert_true(advice[0].last - 10 < (int64_t)n - 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_advise),
		cmocka_unit_test(test_advise_any),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
