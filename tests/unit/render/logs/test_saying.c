/* SPDX-License-Identifier: MIT */
/*
 * When and by whom a line was said is read twice: by the store for its views, by the renderer for
 * transcripts.  The two must agree on every body, and their times with each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "render/format/time_read.h"
#include "render/logs/saying.h"
#include "store/base/time_text.h"
#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NOW INT64_C(1795168800123456) /* 2026-11-20T10:00:00.123456Z */

static const struct {
	const char *text;
	int64_t time_us; /* -1: none */
} times[] = {
	{ "2023-05-08T10:00:00Z", INT64_C(1683540000000000) },
	{ "2023-05-08", INT64_C(1683504000000000) },
	{ "2023-05-08t10:00:00.5z", INT64_C(1683540000500000) },
	{ "2023-05-08 12:00+02:00", INT64_C(1683540000000000) },
	{ "2023-05-08T04:30:00.1234567-05:30", INT64_C(1683540000123456) },
	{ "1970-01-01T00:00:00Z", 0 }, { "2024-02-29", INT64_C(1709164800000000) },
	{ "2023-02-29", -1 }, { "2023-04-31", -1 }, { "2023-13-01", -1 }, { "2023-00-10", -1 },
	{ "2023-01-00", -1 }, { "1969-12-31", -1 }, { "1970-01-01T00:00:00+00:01", -1 },
	{ "2023-05-08T10:00:00", -1 }, { "2023-05-08T24:00:00Z", -1 }, { "2023-05-08T10:60Z", -1 },
	{ "2023-05-08T10:00:61Z", -1 }, { "2023-05-08T10:00:00.Z", -1 }, { "2023-05-08T10Z", -1 },
	{ "2023-05-08T10:00:00Z ", -1 }, { " 2023-05-08", -1 }, { "2023-5-8", -1 }, { "2023", -1 },
	{ "", -1 }, { "yesterday", -1 }, { "2023-05-08T10:00:00+2:00", -1 }, { "1683540000", -1 },
	{ "2023-05-08T10:00:00+24:00", -1 }, { "2023-05-08Z", -1 }, { "99999-01-01", -1 },
};

static void times_are_read_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(times); i++) {
		int64_t ours = -1, theirs = -1;
		size_t len = strlen(times[i].text);
		bool a = time_of_text(times[i].text, len, &ours), b = time_read(times[i].text, len, &theirs);
		if (a != (times[i].time_us >= 0) || b != a || (a && (ours != times[i].time_us || theirs != ours)))
			fail_msg("%s: %d %lld, %d %lld", times[i].text, a, (long long)ours, b, (long long)theirs);
	}
}

/* Every byte of every time replaced by others, and cut: the two readers never differ. */
static void mutants_are_read_alike(void **state)
{
	(void)state;
	static const char with[] = "0123456789-:.TZz+ tA\0";
	char text[64];
	long checked = 0;
	for (size_t i = 0; i < COUNT(times); i++) {
		size_t len = strlen(times[i].text);
		for (size_t at = 0; at < len; at++) {
			for (size_t k = 0; k < sizeof with; k++, checked++) {
				int64_t ours = 0, theirs = 0;
				memcpy(text, times[i].text, len);
				text[at] = with[k];
				size_t cut = k % 3 ? len : at;
				bool a = time_of_text(text, cut, &ours), b = time_read(text, cut, &theirs);
				if (a != b || (a && ours != theirs))
					fail_msg("%.*s: %d %lld, %d %lld", (int)cut, text, a, (long long)ours, b,
					         (long long)theirs);
			}
		}
	}
	assert_true(checked > 8000);
}

static const struct {
	const char *body, *by;
	int64_t time_us;
} bodies[] = {
	{ "{\"content\":\"x\"}", "", 0 },
	{ "{\"from\":{\"at\":\"2023-05-08\"},\"content\":\"x\"}", "", INT64_C(1683504000000000) },
	{ "{\"from\":{\"at\":\"2023-05-08\",\"author\":\"Bob\"}}", "Bob", INT64_C(1683504000000000) },
	{ "{\"fr\\u006fm\":{\"at\":\"2023\\u002d05-08\",\"author\":\"B\\u00e9\"}}", "Bé", INT64_C(1683504000000000) },
	{ "{\"source\":{\"timestamp\":\"2023-05-08\",\"author\":\"Zoe\"}}", "Zoe", INT64_C(1683504000000000) },
	{ "{\"from\":{\"author\":\"A\"},\"source\":{\"timestamp\":\"2023-05-08\",\"author\":\"Z\"}}", "A",
	  INT64_C(1683504000000000) },
	{ "{\"from\":{\"at\":\"2024-02-29\"},\"source\":{\"timestamp\":\"2023-05-08\",\"author\":\"Z\"}}", "Z",
	  INT64_C(1709164800000000) },
	{ "{\"from\":\"2023-05-08\"}", "", 0 }, { "{\"from\":[{\"at\":\"2023-05-08\"}]}", "", 0 },
	{ "{\"from\":{\"at\":\"2099-01-01\"},\"source\":{\"timestamp\":\"2023-05-08\"}}", "", INT64_C(1683504000000000) },
	{ "{\"from\":{\"at\":1683540000,\"author\":\"\"}}", "", 0 },
	{ "{\"source\":\"x\"}", "", 0 }, { "[\"from\"]", "", 0 }, { "\"from\"", "", 0 }, { "{", "", 0 },
	{ "{\"from\":{\"at\":\"2023-05-08\"", "", 0 },
	/* a copy of a line, and of a copy's; an object of that name that is no line's says nothing */
	{ "{\"source\":{\"timestamp\":\"2023-05-08\",\"author\":\"a:b\",\"prev_hash\":null,\"hash\":\"c\"}}", "a:b",
	  INT64_C(1683504000000000) },
	{ "{\"source\":{\"timestamp\":\"2024-05-08\",\"author\":\"a:cp\",\"source\":{\"timestamp\":\"2023-05-08\","
	  "\"author\":\"a:b\",\"prev_hash\":\"d\",\"hash\":\"c\"},\"prev_hash\":null,\"hash\":\"c\"}}", "a:b",
	  INT64_C(1683504000000000) },
	{ "{\"source\":{\"timestamp\":\"2023-05-08\",\"source\":{\"timestamp\":\"2022-05-08\"}}}", "",
	  INT64_C(1683504000000000) },
	{ "{\"from\":{\"author\":\"a\\u0000b\"}}", "", 0 },
};

static void bodies_are_read_alike(void **state)
{
	(void)state;
	static const uint8_t salt[SALT_SIZE];
	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct entry e = { .stream = "s1", .time_us = NOW, .kind = "message", .author = "a:b", .salt = salt,
			.body = bodies[i].body, .body_len = strlen(bodies[i].body) };
		struct saying ours, theirs;
		struct buf out = BUF_INIT;
		struct json j;
		store_said(&e, &ours);
		saying_read(json_read_body(&j, &e, &out), &e, &theirs);
		json_release(&j);
		buf_release(&out);
		const int64_t wanted = bodies[i].time_us ? bodies[i].time_us : NOW;
		if (strcmp(ours.by, bodies[i].by) != 0 || strcmp(theirs.by, ours.by) != 0 || ours.time_us != wanted ||
		    theirs.time_us != wanted || ours.told != (wanted != NOW) || theirs.told != ours.told ||
		    theirs.copied != ours.copied || ours.copied != !!strstr(bodies[i].body, "\"hash\":\"c\"}"))
			fail_msg("%s: \"%s\" %lld %d, \"%s\" %lld %d", bodies[i].body, ours.by, (long long)ours.time_us,
			         ours.told, theirs.by, (long long)theirs.time_us, theirs.told);
	}
	struct entry gone = { .time_us = NOW };
	struct saying said;
	store_said(&gone, &said);
	assert_true(said.time_us == NOW && !said.told && !*said.by);
	saying_read(NULL, &gone, &said);
	assert_true(said.time_us == NOW && !said.told && !*said.by);
}

/* One of more bytes than are kept ends with a whole character. */
static void a_long_name_is_cut(void **state)
{
	(void)state;
	static const uint8_t salt[SALT_SIZE];
	char body[400], name[FIELD_MAX + 2];
	memset(name, 'x', FIELD_MAX - 1);
	memcpy(name + FIELD_MAX - 1, "\xC3\xA9", 3);
	(void)snprintf(body, sizeof body, "{\"source\":{\"author\":\"%s\"}}", name);
	struct entry e = { .stream = "s1", .time_us = NOW, .kind = "message", .author = "a:b", .salt = salt,
		.body = body, .body_len = strlen(body) };
	struct saying ours, theirs;
	struct buf out = BUF_INIT;
	struct json j;
	store_said(&e, &ours);
	saying_read(json_read_body(&j, &e, &out), &e, &theirs);
	json_release(&j);
	name[FIELD_MAX - 1] = '\0';
	assert_string_equal(ours.by, name);
	assert_string_equal(theirs.by, name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read_alike),
		cmocka_unit_test(mutants_are_read_alike),
		cmocka_unit_test(bodies_are_read_alike),
		cmocka_unit_test(a_long_name_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
