/* SPDX-License-Identifier: MIT */
/* References of messages seen from both ends: which, in what order, how many, and what it costs. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* All ends as one text: "2>context:s1/0 " refers to, "1<context:s1/1 " is referred to. */
static void take(void *ctx, const struct ref_end *e)
{
	char *out = ctx;
	size_t at = strlen(out);
	if (*e->stream)
		(void)snprintf(out + at, 2048 - at, "%lld%c%s:%s/%lld ", (long long)e->n, e->back ? '<' : '>',
		               e->type, e->stream, (long long)e->stream_seq);
	else
		(void)snprintf(out + at, 2048 - at, "%lld%c%s:%.4s%s ", (long long)e->n, e->back ? '<' : '>',
		               e->type, e->hash, e->label);
	assert_true((e->seq >= 0) == (*e->stream != '\0'));
}

static void ends_are(struct store *s, struct ref_ends which, const char *expected)
{
	char got[2048] = "";
	assert_int_equal(store_ref_ends(s, &which, take, got), 0);
	assert_string_equal(got, expected);
}

static void test_both_ways(void **state)
{
	struct memory *m = *state;
	(void)make_session(m->s, "uno");
	(void)make_session(m->s, "dos");
	say(m->s, "first", "");
	say(m->s, "second", ",\"refs\":[{\"type\":\"context\",\"ref\":1}]");
	say(m->s, "third", ",\"refs\":[{\"type\":\"context\",\"ref\":\"nobody\"},"
	    "{\"type\":\"secretary\",\"ref\":\"uno/2\"},{\"type\":\"context\",\"ref\":1}]");
	assert_int_equal(put(m->s, "s2", "message",
	                     "{\"content\":\"there\",\"refs\":[{\"type\":\"context\",\"ref\":\"uno/1\"}]}"), 0);
	ends_are(m->s, (struct ref_ends){ 1, 1, 3, 10, 10 },
	         "1<context:s2/0 1<context:s1/2 1<context:s1/1 2>context:s1/0 2<secretary:s1/2 "
	         "3>context:6382 3>secretary:s1/1 3>context:s1/0 ");
	/* No more than was asked for, of each; no others than were asked for. */
	ends_are(m->s, (struct ref_ends){ 1, 1, 3, 1, 2 },
	         "1<context:s2/0 1<context:s1/2 2>context:s1/0 2<secretary:s1/2 3>context:6382 ");
	ends_are(m->s, (struct ref_ends){ 2, 1, 100, 10, 10 }, "1>context:s1/0 ");
	ends_are(m->s, (struct ref_ends){ 1, 4, 100, 10, 10 }, "");
	ends_are(m->s, (struct ref_ends){ 9, 1, 100, 10, 10 }, "");
}

static int64_t worked_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void count(void *ctx, const struct ref_end *e)
{
	(void)e;
	++*(int *)ctx;
}

static int64_t time_of(struct store *s, int64_t n, int expected)
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < 20; i++) {
		const struct ref_ends which = { 1, n, n, 10, 10 };
		int got = 0;
		int64_t from = worked_us();
		assert_int_equal(store_ref_ends(s, &which, count, &got), 0);
		int64_t took = worked_us() - from;
		assert_int_equal(got, expected);
		best = took < best ? took : best;
	}
	return best;
}

/* A message that five thousand others refer to costs what one of ten does. */
static void test_cost(void **state)
{
	struct memory *m = *state;
	(void)make_session(m->s, "uno");
	say(m->s, "first", "");
	say(m->s, "second", "");
	for (int i = 0; i < 5000; i++)
		say(m->s, "more", i < 10 ? ",\"refs\":[{\"type\":\"context\",\"ref\":1},{\"type\":\"context\",\"ref\":2}]" :
		    ",\"refs\":[{\"type\":\"context\",\"ref\":1}]");
	int64_t few = time_of(m->s, 2, 10), many = time_of(m->s, 1, 10);
	print_message("ten of ten %lld us, ten of 5,000 %lld us\n", (long long)few, (long long)many);
	assert_in_range(many, 0, 4 * few + 500);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_both_ways), WITH(test_cost) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
