/* SPDX-License-Identifier: MIT */
/* Parts of pages: markdown as the elements we mean, addresses, messages that are cut, differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/render.h"

static void expect_markdown(const char *text, const char *want)
{
	struct buf b = BUF_INIT;
	struct html h = { .out = &b, .up = "" };
	html_markdown(&h, text, strlen(text));
	buf_adds(&b, "");
	assert_false(b.failed);
	if (strcmp(b.data ? b.data : "", want) != 0)
		fail_msg("%s\ngave:\n%s", text, b.data);
	buf_release(&b);
}

static void test_markdown(void **state)
{
	static const char *const cases[][2] = {
		{ "plain & <b>bold</b>",
		  "<p dir=\"auto\">plain &amp; <code>&lt;b&gt;</code>bold<code>&lt;/b&gt;</code></p>\n" },
		{ "*a* **b** `c<`", "<p dir=\"auto\"><em>a</em> <strong>b</strong> <code>c&lt;</code></p>\n" },
		{ "# Head\n\ntext", "<p class=\"head\" dir=\"auto\">Head</p>\n<p dir=\"auto\">text</p>\n" },
		{ "- a\n- b", "<ul><li><span dir=\"auto\">a</span>\n</li>\n<li><span dir=\"auto\">b</span>\n</li>\n</ul>\n" },
		{ "[x](https://a.example/?a=1&b=\"2\")",
		  "<p dir=\"auto\"><a rel=\"noreferrer\" href=\"https://a.example/?a=1&amp;b=&quot;2&quot;\">x</a></p>\n" },
		{ "[x](HTTP://a.example)", "<p dir=\"auto\"><a rel=\"noreferrer\" href=\"HTTP://a.example\">x</a></p>\n" },
		{ "[x](javascript:alert(1))", "<p dir=\"auto\">x</p>\n" },
		{ "[x](../../etc/passwd)", "<p dir=\"auto\">x</p>\n" },
		{ "[x](//evil.example/)", "<p dir=\"auto\">x</p>\n" },
		{ "![seen](http://evil.example/t.png)", "<p dir=\"auto\">[picture: seen]</p>\n" },
		{ "<script>\nalert(1)\n</script>",
		  "<pre dir=\"auto\">\n&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</pre>\n" },
		{ "```\na < b\n```", "<pre dir=\"auto\">\na &lt; b\n</pre>\n" },
		{ "\xe2\x80\xaeright", "<p dir=\"auto\">&lt;U+202E&gt;right</p>\n" },
		{ "a\x1b[31mb", "<p dir=\"auto\">a␛[31mb</p>\n" },
		{ "", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_markdown(cases[i][0], cases[i][1]);
}

static int count(const struct buf *b, const char *what)
{
	int n = 0;
	for (const char *at = b->data; at && (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* What is within each other without end becomes no such page, and each element is closed. */
static void test_deep(void **state)
{
	static const int depths[] = { 60, 3000 }, shown[] = { 24, 0 };
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct buf text = BUF_INIT, b = BUF_INIT;
		struct html h = { .out = &b, .up = "" };
		for (int i = 0; i < depths[k]; i++)
			buf_adds(&text, "> ");
		buf_adds(&text, "deep");
		html_markdown(&h, text.data, text.len);
		buf_addc(&b, '\0');
		assert_int_equal(count(&b, "<blockquote>"), shown[k]);
		assert_int_equal(count(&b, "</blockquote>"), shown[k]);
		assert_int_equal(count(&b, "<pre"), shown[k] == 0);
		assert_int_equal(count(&b, "deep"), 1);
		buf_release(&text);
		buf_release(&b);
	}
}

static void test_addresses(void **state)
{
	struct buf b = BUF_INIT;
	struct html h = { .out = &b, .up = "../" };
	(void)state;
	html_link(&h, "sessions/a \"b\"#?:%é.html", "<x>");
	assert_string_equal(b.data, "<a href=\"../sessions/a%20%22b%22%23%3F%3A%25%C3%A9.html\"><bdi>&lt;x&gt;</bdi></a>");
	buf_clear(&b);
	html_link_at(&h, "", "m", 17, "");
	assert_string_equal(b.data, "<a href=\"#m17\"><bdi></bdi></a>");
	buf_clear(&b);
	html_pre(&h, "a\0b", 3);
	assert_string_equal(b.data, "<pre dir=\"auto\">\na␀b</pre>\n");
	buf_release(&b);
}

static void test_cut(void **state)
{
	const struct turn t = { .n = 7, .author = "ana", .by = "", .role = "<b>", .tool = "", .active = true,
		.content = "aéz", .len = 4 };
	(void)state;
	for (size_t most = 0; most <= 5; most++) {
		struct buf b = BUF_INIT;
		struct html h = { .out = &b, .up = "" };
		const struct html_message m = { .turn = &t, .most = most, .anchor = "m", .whole = "there" };
		html_message(&h, &m);
		html_message_end(&h);
		assert_non_null(strstr(b.data, "<article id=\"m7\" class=\"other\">"));
		assert_int_equal(count(&b, "é"), most >= 3);
		assert_int_equal(count(&b, "\xef\xbf\xbd"), 0); /* no half of a character */
		assert_int_equal(count(&b, "<code>there</code>"), most < 4);
		buf_release(&b);
	}
}

/* The texts of one side's cells, with line ends, out of a difference's table. */
static void side_of(const struct buf *b, int side, struct buf *text, int *changed)
{
	*changed = 0;
	for (const char *row = b->data; (row = strstr(row, "<tr><td class=\"n\">")); row++) {
		const char *cell = row;
		for (int i = 0; i <= side; i++)
			cell = strstr(cell + 1, "<td class=\"n\">");
		if (side == 0)
			cell = row + 4;
		const char *number = strchr(cell, '>') + 1, *at = strchr(strstr(number, "</td>") + 5, '>') + 1;
		if (*number == '<')
			continue; /* there is no such line on this side */
		const char *class = strstr(number, "class=\"");
		*changed += class && class < at && (class[7] == 'a' || class[7] == 'd');
		for (; strncmp(at, "</td>", 5) != 0; at++) {
			if (*at == '<')
				at = strchr(at, '>');
			else
				buf_addc(text, *at);
		}
		buf_addc(text, '\n');
	}
}

/* The most lines, of four bytes each, that two texts can have in common, in order. */
static int in_common(const struct buf *a, const struct buf *b)
{
	int most[8][8] = { { 0 } }, n = (int)a->len / 4, m = (int)b->len / 4;
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= m; j++) {
			bool same = memcmp(a->data + 4 * (i - 1), b->data + 4 * (j - 1), 4) == 0;
			int skip = most[i - 1][j] > most[i][j - 1] ? most[i - 1][j] : most[i][j - 1];
			most[i][j] = same ? most[i - 1][j - 1] + 1 : skip;
		}
	return most[n][m];
}

/* Both sides hold their texts whole, and no more lines are marked than have to be. */
static void test_differences(void **state)
{
	(void)state;
	srand(3);
	for (int round = 0; round < 3000; round++) {
		struct buf text[2] = { BUF_INIT, BUF_INIT }, b = BUF_INIT;
		struct html h = { .out = &b, .up = "" };
		int lines = 1 + rand() % 4, changed[2];
		for (int i = 0; i < 2; i++)
			for (int n = rand() % (lines + 1); n >= 0; n--)
				buf_addf(&text[i], "%c %c\n", 'a' + rand() % 3, 'x' + rand() % 2);
		html_diff(&h, text[0].data, text[0].len, text[1].data, text[1].len);
		bool same = text[0].len == text[1].len && strcmp(text[0].data, text[1].data) == 0;
		for (int i = 0; i < 2; i++) {
			struct buf side = BUF_INIT;
			side_of(&b, i, &side, &changed[i]);
			if (!same)
				assert_string_equal(side.data ? side.data : "", text[i].data);
			buf_release(&side);
		}
		for (int i = 0; i < 2; i++)
			assert_int_equal((int)text[i].len / 4 - changed[i], in_common(&text[0], &text[1]));
		assert_true(!same || changed[0] + changed[1] == 0);
		buf_release(&text[0]);
		buf_release(&text[1]);
		buf_release(&b);
	}
}

static void test_words(void **state)
{
	struct buf b = BUF_INIT;
	struct html h = { .out = &b, .up = "" };
	static const char before[] = "one\nthe pull is at 03:30 each night\nOslo, not Bergen <b>a</b> red car\nab.\n";
	static const char after[] = "one\nthe pull is at 04:00 each night\nRome, not Bergen <b>b</b> car\ncd.\n";
	(void)state;
	html_diff(&h, before, sizeof before - 1, after, sizeof after - 1);
	assert_non_null(strstr(b.data, "the pull is at <del>03:30</del> each night</td>"));
	assert_non_null(strstr(b.data, "the pull is at <ins>04:00</ins> each night</td>"));
	assert_non_null(strstr(b.data, "<del>Oslo</del>, not Bergen &lt;b&gt;<del>a</del>&lt;/b&gt;"
	                               "<del> red</del> car</td>"));
	assert_non_null(strstr(b.data, "<ins>Rome</ins>, not Bergen &lt;b&gt;<ins>b</ins>&lt;/b&gt; car</td>"));
	assert_non_null(strstr(b.data, "dir=\"auto\">ab.</td>")); /* they share a sign alone */
	buf_release(&b);
}

/* Two texts that share nothing, longer than is compared: an end in sight, and all of both. */
static void test_far_apart(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT, out = BUF_INIT;
	struct html h = { .out = &out, .up = "" };
	(void)state;
	for (int i = 0; i < 5000; i++) {
		buf_addf(&a, "a%d\n", i);
		buf_addf(&b, "b%d\n", i);
	}
	html_diff(&h, a.data, a.len, b.data, b.len);
	assert_int_equal(count(&out, "class=\"d\""), 5000);
	assert_int_equal(count(&out, "class=\"a\""), 5000);
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
}

/* A document of 1 MiB may have a million lines, and all of them may change. */
static void test_too_many(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT, out = BUF_INIT;
	struct html h = { .out = &out, .up = "" };
	static const char more[] = "What else changed is not shown here";
	(void)state;
	for (int i = 0; i < 1 << 19; i++) {
		buf_adds(&a, "\n\n");
		buf_adds(&b, "x\n");
	}
	html_diff(&h, a.data, a.len, b.data, b.len);
	assert_false(out.failed);
	assert_in_range(out.len, 1 << 20, 5 << 18);
	assert_int_equal(count(&out, "</table>"), 1);
	assert_int_equal(count(&out, more), 1);
	buf_clear(&out);
	html_diff(&h, a.data, 1000, b.data, 1000);
	assert_int_equal(count(&out, more), 0);
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_markdown), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_cut), cmocka_unit_test(test_differences),
		cmocka_unit_test(test_words), cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_too_many) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
