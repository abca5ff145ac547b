/* SPDX-License-Identifier: MIT */
/* Versions: what a document's entries say, and how many lines two versions differ by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

static void test_bodies(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct version_text v = { "{\"a\":1}", "h\xC3\xA9\n\"\t", 6, 3, 2, 1, "ab", NULL };
	render_version_body(&b, &v);
	assert_string_equal(b.data, "{\"fields\":{\"a\":1},\"size\":6,\"tokens\":3,\"sha256\":\"ab\","
	                    "\"lines\":[2,1],\"text\":\"h\xC3\xA9\\n\\\"\\t\"}");
	const struct talk talk = { "claude-code", "" };
	v.talk = &talk;
	buf_clear(&b);
	render_version_body(&b, &v);
	assert_non_null(strstr(b.data, "\"lines\":[2,1],\"from\":{\"agent\":\"claude-code\"},\"text\":"));
	v.talk = NULL;
	buf_clear(&b);
	render_session_talk(&b, &(struct talk){ "", "" });
	assert_int_equal(b.len, 0);
	render_session_talk(&b, &(struct talk){ "", "x" });
	assert_string_equal(b.data, "{\"from\":{\"session\":\"x\"}}");
	buf_clear(&b);
	buf_adds(&b, "{\"flag\":\"f\"}");
	render_session_talk(&b, &(struct talk){ "a", "x" });
	assert_string_equal(b.data, "{\"flag\":\"f\",\"from\":{\"agent\":\"a\",\"session\":\"x\"}}");
	static const char *const coded[] = { "", "\"AA==\"}", "\"AP8=\"}", "\"AP8+\"}", "\"AP8+fw==\"}" };
	for (size_t len = 1; len <= 4; len++) {
		buf_clear(&b);
		v.bytes = "\0\xFF>\x7F";
		v.len = len;
		render_version_body(&b, &v);
		assert_non_null(strstr(b.data, "\"base64\":"));
		assert_string_equal(b.data + b.len - strlen(coded[len]), coded[len]);
	}
	buf_clear(&b);
	v.bytes = NULL;
	v.len = 0;
	render_version_body(&b, &v);
	assert_non_null(strstr(b.data, "\"text\":\"\"}"));
	buf_clear(&b);
	render_make_body(&b, "blocks/rules", "a.md", "blocks/rules/a.md", false);
	render_make_body(&b, "notes", "w\"", "notes/w\"", true);
	render_rename_body(&b, "#4", "b.md", "notes/w/b.md");
	render_retire_body(&b, 17);
	assert_string_equal(b.data, "{\"parent\":\"blocks/rules\",\"name\":\"a.md\",\"path\":\"blocks/rules/a.md\","
	                    "\"folder\":false}{\"parent\":\"notes\",\"name\":\"w\\\"\",\"path\":\"notes/w\\\"\","
	                    "\"folder\":true}{\"parent\":\"#4\",\"name\":\"b.md\",\"path\":\"notes/w/b.md\"}"
	                    "{\"into\":17}");
	buf_release(&b);
}

static void test_version_line(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct doc_version v = { .n = 3, .time_us = INT64_C(1795168800000000), .size = 12, .added = 4, .removed = 2,
		                 .author = "ana:vim", .sha256 = "ab", .hash = "cd" };
	render_version(&b, &v, "");
	assert_string_equal(b.data, "3\t2026-11-20T10:00:00.000000Z\tana:vim\t+4 -2\t12\tab\tcd\t-\t-\n");
	v.talk = (struct talk){ "codex", "0\t1" };
	buf_clear(&b);
	render_version(&b, &v, "sessions/a\tb");
	assert_non_null(strstr(b.data, "\tcd\tcodex\tsessions/a b\n"));
	buf_clear(&b);
	render_save(&b, &v, "notes/\"a\".md");
	assert_string_equal(b.data, "{\"path\":\"notes/\\\"a\\\".md\",\"version\":3,"
	                    "\"timestamp\":\"2026-11-20T10:00:00.000000Z\",\"author\":\"ana:vim\",\"added\":4,"
	                    "\"removed\":2,\"from\":{\"agent\":\"codex\",\"session\":\"0\\t1\"},\"hash\":\"cd\"}\n");
	buf_release(&b);
}

static void changes(const char *a, const char *b, int added, int removed)
{
	int64_t plus, minus;
	render_line_changes(a, strlen(a), b, strlen(b), &plus, &minus);
	if (plus != added || minus != removed)
		fail_msg("%s -> %s: +%d -%d", a, b, (int)plus, (int)minus);
}

static void test_line_changes(void **state)
{
	(void)state;
	changes("", "", 0, 0);
	changes("", "a", 1, 0);
	changes("a\nb\n", "", 0, 2);
	changes("a\nb\n", "a\nb\n", 0, 0);
	changes("a\nb", "a\nb\n", 1, 1);
	changes("a\nb\nc\n", "a\nx\nc\n", 1, 1);
	changes("a\na\na\n", "a\na\n", 0, 1);
	changes("a\nb\nc\n", "c\na\nb\n", 1, 1);
	changes("a\nb\n", "b\na\n", 1, 1);
	changes("xa\n", "a\n", 1, 1);
	changes("\na\n", "a\n", 0, 1);
	changes("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 2, 3); /* Myers' own example */
	changes("a\r\nb\r\n", "a\nb\n", 2, 2);
}

/* The plain table of longest common subsequences, as an oracle. */
static int common_of(const char *a, size_t m, const char *b, size_t n)
{
	static int table[64][64];
	for (size_t i = m + 1; i-- > 0;)
		for (size_t k = n + 1; k-- > 0;)
			table[i][k] = i == m || k == n ? 0
			              : a[i] == b[k] ? table[i + 1][k + 1] + 1
			              : table[i + 1][k] > table[i][k + 1] ? table[i + 1][k] : table[i][k + 1];
	return table[0][0];
}

static void test_line_changes_random(void **state)
{
	(void)state;
	uint32_t seed = 2463534242;
	for (int round = 0; round < 20000; round++) {
		char side[2][60], text[2][121];
		size_t len[2];
		for (int s = 0; s < 2; s++) {
			seed = seed * 1664525 + 1013904223;
			len[s] = seed >> 8 & 31;
			for (size_t i = 0; i < len[s]; i++) {
				seed = seed * 1664525 + 1013904223;
				side[s][i] = (char)('a' + (seed >> 16) % (unsigned)(2 + round % 6));
				text[s][2 * i] = side[s][i];
				text[s][2 * i + 1] = '\n';
			}
		}
		int64_t plus, minus;
		int common = common_of(side[0], len[0], side[1], len[1]);
		render_line_changes(text[0], 2 * len[0], text[1], 2 * len[1], &plus, &minus);
		assert_int_equal(plus, (int64_t)len[1] - common);
		assert_int_equal(minus, (int64_t)len[0] - common);
	}
}

/* Too much for the exact way: counted as a bag, in a moment. */
static void test_line_changes_large(void **state)
{
	(void)state;
	enum { LINES = 100000 };
	struct buf a = BUF_INIT, b = BUF_INIT;
	int64_t plus, minus;
	for (int i = 0; i < LINES; i++) {
		buf_addf(&a, "%d\n", i);
		buf_addf(&b, "%d\n", i == 7 ? -1 : LINES - 1 - i);
	}
	render_line_changes(a.data, a.len, b.data, b.len, &plus, &minus);
	assert_int_equal(plus, 1);
	assert_int_equal(minus, 1);
	buf_clear(&a);
	buf_clear(&b);
	for (int i = 0; i < 1 << 20; i++) { /* as many lines as a document can have */
		buf_addc(&a, i == 0 ? 'x' : '\n');
		buf_addc(&b, i == (1 << 20) - 2 ? 'x' : '\n');
	}
	render_line_changes(a.data, a.len, b.data, b.len, &plus, &minus);
	assert_int_equal(plus, 1);
	assert_int_equal(minus, 1);
	buf_release(&a);
	buf_release(&b);
}

static void test_resize(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	assert_true(buf_resize(&b, 0));
	assert_string_equal(b.data, "");
	buf_adds(&b, "hello");
	assert_true(buf_resize(&b, 2));
	assert_string_equal(b.data, "he");
	assert_true(buf_resize(&b, 1000));
	for (size_t i = 2; i <= 1000; i++)
		assert_int_equal(b.data[i], 0);
	assert_int_equal(b.len, 1000);
	assert_false(buf_resize(&b, SIZE_MAX));
	assert_true(b.failed);
	buf_release(&b);
}

/* Different lines of one hash (32 bits of FNV-1a), found by trying. */
static void test_line_changes_collision(void **state)
{
	(void)state;
	changes("costarring\nliquid\n", "liquid\ncostarring\n", 1, 1);
	changes("x\nliquid\ncostarring\nliquid\n", "liquid\ny\ncostarring\n", 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_version_line),
		cmocka_unit_test(test_line_changes),
		cmocka_unit_test(test_line_changes_random),
		cmocka_unit_test(test_line_changes_large),
		cmocka_unit_test(test_line_changes_collision),
		cmocka_unit_test(test_resize),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
