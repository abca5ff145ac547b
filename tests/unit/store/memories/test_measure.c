/* SPDX-License-Identifier: MIT */
/*
 * Measures of rankings against values made by hand; memories ranked by other numbers than the active ones, who
 * is expected in whose place, the versions of algorithms.
 */
#include "tests/unit/doc_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NOW T(0)
#define NEAR(value, want) assert_true(fabs((value) - (want)) < 1e-12)
#define WANT(...) (const int64_t[]){ __VA_ARGS__ }, COUNT(((const int64_t[]){ __VA_ARGS__ }))

static const struct ranked five[] = { { 1, 5 }, { 2, 4 }, { 3, 3 }, { 4, 2 }, { 5, 1 } };

static void test_recall(void **state)
{
	(void)state;
	NEAR(measure_recall(five, 5, WANT(3, 9), 5), 0.5);
	NEAR(measure_recall(five, 5, WANT(3, 9), 2), 0);
	NEAR(measure_recall(five, 5, WANT(5, 4, 1), 4), 2.0 / 3);
	NEAR(measure_recall(five, 0, WANT(3), 5), 0);
	NEAR(measure_recall(five, 5, WANT(3), 100), 1);
	assert_true(isnan(measure_recall(five, 5, NULL, 0, 5)));
}

static void test_reciprocal(void **state)
{
	(void)state;
	NEAR(measure_reciprocal(five, 5, WANT(9, 3), 5), 1.0 / 3);
	NEAR(measure_reciprocal(five, 5, WANT(5, 2), 5), 0.5);
	NEAR(measure_reciprocal(five, 5, WANT(5), 4), 0);
	assert_true(isnan(measure_reciprocal(five, 5, NULL, 0, 5)));
}

/* 1/log2 3 = 0.63092975357145743, 1/log2 4 = 0.5, 1/log2 6 = 0.38685280723454157 */
static void test_ndcg(void **state)
{
	(void)state;
	NEAR(measure_ndcg(five, 5, WANT(1, 2), 5), 1);
	NEAR(measure_ndcg(five, 5, WANT(2), 5), 0.63092975357145743);
	NEAR(measure_ndcg(five, 5, WANT(9, 3), 5), 0.5 / 1.63092975357145743);
	NEAR(measure_ndcg(five, 5, WANT(5, 1), 5), 1.38685280723454157 / 1.63092975357145743);
	NEAR(measure_ndcg(five, 5, WANT(5, 1), 4), 1 / 1.63092975357145743);
	NEAR(measure_ndcg(five, 5, WANT(1, 8, 9), 1), 1); /* no better order has more in one place */
	NEAR(measure_ndcg(five, 0, WANT(1), 5), 0);
	assert_true(isnan(measure_ndcg(five, 5, NULL, 0, 5)));
}

static void test_overlap(void **state)
{
	static const struct ranked other[] = { { 3, 1 }, { 2, 1 }, { 7, 1 }, { 1, 1 } };
	(void)state;
	NEAR(measure_overlap(five, 5, other, 4, 3), 2.0 / 3);
	NEAR(measure_overlap(five, 5, other, 4, 1), 0);
	NEAR(measure_overlap(five, 5, other, 4, 10), 3.0 / 5);
	NEAR(measure_overlap(other, 4, five, 5, 10), 3.0 / 5);
	NEAR(measure_overlap(five, 5, five, 5, 10), 1);
	NEAR(measure_overlap(five, 2, other, 0, 10), 0);
	assert_true(isnan(measure_overlap(five, 0, other, 0, 10)));
}

static void test_tau(void **state)
{
	static const struct ranked reverse[] = { { 5, 9 }, { 4, 8 }, { 3, 7 }, { 2, 6 }, { 1, 5 } },
		swapped[] = { { 2, 9 }, { 1, 8 }, { 3, 7 }, { 4, 6 } }, tied[] = { { 1, 3 }, { 2, 3 }, { 3, 1 } },
		alike[] = { { 1, 3 }, { 2, 3 }, { 3, 3 } }, others[] = { { 8, 2 }, { 9, 1 }, { 1, 0 } };
	(void)state;
	NEAR(measure_tau(five, 5, five, 5), 1);
	NEAR(measure_tau(five, 5, reverse, 5), -1);
	NEAR(measure_tau(five, 4, swapped, 4), 4.0 / 6);
	NEAR(measure_tau(five, 5, swapped, 4), 4.0 / 6); /* 5 stands in one alone */
	NEAR(measure_tau(five, 3, tied, 3), 2 / sqrt(6));
	NEAR(measure_tau(tied, 3, five, 3), 2 / sqrt(6));
	NEAR(measure_tau(tied, 3, tied, 3), 1);
	assert_true(isnan(measure_tau(five, 3, alike, 3)));
	assert_true(isnan(measure_tau(five, 5, others, 3))); /* one in common */
	assert_true(isnan(measure_tau(five, 0, five, 5)));
}

/* Against a count over all pairs of permutations, with ties thrown in. */
static void test_tau_at_random(void **state)
{
	uint64_t seed = 7;
	(void)state;
	for (int round = 0; round < 500; round++) {
		struct ranked a[12], b[12];
		double with = 0, against = 0, only_a = 0, only_b = 0;
		size_t n = 2 + dice(&seed, 11), at[12];
		for (size_t i = 0; i < n; i++) {
			at[i] = i;
			a[i] = (struct ranked){ (int64_t)i, dice(&seed, 6) };
		}
		for (size_t i = n; i-- > 1;) {
			size_t j = dice(&seed, (uint32_t)i + 1), keep = at[i];
			at[i] = at[j];
			at[j] = keep;
		}
		for (size_t i = 0; i < n; i++)
			b[at[i]] = (struct ranked){ (int64_t)i, dice(&seed, 6) };
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++) {
				double x = a[i].score - a[j].score, y = b[at[i]].score - b[at[j]].score;
				with += x * y > 0;
				against += x * y < 0;
				only_a += (x > 0 || x < 0) && !(y > 0 || y < 0); /* b is tied */
				only_b += (y > 0 || y < 0) && !(x > 0 || x < 0);
			}
		double all = sqrt((with + against + only_a) * (with + against + only_b));
		double got = measure_tau(a, n, b, n);
		if (all > 0)
			NEAR(got, (with - against) / all);
		else
			assert_true(isnan(got));
	}
}

/* ---- in a store -------------------------------------------------------------- */

static int64_t make(struct store *s, const char *parent, const char *name, const char *text, const char *fields)
{
	char place[1024];
	int64_t id = 0;
	char *version = doc_version_of(text, fields);
	struct doc_text v = doc_text_of(version);
	assert_int_equal(store_doc_make(s, parent, name, doc_text_of(doc_place(place, parent, name, false)), &v,
	                                "ana:vim", &id), 0);
	free(version);
	return id;
}

static int add_name(void *ctx, const struct memory_hit *m)
{
	char *names = ctx;
	size_t len = strlen(names);
	(void)snprintf(names + len, 256 - len, "%s ", m->name);
	return 0;
}

static const char *ranked_by(struct store *s, const struct scoring *by, const char *query)
{
	static char names[256];
	names[0] = '\0';
	assert_int_equal(store_rank_memories(s, by, query, NOW, add_name, names), 0);
	return names;
}

static void test_rank(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	const struct scoring by_relevance = { .relevance = 1 }, by_importance = { .importance = 1 };
	char active[256] = "";
	clock_set(NOW);
	make(s, "memories/fact", "dear.md", "mango and a great many other things that are all of them no fruit at all",
	     "{\"importance\":0.9}");
	make(s, "memories/fact", "near.md", "mango mango mango", "{\"importance\":0.1}");
	assert_string_equal(ranked_by(s, &by_relevance, "mango"), "near.md dear.md ");
	assert_string_equal(ranked_by(s, &by_importance, "mango"), "dear.md near.md ");
	assert_string_equal(ranked_by(s, &by_importance, NULL), "dear.md near.md ");
	assert_string_equal(ranked_by(s, &by_importance, "nothing of it"), "");
	/* the same as where memories are chosen, with the numbers that are active */
	assert_int_equal(store_search_memories(s, "mango", NULL, 0, 0, NOW, add_name, active), 0);
	assert_string_equal(ranked_by(s, &scoring_default, "mango"), active);
}

static void test_heirs(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	clock_set(NOW);
	int64_t old = make(s, "memories/fact", "old.md", "o", "{\"superseded_by\":\"new\",\"status\":\"superseded\"}");
	int64_t new = make(s, "memories/fact", "new.md", "n", "{}");
	int64_t gone = make(s, "memories/fact", "gone.md", "g", "{\"status\":\"deleted\"}");
	int64_t ids[] = { old, new, gone, 999, 0 };
	assert_int_equal(store_memory_heirs(s, ids, COUNT(ids), NOW), 0);
	assert_int_equal(ids[0], new);
	assert_int_equal(ids[1], new);
	assert_int_equal(ids[2], 0);
	assert_int_equal(ids[3], 0);
	assert_int_equal(ids[4], 0);
}

static int tell(void *ctx, const struct algorithm *a)
{
	char *line = ctx;
	size_t len = strlen(line);
	(void)snprintf(line + len, 512 - len, "%s/%s %s %d %s; ", a->code, a->name, a->status, a->scores, a->config);
	return 0;
}

static void test_algorithms(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	char line[512] = "", parent[32];
	int64_t b, a, c;
	assert_int_equal(store_algorithms(s, NULL, tell, line), 0);
	assert_string_equal(line, "");
	assert_int_equal(doc_make_folder(s, "algorithms", "b", &b), 0);
	assert_int_equal(doc_make_folder(s, "algorithms", "a", &a), 0);
	assert_int_equal(doc_make_folder(s, "notes", "c", &c), 0);
	(void)snprintf(parent, sizeof parent, "#%lld", (long long)b);
	make(s, parent, "1.json", "x", "{\"status\":\"active\",\"config\":{\"weights\":{}}}");
	make(s, parent, "2.json", "x", "{\"config\":{\"scoring\":7}}");
	make(s, parent, "3.txt", "x", "{}");
	(void)snprintf(parent, sizeof parent, "#%lld", (long long)a);
	make(s, parent, "9.json", "x", "{\"status\":\"experiment\"}");
	assert_int_equal(store_algorithms(s, NULL, tell, line), 0);
	assert_string_equal(line, "a/9.json experiment 0 ; b/1.json active 1 {\"weights\":{}}; "
	                    "b/2.json draft 0 {\"scoring\":7}; ");
	line[0] = '\0';
	assert_int_equal(store_algorithms(s, "a", tell, line), 0);
	assert_string_equal(line, "a/9.json experiment 0 ; ");
	line[0] = '\0';
	assert_int_equal(store_algorithms(s, "c", tell, line), 0);
	assert_string_equal(line, "");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recall), cmocka_unit_test(test_reciprocal), cmocka_unit_test(test_ndcg),
		cmocka_unit_test(test_overlap), cmocka_unit_test(test_tau), cmocka_unit_test(test_tau_at_random),
		TEST(test_rank), TEST(test_heirs), TEST(test_algorithms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
