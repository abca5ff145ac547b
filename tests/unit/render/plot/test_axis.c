/* SPDX-License-Identifier: MIT */
/* Axes: round steps that hold the value, round moments within a span, and the calendar under both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/plot/axis.h"

static void test_steps(void **state)
{
	static const struct {
		double value, step;
		int most, steps;
		bool fractions;
	} cases[] = { { 0, 1, 5, 1, false }, { 1, 1, 5, 1, false }, { 5, 1, 5, 5, false }, { 6, 2, 5, 3, false },
		{ 9.5, 2, 5, 5, false }, { 11, 5, 5, 3, false }, { 250, 50, 5, 5, false }, { 251, 100, 5, 3, false },
		{ 1000000, 200000, 5, 5, false }, { 0.8, 0.2, 5, 4, true }, { 0.8, 1, 5, 1, false },
		{ 0.03, 0.01, 5, 3, true }, { 3, 1, 5, 3, true }, { 0, 1, 5, 1, true }, { -4, 1, 5, 1, false },
		{ NAN, 1, 5, 1, false }, { INFINITY, 1, 5, 1, false } };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct axis a = axis_of(cases[i].value, cases[i].most, cases[i].fractions);
		assert_true(fabs(a.step - cases[i].step) < 1e-9 * a.step);
		assert_int_equal(a.steps, cases[i].steps);
		assert_true(fabs(a.top - a.step * a.steps) < 1e-9 * a.top);
	}
}

/* Whatever is shown: the axis holds it, is not twice as long, and its step is 1, 2 or 5 by tens. */
static void test_any_value(void **state)
{
	(void)state;
	srand(7);
	for (int i = 0; i < 20000; i++) {
		double value = pow(10, rand() % 14) * ((rand() % 9999) + 1) / 1000;
		struct axis a = axis_of(value, 6, i % 2);
		double digit = a.step / pow(10, floor(log10(a.step) + 1e-9));
		assert_true(a.top >= value * (1 - 1e-9));
		assert_true(a.steps >= 1 && a.steps <= 6);
		assert_true(a.top - a.step < value * (1 + 1e-9));
		assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
	}
}

static void test_numbers(void **state)
{
	static const struct {
		double value, step;
		const char *want;
	} cases[] = { { 0, 1, "0" }, { 999, 1, "999" }, { 1000, 1, "1,000" }, { 1234567, 1, "1,234,567" },
		{ 0.25, 0.05, "0.25" }, { 1200.5, 0.1, "1,200.5" }, { NAN, 1, "0" }, { -3, 1, "0" },
		{ INFINITY, 1, "0" }, { 1e300, 1, "1,000,000,000,000,000" } };
	char got[NUMBER_SIZE];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		axis_number(got, cases[i].value, cases[i].step);
		assert_string_equal(got, cases[i].want);
	}
	value_number(got, 12.5);
	assert_string_equal(got, "12.50");
	value_number(got, 12);
	assert_string_equal(got, "12");
}

/* Each day of 800 years, against the C library. */
static void test_calendar(void **state)
{
	(void)state;
	for (int64_t day = -146097; day < 146097; day++) {
		time_t t = (time_t)(day * 86400);
		struct tm tm;
		struct civil c = civil_of(day);
		assert_non_null(gmtime_r(&t, &tm));
		assert_int_equal(c.year, tm.tm_year + 1900);
		assert_int_equal(c.month, tm.tm_mon + 1);
		assert_int_equal(c.day, tm.tm_mday);
		assert_int_equal(day_of_civil(c), day);
	}
	assert_int_equal(day_of_civil((struct civil){ 2025, 14, 1 }), day_of_civil((struct civil){ 2026, 2, 1 }));
	assert_int_equal(day_of_us(-1), -1);
	assert_int_equal(day_of_us(DAY_IN_US - 1), 0);
}

static void check_times(const char *from, const char *to, const char *want)
{
	struct time_axis a;
	char got[AXIS_MOST * DAY_SIZE] = "";
	struct tm tm[2] = { { .tm_sec = 0 }, { .tm_sec = 0 } };
	assert_non_null(strptime(from, "%Y-%m-%d %H:%M", &tm[0]));
	assert_non_null(strptime(to, "%Y-%m-%d %H:%M", &tm[1]));
	time_axis_of(&a, timegm(&tm[0]) * INT64_C(1000000), timegm(&tm[1]) * INT64_C(1000000), 8);
	for (int i = 0; i < a.count; i++) {
		size_t at = strlen(got);
		(void)snprintf(got + at, sizeof got - at, "%s%s", at ? "|" : "", a.label[i]);
	}
	assert_string_equal(got, want);
}

static void test_moments(void **state)
{
	(void)state;
	check_times("2026-11-20 10:30", "2026-11-20 14:00", "11:00|12:00|13:00|14:00");
	check_times("2026-11-20 10:30", "2026-11-21 15:00", "12:00|18:00|21 Nov|06:00|12:00");
	check_times("2026-11-19 10:30", "2026-11-24 10:00", "20 Nov|21 Nov|22 Nov|23 Nov|24 Nov");
	check_times("2026-09-28 00:00", "2026-11-08 00:00", "28 Sep|5 Oct|12 Oct|19 Oct|26 Oct|2 Nov");
	check_times("2026-02-10 00:00", "2026-08-08 00:00", "Mar|Apr|May|Jun|Jul|Aug");
	check_times("2024-02-10 00:00", "2026-01-08 00:00", "Apr|Jul|Oct|2025|Apr|Jul|Oct|2026");
	check_times("1999-02-10 00:00", "2026-01-08 00:00", "2000|2005|2010|2015|2020|2025");
	check_times("2026-11-20 10:30", "2026-11-20 10:31", "");
}

/* Any span: moments rise, lie within, and there are enough to read the axis by. */
static void test_any_span(void **state)
{
	(void)state;
	srand(9);
	for (int i = 0; i < 20000; i++) {
		int64_t from = (int64_t)(rand() % 30000) * DAY_IN_US + rand();
		int64_t span = (int64_t)(pow(10, 10 + rand() % 6) * (1 + rand() % 100) / 10);
		struct time_axis a;
		time_axis_of(&a, from, from + span, 8);
		assert_true(a.count <= 8);
		assert_true(span < 6 * INT64_C(3600000000) || a.count >= 2);
		for (int n = 0; n < a.count; n++) {
			assert_true(a.at_us[n] >= from && a.at_us[n] <= from + span);
			assert_true(n == 0 || a.at_us[n] > a.at_us[n - 1]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_steps), cmocka_unit_test(test_any_value),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_calendar), cmocka_unit_test(test_moments),
		cmocka_unit_test(test_any_span) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
