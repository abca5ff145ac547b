/* SPDX-License-Identifier: MIT */
/* The sum that two search indexes are compared by, and what `verify --all` finds by it. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/search/search_index.h"

struct place {
	int table;
	const char *word;
	int64_t text;
	int column;
	int64_t offset;
};

static void put_in(struct search_sum *s, const struct place *p)
{
	search_sum_put(s, p->table, p->word, strlen(p->word), p->text, p->column, p->offset);
}

static void take(struct search_sum *s, const struct place *p)
{
	search_sum_take(s, p->table, p->word, strlen(p->word), p->text, p->column, p->offset);
}

#define PRIME ((INT64_C(1) << 61) - 1)
static const struct place places[] = {
	{ 0, "alpha", 7, 0, 0 }, { 0, "alpha", 7, 0, 1 }, { 0, "alpha", 7, 1, 0 }, { 1, "alpha", 7, 0, 0 },
	{ 0, "alpha", 8, 0, 0 }, { 0, "alph", 7, 0, 0 }, { 0, "", 7, 0, 0 }, { 0, "alpha", 0, 0, 0 },
	{ 0, "alpha", INT64_MAX, 0, 0 }, { 0, "alpha", 7 + PRIME, 0, 0 }, { 0, "alpha", 7 + 3 * PRIME, 0, 0 },
	{ 0, "alpha", 7 - PRIME, 0, 0 }, { 0, "alpha", 7, 0, PRIME }, { 0, "alpha", -1, 0, 0 },
	{ 0, "alpha", 7, 2, 0 }, { 0, "aalph", 7, 0, 0 }, { 0, "\xff\xfe", 1, 0, 40000 },
};
enum { PLACES = sizeof places / sizeof *places };

static void in_any_order(void **state)
{
	(void)state;
	struct search_sum a, b;
	assert_int_equal(search_sum_begin(&a), 0);
	search_sum_like(&b, &a);
	assert_true(search_sum_same(&a, &b));
	for (int i = 0; i < PLACES; i++) {
		put_in(&a, &places[i]);
		put_in(&b, &places[PLACES - 1 - i]);
		assert_true(search_sum_same(&a, &b) == (i == PLACES - 1));
	}
}

/* One word alone, each against each: no two have a sum in common, and how often counts. */
static void each_counts(void **state)
{
	(void)state;
	for (int i = 0; i < PLACES; i++)
		for (int j = 0; j < PLACES; j++) {
			struct search_sum a, b;
			assert_int_equal(search_sum_begin(&a), 0);
			search_sum_like(&b, &a);
			put_in(&a, &places[i]);
			put_in(&b, &places[j]);
			assert_true(search_sum_same(&a, &b) == (i == j));
			put_in(&a, &places[i]);
			assert_false(search_sum_same(&a, &b));
		}
}

/* Who swaps two words' texts, or their places, changes no count of anything. */
static void swapped(void **state)
{
	(void)state;
	static const struct place one[] = { { 0, "ab", 1, 0, 0 }, { 0, "cd", 2, 0, 1 } };
	static const struct place others[][2] = {
		{ { 0, "ab", 2, 0, 0 }, { 0, "cd", 1, 0, 1 } }, { { 0, "ab", 1, 0, 1 }, { 0, "cd", 2, 0, 0 } },
		{ { 0, "ad", 1, 0, 0 }, { 0, "cb", 2, 0, 1 } }, { { 0, "cd", 1, 0, 0 }, { 0, "ab", 2, 0, 1 } },
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct search_sum a, b;
		assert_int_equal(search_sum_begin(&a), 0);
		search_sum_like(&b, &a);
		for (int j = 0; j < 2; j++) {
			put_in(&a, &one[j]);
			put_in(&b, &others[i][j]);
		}
		assert_false(search_sum_same(&a, &b));
	}
}

static void taken_out(void **state)
{
	(void)state;
	struct search_sum a, b;
	assert_int_equal(search_sum_begin(&a), 0);
	search_sum_like(&b, &a);
	for (int i = 0; i < PLACES; i++)
		put_in(&a, &places[i]);
	for (int i = 1; i < PLACES; i++)
		take(&a, &places[i]);
	put_in(&b, &places[0]);
	assert_true(search_sum_same(&a, &b));
	take(&a, &places[0]);
	assert_false(search_sum_same(&a, &b));
}

/* ---- of an index -------------------------------------------------------------- */

static int none(void *ctx, const struct search_hit *h)
{
	(void)ctx, (void)h;
	return 0;
}

/* Lets the index catch up. */
static void look(struct store *s)
{
	struct search_query q = { .words = "nothing", .limit = 1 };
	assert_int_equal(store_search(s, &q, none, NULL), 0);
}

#define INTO "INSERT INTO word(rowid, body) SELECT max(seq) - "
#define FROM "INSERT INTO word(word, rowid, body) SELECT 'delete', max(seq) - "

static void found_by_verify(void **state)
{
	struct memory *m = *state;
	char detail[256], path[256];
	(void)snprintf(path, sizeof path, "%s.search", m->path);
	make_session(m->s, "one");
	say(m->s, "alpha", "");
	say(m->s, "omega", "");
	look(m->s);
	store_close(m->s);
	m->s = NULL;
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	/* The two messages have changed their words: as many as before, of every term. */
	sql_in(path, FROM "1, 'alpha' FROM text; " FROM "0, 'omega' FROM text; "
	       INTO "1, 'omega' FROM text; " INTO "0, 'alpha' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	assert_string_equal(detail, "a word in the search index is not what the tape says");
	sql_in(path, FROM "1, 'omega' FROM text; " FROM "0, 'alpha' FROM text; "
	       INTO "1, 'alpha' FROM text; " INTO "0, 'omega' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	/* Their words under numbers that are theirs but for the sum's modulus. */
	sql_in(path, FROM "1, 'alpha' FROM text; " INTO "1 + 2305843009213693951, 'alpha' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	sql_in(path, FROM "1 + 2305843009213693951, 'alpha' FROM text; " INTO "1, 'alpha' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	sql_in(path, "DROP INDEX text_said");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	assert_string_equal(detail, "the tables of the search index are not ours");
	sql_in(path, "CREATE INDEX text_said ON text(said)");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	sql_in(path, "DELETE FROM word_data WHERE id > 10");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	assert_string_equal(detail, "the search index is damaged");
}

/* FTS5 keeps 32,768 bytes of a word, and so does the sum. */
static void long_words(void **state)
{
	struct memory *m = *state;
	enum { LONG = 70000 };
	char detail[256], *body = malloc(LONG + 64);
	assert_non_null(body);
	make_session(m->s, "one");
	int at = sprintf(body, "{\"role\":\"user\",\"content\":\"");
	memset(body + at, 'x', LONG);
	(void)sprintf(body + at + LONG, " b\",\"token_count\":1}");
	assert_int_equal(put(m->s, "s1", "message", body), 0);
	free(body);
	look(m->s);
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_any_order), cmocka_unit_test(each_counts), cmocka_unit_test(swapped),
		cmocka_unit_test(taken_out),
		cmocka_unit_test_setup_teardown(found_by_verify, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(long_words, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
