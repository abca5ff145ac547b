/* SPDX-License-Identifier: MIT */
/* The pieces of a context: what one costs is what is printed of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fs/context/page.h"

static int64_t count_bytes(const char *text, size_t len)
{
	(void)text;
	return (int64_t)len;
}

static int64_t printed(const struct piece *p)
{
	struct buf out = BUF_INIT;
	piece_print(&out, p);
	int64_t len = (int64_t)out.len;
	buf_release(&out);
	return len;
}

static struct context *context_of_bytes(void)
{
	static struct fs fs;
	fs.count_tokens = count_bytes;
	if (!fs.has_asking) /* whoever asks sees everything */
		fs.has_asking = pthread_key_create(&fs.asking, NULL) == 0;
	assert_true(fs.has_asking);
	struct context *c = context_new(&fs);
	assert_non_null(c);
	return c;
}

static void a_message_costs_its_author_as_well(void **state)
{
	(void)state;
	struct context *c = context_of_bytes();
	struct context_part part = { .kind = CONTEXT_TURN, .title = "", .where = "", .text = "hello",
		.len = 5, .first = 1, .last = 1, .role = "user" };
	struct piece *p = context_add(c, &part, PART_WINDOW, 0, 0);
	assert_non_null(p);
	int64_t unsigned_cost = p->tokens;
	assert_int_equal(p->tokens, printed(p));
	part.author = "alice:pi";
	p = context_add(c, &part, PART_WINDOW, 0, 0);
	assert_non_null(p);
	assert_int_equal(p->tokens, printed(p));
	assert_int_equal(p->tokens - unsigned_cost, strlen(" \xC2\xB7 alice:pi"));
	context_free(c);
}

static void a_cut_message_costs_what_is_left_of_it(void **state)
{
	(void)state;
	struct context *c = context_of_bytes();
	const struct context_part part = { .kind = CONTEXT_RESULT, .title = "grep",
		.where = "sessions/s/messages/000007.md", .text = "one two three four five six",
		.len = 27, .first = 7, .last = 7, .role = "tool", .author = "bob:cli" };
	struct piece *p = context_add_fit(c, &part, 9, 0, PART_RESULT, 0, 0);
	assert_non_null(p);
	assert_true(p->part.len <= 9 && p->part.left > 0);
	assert_int_equal(p->tokens, printed(p));
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_costs_its_author_as_well),
		cmocka_unit_test(a_cut_message_costs_what_is_left_of_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
