/* SPDX-License-Identifier: MIT */
/* Plots: each row stands in each form, nothing of a text is markup, and odd numbers draw nothing odd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "render/render.h"

#define DAY INT64_C(86400000000)

static struct plot_row rows[] = {
	{ .label = "one", .link = "sessions/one.html", .from_us = 20000 * DAY, .to_us = 20001 * DAY,
	  .value = { 3, 2, 1 }, .note = "ana" },
	{ .label = "<img src=x onerror=alert(1)>", .link = "javascript:alert(1)", .from_us = 20003 * DAY,
	  .to_us = 20003 * DAY, .value = { 10, 0, 0 }, .note = "\"><script>" },
	{ .label = "\xe2\x80\xae" "evil\x1b[31m", .from_us = 20004 * DAY, .to_us = 20010 * DAY, .value = { 0, 0, 4 } },
};

static struct plot plot_of(enum plot_shape shape)
{
	return (struct plot){ .shape = shape, .title = "A <b>title</b>", .about = "What it's \"about\" & more.",
		.of = "session", .column = { "messages", "<i>tokens</i>", "facts" }, .columns = 3, .row = rows,
		.rows = sizeof rows / sizeof *rows, .notes = "by" };
}

static int count(const struct buf *b, const char *what)
{
	int n = 0;
	for (const char *at = b->data; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* Elements are ours: as many tags as we meant, and no text that came with the rows is one. */
static void inert(const struct buf *b)
{
	static const char *const never[] = { "<img", "<script", "<i>", "<b>", "href=\"javascript:", "\x1b", "\xe2\x80\xae",
		"NaN", "nan", "inf" };
	assert_false(b->failed);
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (strstr(b->data, never[i]))
			fail_msg("%s in: %s", never[i], b->data);
}

static void test_hostile(void **state)
{
	(void)state;
	for (enum plot_shape shape = PLOT_LINE; shape <= PLOT_DAYS; shape++) {
		for (int alone = 0; alone < 2; alone++) {
			struct plot p = plot_of(shape);
			struct buf b = BUF_INIT;
			plot_svg(&b, &p, "x", alone);
			inert(&b);
			assert_int_equal(count(&b, "<svg "), 1);
			assert_int_equal(count(&b, "</svg>"), 1);
			assert_int_equal(count(&b, "<title id=\"x-title\">A &lt;b&gt;title&lt;/b&gt;</title>"), 1);
			assert_int_equal(count(&b, "What it&#39;s &quot;about&quot; &amp; more."), 1);
			assert_int_equal(count(&b, "<style>"), alone);
			assert_int_equal(count(&b, " style="), 0);
			assert_int_equal(count(&b, "<a "), count(&b, "</a>"));
			if (alone)
				assert_int_equal(count(&b, "href="), 0); /* a file has nowhere to go */
			buf_release(&b);
		}
	}
}

static void test_links(void **state)
{
	struct plot p = plot_of(PLOT_TIME);
	struct buf b = BUF_INIT;
	(void)state;
	plot_svg(&b, &p, "x", false);
	assert_int_equal(count(&b, "<a href=\"sessions/one.html\">"), 1);
	assert_int_equal(count(&b, "<a href=\"javascript%3Aalert%281%29\">"), 1);
	buf_release(&b);
}

static void test_table(void **state)
{
	(void)state;
	for (enum plot_shape shape = PLOT_LINE; shape <= PLOT_DAYS; shape++) {
		struct plot p = plot_of(shape);
		struct buf b = BUF_INIT;
		plot_table(&b, &p);
		inert(&b);
		assert_int_equal(count(&b, "<tr>"), 4);
		assert_int_equal(count(&b, "<th scope=\"row\">"), 3);
		assert_int_equal(count(&b, "<td class=\"n\">"), 9);
		assert_int_equal(count(&b, "<td class=\"n\">10</td>"), 1);
		assert_int_equal(count(&b, "<caption>"), 1);
		buf_release(&b);
	}
}

static void test_text(void **state)
{
	struct buf b = BUF_INIT;
	struct plot p = plot_of(PLOT_BAR);
	(void)state;
	plot_text(&b, &p, 60);
	assert_null(strchr(b.data, '\x1b'));
	assert_int_equal(count(&b, "\n"), 4);
	buf_clear(&b);
	p.shape = PLOT_STACK;
	plot_text(&b, &p, 60);
	assert_non_null(strstr(b.data, "█ messages   ▓ <i>tokens</i>   ▒ facts\n"));
	buf_clear(&b);
	p.shape = PLOT_TIME;
	plot_text(&b, &p, 60);
	assert_non_null(strstr(b.data, "2024-10-04"));
	assert_non_null(strstr(b.data, "2024-10-14"));
	buf_clear(&b);
	p.shape = PLOT_DAYS;
	plot_text(&b, &p, 60);
	assert_non_null(strstr(b.data, "Fri ▒·"));
	assert_non_null(strstr(b.data, "at most 10 messages a day"));
	buf_release(&b);
}

/* No rows, one row, and values that are none. */
static void test_odd(void **state)
{
	static struct plot_row odd[] = { { .label = "", .from_us = 5, .to_us = 2, .value = { NAN, INFINITY, -1 } },
		{ .label = NULL, .from_us = 4, .to_us = INT64_C(1) << 60, .value = { 1e300, 0, 0 } } };
	(void)state;
	for (enum plot_shape shape = PLOT_LINE; shape <= PLOT_DAYS; shape++) {
		for (size_t n = 0; n <= 2; n++) {
			struct plot p = plot_of(shape);
			struct buf b = BUF_INIT;
			p.row = odd;
			p.rows = n;
			p.fractions = n == 1;
			plot_svg(&b, &p, "x", true);
			inert(&b);
			plot_table(&b, &p);
			plot_text(&b, &p, 1);
			assert_false(b.failed);
			assert_non_null(strstr(b.data, n ? "</tbody>" : "nothing yet\n"));
			buf_release(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_hostile), cmocka_unit_test(test_links),
		cmocka_unit_test(test_table), cmocka_unit_test(test_text), cmocka_unit_test(test_odd) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
