/* SPDX-License-Identifier: MIT */
/* Texts of JSON strings: as jansson reads them, or left to jansson. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_body.h"
#include "store/db/json_text.h"

enum { FLAGS = JSON_ALLOW_NUL | JSON_DECODE_ANY, MOST = 64 };

/* What is taken is what jansson takes; true if it is taken. */
static bool agrees(const char *text, size_t len)
{
	char quoted[2 * MOST], mine[2 * MOST];
	size_t got = 0;
	assert_true(len + 2 <= sizeof quoted);
	quoted[0] = quoted[len + 1] = '"';
	memcpy(quoted + 1, text, len);
	bool taken = json_text(text, len, mine, &got);
	json_t *theirs = json_loadb(quoted, len + 2, FLAGS, NULL);
	if (taken) {
		assert_true(json_is_string(theirs));
		assert_int_equal(json_string_length(theirs), got);
		assert_memory_equal(json_string_value(theirs), mine, got);
		assert_true(got <= len);
	}
	json_decref(theirs);
	return taken;
}

static void test_known_texts(void **state)
{
	static const char *const taken[] = { "", "a", "a\\nb", "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\\u00f1 \\u20AC \\u0041",
		"ñandú", "日本", "😀", "\xEF\xBF\xBF", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF", "\x7F" };
	static const char *const left[] = { "\"", "a\"b", "\\", "\\x", "\\u12", "\\u12g4", "\\u0000", "\\ud83d\\ude00",
		"\\udc00", "\n", "\x1f", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
		"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98" };
	(void)state;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		assert_true(agrees(taken[i], strlen(taken[i])));
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		assert_false(agrees(left[i], strlen(left[i])));
	assert_false(agrees("a\0b", 3));
}

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

/* Bytes that are likely to mean something, in any order. */
static void test_any_texts(void **state)
{
	static const char *const part[] = { "a", "\\", "\"", "u", "\\u", "\\n", "0", "d8", "00e9", "\xC3", "\xA9", "\xE2",
		"\x82", "\xAC", "\xF0\x9F", "\x98\x80", "\xED", "\xA0", "\x80", "\x1f", "\\ud83d", "\\ude00", "/", "\xF4" };
	uint64_t seed = 7;
	int taken = 0;
	(void)state;
	for (int round = 0; round < 200000; round++) {
		char text[MOST] = "";
		for (uint32_t n = dice(&seed, 8); n > 0; n--)
			(void)strcat(text, part[dice(&seed, sizeof part / sizeof *part)]);
		taken += agrees(text, strlen(text));
	}
	assert_true(taken > 10000);
}

/* A body read in two ways: as it is, and with a blank that only jansson passes over. */
static void same_body(const char *head, const char *text)
{
	char own[512], other[512];
	struct doc_body a, b;
	int len = snprintf(own, sizeof own, "%s\"text\":\"%s\"}", head, text);
	int more = snprintf(other, sizeof other, "%s\"text\": \"%s\"}", head, text);
	assert_int_equal(doc_body_read(own, (size_t)len, &a), 0);
	assert_int_equal(doc_body_read(other, (size_t)more, &b), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len + 1);
	assert_string_equal(a.fields, b.fields);
	assert_int_equal(doc_body_number(json_object_get(a.json, "tokens")),
	                 doc_body_number(json_object_get(b.json, "tokens")));
	assert_int_equal(json_object_size(a.json), json_object_size(b.json));
	doc_body_release(&a);
	doc_body_release(&b);
}

static void test_bodies(void **state)
{
	static const char *const head[] = {
		"{\"fields\":{\"a\":0.20,\"b\":\"}\"},\"size\":3,\"tokens\":7,\"sha256\":\"00\",\"lines\":[1,2],",
		"{\"fields\":{},", "{\"fields\":[1],", "{\"fields\":{},\"fields\":{\"z\":1},",
		"{\"fields\":{},\"base64\":\"AAAA\",",
		"{\"fields\":{},\"text\":\"before\",", "{\"fields\":{},\"x\":{\"y\":1,", "{\"fields\":{},\"x\":[1,",
		"{\"fields\":{\"text\":\"inside\"},", "{\"fields\":{}", "{\"fields\":", "{\"tokens\":3,", "{", "" };
	static const char *const text[] = { "", "uno\\ndos", "ma\\u00f1ana", "\\ud83d\\ude00", "\\u0000",
		"a\",\"tokens\":\"9", "\\", "\xFF", "a\"}, {\"", "}", "\\\"}" };
	(void)state;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		for (size_t j = 0; j < sizeof text / sizeof *text; j++)
			same_body(head[i], text[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_texts), cmocka_unit_test(test_any_texts), cmocka_unit_test(test_bodies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
