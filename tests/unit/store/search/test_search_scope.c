/* SPDX-License-Identifier: MIT */
/*
 * Filters that leave few texts are read another way than those that leave many: what is found is
 * the same, whatever else is in the scope, or was asked before.
 */
#include "tests/unit/fact_fixture.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 60, MANY = 11000, TALK = 60, AT_ONCE = 500 };

static const char *const authors[] = { "ana", "bob", "cid" };

/* What is said by whom: the last TALK messages are about zebras, all before are not. */
static void say_number(int i, int from_end, char *body, size_t size)
{
	const char *what = from_end > TALK ? "hay" :
		from_end % 10 == 4 ? "zebra" : from_end % 10 == 6 ? "zebra zebra giraffe" : "grass";
	(void)snprintf(body, size, "{\"role\":\"user\",\"content\":\"%s %d by %s\"}", what, from_end,
	               authors[i % 3]);
}

static void fill(struct store *s, int count)
{
	static char bodies[AT_ONCE][96];
	struct draft drafts[AT_ONCE];
	make_session(s, "one");
	for (int done = 0; done < count;) {
		int n = 0;
		for (; n < AT_ONCE && done < count; n++, done++) {
			say_number(done, count - done, bodies[n], sizeof bodies[n]);
			drafts[n] = (struct draft){ "s1", "message", authors[done % 3], bodies[n],
				strlen(bodies[n]), NULL };
		}
		struct append a = { .drafts = drafts, .count = (size_t)n, .expect = -1 };
		assert_int_equal(store_append_wait(s, &a), 0);
	}
}

struct seen {
	char line[8192];
	int count;
	int64_t seq; /* of the last */
	const char *by; /* who must have said all, NULL: anybody */
};

static int see(void *ctx, const struct search_hit *h)
{
	struct seen *s = ctx;
	size_t at = strlen(s->line);
	s->count++;
	s->seq = h->seq;
	if (s->by)
		assert_string_equal(h->author, s->by);
	assert_null(strstr(h->text, "hay"));
	(void)snprintf(s->line + at, sizeof s->line - at, "%s|", h->text);
	return 0;
}

/* A search does not wait long for an index of so much that is new; this one does. */
static struct seen ask(struct store *s, const struct search_query *q)
{
	struct search_query patient = *q;
	struct seen seen = { .by = q->by };
	patient.wait_us = INT64_C(600) * 1000 * 1000;
	assert_int_equal(store_search(s, &patient, see, &seen), 0);
	return seen;
}

/* Asked of both memories; at least `least` are found. */
static void same(struct store *few, struct store *many, const struct search_query *q, int least)
{
	struct seen a = ask(few, q), b = ask(many, q);
	assert_true(a.count >= least);
	assert_string_equal(a.line, b.line);
}

static void whatever_else_is_there(void **state)
{
	struct memory *m = *state;
	void *other = NULL;
	const char *giraffe = "giraffe", *zebras = "zebra zebra";
	assert_int_equal(memory_open(&other), 0);
	struct memory *n = other;
	fill(m->s, FEW);
	fill(n->s, MANY + (FEW - MANY) % 3); /* the same authors at the end */
	struct search_query q = { .words = "zebra", .limit = 20 };
	same(m->s, n->s, &q, 20);
	q.session = 1; /* too many to be read one by one */
	same(m->s, n->s, &q, 20);
	for (int i = 0; i < 3; i++) {
		q.by = authors[i]; /* few enough */
		same(m->s, n->s, &q, 10);
	}
	q.session = 0;
	same(m->s, n->s, &q, 10);
	q.by = NULL;
	q.without = &giraffe;
	q.without_count = 1;
	same(m->s, n->s, &q, 10);
	q.session = 1;
	same(m->s, n->s, &q, 10);
	q.by = "bob";
	same(m->s, n->s, &q, 5);
	q = (struct search_query){ .words = "zebra grass", .session = 1, .by = "ana", .limit = 7 };
	q.phrases = &zebras;
	q.phrase_count = 1;
	same(m->s, n->s, &q, 1);
	q.words = "hay"; /* of a word that none has, and of a scope that is empty */
	q.without = &zebras;
	q.without_count = 1;
	assert_int_equal(ask(n->s, &q).count, 0);
	assert_int_equal(memory_close(&other), 0);
}

/* The facts that are kept between searches are all there are. */
static void whatever_was_asked_before(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	clock_set(T(0));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("lisbon has trams")), 0);
	clock_set(T(1000000));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("lisbon has hills")), 0);
	const struct search_query trams = { .words = "trams", .in = SEARCH_FACTS, .limit = 1 };
	int64_t first = ask(m->s, &trams).seq;
	static const struct {
		int64_t after_us, before_us;
		bool entry;
		int count;
	} asked[] = {
		{ 0, T(-1), false, 0 }, { 0, T(1), false, 1 }, { T(1), 0, false, 1 }, { T(2000000), 0, false, 0 },
		{ 0, 0, true, 1 }, { 0, T(-1), true, 0 }, { T(2000000), 0, true, 0 },
	};
	for (size_t i = 0; i < 2 * sizeof asked / sizeof *asked; i++) {
		const bool ahead = i % 2; /* of what narrows it, or behind */
		struct search_query q = { .words = "lisbon", .in = SEARCH_FACTS };
		if (i % 4 < 2) /* nothing is kept any more */
			assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("porto")), 0);
		if (ahead)
			assert_int_equal(ask(m->s, &q).count, 2);
		q.after_us = asked[i / 2].after_us;
		q.before_us = asked[i / 2].before_us;
		q.entry = asked[i / 2].entry ? first : 0;
		assert_int_equal(ask(m->s, &q).count, asked[i / 2].count);
		q.after_us = q.before_us = q.entry = 0;
		assert_int_equal(ask(m->s, &q).count, 2);
	}
}

/* An entry that is not in the time that is asked for has no others in its place. */
static void one_entry(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	clock_set(T(0));
	say(m->s, "giraffe", "");
	clock_set(T(2000000));
	say(m->s, "giraffe again", "");
	for (int words = 0; words < 2; words++) {
		struct search_query q = { .words = words ? "again" : "", .limit = 1 };
		q.entry = ask(m->s, &q).seq;
		assert_int_equal(ask(m->s, &q).count, 1);
		q.limit = 20;
		q.before_us = T(1000000);
		assert_int_equal(ask(m->s, &q).count, 0);
		q.before_us = 0;
		q.after_us = T(3000000);
		assert_int_equal(ask(m->s, &q).count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whatever_else_is_there, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(whatever_was_asked_before, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(one_entry, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
