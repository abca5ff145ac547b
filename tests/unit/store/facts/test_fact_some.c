/* SPDX-License-Identifier: MIT */
/* Some of the facts, against all of them; and what they cost among many. */
#include "tests/unit/fact_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FACTS_MOST = 400, BIG = 20000 };

struct kept {
	struct fact at[FACTS_MOST];
	size_t count;
};

static void keep(void *ctx, const struct fact *f)
{
	struct kept *all = ctx;
	assert_true(all->count < FACTS_MOST);
	all->at[all->count++] = *f;
}

/* Facts of all lists that are added, confirmed, replaced and ended over a year. */
static void live_a_year(struct store *s)
{
	uint64_t seed = 7;
	for (int64_t n = 1; n <= 300; n++) {
		int domain = 1 + (int)dice(&seed, FACT_DOMAINS - 1);
		struct kept *all = calloc(1, sizeof *all);
		assert_non_null(all);
		clock_set(T(n * 100000));
		assert_int_equal(store_fact_live(s, domain, keep, all), 0);
		struct fact_change c = fact_add("a fact");
		c.confidence = (enum confidence)dice(&seed, 3);
		if (all->count && dice(&seed, 3)) {
			c = fact_about(dice(&seed, 2) ? FACT_RETRACT : FACT_CONFIRM,
			               all->at[dice(&seed, (uint32_t)all->count)].id);
		}
		assert_int_equal(fact_save_one(s, domain, c), 0);
		free(all);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	return x->retracted_us != y->retracted_us ? (x->retracted_us < y->retracted_us ? 1 : -1) :
		x->id < y->id ? 1 : -1;
}

static void same_ids(const struct kept *got, const struct fact *want, size_t count)
{
	assert_int_equal(got->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(got->at[i].id, want[i].id);
}

/* Pages of what holds and of what ended, one behind the other, are all facts. */
static void test_pages(void **state)
{
	struct memory *m = *state;
	struct kept *all = calloc(1, sizeof *all), *want = calloc(1, sizeof *want);
	struct kept *got = calloc(1, sizeof *got);
	int64_t held, ended;
	assert_true(all && want && got);
	live_a_year(m->s);
	assert_int_equal(store_fact_all(m->s, keep, all), 0);
	for (int d = 1; d < FACT_DOMAINS; d++)
		assert_int_equal(store_fact_live(m->s, d, keep, want), 0);
	assert_int_equal(store_fact_count(m->s, &held, &ended), 0);
	assert_int_equal(held, want->count);
	assert_int_equal(held + ended, all->count);
	assert_in_range(ended, 20, 200);
	for (int64_t skip = 0; skip < held; skip += 7) {
		size_t most = held - skip < 10 ? (size_t)(held - skip) : 10;
		got->count = 0;
		assert_int_equal(store_fact_page(m->s, false, skip, 10, keep, got), 0);
		same_ids(got, want->at + skip, most);
	}
	want->count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].retracted_us)
			want->at[want->count++] = all->at[i];
	qsort(want->at, want->count, sizeof *want->at, by_end);
	for (int64_t skip = 0; skip < ended; skip += 7) {
		size_t most = ended - skip < 10 ? (size_t)(ended - skip) : 10;
		got->count = 0;
		assert_int_equal(store_fact_page(m->s, true, skip, 10, keep, got), 0);
		same_ids(got, want->at + skip, most);
	}
	free(all);
	free(want);
	free(got);
}

static bool within(int64_t us, int64_t from, int64_t to)
{
	return us >= from && us < to;
}

static int by_confirmed(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	return x->confirmed_us != y->confirmed_us ? (x->confirmed_us < y->confirmed_us ? -1 : 1) :
		x->confidence != y->confidence ? (int)x->confidence - (int)y->confidence :
		x->id < y->id ? -1 : 1;
}

/* By times: what all facts say of a while. */
static void test_times(void **state)
{
	struct memory *m = *state;
	struct kept *all = calloc(1, sizeof *all), *got = calloc(1, sizeof *got);
	assert_true(all && got);
	live_a_year(m->s);
	assert_int_equal(store_fact_all(m->s, keep, all), 0);
	qsort(all->at, all->count, sizeof *all->at, by_confirmed);
	for (int64_t n = 0; n < 300; n += 13) {
		const int64_t from = T(n * 100000), to = T((n + 40) * 100000), times[2] = { from, to };
		int64_t count[CONFIDENCE_HIGH + 1], want[CONFIDENCE_HIGH + 1] = { 0 };
		size_t said = 0, ended = 0, held = 0;
		got->count = 0;
		assert_int_equal(store_fact_oldest(m->s, from, to, FACTS_MOST, keep, got), 0);
		for (size_t i = 0; i < all->count; i++) {
			const struct fact *f = &all->at[i];
			said += within(f->added_us, from, to);
			ended += f->retracted_us && within(f->retracted_us, from, to);
			if (f->retracted_us || !within(f->confirmed_us, from, to))
				continue;
			want[f->confidence]++;
			assert_int_equal(got->at[held++].id, f->id);
		}
		assert_int_equal(got->count, held);
		assert_int_equal(store_fact_confirmed(m->s, from, to, count), 0);
		assert_memory_equal(count, want, sizeof want);
		got->count = 0;
		assert_int_equal(store_fact_between(m->s, false, times, 0, FACTS_MOST, keep, got), 0);
		assert_int_equal(got->count, said);
		for (size_t i = 1; i < got->count; i++)
			assert_true(got->at[i - 1].added_us <= got->at[i].added_us);
		got->count = 0;
		assert_int_equal(store_fact_between(m->s, true, times, 0, FACTS_MOST, keep, got), 0);
		assert_int_equal(got->count, ended);
		for (size_t i = 1; i < got->count; i++)
			assert_true(got->at[i - 1].retracted_us <= got->at[i].retracted_us);
		got->count = 0;
		assert_int_equal(store_fact_between(m->s, false, times, 3, 2, keep, got), 0);
		assert_int_equal(got->count, said < 3 ? 0 : said < 5 ? said - 3 : 2);
	}
	free(all);
	free(got);
}

static int64_t worked_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Of a page, a day, and of the next to be looked at. */
static int64_t time_of_some(struct store *s, int64_t day_us)
{
	struct kept *got = calloc(1, sizeof *got);
	int64_t best = INT64_MAX;
	assert_non_null(got);
	for (int i = 0; i < 10; i++) {
		int64_t from = worked_us();
		got->count = 0;
		assert_int_equal(store_fact_page(s, false, 0, 50, keep, got), 0);
		assert_int_equal(store_fact_between(s, false, (int64_t[]){ day_us, day_us + 1000000 }, 0, 50, keep, got), 0);
		assert_int_equal(store_fact_oldest(s, INT64_MIN, INT64_MAX, 50, keep, got), 0);
		int64_t took = worked_us() - from;
		assert_int_equal(got->count, 150);
		best = took < best ? took : best;
	}
	free(got);
	return best;
}

static void add_many(struct store *s, int count)
{
	struct fact_change *c = calloc((size_t)count, sizeof *c);
	assert_non_null(c);
	for (int i = 0; i < count; i++)
		c[i] = fact_add("The build runs on two machines.");
	assert_int_equal(store_fact_commit(s, FACT_WORK, c, (size_t)count, "ana:vim", NULL, -1, NULL), 0);
	free(c);
}

static void test_cost(void **state)
{
	struct memory *m = *state;
	clock_set(T(1000));
	add_many(m->s, 100);
	int64_t few = time_of_some(m->s, T(1000));
	clock_set(T(1000000));
	add_many(m->s, BIG);
	int64_t many = time_of_some(m->s, T(1000));
	print_message("150 of 100 facts %lld us, of %d %lld us\n", (long long)few, BIG, (long long)many);
	assert_in_range(many, 0, 4 * few + 500);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_pages), WITH(test_times), WITH(test_cost) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
