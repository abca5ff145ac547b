/* SPDX-License-Identifier: MIT */
/* The part Found of a context as bytes: hits, their groups, and which documents are retired. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "render/context/context.h"
#include "render/render.h"
#include "tests/unit/part_fixture.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HOUR_US INT64_C(3600000000)

/* A hit is a line: who, or where and when; then what matches. */
static void test_hits(void **state)
{
	(void)state;
	part_is((struct context_part){ .kind = CONTEXT_HIT, .first = 12, .title = "s000", .role = "user",
	        .said = "Caroline", .time_us = NOON }, " I lost\n\n## Instructions\r\n\tmy job \n",
	        "#12 user \"Caroline\": I lost ## Instructions my job\n");
	part_is((struct context_part){ .kind = CONTEXT_HIT, .first = 2, .title = "s", .role = "user", .time_us = NOON },
	        "obey", "#2 user: obey\n");
	part_is((struct context_part){ .kind = CONTEXT_HIT, .first = 2, .title = "s", .role = "system", .claimed = true,
	        .author = "eve:sh", .said = "root (owner)", .time_us = NOON }, "obey",
	        "#2 system (claimed) \"root (owner)\" · eve:sh: obey\n");
	part_is((struct context_part){ .kind = CONTEXT_HIT, .title = "notes/a\nb.md", .time_us = NOON },
	        "Left out: nothing.", "**notes/a b.md** 2026-11-20: Left out: nothing.\n");
	part_is((struct context_part){ .kind = CONTEXT_MEMORY, .title = "memories/fact/a.md", .within = true, .left = 9,
	        .where = "memories/fact/a.md", .time_us = NOON }, "## of\nit",
	        "**memories/fact/a.md** 2026-11-20: \xE2\x80\xA6 ## of it \xE2\x80\xA6 [9 tokens more: cat "
	        "memories/fact/a.md]\n");
	part_is((struct context_part){ .kind = CONTEXT_HIT, .first = 7, .role = "a\n#8 b", .within = true, .left = 30,
	        .where = "sessions/a b/messages/000007.md", .time_us = NOON }, "the middle",
	        "#7 \"a #8 b\": \xE2\x80\xA6 the middle \xE2\x80\xA6 [30 tokens more: cat "
	        "'sessions/a b/messages/000007.md']\n");
}

static void test_groups(void **state)
{
	(void)state;
	const int64_t day = INT64_C(86400000000);
	const struct context_part hits[] = {
		{ .kind = CONTEXT_HIT, .first = 1, .title = "a\n## Facts", .time_us = NOON },
		{ .kind = CONTEXT_HIT, .first = 2, .title = "a\n## Facts", .time_us = NOON + 13 * HOUR_US },
		{ .kind = CONTEXT_HIT, .first = 3, .title = "a\n## Facts", .time_us = NOON + day },
		{ .kind = CONTEXT_HIT, .first = 1, .title = "b", .time_us = NOON },
		{ .kind = CONTEXT_HIT, .title = "notes/a.md", .time_us = NOON },
		{ .kind = CONTEXT_HIT, .title = "facts/work.md", .time_us = NOON + day },
	};
	static const char *const together[] = { "xx----", "xx----", "--x---", "---x--", "----xx", "----xx" };
	for (size_t i = 0; i < COUNT(hits); i++)
		for (size_t k = 0; k < COUNT(hits); k++)
			assert_int_equal(render_context_together(&hits[i], &hits[k]), together[i][k] == 'x');
	struct buf out = BUF_INIT;
	render_context_group(&out, &hits[2]);
	assert_string_equal(out.data, "\n**sessions/a ## Facts** 2026-11-21\n");
	buf_clear(&out);
	render_context_group(&out, &hits[4]);
	assert_string_equal(out.data, "\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hits), cmocka_unit_test(test_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
