/* SPDX-License-Identifier: MIT */
/* What is sent to a server: whatever a field or a body holds stays within its quotes. */
#include <stdio.h>
#include <string.h>

#include "store/server/text.h"
#include "tests/unit/store_fixture.h"

static void test_call(void **state)
{
	(void)state;
	struct draft first = { .stream = "s1", .kind = "mess'age", .author = "a\"b\\c'd:{e,f}", .body = "'\"\\\n",
		.body_len = 4 };
	struct draft second = { .stream = "s2", .kind = "k", .author = "a:b" };
	struct engine_draft drafts[] = { { &first, 0, { 1 } }, { &second, 1, { 0xff } } };
	struct engine_request requests[] = { { -1, 0, 0, false }, { 5, 7, 9, false } };
	struct engine_call c = { .requests = requests, .request_count = 2, .drafts = drafts, .draft_count = 2,
		.time_us = 12 };
	struct sql_text t = { 0 };
	static const char call[] = "SELECT * FROM tape.append(3, 4, 6, 12, '{-1,5}', '{0,7}', '{0,9}', '{1,2}'"
		", '{\"s1\",\"s2\"}', '{\"mess''age\",\"k\"}', '{\"a\\\"b\\\\c''d:{e,f}\",\"a:b\"}'"
		", '{\"\\\\x01000000000000000000000000000000\",\"\\\\xff000000000000000000000000000000\"}'"
		", '{\"\\\\x27225c0a\",\"\\\\x\"}'";
	char whole[1024];
	for (int early = 0; early < 2; early++) {
		(void)snprintf(whole, sizeof whole, early ? "BEGIN; %s, true); COMMIT; CALL tape.flush(-1)" : "%s)", call);
		sql_add_call(&t, 3, 4, &c, 6, early);
		assert_false(t.failed);
		assert_string_equal(t.bytes, whole);
		assert_int_equal(t.len, strlen(t.bytes));
		sql_release(&t);
	}
}

static void test_values(void **state)
{
	(void)state;
	struct sql_text t = { 0 };
	sql_add_quoted(&t, "it's \\ \"x\"");
	sql_add(&t, ", ");
	sql_add_bytes(&t, NULL, 0);
	sql_add(&t, ", ");
	sql_add_bytes(&t, "\x00\xab", 2);
	assert_string_equal(t.bytes, "'it''s \\ \"x\"', NULL, '\\x00ab'::bytea");
	sql_release(&t);
}

/* Larger than any room it begins with. */
static void test_large(void **state)
{
	(void)state;
	static char body[100000];
	struct sql_text t = { 0 };
	for (int i = 0; i < 5; i++)
		sql_add_bytes(&t, body, sizeof body);
	assert_int_equal(t.len, 5 * (2 * sizeof body + strlen("'\\x'::bytea")));
	assert_false(t.failed);
	sql_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call), cmocka_unit_test(test_values), cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
