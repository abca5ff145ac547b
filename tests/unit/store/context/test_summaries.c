/* SPDX-License-Identifier: MIT */
/*
 * Summaries as they were, one after another: the right ones from any message on, and each for the same work
 * however many there are.  Work is counted in SQLite's own steps, not in time.
 */
#include <sqlite3.h>
#include <string.h>

#include "store/internal.h"
#include "tests/unit/doc_fixture.h"

enum { EACH = 2 }; /* messages in a summary */

static void commit(struct store *s, struct context_op op)
{
	struct why why = { 0 };
	int err = store_context_commit(s, 1, &op, 1, "ana:vim", NULL, &why);
	if (err)
		fail_msg("%d: %s", err, why.text);
}

static void summarize(struct store *s, int64_t first, int64_t last)
{
	struct context_range r = { first, last };
	commit(s, (struct context_op){ .verb = CONTEXT_SUMMARIZE, .range = &r, .count = 1, .text = "t", .len = 1 });
}

static void fill(struct store *s, int summaries)
{
	clock_set(T(1));
	assert_int_equal(make_session(s, "work"), 1);
	for (int i = 0; i < EACH * summaries; i++)
		say(s, "x", "");
	for (int i = 0; i < summaries; i++)
		summarize(s, EACH * i + 1, EACH * i + EACH);
}

struct seen {
	int64_t after, first, last;
};

/* As a directory is read: the next one that begins later. */
static int see_next(void *ctx, const struct summary *y)
{
	struct seen *seen = ctx;
	if (y->first <= seen->after)
		return 0;
	seen->first = y->first;
	seen->last = y->last;
	return 1;
}

static int tick(void *steps)
{
	++*(int64_t *)steps;
	return 0;
}

/* The reader that was used last is used again. */
static void watch(struct store *s, int (*fn)(void *), void *ctx)
{
	struct reader *r = reader_get(s);
	assert_non_null(r);
	sqlite3_progress_handler(r->db, fn ? 1 : 0, fn, ctx);
	reader_put(s, r);
}

/* Steps that reading all of them by one, and finding each again, takes a summary. */
static int64_t work(struct store *s, int64_t time_us, int summaries)
{
	struct seen seen = { 0 };
	int64_t steps = 0;
	int count = 0;
	assert_int_equal(store_summaries_at_time(s, 1, time_us, 0, see_next, &seen), 0);
	watch(s, tick, &steps);
	for (seen.after = 0; count <= summaries; count++) {
		seen.first = 0;
		assert_int_equal(store_summaries_at_time(s, 1, time_us, seen.after + 1, see_next, &seen), 0);
		if (!seen.first)
			break;
		struct seen again = { .after = seen.first - 1 };
		assert_int_equal(store_summaries_at_time(s, 1, time_us, seen.first, see_next, &again), 0);
		assert_int_equal(again.last, seen.last);
		seen.after = seen.first;
	}
	assert_int_equal(count, summaries);
	watch(s, NULL, NULL);
	return steps / count;
}

static int64_t work_of(int summaries, bool over)
{
	void *state = NULL;
	assert_int_equal(memory_open(&state), 0);
	struct memory *m = state;
	fill(m->s, summaries);
	clock_set(T(1000000));
	say(m->s, "later", "");
	if (over) /* none of them holds any more */
		commit(m->s, (struct context_op){ .verb = CONTEXT_RESET });
	int64_t each = work(m->s, T(1), summaries);
	assert_int_equal(memory_close(&state), 0);
	return each;
}

/* Ten times as many: a little more for the depth of the trees, not ten times as much. */
static void test_work(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		int64_t few = work_of(100, over), many = work_of(1000, over);
		if (many > few * 2)
			fail_msg("%lld steps each, of few %lld", (long long)many, (long long)few);
	}
}

static int list(void *ctx, const struct summary *y)
{
	char *line = ctx;
	size_t len = strlen(line);
	(void)snprintf(line + len, 256 - len, "%lld-%lld ", (long long)y->first, (long long)y->last);
	return 0;
}

#define FROM(time, from, want)                                                                \
	do {                                                                                      \
		char line[256] = "";                                                                  \
		assert_int_equal(store_summaries_at_time(m->s, 1, time, from, list, line), 0);        \
		assert_string_equal(line, want);                                                      \
	} while (0)

static int see_turn(void *ctx, const struct turn *t)
{
	*(int64_t *)ctx = *(int64_t *)ctx * 100 + t->n;
	return 0;
}

/* The active messages then, newest first, as digits. */
static int64_t ends_over(struct memory *m, int64_t time_us)
{
	int64_t all = 0;
	assert_int_equal(store_active_back_at_time(m->s, 1, time_us, see_turn, &all), 0);
	return all;
}

static void test_from(void **state)
{
	struct memory *m = *state;
	clock_set(T(1));
	assert_int_equal(make_session(m->s, "work"), 1);
	for (int i = 0; i < 9; i++)
		say(m->s, "x", "");
	clock_set(T(10));
	summarize(m->s, 1, 3);
	summarize(m->s, 5, 6);
	clock_set(T(20));
	commit(m->s, (struct context_op){ .verb = CONTEXT_RESET });
	clock_set(T(30));
	summarize(m->s, 2, 7);
	clock_set(T(40));
	commit(m->s, (struct context_op){ .verb = CONTEXT_RESET });
	summarize(m->s, 8, 8);
	FROM(T(5), 0, "");
	FROM(T(10), 0, "1-3 5-6 ");
	FROM(T(10), 1, "1-3 5-6 ");
	FROM(T(15), 3, "1-3 5-6 ");
	FROM(T(15), 4, "5-6 ");
	FROM(T(15), 6, "5-6 ");
	FROM(T(15), 7, "");
	FROM(T(25), 0, "");
	FROM(T(30), 0, "2-7 "); /* the rows of before begin nearer, and hold no more */
	FROM(T(30), 6, "2-7 ");
	FROM(T(30), 8, "");
	FROM(T(40), 0, "8-8 ");
	FROM(T(40), 8, "8-8 ");
	assert_int_equal(ends_over(m, T(5)), INT64_C(90807060504030201));
	assert_int_equal(ends_over(m, T(15)), INT64_C(9080704));
	assert_int_equal(ends_over(m, T(30)), INT64_C(90801));
	assert_int_equal(ends_over(m, T(40)), INT64_C(907060504030201));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work), cmocka_unit_test_setup_teardown(test_from, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
