/* SPDX-License-Identifier: MIT */
/* Counts a day: by when a thing was said, whatever the batches, before 1970 and after a redaction. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/internal.h"
#include "store/views/views.h"

enum { MOST = 64 };
struct days {
	struct day at[MOST];
	int count;
};

static void take(void *ctx, const struct day *d)
{
	struct days *all = ctx;
	assert_true(all->count < MOST);
	all->at[all->count++] = *d;
}

static struct days days_of(struct store *s)
{
	struct days all = { .count = 0 };
	assert_int_equal(store_days(s, INT64_MIN, INT64_MAX, take, &all), 0);
	return all;
}

static const struct day *on(const struct days *all, int64_t day)
{
	for (int i = 0; i < all->count; i++)
		if (all->at[i].day == day)
			return &all->at[i];
	return NULL;
}

/* The last microsecond of one day, and the first of the next. */
static void test_border(void **state)
{
	struct memory *m = *state;
	const int64_t first = clock_now() / US_OF_DAY + 2;
	struct days before = days_of(m->s);
	assert_int_equal(before.count, 1); /* the tape's own first entry */
	assert_int_equal(before.at[0].entries, 1);
	assert_int_equal(before.at[0].messages, 0);
	clock_set(first * US_OF_DAY - 1);
	(void)make_session(m->s, "uno");
	assert_int_equal(put(m->s, "s1", "message", "{\"content\":\"late\",\"token_count\":3}"), 0);
	clock_set(first * US_OF_DAY);
	assert_int_equal(put(m->s, "s1", "message", "{\"content\":\"early\",\"token_count\":4}"), 0);
	assert_int_equal(put(m->s, "s1", "message", "{\"content\":\"early\",\"token_count\":5}"), 0);
	const struct days all = days_of(m->s);
	const struct day *a = on(&all, first - 1), *b = on(&all, first);
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->entries, 2);
	assert_int_equal(a->messages, 1);
	assert_int_equal(a->tokens, 3);
	assert_int_equal(b->entries, 2);
	assert_int_equal(b->messages, 2);
	assert_int_equal(b->tokens, 9);
	int64_t bytes = 0, entries = 0;
	struct log_stat tape;
	for (int i = 0; i < all.count; i++) {
		bytes += all.at[i].bytes;
		entries += all.at[i].entries;
	}
	assert_int_equal(store_log_stat(m->s, (struct log_id){ LOG_TAPE, 0 }, &tape), 0);
	assert_int_equal(bytes, tape.bytes);
	assert_int_equal(entries, entries_of(m->s));
}

/* Messages taken in count when they were said, on more days than a batch holds. */
static void test_said(void **state)
{
	struct memory *m = *state;
	(void)make_session(m->s, "uno");
	for (int i = 0; i < 3 * DAYS_HELD / 2; i++) {
		char more[96];
		(void)snprintf(more, sizeof more, ",\"token_count\":1,\"from\":{\"at\":\"2026-03-%02dT10:00:00Z\"}",
		               1 + i % (DAYS_HELD + 4));
		say(m->s, "then", more);
	}
	const struct days all = days_of(m->s);
	const int64_t march = 20513; /* days from 1970-01-01 to 2026-03-01 */
	assert_int_equal(all.count, DAYS_HELD + 4 + 1);
	for (int i = 0; i < DAYS_HELD + 4; i++) {
		assert_int_equal(all.at[i].day, march + i);
		assert_int_equal(all.at[i].messages, i < DAYS_HELD / 2 - 4 ? 2 : 1);
		assert_int_equal(all.at[i].entries, 0);
	}
	struct days some = { .count = 0 };
	assert_int_equal(store_days(m->s, march + 1, march + 3, take, &some), 0);
	assert_int_equal(some.count, 3);
	assert_int_equal(some.at[0].day, march + 1);
}

/* Facts added and taken back, and documents saved. */
static void test_kinds(void **state)
{
	struct memory *m = *state;
	const int64_t today = clock_now() / US_OF_DAY + 1;
	clock_set(today * US_OF_DAY);
	struct fact_change add[2] = { { .verb = FACT_ADD, .text = "tea", .len = 3, .confidence = CONFIDENCE_HIGH },
		{ .verb = FACT_ADD, .text = "milk", .len = 4, .confidence = CONFIDENCE_LOW } };
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, add, 2, "ana", NULL, -1, NULL), 0);
	struct fact_change gone = { .verb = FACT_RETRACT, .fact = entries_of(m->s) - 1 };
	clock_set((today + 1) * US_OF_DAY);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, &gone, 1, "ana", NULL, -1, NULL), 0);
	/* It is gone already: nothing is taken back a second time. */
	assert_int_equal(put(m->s, "f1", "fact.retract", "{\"save\":3,\"fact\":2}"), 0);
	const struct days all = days_of(m->s);
	assert_int_equal(on(&all, today)->facts, 2);
	assert_int_equal(on(&all, today)->retracted, 0);
	assert_int_equal(on(&all, today + 1)->facts, 0);
	assert_int_equal(on(&all, today + 1)->retracted, 1);
}

/* One entry at a time, all at once, and what somebody else's views had: the same rows. */
static void test_batches(void **state)
{
	struct memory *m = *state;
	uint64_t seed = 4;
	(void)make_session(m->s, "uno");
	for (int i = 0; i < 200; i++) {
		clock_set(clock_now() + dice(&seed, 86400) * INT64_C(400000));
		say(m->s, "x", dice(&seed, 2) ? ",\"token_count\":2" : ",\"from\":{\"at\":\"1999-12-31T23:59:59Z\"}");
	}
	const struct days want = days_of(m->s);
	assert_true(want.count > 5);
	static const int64_t batch[] = { 1, 7, 1000 };
	for (size_t i = 0; i < sizeof batch / sizeof *batch; i++) {
		sqlite3 *db = NULL;
		struct view *v = NULL;
		struct why why = { 0 };
		int64_t upto = 0, before = -1;
		assert_int_equal(db_open(m->path, DB_WRITE, &db, &why), 0);
		assert_int_equal(views_reset(db), 0);
		assert_int_equal(view_open(db, &store_views, body_text_size, &v), 0);
		while (upto != before) {
			before = upto;
			assert_int_equal(view_catch_up(v, batch[i], INT64_MAX / 2, &upto), 0);
		}
		view_close(v);
		sqlite3_close(db);
		const struct days got = days_of(m->s);
		assert_int_equal(got.count, want.count);
		assert_memory_equal(got.at, want.at, sizeof want.at[0] * (size_t)want.count);
	}
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_border), WITH(test_said), WITH(test_kinds), WITH(test_batches) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
