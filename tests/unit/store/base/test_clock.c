/* SPDX-License-Identifier: MIT */
/*
 * Jumps of the calendar's clock: signing goes on, entries carry the true time, their order is
 * that of seq, and status says that the clock has jumped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/ticker.h"
#include "tests/unit/store_fixture.h"

#define SECOND INT64_C(1000000)
#define HOUR (3600 * SECOND)

static void test_dates(void **state)
{
	struct clock_watch w = { 0 };
	char text[200];
	(void)state;
	assert_int_equal(clock_date(&w, 1000 * SECOND, 0), 1000 * SECOND);
	assert_int_equal(clock_date(&w, 999 * SECOND, 1000 * SECOND), 1000 * SECOND + 1); /* corrected */
	assert_int_equal(clock_date(&w, 700 * SECOND, 1000 * SECOND), 1000 * SECOND + 1);
	clock_trouble(&w, text, sizeof text);
	assert_string_equal(text, "");
	assert_int_equal(clock_date(&w, 699 * SECOND, 1000 * SECOND), 699 * SECOND); /* a jump */
	clock_trouble(&w, text, sizeof text);
	assert_non_null(strstr(text, "clock: it jumped back by 301 s"));
}

static void test_looks(void **state)
{
	struct clock_watch w = { 0 };
	char text[200];
	int64_t now = INT64_C(1800000000) * SECOND;
	(void)state;
	clock_look(&w, now);
	clock_look(&w, now + 200 * SECOND);
	clock_trouble(&w, text, sizeof text);
	assert_string_equal(text, "");
	clock_look(&w, now + 2 * HOUR);
	clock_trouble(&w, text, sizeof text);
	assert_non_null(strstr(text, "clock: it jumped forward by 7000 s"));
	clock_look(&w, now);
	clock_trouble(&w, text, sizeof text);
	assert_non_null(strstr(text, "clock: it jumped back by 7200 s"));
}

static void many(struct store *s, int rows)
{
	struct draft *d = calloc((size_t)rows, sizeof *d);
	assert_non_null(d);
	for (int i = 0; i < rows; i++)
		d[i] = (struct draft){ .stream = "s1", .kind = "message", .author = "a",
			.body = "{\"content\":\"x\"}", .body_len = 15 };
	struct append a = { .drafts = d, .count = (size_t)rows, .expect = -1 };
	assert_int_equal(store_append_wait(s, &a), 0);
	free(d);
}

static void status_of(struct store *s, struct status *st)
{
	memset(st, 0, sizeof *st);
	store_status(s, st);
}

static bool all_signed(struct store *s)
{
	struct status st;
	status_of(s, &st);
	return st.signed_upto == st.entries;
}

static bool wait_signed(struct store *s, int seconds)
{
	for (int i = 0; i < seconds * 20; i++) {
		if (all_signed(s))
			return true;
		usleep(50000);
	}
	return false;
}

/* Two hours ahead and back: once nothing was signed until the old time was reached again. */
static void test_signing_goes_on(void **state)
{
	struct memory *m = *state;
	struct status st;
	int64_t now = clock_now();
	memory_reopen(m, STORE_OWNER);
	(void)make_session(m->s, "uno");
	clock_set(now + 2 * HOUR);
	many(m->s, 1000);
	assert_true(wait_signed(m->s, 20));
	clock_set(now);
	many(m->s, 1000);
	assert_false(all_signed(m->s));
	assert_true(wait_signed(m->s, 20));
	status_of(m->s, &st);
	assert_int_equal(strncmp(st.trouble, "clock: it jumped back", 21), 0);
	assert_false(st.read_only);
}

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

static int64_t time_of_newest(struct store *s)
{
	int64_t us = -1;
	assert_int_equal(store_entry(s, entries_of(s) - 1, take_time, &us), 0);
	return us;
}

/* One jump to the year 9998 once dated every later entry so. */
static void test_true_time_after_a_jump(void **state)
{
	struct memory *m = *state;
	struct log_stat st;
	struct verify_report report;
	struct verify_options o = { .key_dir = m->keys, .all = true, .text_size = body_text_size };
	int64_t now = clock_now(), far = INT64_C(253340000000) * SECOND;
	(void)make_session(m->s, "uno");
	clock_set(far);
	say(m->s, "far", "");
	assert_int_equal(time_of_newest(m->s), far);
	clock_set(now);
	say(m->s, "now", "");
	assert_int_equal(time_of_newest(m->s), now);
	clock_set(now - SECOND);
	say(m->s, "a second before", "");
	assert_int_equal(time_of_newest(m->s), now + 1); /* not that of another */
	assert_int_equal(store_log_stat(m->s, (struct log_id){ LOG_SESSION, 1 }, &st), 0);
	assert_int_equal(st.last_us, now + 1);
	size_t len;
	char *log = log_of(m->s, (struct log_id){ LOG_SESSION, 1 }, &len);
	const char *one = strstr(log, "far"), *two = strstr(log, "now"), *three = strstr(log, "before");
	assert_true(one && two && three && one < two && two < three);
	free(log);
	/* Also for the process that opens it then: the newest entry is not in the future any more. */
	clock_set(far);
	say(m->s, "far again", "");
	clock_set(now + SECOND);
	memory_reopen(m, STORE_OWNER);
	say(m->s, "after", "");
	assert_int_equal(time_of_newest(m->s), now + SECOND);
	assert_int_equal(store_sign(m->s), 0);
	assert_int_equal(store_verify(m->path, &o, &report), 0);
	assert_int_equal(report.verdict, VERDICT_OK);
}

static void *count_ticks(void *arg)
{
	struct ticker *t = arg;
	intptr_t ticks = 0;
	while (ticker_wait(t, 10))
		ticks++;
	return (void *)ticks;
}

static void test_ticker(void **state)
{
	struct ticker t;
	struct timespec from, to;
	pthread_t thread;
	void *ticks;
	(void)state;
	ticker_init(&t, RANK_TIDY);
	assert_int_equal(pthread_create(&thread, NULL, count_ticks, &t), 0);
	usleep(300000);
	assert_false(ticker_stopping(&t));
	ticker_stop(&t);
	assert_true(ticker_stopping(&t));
	assert_int_equal(pthread_join(thread, &ticks), 0);
	assert_in_range((intptr_t)ticks, 2, 31);
	/* Stopped: no wait at all. */
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_false(ticker_wait(&t, 3600000));
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_in_range(to.tv_sec - from.tv_sec, 0, 60);
	ticker_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_ticker),
		cmocka_unit_test_setup_teardown(test_signing_goes_on, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_true_time_after_a_jump, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
