/* SPDX-License-Identifier: MIT */
/* References of messages seen from both ends: which, in what order, how many, and what it costs. */
#include "tests/unit/doc_fixture.h"

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

static void add_line(void *ctx, const struct ref *r)
{
	char *text = ctx, line[REF_LINE_MOST];
	size_t at = strlen(text), size = store_ref_line(r, line);
	assert_true(at + size < 1 << 16);
	memcpy(text + at, line, size);
	text[at + size] = '\0';
}

/* refs.jsonl of session 1 in windows of any size is what its lines are one after the other. */
static size_t file_holds(struct store *s, const char *must_have)
{
	static char all[1 << 16], part[1 << 16];
	uint64_t seed = 3;
	int64_t size;
	all[0] = '\0';
	assert_int_equal(store_refs(s, 1, add_line, all), 0);
	size_t len = strlen(all);
	assert_int_equal(store_refs_size(s, 1, &size), 0);
	assert_int_equal(size, len);
	for (int i = 0; i < 300; i++) {
		size_t from = dice(&seed, (uint32_t)len + 40), want = 1 + dice(&seed, i % 2 ? 300 : sizeof part - 1);
		ssize_t got = store_refs_read(s, 1, (int64_t)from, part, want);
		size_t most = from >= len ? 0 : len - from < want ? len - from : want;
		assert_int_equal(got, most);
		assert_memory_equal(part, all + (from < len ? from : len), most);
	}
	assert_non_null(strstr(all, must_have));
	return len;
}

/* References of messages, and of some that were written before, which stand in the middle. */
static void test_file(void **state)
{
	struct memory *m = *state;
	uint64_t seed = 1;
	int64_t size = 1;
	char more[200], op[300];
	(void)make_session(m->s, "uno");
	(void)make_session(m->s, "dos");
	assert_int_equal(store_refs_size(m->s, 1, &size), 0);
	assert_int_equal(size, 0);
	assert_int_equal(store_refs_read(m->s, 1, 0, more, sizeof more), 0);
	say(m->s, "first", ",\"thread\":\"hilo\",\"refs\":[{\"type\":\"context\",\"ref\":\"a\"},"
	    "{\"type\":\"context\",\"ref\":\"a\"}]"); /* the second is the same one */
	for (int i = 2; i < 40; i++) {
		(void)snprintf(more, sizeof more, ",\"refs\":[{\"type\":\"%s\",\"ref\":\"%d\"},{\"type\":\"context\","
		               "\"ref\":%d}]", i % 3 ? "context" : "\\tñandúñandúñandú", i, i - 1);
		say(m->s, "more", dice(&seed, 3) ? more : "");
		(void)snprintf(op, sizeof op, "{\"op\":\"refer\",\"message\":%u,\"refs\":["
		               "{\"type\":\"secretary\",\"ref\":\"x%d\"},"
		               "{\"type\":\"secretary\",\"ref\":\"y\"}]}", 1 + dice(&seed, (uint32_t)i), i);
		assert_int_equal(put(m->s, "c1", "context", op), 0);
		assert_int_equal(put(m->s, "s2", "message", "{\"refs\":[{\"type\":\"context\",\"ref\":\"a\"}]}"), 0);
		if (i % 7 == 0)
			(void)file_holds(m->s, "secretary");
	}
	size_t len = file_holds(m->s, "\"ref_type\":\"secretary\"");
	views_hold(m);
	memory_reopen(m, 0);
	assert_int_equal(file_holds(m->s, "\\tñandúñandú\""), len);
	(void)file_holds(m->s, "\"thread_hash\":null}");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_both_ways), WITH(test_file), WITH(test_cost) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
