/* SPDX-License-Identifier: MIT */
/*
 * Lists of facts: what is read from which markdown, the canonical form, what is
 * refused; and by chance: lists that are written and read, markdown that loses no word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/unit/exact.h"

static struct why why;

static int read_exact(const char *text, size_t len, struct fact_list *list)
{
	char *exact = exact_copy(text, len);
	memset(&why, 0, sizeof why);
	int rc = render_facts_in(exact, len, list, &why);
	free(exact);
	return rc;
}

static void canonical(struct buf *out, const char *text, size_t len)
{
	struct fact_list list;
	if (read_exact(text, len, &list))
		fail_msg("refused: %s: line %d: %s", text, why.line, why.text);
	render_facts(out, "work", list.frame.data, list.items, list.count);
	assert_false(out->failed);
	fact_list_release(&list);
}

static void becomes(const char *text, const char *wanted)
{
	struct buf once = BUF_INIT, twice = BUF_INIT;
	canonical(&once, text, strlen(text));
	assert_string_equal(once.data, wanted);
	canonical(&twice, once.data, once.len);
	assert_string_equal(twice.data, wanted);
	buf_release(&once);
	buf_release(&twice);
}

static void test_forms(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "", "# Work\n" },
		{ "\n\n", "# Work\n" },
		{ "# Anything\n", "# Work\n" },
		{ "- a", "# Work\n\n- a\n" },
		{ "* a\n+ b\n3. c\n4) d\n", "# Work\n\n- a\n- b\n- c\n- d\n" },
		{ "- a\n\n\n- b\n", "# Work\n\n- a\n- b\n" },
		{ "-    a\n     b\n", "# Work\n\n- a\n  b\n" },
		{ "- a\nlazy\n", "# Work\n\n- a\n  lazy\n" },
		{ "-\n  a\n", "# Work\n\n- a\n" },
		{ "-\n-\n- a\n-\n", "# Work\n\n- a\n" },
		{ "a line without bullet\n", "# Work\n\na line without bullet\n" },
		{ "words\n# Title\n- a\nmore\n\nend\n", "# Work\n\nwords\n\nend\n\n- a\n  more\n" },
		{ "# One\n\n# Two\n\n- a\n", "# Work\n\n# Two\n\n- a\n" },
		{ "- a *(low)*\n- b *(medium)*\n- c *(high)*\n", "# Work\n\n- a *(low)*\n- b *(medium)*\n- c\n" },
		{ "- a *(low)* *(medium)*\n", "# Work\n\n- a *(medium)*\n" },
		{ "- a *(inferred)*\n- b *(inferred)* *(low)*\n- c *(medium)* *(inferred)* *(high)*\n",
		  "# Work\n\n- a *(inferred)*\n- b *(low)* *(inferred)*\n- c *(inferred)*\n" },
		{ "- *(low)*\n\n    a *(inferred)* *(high)*\n- *(inferred)*\n\n  b *(medium)*\n",
		  "# Work\n\n- a *(low)* *(inferred)*\n- b *(medium)* *(inferred)*\n" },
		{ "- *(inferred)*\n- # a\n\n  *(inferred)*\n", "# Work\n\n- *(inferred)*\n- *(inferred)*\n\n  # a\n" },
		{ "- *(low)*\n- (low)\n- a*(low)*\n", "# Work\n\n- *(low)*\n- (low)\n- a*(low)*\n" },
		{ "- a *(low)*\n\n  b\n", "# Work\n\n- a *(low)*\n\n  b\n" },
		{ "- a\n\n  b *(low)*\n", "# Work\n\n- a\n\n  b *(low)*\n" },
		{ "- # a\n\n  *(low)*\n", "# Work\n\n- *(low)*\n\n  # a\n" },
		{ "## Stale\n- a\n", "# Work\n\n## Stale\n\n- a\n" },
		{ "- x\n## STALE\n- a\n## Else\n- b\n", "# Work\n\n## Else\n\n- x\n- b\n\n## Stale\n\n- a\n" },
		{ "### obsoletos\n- a\n#### In\n- b\n## Up\n- c\n",
		  "# Work\n\n#### In\n\n## Up\n\n- c\n\n## Stale\n\n- a\n- b\n" },
		{ "Stale\n-----\n- a\n", "# Work\n\n## Stale\n\n- a\n" },
		{ "# Stale\n- a\n", "# Work\n\n- a\n" },
		{ "- a\r\n- b\r\n", "# Work\n\n- a\n- b\n" },
		{ "\xEF\xBB\xBF# Work\n- a\n", "# Work\n\n- a\n" },
		{ "> - quoted\n\n    - code\n\n- a\n", "# Work\n\n> - quoted\n\n    - code\n\n- a\n" },
		{ "```\n- a\n", "# Work\n\n```\n- a\n```\n" },
		{ "~~~~\n- a\n", "# Work\n\n```\n~~~~\n- a\n```\n" },
		{ "<!-- open\n\n- a\n", "# Work\n\n<!-- open\n\n- a -->\n" },
		{ "1. a\n\t- b\n\t\t- c\n", "# Work\n\n- a\n   - b\n       - c\n" },
		{ "-\n   a\n\n   b\n", "# Work\n\n- a\n\n  b\n" },
		{ "- see [x]\n\n[x]: /url\n", "# Work\n\n[x]: /url\n\n- see [x]\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		becomes(cases[i][0], cases[i][1]);
}

/* Texts that begin like other markdown, or end in the open: each is one fact and stays so. */
static const char *const texts[] = {
	"a fact", "otro hecho con ñ", "# heading", "> quote", "1. numbered", "1) numbered", "    four blanks", "---",
	"- - -", "- nested", "-", "***", "* * *", "___", "[ ] task", "[x] done", "[ref]: /url", "[a](b) `c` **d** _e_",
	"```\nopen", "```c\nint a;\n\n\tb;\n```", "~~~\nopen", "<div>\n<p>", "<!-- open", "two\nlines", "two\n\nparagraphs",
	"list:\n\n- a\n  - b\n\n    c\n- d", "a\n===", "a\n---", "| a | b |\n|---|---|", "ends with \\", "a  \nhard break",
	"# a\n\ntext", "*(low) not at the end", "`*(low)*`", "*", "+", "=", "#", "a\n\n    code", "1", "&nbsp;", "![x](y)",
	"> a\nlazy", "a\n# b", "日本語", "<https://example.org>", "10. a\n\n    b",
};

enum { TEXTS = sizeof texts / sizeof texts[0] };

static void same_lists(const struct fact_list *got, const struct fact_item *items, size_t count, const char *page)
{
	size_t n = 0;
	if (got->count != count)
		fail_msg("%zu facts, not %zu:\n%s", got->count, count, page);
	for (int stale = 0; stale < 2; stale++)
		for (size_t i = 0; i < count; i++) {
			if (items[i].stale != stale)
				continue;
			const struct fact_item *g = &got->items[n++];
			if (g->stale != items[i].stale || g->confidence != items[i].confidence ||
			    g->inferred != items[i].inferred ||
			    g->len != items[i].len || memcmp(g->text, items[i].text, g->len) != 0)
				fail_msg("not %s but %.*s:\n%s", items[i].text, (int)g->len, g->text, page);
		}
}

static void round_trip(const struct fact_item *items, size_t count, const char *frame)
{
	struct buf page = BUF_INIT;
	struct fact_list list;
	render_facts(&page, "work", frame, items, count);
	assert_int_equal(read_exact(page.data, page.len, &list), 0);
	same_lists(&list, items, count, page.data);
	assert_string_equal(list.frame.data ? list.frame.data : "", frame ? frame : "");
	struct buf twice = BUF_INIT;
	render_facts(&twice, "work", list.frame.data, list.items, list.count);
	assert_string_equal(twice.data, page.data);
	buf_release(&page);
	buf_release(&twice);
	fact_list_release(&list);
}

static void test_each_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXTS; i++)
		for (int c = CONFIDENCE_LOW; c <= CONFIDENCE_HIGH; c++)
			for (int stale = 0; stale < 2; stale++) {
				struct fact_item item = { texts[i], strlen(texts[i]), (enum confidence)c, stale == 1, false };
				round_trip(&item, 1, NULL);
				item.inferred = true;
				round_trip(&item, 1, NULL);
			}
}

static void test_random_lists(void **state)
{
	(void)state;
	static const char *const frames[] = { NULL, "words", "> q\n\n```\n- a\n```",
		                               "## Head\n\ntext\nof two", "    code" };
	struct fact_item items[40];
	srandom(4);
	for (int run = 0; run < 1500; run++) {
		size_t count = (size_t)random() % 40;
		for (size_t i = 0; i < count; i++) {
			const char *text = texts[(size_t)random() % TEXTS];
			items[i] = (struct fact_item){ text, strlen(text), (enum confidence)(random() % 3),
				random() % 2, random() % 4 == 0 };
		}
		round_trip(items, count, frames[(size_t)random() % 5]);
	}
}

/* True if the word w7x of the input is in the page. */
static void no_word_lost(const char *page, int words, const char *input)
{
	char word[16];
	for (int i = 0; i < words; i++) {
		(void)snprintf(word, sizeof word, "w%dx", i);
		if (!strstr(page, word))
			fail_msg("%s is lost:\n%s\nwas\n%s", word, page, input);
	}
}

static void test_random_markdown(void **state)
{
	(void)state;
	static const char *const pieces[] = {
		"\n", "\n\n", "\n", " ", "  ", "    ", "\t", "- ", "* ", "+ ", "1. ", "2) ", "> ", "# ", "## ", "```\n", "~~~",
		"---\n", "===\n", "*(low)*", "\n## Stale\n", "<div>", "<!--", "-->", "`", "[", "]: ", "](", "|", "\r\n", "\\",
		"<script>", "\n- ", "\n  ", "\n   - ", "\n\t",
	};
	struct buf in = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;
	srandom(5);
	for (int run = 0; run < 4000; run++) {
		int words = 0;
		buf_clear(&in);
		buf_clear(&once);
		buf_clear(&twice);
		buf_adds(&in, "# Work\n\n");
		for (long n = random() % 30; n > 0; n--) {
			if (random() % 3 == 0)
				buf_addf(&in, "w%dx", words++);
			else
				buf_adds(&in, pieces[(size_t)random() % (sizeof pieces / sizeof pieces[0])]);
		}
		canonical(&once, in.data, in.len);
		canonical(&twice, once.data, once.len);
		if (once.len != twice.len || memcmp(once.data, twice.data, once.len) != 0)
			fail_msg("not stable:\n%s\nthen\n%s\nwas\n%s", once.data, twice.data, in.data);
		no_word_lost(once.data, words, in.data);
	}
	buf_release(&in);
	buf_release(&once);
	buf_release(&twice);
}

static void refused(const char *text, size_t len, int rc, int line, const char *words)
{
	struct fact_list list;
	assert_int_equal(read_exact(text, len, &list), rc);
	assert_non_null(strstr(why.text, words));
	assert_true(why.todo[0] != '\0');
	assert_int_equal(why.line, line);
	fact_list_release(&list);
}

static void repeat(struct buf *out, const char *text, size_t times)
{
	buf_clear(out);
	while (times-- > 0)
		buf_adds(out, text);
}

static void test_refused(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;
	struct fact_list list;
	char deep[138] = "- a\n";
	refused("- a\n- \xFF\n", 9, RENDER_EINVAL, 2, "UTF-8");
	memset(deep + 4, ' ', 130);
	memcpy(deep + 134, "- b\n", 4);
	refused(deep, 138, RENDER_EINVAL, 2, "column 128");
	refused("- a\r\n\r\n- \0b", 10, RENDER_EINVAL, 3, "NUL");
	repeat(&b, "- a\n", 20000);
	assert_int_equal(read_exact(b.data, b.len, &list), 0);
	assert_int_equal(list.count, 20000);
	fact_list_release(&list);
	buf_adds(&b, "- b\n");
	refused(b.data, b.len, RENDER_EFBIG, 20001, "20,000");
	repeat(&b, "x", FACT_LIMIT + 3);
	memcpy(b.data, "- ", 2);
	refused(b.data, b.len, RENDER_EFBIG, 1, "8 KiB");
	assert_int_equal(read_exact(b.data, b.len - 1, &list), 0);
	fact_list_release(&list);
	repeat(&b, "text and\n\n", FACTS_LIMIT / 10 + 1);
	refused(b.data, b.len, RENDER_EFBIG, 0, "bytes");
	assert_int_equal(read_exact(b.data, FACTS_LIMIT, &list), 0);
	fact_list_release(&list);
	buf_release(&b);
}

/* Texts of the same few words, of any bytes, and none: to the last bit what a pair by itself gives. */
static void test_alike(void **state)
{
	(void)state;
	static const char *const words[] = { "Rosario", "rosario ", "ÁRBOL", "árbol", "mate", " ", "\n", "漢字", "a",
		"\xFF", "\xC3", "x\xCC\x81", "aaaaaaaaaaaaaaaaaaaaaaa", "12", "€", "never", "on Friday" };
	enum { AS = 40, BS = 30 };
	struct buf text[AS + BS] = { BUF_INIT };
	struct fact_text of[AS + BS];
	double alike[AS * BS];
	srandom(6);
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < AS + BS; i++) {
			buf_clear(&text[i]);
			for (long n = random() % 20; n > 0; n--)
				buf_adds(&text[i], words[(size_t)random() % (sizeof words / sizeof words[0])]);
			of[i] = (struct fact_text){ text[i].data ? text[i].data : "", text[i].len };
		}
		assert_int_equal(render_facts_alike(of, AS, of + AS, BS, alike), 0);
		for (size_t i = 0; i < AS * BS; i++) {
			const struct fact_text *a = &of[i / BS], *b = &of[AS + i % BS];
			double plain = render_similarity(a->text, a->len, b->text, b->len);
			assert_memory_equal(&alike[i], &plain, sizeof plain);
		}
	}
	assert_int_equal(render_facts_alike(of, 0, of, BS, alike), 0);
	assert_int_equal(render_facts_alike(of, AS, of, 0, alike), 0);
	for (size_t i = 0; i < AS + BS; i++)
		buf_release(&text[i]);
}

/* An author is any visible ASCII where others write entries. */
static void test_line_is_json(void **state)
{
	(void)state;
	struct buf line = BUF_INIT;
	struct fact f = { .id = 1, .text = "drinks \"mate\"", .len = 13, .author = "a\"b\\c:sh" };
	render_fact_line(&line, &f, "personal", "");
	assert_false(line.failed);
	json_t *read = json_loadb(line.data, line.len, 0, NULL);
	assert_non_null(read);
	assert_string_equal(json_string_value(json_object_get(read, "author")), f.author);
	assert_string_equal(json_string_value(json_object_get(read, "fact")), f.text);
	json_decref(read);
	buf_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),        cmocka_unit_test(test_each_text),
		cmocka_unit_test(test_random_lists), cmocka_unit_test(test_random_markdown),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_alike),
		cmocka_unit_test(test_line_is_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
