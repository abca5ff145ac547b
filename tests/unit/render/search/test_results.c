/* SPDX-License-Identifier: MIT */
/* The head of an answer: what a reader must know before the hits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/render.h"

static void head_is(const struct found_state *state, const char *text, bool told)
{
	struct buf page = BUF_INIT;
	struct query q;
	struct why why;
	assert_int_equal(render_query_in("heron", 5, &q, &why), 0);
	render_results(&page, &q, "", 0, state);
	assert_false(page.failed);
	assert_int_equal(strstr(page.data, text) != NULL, told);
	query_release(&q);
	buf_release(&page);
}

static void how_much_was_searched(void **state)
{
	(void)state;
	const char *part = "12000 of 100000 entries searched";
	head_is(&(struct found_state){ .searched = 12000, .entries = 100000 }, part, true);
	head_is(&(struct found_state){ .searched = 100000, .entries = 100000 }, "searched", false);
	head_is(&(struct found_state){ .searched = 0, .entries = 0 }, "searched", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_much_was_searched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
