/* SPDX-License-Identifier: MIT */
/* What a word is to the search index: a table of texts and their terms, and where each stands. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/words/words.h"

struct told {
	char line[8192];
	const char *text;
	size_t count, end;
};

/* "term term "; ranges grow and stay inside the text. */
static void tell(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct told *t = ctx;
	size_t at = strlen(t->line);
	assert_true(start >= t->end && end > start && end <= strlen(t->text));
	t->end = end;
	t->count++;
	if (at + len + 2 < sizeof t->line)
		(void)snprintf(t->line + at, sizeof t->line - at, "%.*s ", (int)len, term);
}

static void terms_are(const char *text, const char *expected)
{
	struct told t = { .text = text };
	assert_int_equal(store_search_tokens(text, strlen(text), tell, &t), 0);
	assert_string_equal(t.line, expected);
}

static void table(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{ "", "" },
		{ " \t\n.,;", "" },
		{ "Connections were decided.", "connect were decid " },
		{ "don't e-mail", "don t e mail " },
		{ "La reunión de mañana: ¿decidió?", "la\x01 reunion\x01 de\x01 manan\x01 decid\x01 " /* Spanish */ },
		{ "Que NACIÓ, perdimos: decidio él", "que\x01 nac\x01 perd\x01 decidi\x01 el\x01 " /* Spanish */ },
		{ "Ünïcödé ÀÉÎÕÜ", "unicod aeiou " },
		{ "我们决定部署", "我 们 决 定 部 署 " },
		{ "deploy在生产", "deploi 在 生 产 " },
		{ "カタカナ ひらがな 한국", "カ タ カ ナ ひ ら が な 한 국 " },
		{ "ship 🚀 it 🎉🎉", "ship 🚀 it 🎉 🎉 " },
		{ "שלום עולם", "שלום עולם " },
		{ "مرحبا بالعالم", "مرحبا بالعالم " },
		{ "a\\u0000b %00 \\0", "a u0000b 00 0 " },
		{ "v1.2.3 x86_64", "v1 2 3 x86 64 " },
		{ "NEAR(a b, 5) AND \"c\" * -d ^e", "near a b 5 and c d e " },
		{ "'; DROP TABLE word; --", "drop tabl word " },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		terms_are(rows[i][0], rows[i][1]);
}

/* The bytes of a term are those it came from. */
static void look(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	const char *text = *(const char **)ctx;
	if (len == 3 && memcmp(term, "部", 3) == 0)
		assert_memory_equal(text + start, "部", end - start);
	if (len == 5 && memcmp(term, "reuni", 5) == 0)
		fail();
	if (len == 7 && memcmp(term, "reunion", 7) == 0)
		assert_memory_equal(text + start, "REUNIÓN", end - start);
}

static void ranges(void **state)
{
	(void)state;
	const char *text = "x 部署 REUNIÓN!";
	assert_int_equal(store_search_tokens(text, strlen(text), look, &text), 0);
}

static void long_texts(void **state)
{
	(void)state;
	char *text = malloc(10000 * 8 + 1);
	size_t at = 0;
	assert_non_null(text);
	for (int i = 0; i < 10000; i++)
		at += (size_t)snprintf(text + at, 9, "w%06d ", i);
	struct told t = { .text = text };
	assert_int_equal(store_search_tokens(text, at, tell, &t), 0);
	assert_int_equal(t.count, 10000);
	assert_int_equal(search_word_count(text, at), 10000);
	memset(text, 'a', at); /* one word of 80,000 letters */
	t = (struct told){ .text = text };
	assert_int_equal(store_search_tokens(text, at, tell, &t), 0);
	assert_int_equal(t.count, 1);
	free(text);
}

/* Any bytes: no fault, ranges inside, and every byte string is the same twice. */
static void any_bytes(void **state)
{
	(void)state;
	uint64_t seed = 11;
	for (int round = 0; round < 3000; round++) {
		size_t len = dice(&seed, 60);
		char *text = malloc(len + 1);
		assert_non_null(text);
		for (size_t i = 0; i < len; i++)
			text[i] = (char)(1 + dice(&seed, 255));
		text[len] = '\0';
		struct told a = { .text = text }, b = { .text = text };
		assert_int_equal(store_search_tokens(text, len, tell, &a), 0);
		assert_int_equal(store_search_tokens(text, len, tell, &b), 0);
		assert_string_equal(a.line, b.line);
		(void)search_word_count(text, len);
		free(text);
	}
}

static void counts(void **state)
{
	(void)state;
	assert_int_equal(search_word_count("", 0), 0);
	assert_int_equal(search_word_count("one two, three", 14), 3);
	assert_int_equal(search_word_count("我们 ok", 9), 3);
	assert_int_equal(search_word_count("reunión", 8), 1);
}

static bool stop(const char *word)
{
	return search_stop_word(word, strlen(word));
}

static void stop_words(void **state)
{
	(void)state;
	assert_true(stop("the") && stop("The") && stop("WHAT") && stop("que") && stop("Él") && stop("qué"));
	assert_false(stop("deploy") || stop("") || stop("sin") || stop("th") || stop("the and"));
}

static void whens(void **state)
{
	(void)state;
	assert_true(search_asks_when("When did we?"));
	assert_true(search_asks_when("  how long is it"));
	assert_true(search_asks_when("¿Cuándo fue?"));
	assert_false(search_asks_when("whenever you can"));
	assert_false(search_asks_when("what is when"));
	assert_false(search_asks_when(""));
}

static bool dated(const char *word, int64_t day)
{
	struct search_date d = search_date_of(word, strlen(word));
	return search_date_is(&d, day);
}

static void dates(void **state)
{
	(void)state;
	const int64_t day = 20593; /* Wednesday, 20 May 2026 */
	assert_true(dated("may", day) && dated("Mayo", day) && dated("2026", day) && dated("20", day));
	assert_true(dated("wednesday", day) && dated("miércoles", day));
	assert_false(dated("june", day) || dated("21", day) || dated("2025", day) || dated("sunday", day));
	assert_false(dated("0", 0) || dated("", 0) || dated("99999999999", 0) || dated("2x", day));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table), cmocka_unit_test(ranges), cmocka_unit_test(long_texts),
		cmocka_unit_test(any_bytes), cmocka_unit_test(counts), cmocka_unit_test(stop_words),
		cmocka_unit_test(whens), cmocka_unit_test(dates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
