/* SPDX-License-Identifier: MIT */
/* What a mount shows, by its rules (fs/base/bounds.h): the longest path holds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fs/base/bounds.h"

static struct bounds *made(const char *only, const char *ro, const char *hide)
{
	struct bounds *b = NULL;
	struct why why = { 0 };
	assert_int_equal(bounds_make(only, ro, hide, &b, &why), 0);
	return b;
}

struct expected {
	const char *path;
	enum reach reach;
};

static void check(struct bounds *b, const struct expected *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bounds_path(b, e[i].path) != e[i].reach)
			fail_msg("%s: %d", e[i].path, bounds_path(b, e[i].path));
	bounds_free(b);
}
#define CHECK(B, ...) \
	check(B, (const struct expected[]){ __VA_ARGS__ }, \
	      sizeof((const struct expected[]){ __VA_ARGS__ }) / sizeof(struct expected))

static void test_none(void **state)
{
	(void)state;
	assert_null(made(NULL, NULL, NULL));
	assert_int_equal(bounds_path(NULL, "notes/a"), REACH_WRITE);
	assert_true(bounds_whole(NULL, ""));
	assert_false(bounds_holds_still(NULL, "notes"));
	assert_false(bounds_hides_in(NULL, "notes"));
}

static void test_longest(void **state)
{
	(void)state;
	CHECK(made(NULL, "notes/a:facts", "notes/a/b:notes/c.md"),
		{ ".", REACH_WRITE }, { "", REACH_WRITE }, { "notes", REACH_WRITE },
		{ "notes/a", REACH_READ }, { "notes/a/x.md", REACH_READ }, { "notes/ab", REACH_WRITE },
		{ "notes/a/b", REACH_NONE }, { "notes/a/b/c/d.md", REACH_NONE },
		{ "notes/a/bc", REACH_READ }, { "facts/work.md@3", REACH_READ },
		{ "notes/c.md", REACH_NONE }, { "notes/c.md@3", REACH_NONE },
		{ "notes/c.md@log", REACH_NONE }, { "notes/c.md@2026-11-20T10:00:00Z", REACH_NONE },
		{ "notes/c.md~", REACH_WRITE }, { "notes/c.md@x.md", REACH_WRITE });
	CHECK(made("notes/a", NULL, "notes/a/b:notes/a/b/c/d"),
		{ "notes/a/b/c", REACH_NONE }, { "notes/a/b", REACH_NONE }, { "notes/a", REACH_WRITE });
	CHECK(made("notes/a/b/c", NULL, "notes/a"),
		{ "notes/a/b", REACH_WAY }, { "notes/a", REACH_WAY }, { "notes/a/x", REACH_NONE },
		{ "notes/a/b/c/x", REACH_WRITE });
}

static void test_only(void **state)
{
	(void)state;
	CHECK(made("notes/a:notes/x.md", "notes/a/kept:facts", NULL),
		{ ".", REACH_WAY }, { "notes", REACH_WAY }, { "notes/a", REACH_WRITE },
		{ "notes/a/kept/x", REACH_READ }, { "notes/b", REACH_NONE }, { "notes/ab", REACH_NONE },
		{ "notes/a@work", REACH_NONE }, { "notes/a@work/x.md", REACH_NONE },
		{ "notes/x.md@12", REACH_WRITE }, { "notes/x.md@12.md", REACH_NONE },
		{ "smma", REACH_NONE }, { ".cinta", REACH_NONE }, { "facts/work.md", REACH_READ },
		{ "README.md", REACH_READ }, { "search/x y.md", REACH_WRITE });
	/* In both lists: read-only.  Hidden, what is always there is not. */
	CHECK(made("notes:facts", "facts/", "search:/README.md"),
		{ "facts/a.md", REACH_READ }, { "search/x", REACH_NONE }, { "README.md", REACH_NONE });
}

static void test_words(void **state)
{
	struct bounds *b = NULL;
	(void)state;
	CHECK(made(NULL, NULL, "/notes/a\\:b/:notes/c\\\\d"), { "notes/a:b/x", REACH_NONE },
		{ "notes/a", REACH_WRITE }, { "notes/c\\d", REACH_NONE });
	static const char *const wrong[] = { "/", ".", "a//b", "a/../b", "..", "a/./b", "notes::b",
		":notes" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct why why = { 0 };
		assert_int_equal(bounds_make(NULL, NULL, wrong[i], &b, &why), -EINVAL);
		assert_null(b);
		assert_true(why.text[0] && why.todo[0]);
	}
	struct why why = { 0 };
	assert_int_equal(bounds_make("a/b", NULL, "c:a/b", &b, &why), -EINVAL);
	assert_int_equal(bounds_make(NULL, "a/b", "a/b", &b, &why), -EINVAL);
}

static void test_whole(void **state)
{
	(void)state;
	struct bounds *b = made(NULL, "facts", "sessions/x:notes/a/b");
	assert_false(bounds_whole(b, ""));
	assert_false(bounds_whole(b, "sessions"));
	assert_false(bounds_whole(b, "notes/a/b/c"));
	assert_false(bounds_whole(b, "notes"));
	assert_true(bounds_whole(b, "facts"));
	assert_true(bounds_whole(b, "sessions/xy"));
	assert_true(bounds_hides_in(b, "sessions") && bounds_hides_in(b, "notes/a"));
	assert_false(bounds_hides_in(b, "notes") || bounds_hides_in(b, ".") ||
	             bounds_hides_in(b, "sessions/x"));
	assert_true(bounds_holds_still(b, "notes") && bounds_holds_still(b, "notes/a"));
	assert_true(bounds_holds_still(b, "facts/x") && bounds_holds_still(b, "."));
	assert_false(bounds_holds_still(b, "notes/ab"));
	bounds_free(b);
	b = made("sessions:notes/a", NULL, NULL);
	assert_true(bounds_whole(b, "sessions"));
	assert_false(bounds_whole(b, "notes") || bounds_whole(b, "threads") || bounds_whole(b, ""));
	bounds_free(b);
	b = made(NULL, "notes", NULL); /* it hides nothing */
	assert_true(bounds_whole(b, "") && bounds_whole(b, "notes"));
	bounds_free(b);
}

/* What is learned in sessions is shown where it is named, or all sessions are. */
static void test_facts(void **state)
{
	(void)state;
	CHECK(made(NULL, NULL, "sessions/x"), { "facts", REACH_NONE }, { "facts/work.md", REACH_NONE });
	CHECK(made(NULL, NULL, "sessions/x:facts/work.md"), { "facts/a.md", REACH_NONE });
	CHECK(made(NULL, "facts", "sessions/x:facts/work.md"), { "facts/a.md", REACH_READ },
		{ "facts/work.md", REACH_NONE });
	CHECK(made(NULL, "facts/a.md", "sessions/x"), { "facts", REACH_WAY },
		{ "facts/a.md", REACH_READ }, { "facts/work.md", REACH_NONE });
	CHECK(made(NULL, NULL, "notes"), { "facts", REACH_WRITE }, { "facts/work.md", REACH_WRITE });
	CHECK(made("facts:notes", NULL, NULL), { "facts/work.md", REACH_WRITE });
	CHECK(made("notes", NULL, NULL), { "facts/work.md", REACH_NONE });
	CHECK(made(NULL, "sessions", NULL), { "facts/work.md", REACH_WRITE });
}

static void count_line(void *ctx, const struct bounds_line *line)
{
	int64_t *last = ctx;
	assert_true(line->time_us > *last);
	assert_string_equal(line->text, "x\n");
	*last = line->time_us;
}

static void test_lines(void **state)
{
	struct bounds *b = made(NULL, NULL, "notes");
	int64_t last = 0;
	(void)state;
	for (int64_t i = 1; i <= 3 * BOUNDS_LINES / 2; i++)
		bounds_note(b, i, strdup("x\n"));
	last = BOUNDS_LINES / 2;
	bounds_each_note(b, count_line, &last);
	assert_int_equal(last, 3 * BOUNDS_LINES / 2);
	bounds_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none), cmocka_unit_test(test_longest), cmocka_unit_test(test_only),
		cmocka_unit_test(test_words), cmocka_unit_test(test_whole), cmocka_unit_test(test_facts),
		cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
