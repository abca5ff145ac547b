/* SPDX-License-Identifier: MIT */
/* The token estimate: known answers by hand, and what holds for every text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "store/store.h"

static void test_known(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t tokens;
	} cases[] = {
		{ "", 0 },
		{ " ", 1 },
		{ "hi", 1 },
		{ "hello world", 2 },
		{ "Hello, world!", 4 },
		{ "deployment", 2 },                   /* 1 + 4 × .14 */
		{ "internationalization", 3 },         /* 1 + 14 × .14 */
		{ "recordá", 2 },                      /* 1 + 1 × .14 + .45 */
		{ "123", 1 },
		{ "1234567", 3 },
		{ "a\n\n\nb", 3 },
		{ "!!!!", 3 },                         /* 1 + 3 × .35 */
		{ "\xE6\x97\xA5\xE6\x9C\xAC", 3 },     /* two ideographs */
		{ "\xF0\x9F\x98\x80", 2 },             /* an emoji */
		{ "int main(void) { return 0; }", 10 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t got = store_token_count(cases[i].text, strlen(cases[i].text));
		if (got != cases[i].tokens)
			fail_msg("\"%s\": %lld, not %lld", cases[i].text, (long long)got,
			         (long long)cases[i].tokens);
	}
}

/* Any bytes: at least one token, at most a bit over one a byte; more ASCII is never fewer. */
static void test_any_bytes(void **state)
{
	(void)state;
	char text[400];
	uint32_t x = 88172645;
	for (int round = 0; round < 3000; round++) {
		for (size_t i = 0; i < sizeof text; i++) {
			x = x * 1664525 + 1013904223;
			text[i] = (char)(x >> (round % 2 ? 24 : 25));
		}
		int64_t before = 0;
		for (size_t len = 1; len < sizeof text; len += 1 + len / 4) {
			int64_t n = store_token_count(text, len);
			assert_true(n >= 1 && n <= (int64_t)(2 * len));
			assert_true(round % 2 || n >= before);
			before = n;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
