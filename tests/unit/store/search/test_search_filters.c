/* SPDX-License-Identifier: MIT */
/* What passes a question's filters is found, however much does not and would rank before it. */
#include "tests/unit/fact_fixture.h"

#include <stdio.h>
#include <string.h>

#include "store/search/search_index.h"

enum { AT_ONCE = 500 };

/* Messages of session 1, number i of `count` as `make` has it. */
struct said {
	const char *author, *role, *content;
};
typedef struct said make_fn(int i);

static void fill(struct store *s, make_fn *make, int count)
{
	static char bodies[AT_ONCE][128];
	struct draft drafts[AT_ONCE];
	for (int done = 0; done < count;) {
		int n = 0;
		for (; n < AT_ONCE && done < count; n++, done++) {
			struct said said = make(done);
			(void)snprintf(bodies[n], sizeof bodies[n], "{\"role\":\"%s\",\"content\":\"%s\"}",
			               said.role, said.content);
			drafts[n] = (struct draft){ "s1", "message", said.author, bodies[n], strlen(bodies[n]), NULL };
		}
		struct append a = { .drafts = drafts, .count = (size_t)n, .expect = -1 };
		assert_int_equal(store_append_wait(s, &a), 0);
	}
}

static int count_hit(void *ctx, const struct search_hit *h)
{
	(void)h;
	++*(int *)ctx;
	return 0;
}

/* An index of so much that is new is waited for. */
static void finds(struct store *s, struct search_query q, int count)
{
	int found = 0;
	q.wait_us = INT64_C(600) * 1000 * 1000;
	assert_int_equal(store_search(s, &q, count_hit, &found), 0);
	assert_int_equal(found, count);
}

static struct said one_tool(int i)
{
	return (struct said){ "ana", i == 7 ? "tool" : i % 2 ? "user" : "assistant", i == 7 ? "the deploy log" : "deploy" };
}

static void rare_role(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	fill(m->s, one_tool, 300);
	finds(m->s, (struct search_query){ .words = "deploy", .role = "tool" }, 1);
	finds(m->s, (struct search_query){ .words = "deploy", .role = "user" }, 20);
	finds(m->s, (struct search_query){ .words = "", .role = "tool" }, 1);
	finds(m->s, (struct search_query){ .words = "deploy", .role = "nobody" }, 0);
}

static struct said much(int i)
{
	return (struct said){ "ana", i == 7 ? "tool" : "user", "deploy" };
}

static void rare_role_of_many(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	fill(m->s, much, 30000);
	finds(m->s, (struct search_query){ .words = "deploy", .role = "tool" }, 1);
}

/* What has no word itself ranks before the assistant's that has it, for it stands between two. */
static struct said by_two(int i)
{
	bool has = i < 162 && i % 3 == 1;
	return (struct said){ has ? "carol" : "dave", has ? "assistant" : "user",
		has ? "the migration" : "something else" };
}

static void neighbours_of_others(void **state)
{
	struct memory *m = *state;
	const char *migration = "migration", *other = "something";
	make_session(m->s, "one");
	fill(m->s, by_two, 540);
	for (int limit = 20; limit <= 80; limit *= 2) {
		int all = limit < 54 ? limit : 54;
		finds(m->s, (struct search_query){ .words = "migration", .by = "carol", .limit = limit }, all);
		finds(m->s, (struct search_query){ .words = "migration", .limit = limit, .without = &other,
			.without_count = 1 }, all);
		finds(m->s, (struct search_query){ .words = "", .phrases = &migration, .phrase_count = 1,
			.limit = limit }, all);
		finds(m->s, (struct search_query){ .words = "migration", .limit = limit }, limit);
	}
}

static struct said giraffe(int i)
{
	(void)i;
	return (struct said){ "ana", "user", "a giraffe" };
}

/* The clock is set back for a while, and forth again; of an index that saw it at once, or bit by bit. */
static void clock_set_back(void **state)
{
	struct memory *m = *state;
	const int64_t then = T(-1000000000000);
	const struct search_query none = { .words = "nothing" };
	make_session(m->s, "one");
	for (int i = 0; i < 3; i++) {
		clock_set(i == 1 ? then : T(i * 1000000));
		fill(m->s, giraffe, i == 1 ? 60 : 10);
		finds(m->s, none, 0);
	}
	clock_set(T(3000000));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("the giraffe")), 0);
	for (int again = 0; again < 2; again++) {
		for (int words = 0; words < 2; words++) {
			const struct search_query q = { .words = words ? "giraffe" : "", .limit = 100,
				.in = SEARCH_MESSAGES };
			struct search_query after = q, before = q, by = q;
			after.after_us = before.before_us = by.after_us = T(-1);
			by.by = "ana";
			finds(m->s, after, 20);
			finds(m->s, by, 20);
			finds(m->s, before, 60);
			before.after_us = then + 1;
			finds(m->s, before, 0);
			after.in = SEARCH_FACTS;
			finds(m->s, after, 1);
			finds(m->s, q, 80);
		}
		search_remove(m->path); /* it is made anew, from its beginning */
		memory_reopen(m, 0);
	}
}

/* One that is retired, and many that are not: more than a search has hits. */
static void one_retired(void **state)
{
	struct memory *m = *state;
	enum { MANY = 4500 };
	static struct fact_change many[MANY];
	static char texts[MANY][32];
	clock_set(T(0));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("an airship")), 0);
	clock_set(T(400 * INT64_C(86400000000)));
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(texts[i], sizeof texts[i], "airship %d", i);
		many[i] = fact_add(texts[i]);
	}
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, many, MANY, "ana:vim", NULL, -1, NULL), 0);
	struct search_query q = { .words = "airship" };
	for (int words = 0; words < 2; words++) {
		q.words = words ? "airship" : "";
		q.status = 1u << LIFE_AGED | 1u << LIFE_STALE;
		finds(m->s, q, 1);
		q.status = 1u << LIFE_LIVE;
		finds(m->s, q, 20);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { CASE(rare_role), CASE(rare_role_of_many), CASE(neighbours_of_others),
		CASE(clock_set_back),
		CASE(one_retired) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
