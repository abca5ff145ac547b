/* SPDX-License-Identifier: MIT */
/* Queries as they are read: each filter, each date, and that nothing is read past the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "render/search/query_date.h"
#include "render/render.h"
#include "tests/unit/exact.h"

static struct why why;

static int read_bytes(struct query *q, const char *text, size_t len)
{
	char *exact = exact_copy(text, len);
	memset(&why, 0, sizeof why);
	int err = render_query_in(exact, len, q, &why);
	free(exact);
	return err;
}

static void read_query(struct query *q, const char *text)
{
	if (read_bytes(q, text, strlen(text)))
		fail_msg("refused: %s: %s", text, why.text);
}

static void has_words(const char *text, const char *words)
{
	struct query q;
	read_query(&q, text);
	assert_string_equal(q.words.data ? q.words.data : "", words);
	query_release(&q);
}

static void test_words(void **state)
{
	(void)state;
	has_words("", "");
	has_words("   ", "");
	has_words(" two  words\t\n", "two words");
	has_words("foo:bar in: x:", "foo:bar in: x:");
	has_words("a\"b c\"d", "a d");
	has_words("--force -- - a-b", "--force -- - a-b");
	has_words("-gone stays", "stays");
	has_words("SESSION:x", "SESSION:x");
}

static void test_phrases(void **state)
{
	(void)state;
	struct query q;
	read_query(&q, "\"blue  green\" -\"on call\" -friday \"\" -\"\" \"open to the end");
	assert_int_equal(q.phrase_count, 2);
	assert_string_equal(q.phrases[0], "blue green");
	assert_string_equal(q.phrases[1], "open to the end");
	assert_int_equal(q.without_count, 2);
	assert_string_equal(q.without[0], "on call");
	assert_string_equal(q.without[1], "friday");
	assert_int_equal(q.words.len, 0);
	query_release(&q);
}

static void test_filters(void **state)
{
	(void)state;
	struct query q;
	read_query(&q, "session:a thread:\"b c\" type:decision in:facts,notes in:blocks by:alice role:tool "
	               "after:2026-01 before:2026-01-02T10:00 limit:7 word");
	assert_string_equal(q.session, "a");
	assert_string_equal(q.thread, "b c");
	assert_string_equal(q.type, "decision");
	assert_string_equal(q.by, "alice");
	assert_string_equal(q.role, "tool");
	assert_int_equal(q.in, QUERY_FACTS | QUERY_NOTES | QUERY_BLOCKS);
	assert_int_equal(q.after_us, INT64_C(1767225600000000));
	assert_int_equal(q.before_us, INT64_C(1767348000000000));
	assert_int_equal(q.limit, 7);
	assert_string_equal(q.words.data, "word");
	query_release(&q);
	read_query(&q, "x");
	assert_int_equal(q.limit, QUERY_HITS);
	assert_int_equal(q.in, 0);
	query_release(&q);
}

static void test_dates(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t seconds; /* -1: it is none */
	} date[] = {
		{ "1970", 0 }, { "2000-02-29", 951782400 }, { "1900", -1 }, { "2100-02-29", -1 },
		{ "2026-11-20T10", 1795168800 }, { "2026-11-20T10Z", 1795168800 },
		{ "2026-11-20T10:00:01", 1795168801 }, { "2026-11-20T23:59:59Z", 1795219199 },
		{ "9999-12-31T23:59:59", 253402300799 }, { "2026-12", 1796083200 },
		{ "2026-00", -1 }, { "2026-13", -1 }, { "2026-1", -1 }, { "2026-04-31", -1 }, { "2026-01-00", -1 },
		{ "2026-01-01T24", -1 }, { "2026-01-01T10:60", -1 }, { "2026-01-01T10:00:60", -1 },
		{ "2026-01-01T", -1 }, { "2026-01-01 10:00", -1 }, { "2026-01Z", -1 }, { "", -1 }, { "26", -1 },
		{ "2026-01-01T10:00:00.5", -1 }, { "2026-01-01T10:00:00+01", -1 }, { "+2026", -1 }, { "10000", -1 },
	};
	for (size_t i = 0; i < sizeof date / sizeof date[0]; i++) {
		int64_t us = -1;
		int err = query_date(date[i].text, &us);
		if ((err != 0) != (date[i].seconds < 0) || (!err && us != date[i].seconds * 1000000))
			fail_msg("%s: %d, %lld", date[i].text, err, (long long)us);
	}
}

/* before:1970 is the empty time, not any time. */
static void test_beginning_of_time(void **state)
{
	(void)state;
	struct query q;
	read_query(&q, "before:1970");
	assert_int_equal(q.before_us, 1);
	query_release(&q);
}

static void test_too_long(void **state)
{
	(void)state;
	struct query q;
	char *text = malloc(QUERY_LIMIT + 1);
	assert_non_null(text);
	memset(text, 'a', QUERY_LIMIT + 1);
	assert_int_equal(read_bytes(&q, text, QUERY_LIMIT), 0);
	assert_int_equal(q.words.len, QUERY_LIMIT);
	query_release(&q);
	assert_int_equal(read_bytes(&q, text, QUERY_LIMIT + 1), RENDER_EFBIG);
	assert_non_null(strstr(why.text, "262144"));
	query_release(&q);
	free(text);
}

/* Every beginning of a query with all in it is taken or refused with a reason. */
static void test_cut(void **state)
{
	(void)state;
	static const char text[] = "a \"b c\" -d -\"e\" session:\"f\" in:facts,notes after:2026-01-02T10:00Z "
		"limit:50 \xE2\x80\x9Cg\xE2\x80\x9D \xF0\x9F\x9A\x80 by:h \xFF";
	for (size_t len = 0; len < sizeof text; len++) {
		struct query q;
		int err = read_bytes(&q, text, len);
		assert_true(err == 0 || (err == RENDER_EINVAL && why.text[0] && why.todo[0]));
		query_release(&q);
	}
}

/* ---- snippets -------------------------------------------------------------- */

/* Words between blanks; enough to say what stands where. */
static int blank_words(const char *text, size_t len, word_fn *fn, void *ctx)
{
	for (size_t i = 0; i < len;) {
		size_t end = i;
		while (end < len && text[end] != ' ')
			end++;
		if (end > i)
			fn(ctx, text + i, end - i, i, end);
		i = end + 1;
	}
	return 0;
}

/* Letters and digits; all else are signs. */
static int plain_words(const char *text, size_t len, word_fn *fn, void *ctx)
{
	for (size_t i = 0, end; i < len; i = end + 1) {
		for (end = i; end < len && isalnum((unsigned char)text[end]); end++)
			;
		if (end > i)
			fn(ctx, text + i, end - i, i, end);
	}
	return 0;
}

static bool is_small(const char *word, size_t len)
{
	return len == 3 && memcmp(word, "the", 3) == 0;
}

static void shows_by(words_fn *words, const char *query, const char *text, const char *expected)
{
	struct query q;
	struct terms t;
	struct buf out = BUF_INIT;
	read_query(&q, query);
	assert_int_equal(render_terms(&t, &q, words, words, is_small), 0);
	render_snippet(&out, text, strlen(text), &t);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_release(&out);
	terms_release(&t);
	query_release(&q);
}

static void shows(const char *query, const char *text, const char *expected)
{
	shows_by(blank_words, query, text, expected);
}

/* A sum keeps its sign, its currency and its per cent, and a question its marks. */
static void test_signs_at_the_ends(void **state)
{
	(void)state;
	static const struct {
		const char *text, *shown;
	} table[] = {
		{ "-5 \xC2\xB0 off", "\\-5 \xC2\xB0 **off**" },
		{ "\xE2\x82\xAC" "20 off", "\xE2\x82\xAC" "20 **off**" },
		{ "off: 20 %", "**off**: 20 %" },
		{ "off 410,50 \xE2\x82\xAC.\n\n---\n", "**off** 410,50 \xE2\x82\xAC." },
		{ "\xC2\xBFoff?!", "\xC2\xBF**off**?!" },
		{ "# off", "**off**" },
		{ "off 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 % -31",
		  "**off** 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 % "
		  "\xE2\x80\xA6" },
		{ "0 1::2 3 4 5 6 7 8 9 10 11 12 13 14 15 off 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31::32",
		  "\xE2\x80\xA6 2 3 4 5 6 7 8 9 10 11 12 13 14 15 **off** 17 18 19 20 21 22 23 24 25 26 27 28 "
		  "29 30 31 \xE2\x80\xA6" },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		shows_by(plain_words, "off", table[i].text, table[i].shown);
}

static void test_snippet(void **state)
{
	(void)state;
	shows("deploy", "", "");
	shows("deploy", "we deploy now", "we **deploy** now");
	shows("deploy now", "we deploy now", "we **deploy now**");
	shows("we now", "we deploy now", "**we** deploy **now**");
	shows("", "we deploy now", "we deploy now");
	shows("\"deploy now\"", "we deploy now", "we **deploy now**");
	/* What is common is bold only by itself, or in a phrase. */
	shows("the deploy", "the last of the deploy plans", "the last of the **deploy** plans");
	shows("the", "the last", "**the** last");
	shows("last \"the deploy\"", "the deploy is the last", "**the deploy** is **the last**");
	/* The place with both, not the first with one of them. */
	shows("alpha beta",
	      "alpha 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 "
	      "beta x alpha 37 38 39 40 41 42 43 44 45 46 47 48 49 50",
	      "\xE2\x80\xA6 22 23 24 25 26 27 28 29 30 31 32 33 34 **beta** x **alpha** 37 38 39 40 41 42 43 44 45 46 "
	      "47 48 49 50");
}

/* Where what was asked stands closest together. */
static void test_cluster(void **state)
{
	(void)state;
	static const struct {
		const char *query, *text, *cluster;
	} table[] = {
		{ "deploy", "we deploy now", "deploy" }, { "we now", "we deploy now", "we deploy now" },
		{ "cat", "we deploy", "" },
		{ "cat", "", "" },
		{ "alpha beta", "alpha 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 beta x "
		                "alpha 1", "beta x alpha" },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct query q;
		struct terms t;
		size_t from, to;
		read_query(&q, table[i].query);
		assert_int_equal(render_terms(&t, &q, blank_words, blank_words, is_small), 0);
		assert_int_equal(render_cluster(table[i].text, strlen(table[i].text), &t, &from, &to), 0);
		assert_int_equal(to - from, strlen(table[i].cluster));
		assert_memory_equal(table[i].text + from, table[i].cluster, to - from);
		terms_release(&t);
		query_release(&q);
	}
}

/* A text without any end is looked at as far as is said, and shown in bounds. */
static void test_long_text(void **state)
{
	(void)state;
	size_t len = SNIPPET_TEXT + 100;
	char *text = malloc(len + 1);
	struct query q;
	struct terms t;
	struct buf out = BUF_INIT;
	assert_non_null(text);
	memset(text, 'x', len);
	text[len] = '\0';
	memcpy(text + SNIPPET_TEXT - 1, "\xC3\xA9", 2); /* a character on the border */
	read_query(&q, "deploy");
	assert_int_equal(render_terms(&t, &q, blank_words, blank_words, is_small), 0);
	render_snippet(&out, text, len, &t);
	assert_in_range(out.len, 60, 80);
	buf_release(&out);
	terms_release(&t);
	query_release(&q);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_phrases), cmocka_unit_test(test_filters),
		cmocka_unit_test(test_dates), cmocka_unit_test(test_beginning_of_time), cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_cluster), cmocka_unit_test(test_snippet),
		cmocka_unit_test(test_signs_at_the_ends),
		cmocka_unit_test(test_long_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
