/* SPDX-License-Identifier: MIT */
/* The parameters of contexts out of a `config`: each one, and what makes no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HOURS INT64_C(3600000000)
static struct policy set(const char *config)
{
	struct policy p = policy_default;
	policy_set(&p, config, strlen(config));
	return p;
}

static void test_parameters(void **state)
{
	(void)state;
	struct policy p = set("{\"window\":5,\"window_least\":2,\"window_most\":10,\"close\":0.8,"
	                      "\"loose\":0.2,\"shift\":0.5,\"gap_hours\":1.5,\"segment\":4,\"summaries\":2,"
	                      "\"summary_tokens\":60,\"window_tokens\":800,"
	                      "\"facts_least\":10,\"facts_most\":20,\"results_tokens\":99,\"eager_tokens\":1000,"
	                      "\"total_tokens\":2000,\"found_tokens\":0,\"remembered_tokens\":70,"
	                      "\"unrepeated\":1,\"safe\":0.5,\"threshold\":60,\"failures\":2,"
	                      "\"same\":0.9,\"another\":[1]}");
	assert_int_equal(p.window, 5);
	assert_int_equal(p.window_least, 2);
	assert_int_equal(p.window_most, 10);
	assert_true(p.close == 0.8 && p.loose == 0.2 && p.shift == 0.5 && p.safe == 0.5 && p.threshold == 60);
	assert_true(p.same == 0.9);
	assert_int_equal(p.gap_us, HOURS * 3 / 2);
	assert_int_equal(p.segment, 4);
	assert_int_equal(p.summaries, 2);
	assert_int_equal(p.summary_tokens, 60);
	assert_int_equal(p.window_tokens, 800);
	assert_int_equal(p.facts_least, 10);
	assert_int_equal(p.facts_most, 20);
	assert_int_equal(p.results_tokens, 99);
	assert_int_equal(p.eager_tokens, 1000);
	assert_int_equal(p.total_tokens, 2000);
	assert_int_equal(p.found_tokens, 0);
	assert_int_equal(p.remembered_tokens, 70);
	assert_int_equal(p.unrepeated, 1);
	assert_int_equal(p.failures, 2);
}

static bool same_policy(const struct policy *a, const struct policy *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* What makes no sense is as if it had not been said. */
static void test_no_parameters(void **state)
{
	(void)state;
	static const char *const names[] = { "window", "window_least", "window_most", "close", "loose", "shift",
		"gap_hours", "segment", "summaries", "summary_tokens", "window_tokens", "facts_least", "facts_most",
		"results_tokens", "eager_tokens", "total_tokens", "found_tokens", "remembered_tokens",
		"unrepeated", "safe", "threshold", "failures", "same", "block_tokens", "blocks_tokens",
		"sections_tokens" };
	static const char *const values[] = { "-1", "1e300", "-1e300", "99999999999999999999", "\"6\"", "true", "null",
		"[6]", "{}" };
	for (size_t n = 0; n < COUNT(names); n++)
		for (size_t v = 0; v < COUNT(values); v++) {
			char config[96];
			(void)snprintf(config, sizeof config, "{\"%s\":%s}", names[n], values[v]);
			struct policy p = set(config);
			if (!same_policy(&p, &policy_default))
				fail_msg("%s", config);
		}
	struct policy beside = set("{\"window\":5,\"seed\":99999999999999999999}"); /* no number of 64 bits */
	assert_int_equal(beside.window, 5);
	static const char *const configs[] = { "", "{", "[]", "7", "null", "\"window\"", "{\"window\":5", "\xFF" };
	for (size_t i = 0; i < COUNT(configs); i++) {
		struct policy p = set(configs[i]);
		assert_true(same_policy(&p, &policy_default));
	}
	struct policy p = set("{\"window\":12,\"facts_least\":400,\"loose\":0.9}"); /* alone it would contradict */
	assert_true(p.window_most == 12 && p.facts_most == 400 && p.loose == p.close);
	p = set("{\"window_least\":7}");
	assert_true(p.window == 7 && p.window_most == 8);
}

static void test_budgets(void **state)
{
	(void)state;
	struct policy p = set("{\"block_tokens\":100,\"blocks_tokens\":200,\"sections_tokens\":300,"
	                      "\"section_max\":{\"identity\":600,\"current_task\":700,\"agent_notes\":7},"
	                      "\"selection\":{\"token_budget\":8000},\"compression\":{\"keep_last\":10}}");
	assert_int_equal(p.block_tokens, 100);
	assert_int_equal(p.blocks_tokens, 200);
	assert_int_equal(p.sections_tokens, 300);
	assert_int_equal(p.section_max[SECTION_IDENTITY], 600);
	assert_int_equal(p.section_max[SECTION_TASK], 700);
	assert_int_equal(p.section_max[SECTION_NOTES], 2000);
	assert_int_equal(p.total_tokens, 8000);
	assert_int_equal(p.window, 10);
	/* sections leave the others their shares, and keep a quarter of their own */
	p = policy_default;
	assert_int_equal(policy_sections_share(&p, 0), 1000);
	assert_int_equal(policy_sections_share(&p, 2000), 450);
	assert_int_equal(policy_sections_share(&p, 3900), 250);
	p.total_tokens = 100000;
	assert_int_equal(policy_sections_share(&p, 3000), 25000);
	p.sections_tokens = 0;
	assert_int_equal(policy_sections_share(&p, 3000), 0);
}

static void unused_is(const char *code, const char *config, const char *expect)
{
	char fields[400], out[200];
	(void)snprintf(fields, sizeof fields, "{\"status\":\"active\",\"config\":%s}", config);
	assert_int_equal(policy_unused(code, fields, strlen(fields), out, sizeof out), *expect != 0);
	assert_string_equal(out, expect);
}

static void test_unused(void **state)
{
	(void)state;
	unused_is("context", "{\"window\":5,\"section_max\":{\"identity\":600},\"scoring\":{}}", "");
	unused_is("context", "{\"total_tokens\":\"many\",\"windw\":5,\"window\":999}",
	          "total_tokens: not a number; windw: unknown; window: not within 1 to 32");
	unused_is("context", "{\"extraction\":{\"enabled\":true},\"selection\":{\"strategy\":\"priority\","
	          "\"token_budget\":8000},\"section_max\":{\"x\":1}}",
	          "extraction: without effect here; selection.strategy: without effect here; "
	          "section_max.x: unknown");
	unused_is("memory", "{\"scoring\":{},\"window\":5}",
	          "window: only scoring acts in this algorithm");
	unused_is("context", "{\"window\":99999999999999999999,\"windw\":5}",
	          "window: not within 1 to 32; windw: unknown");
	unused_is("context", "[]", "");
	char out[16];
	const char *fields = "{\"config\":{\"a_long_name\":1,\"b\":2}}";
	assert_true(policy_unused("context", fields, strlen(fields), out, sizeof out));
	assert_int_equal(strlen(out), 15);
	assert_false(policy_unused("context", "{", 1, out, sizeof out));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parameters), cmocka_unit_test(test_no_parameters),
		cmocka_unit_test(test_budgets), cmocka_unit_test(test_unused) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
