/* SPDX-License-Identifier: MIT */
/* Markdown as the search reads it: the words, without what makes them bold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

static void table(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{ "", "" },
		{ "plain", "plain\n" },
		{ "# Head\n\nsome *bold* __text__", "Head\nsome bold text\n" },
		{ "- one\n- two\n  - three\n", "one\ntwo\nthree\n" },
		{ "[a link](http://x.y/z \"t\") and ![a picture](p.png)", "a link http://x.y/z and a picture p.png\n" },
		{ "<https://x.y/z> and [x.y](x.y)", "https://x.y/z and x.y\n" },
		{ "`code` and\n\n```c\nint x;\n```\n", "code and\nint x;\n" },
		{ "<div class=\"no\">yes</div>\n", "<div class=\"no\">yes</div>\n" },
		{ "List<Message> m;", "List<Message> m;\n" },
		{ "see <!-- the zebra -->", "see <!-- the zebra -->\n" },
		{ "a <b>c</b>", "a <b>c</b>\n" },
		{ "two\nlines", "two\nlines\n" },
		{ "> quoted\n\n***\n\nafter", "quoted\nafter\n" },
		{ "caf\xC3\xA9 &amp; \xE6\x88\x91", "café & 我\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = BUF_INIT;
		render_plain(&out, rows[i][0], strlen(rows[i][0]));
		buf_addc(&out, '\0');
		assert_string_equal(out.data, rows[i][1]);
		buf_release(&out);
	}
}

/* Any bytes and deep nesting: an end, and no more than a little longer. */
static void any_bytes(void **state)
{
	(void)state;
	static const char parts[] = "[]()*_`#<>!-\n &;\"'ab\xFF\xC3\x00";
	uint64_t seed = 3;
	for (int round = 0; round < 2000; round++) {
		struct buf text = BUF_INIT, out = BUF_INIT;
		for (int i = 0; i < 60; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			buf_addc(&text, parts[(seed >> 33) % (sizeof parts - 1)]);
		}
		render_plain(&out, text.data, text.len);
		assert_false(out.failed);
		assert_true(out.len <= 4 * text.len + 1);
		buf_release(&text);
		buf_release(&out);
	}
	struct buf deep = BUF_INIT, out = BUF_INIT;
	for (int i = 0; i < 20000; i++)
		buf_adds(&deep, i % 2 ? "> " : "[");
	render_plain(&out, deep.data, deep.len);
	assert_false(out.failed);
	buf_release(&deep);
	buf_release(&out);
}

/* Many links with one long address: no more than twice what was there. */
static void long_addresses(void **state)
{
	struct buf text = BUF_INIT, out = BUF_INIT;
	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "[a] ");
	buf_adds(&text, "\n\n[a]: http://x.y/");
	for (int i = 0; i < 1000; i++)
		buf_addc(&text, 'z');
	render_plain(&out, text.data, text.len);
	assert_true(out.len > text.len && out.len <= 2 * text.len + 4 * 1000);
	buf_release(&text);
	buf_release(&out);
}

/* cmark takes a minute for one such text, and with the square of its length. */
static void deep(void **state)
{
	enum { MARKS = 100000 };
	static const char *const marks[] = { "- ", "1. ", ">", "> ", "* ", "\t-\t" };
	char *text = malloc(6 * MARKS + 32), line[200];
	(void)state;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		struct buf out = BUF_INIT;
		size_t len = (size_t)sprintf(text, "one\n"), n = strlen(marks[i]);
		for (int k = 0; k < MARKS; k++, len += n)
			memcpy(text + len, marks[i], n);
		len += (size_t)sprintf(text + len, "numbat\n");
		memset(text + len, '\n', MARKS);
		len += MARKS;
		assert_int_equal(render_deep(text, len), 2);
		render_plain(&out, text, len);
		assert_true(memmem(out.data, out.len, "numbat", 6));
		buf_release(&out);
	}
	free(text);
	(void)snprintf(line, sizeof line, "%*s- item", 128, "");
	assert_int_equal(render_deep(line, strlen(line)), 1);
	assert_int_equal(render_deep(line + 1, strlen(line + 1)), 0);
	static const char *const plain[] = { "", "-", "- a", "12345678901. no mark", "a - b", "-1", "\n\n>" };
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		assert_int_equal(render_deep(plain[i], strlen(plain[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(table),
		cmocka_unit_test(deep), cmocka_unit_test(any_bytes),
		cmocka_unit_test(long_addresses) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
