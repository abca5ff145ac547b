/* SPDX-License-Identifier: MIT */
/* Bodies of messages whose content is taken apart: what is seen is what jansson sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/logs/json_body.h"

enum { MOST = 512 };

/* True if the content was taken apart. */
static bool agrees(const char *body, size_t len)
{
	char text[MOST + 1] = "";
	struct json_body mine, again;
	assert_true(len <= MOST);
	json_t *theirs = json_loadb(body, len, JSON_DECODE_INT_AS_REAL, NULL);
	json_body_read(body, len, text, &mine);
	json_body_read(body, len, NULL, &again);
	assert_int_equal(mine.apart, again.apart);
	assert_int_equal(json_equal(mine.json, again.json), mine.json != NULL);
	assert_int_equal(mine.json != NULL, theirs != NULL);
	json_t *content = json_object_get(theirs, "content");
	if (mine.apart) {
		assert_string_equal(json_string_value(json_object_get(mine.json, "content")), "");
		assert_int_equal(json_string_length(content), mine.len);
		assert_memory_equal(json_string_value(content), text, mine.len + 1);
		(void)json_object_set_new(mine.json, "content", json_stringn(text, mine.len));
	}
	assert_true(!theirs || json_equal(mine.json, theirs));
	json_decref(theirs);
	json_decref(mine.json);
	json_decref(again.json);
	return mine.apart;
}

static void test_known_bodies(void **state)
{
	static const char *const apart[] = {
		"{\"role\":\"user\",\"content\":\"one\\ntwo \xC3\xB1 \\u00e9\",\"token_count\":3}",
		"{\"content\":\"x\"}", "{\"content\":\"a\\\\\",\"from\":{\"content\":\"b\",\"id\":\"c\"}}",
		"{\"a\":\"x,\\\"content\\\":\\\"y\",\"content\":\"z\"}",
		"{\"content\":\"a string of more than eight bytes, and then a \\\"quote\\\"\",\"n\":12}",
	};
	static const char *const left[] = { "", "{", "{}", "null", "[]", "{\"content\":\"\"}", "{\"content\":7}",
		"{ \"content\":\"x\"}", "{\"content\": \"x\"}", "{\"content\":\"x", "{\"content\":\"x\"",
		"{\"content\":\"x\",}",
		"{\"content\":\"\\ud83d\\ude00\"}", "{\"content\":\"\\u0000\"}", "{\"content\":\"\xFF\"}",
		"{\"content\":\"a\",\"content\":\"b\"}", "{\"content\":\"a\",\"content\":\"\"}",
		"{\"meta\":{\"content\":\"a\"},\"content\":\"b\"}", "{\"refs\":[{\"content\":\"a\"}],\"content\":\"b\"}",
		"{\"k\\\"content\":\"a\",\"content\":\"b\"}", "{\"foo,\"content\":\"a\"}",
		"{\"x\":1,\"x\":2,\"content\":\"a\"}",
		"{\"x\":1,\"content\":\"a\",\"x\":2}", "{\"content\":\"a\nb\"}" };
	(void)state;
	for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
		assert_true(agrees(apart[i], strlen(apart[i])));
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		assert_false(agrees(left[i], strlen(left[i])));
}

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

/* Pieces of bodies in any order. */
static void test_any_bodies(void **state)
{
	static const char *const part[] = { "{", "}", "\"content\":\"", "\"", ",", "\"role\":\"user\"", "a", "\\\"", "\\",
		"[", "]", "\"x\":", "7", "\\n", "\\u00e9", "\xC3\xB1", "abcdefghijkl", "\"}", "\",\"n\":1}",
		" ", "\x01", "\xFF" };
	uint64_t seed = 11;
	int apart = 0;
	(void)state;
	for (int round = 0; round < 200000; round++) {
		char body[MOST] = "{";
		if (dice(&seed, 2))
			(void)strcat(body, "\"role\":\"user\",");
		if (dice(&seed, 4))
			(void)strcat(body, "\"content\":\"");
		for (uint32_t n = dice(&seed, 10); n > 0; n--)
			(void)strcat(body, part[dice(&seed, sizeof part / sizeof *part)]);
		if (dice(&seed, 2))
			(void)strcat(body, "\"}");
		apart += agrees(body, strlen(body));
	}
	assert_true(apart > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_bodies), cmocka_unit_test(test_any_bodies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
