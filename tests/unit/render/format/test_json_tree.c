/* SPDX-License-Identifier: MIT */
/*
 * Texts of JSON as trees: those that jansson makes of them, and nothing where it makes none; and their
 * hashes, by which messages of earlier imports are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/json_tree.h"

static uint64_t hash_of_dump(const json_t *item)
{
	uint64_t hash = 14695981039346656037U;
	char *text = json_dumps(item, JSON_COMPACT | JSON_SORT_KEYS);
	for (const char *at = text; at && *at; at++)
		hash = (hash ^ (unsigned char)*at) * 1099511628211U;
	free(text);
	return hash;
}

static bool agrees(const char *text, size_t len)
{
	json_error_t mine_said = { .line = -1 }, theirs_said = { .line = -1 };
	json_t *mine = json_tree(text, len, &mine_said);
	json_t *theirs = json_loadb(text, len, JSON_DECODE_ANY, &theirs_said);
	assert_int_equal(mine != NULL, theirs != NULL);
	if (!theirs)
		assert_string_equal(mine_said.text, theirs_said.text);
	/* json_equal() takes 1 and 1.0 for different, but members in any order for the same. */
	char *a = mine ? json_dumps(mine, JSON_ENCODE_ANY) : NULL;
	char *b = theirs ? json_dumps(theirs, JSON_ENCODE_ANY) : NULL;
	assert_true((a && b && strcmp(a, b) == 0) || (!a && !b));
	assert_true(!mine || json_equal(mine, theirs));
	bool failed = false;
	assert_true(!mine || json_tree_hash(mine, &failed) == hash_of_dump(theirs));
	assert_false(failed);
	free(a);
	free(b);
	json_decref(mine);
	json_decref(theirs);
	return theirs != NULL;
}

static void test_known_texts(void **state)
{
	static const char *const taken[] = { "{}", "[]", "null", "true", "1", "-0", "0.10", "1e3", "\"\"",
		"{\"b\":1,\"a\":[true,false,null,{\"c\":\"d\\n\\u00e9\\ud83d\\ude00\"}],\"\":2}",
		"{\"a\":1,\"a\":2}", "{\"k\\u00e9\":1}", "123456789012345678", " { \"a\" : 1 } ", "\"\x7F\"",
		"1e-400", "{\"role\":\"user\",\"content\":\"one\\ntwo \\\" \\\\ \\t \\b \\f / \xC3\xB1\"}",
		"{\"role\":\"user\",\"content\":\"\\u001f \\u000b\"}", "{\"b\":\"2\",\"a\":\"1\",\"ab\":\"3\"}",
		"{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\",\"f\":\"\",\"g\":\"\",\"h\":\"\",\"i\":\"\"}" };
	static const char *const refused[] = { "", "{", "[1,]", "{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", "01",
		"\"\xFF\"", "\"a\nb\"", "1e999", "{\"a\":1}x", "{\"a\\u0000\":1}" };
	(void)state;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		assert_true(agrees(taken[i], strlen(taken[i])));
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_false(agrees(refused[i], strlen(refused[i])));
}

static void test_large_integers(void **state)
{
	static const char given[] = "{\"a\":[18446744073709551615,-9223372036854775809,9223372036854775807]}";
	json_error_t error;
	json_t *tree = json_tree(given, sizeof given - 1, &error);
	char *text = json_dumps(tree, JSON_COMPACT);
	(void)state;
	assert_string_equal(text, "{\"a\":[\"18446744073709551615\",\"-9223372036854775809\",9223372036854775807]}");
	free(text);
	json_decref(tree);
}

/* Deeper, longer and with longer keys than what is read at once. */
static void test_large_texts(void **state)
{
	size_t len = 2 << 20;
	char *text = malloc(len + 16);
	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	text[0] = text[len - 1] = '"';
	assert_true(agrees(text, len));
	int at = snprintf(text, 8, "{\"");
	memset(text + at, 'k', 300);
	(void)snprintf(text + at + 300, 8, "\":1}");
	assert_true(agrees(text, strlen(text)));
	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	assert_true(agrees(text, 400));
	free(text);
}

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

static void test_any_texts(void **state)
{
	static const char *const part[] = { "{", "}", "[", "]", "\"a\":", "\"b\":", "\"x\"", ",", "7", "-1.50", "1e5",
		"true", "null", "\"\\n\xC3\xB1\"", "\"eight bytes and more\"", " ", "\\", "\"", "{\"c\":1}", "[1,2]" };
	uint64_t seed = 5;
	int taken = 0;
	(void)state;
	for (int round = 0; round < 300000; round++) {
		char text[400] = "";
		if (dice(&seed, 2))
			(void)strcat(text, "{\"a\":");
		for (uint32_t n = 1 + dice(&seed, 7); n > 0; n--)
			(void)strcat(text, part[dice(&seed, sizeof part / sizeof *part)]);
		if (*text == '{' && dice(&seed, 2))
			(void)strcat(text, "}");
		taken += agrees(text, strlen(text));
	}
	assert_true(taken > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_texts), cmocka_unit_test(test_large_integers),
		cmocka_unit_test(test_large_texts), cmocka_unit_test(test_any_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
