/* SPDX-License-Identifier: MIT */
/* Lines of the logs: exact sizes, JSON that gives the row back, never shorter than offered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/render.h"
#include "store/tape/line.h"
#include "store/store.h"

static const uint8_t salt[SALT_SIZE] = { 0xde, 0xad, 0, 1, 2,  3,  4,  5,
                                         6,    7,    8, 9, 10, 11, 12, 255 };

static struct entry entry_of(const char *body, size_t len)
{
	struct entry e = { .seq = 41, .stream = "s17", .stream_seq = 16,
			   .time_us = 1790000000123456,
			   .kind = "message", .author = "alice:bash", .body = body, .body_len = len,
			   .salt = body ? salt : NULL };
	memset(e.prev, 0xAB, sizeof e.prev);
	memset(e.leaf_hash, 0x0C, sizeof e.leaf_hash);
	memset(e.body_hash, 0x7F, sizeof e.body_hash);
	return e;
}

typedef size_t size_fn(const struct entry *e);
typedef void write_fn(const struct entry *e, char *dst);

/* Writes between guards: not a byte more or less than the size says. */
static char *line_of(const struct entry *e, size_fn *size, write_fn *write)
{
	size_t len = size(e);
	char *line = malloc(len + 2);
	assert_non_null(line);
	memset(line, '\x5A', len + 2);
	write(e, line + 1);
	assert_int_equal(line[0], 0x5A);
	assert_int_equal(line[len + 1], 0x5A);
	assert_int_equal(line[len], '\n');
	memmove(line, line + 1, len);
	line[len] = '\0';
	assert_int_equal(strlen(line), len);
	assert_ptr_equal(strchr(line, '\n'), line + len - 1);
	return line;
}

#define A8 "abababababababab"
#define C8 "0c0c0c0c0c0c0c0c"
#define F8 "7f7f7f7f7f7f7f7f"

static void check(struct entry e, size_fn *size, write_fn *write, const char *expected)
{
	char *line = line_of(&e, size, write);
	assert_string_equal(line, expected);
	free(line);
}

static void test_log_line(void **state)
{
	(void)state;
	static const char body[] = "{\"role\":\"user\",\"content\":\"hi\",\"token_count\":1}";
	struct entry e = entry_of(body, sizeof body - 1);
	check(e, line_size, line_write,
	      "{\"id\":17,\"timestamp\":\"2026-09-21T14:13:20.123456Z\",\"author\":\"alice:bash\","
	      "\"role\":\"user\",\"content\":\"hi\",\"token_count\":1,"
	      "\"prev_hash\":\"" A8 A8 A8 A8 "\",\"hash\":\"" C8 C8 C8 C8 "\"}\n");
	e.stream_seq = 0;
	e.time_us = 0;
	e.author = "\"\\";
	check(e, line_size, line_write,
	      "{\"id\":1,\"timestamp\":\"1970-01-01T00:00:00.000000Z\",\"author\":\"\\\"\\\\\","
	      "\"role\":\"user\",\"content\":\"hi\",\"token_count\":1,"
	      "\"prev_hash\":null,\"hash\":\"" C8 C8 C8 C8 "\"}\n");
	e.body = NULL;
	e.time_us = INT64_MAX;
	e.author = "a";
	check(e, line_size, line_write,
	      "{\"id\":1,\"timestamp\":\"9999-12-31T23:59:59.999999Z\",\"author\":\"a\","
	      "\"missing\":true,\"prev_hash\":null,\"hash\":\"" C8 C8 C8 C8 "\"}\n");
}

static void test_tape_line(void **state)
{
	(void)state;
	struct entry e = entry_of("{\"a\":\"\\n\"}", 10);
	check(e, tape_line_size, tape_line_write,
	      "{\"seq\":41,\"stream\":\"s17\",\"stream_seq\":16,\"prev\":\"" A8 A8 A8 A8 "\","
	      "\"time_us\":1790000000123456,\"kind\":\"message\",\"author\":\"alice:bash\","
	      "\"body_len\":10,\"body_hash\":\"" F8 F8 F8 F8 "\",\"hash\":\"" C8 C8 C8 C8 "\","
	      "\"salt\":\"dead000102030405060708090a0b0cff\","
	      "\"body\":\"{\\\"a\\\":\\\"\\\\n\\\"}\"}\n");
	/* Redacted: what stands in its place is for readers, the tape's own line has the header's word. */
	e = entry_of("{\"content\":\"[redacted: x]\"}", 27);
	e.salt = NULL;
	e.hashed_len = 10;
	char *line = line_of(&e, tape_line_size, tape_line_write);
	assert_non_null(strstr(line, "\"body_len\":10,"));
	assert_non_null(strstr(line, ",\"salt\":null,\"body\":null}\n"));
	free(line);
}

/* Days that end months, years, leap years; against the C library. */
static void test_times(void **state)
{
	(void)state;
	for (int64_t day = 0; day < 80000; day += 1 + day % 3) {
		struct entry e = entry_of("{}", 2);
		time_t second = (time_t)(day * 86400 + day % 86400);
		char expected[64], shown[64];
		struct tm tm;
		gmtime_r(&second, &tm);
		(void)strftime(expected, sizeof expected, "\"%Y-%m-%dT%H:%M:%S.000042Z\"", &tm);
		e.time_us = (int64_t)second * 1000000 + 42;
		char *line = line_of(&e, line_size, line_write);
		assert_non_null(strstr(line, expected));
		free(line);
		struct buf b = BUF_INIT;
		buf_add_time(&b, e.time_us);
		(void)snprintf(shown, sizeof shown, "\"%s\"", b.data);
		assert_string_equal(shown, expected);
		buf_release(&b);
	}
}

static json_t *parsed(const char *line)
{
	json_error_t error;
	json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("%s: %s", error.text, line);
	return root;
}

/* Whatever the body: both lines are JSON of the size announced, and the tape's gives it back. */
static void check_body(const char *body, size_t len)
{
	struct entry e = entry_of(body, len);
	char *line = line_of(&e, line_size, line_write);
	json_t *root = parsed(line);
	json_decref(root);
	free(line);
	line = line_of(&e, tape_line_size, tape_line_write);
	root = parsed(line);
	json_t *back = json_object_get(root, "body");
	assert_int_equal(json_string_length(back), len);
	assert_memory_equal(json_string_value(back), body, len);
	assert_int_equal(json_integer_value(json_object_get(root, "body_len")), len);
	json_decref(root);
	free(line);
}

static void test_any_body(void **state)
{
	(void)state;
	static const char *const bodies[] = {
		"", "{", "}", "{}", "{ }", "{}\n", "text", "\"", "\\", "{\"a\":1}", "{\"a\":\n1}",
		"{\"format\":\"tape/1\"}", "[1,2]", "{\"a\":\"\xF0\x9F\x98\x80\"}", "null", "\x7F",
	};
	char text[600];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
		check_body(bodies[i], strlen(bodies[i]));
	for (int round = 0; round < 2000; round++) {
		size_t len = (size_t)round % sizeof text;
		for (size_t i = 0; i < len; i++) {
			x = x * 1664525 + 1013904223;
			text[i] = (char)(1 + (x >> 25)); /* ASCII with all its controls */
			if (text[i] < 0)
				text[i] = '"';
		}
		check_body(text, len);
	}
}

static void test_never_shrinks(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"{\"content\":\"\"}", "{\"id\":1,\"content\":\"x\",\"hash\":\"h\"}",
		"{\"role\":\"user\",\"content\":\"hola\"}",
		"  {  \"id\"  :  7  ,  \"content\" : \"\" } ",
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		for (int pad = 0; pad < 2000; pad += 37) {
			char line[2200], thread[NAME_LIMIT + 1];
			struct buf body = BUF_INIT;
			struct why why;
			int len = snprintf(line, sizeof line, "%*s%s%*s", pad / 2, "", lines[i],
			                   pad / 2, "");
			assert_int_equal(render_message_in(line, (size_t)len, NULL, NULL, store_token_count,
			                                   &body, thread, &why), 0);
			struct entry e = entry_of(body.data, body.len);
			e.stream_seq = 0;
			e.author = "a";
			assert_true(line_size(&e) >= (size_t)len + 1);
			check_body(body.data, body.len);
			buf_release(&body);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_line), cmocka_unit_test(test_tape_line),
		cmocka_unit_test(test_times),    cmocka_unit_test(test_any_body),
		cmocka_unit_test(test_never_shrinks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
