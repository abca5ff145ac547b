/* SPDX-License-Identifier: MIT */
/* Times that people write: RFC 3339, or a date alone. */
#include "render/format/format.h"

/* Exactly `count` digits; -1 if they are not there. */
static int number(const char *text, size_t len, size_t at, size_t count)
{
	int n = 0;
	if (at + count > len)
		return -1;
	for (size_t i = at; i < at + count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		n = n * 10 + (text[i] - '0');
	}
	return n;
}

static bool is_at(const char *text, size_t len, size_t at, char c)
{
	return at < len && text[at] == c;
}

/* Days since 1970-01-01; -1: no such day, or an earlier one. */
static int64_t date(const char *text, size_t len)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year = number(text, len, 0, 4), month = number(text, len, 5, 2);
	int day = number(text, len, 8, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || !is_at(text, len, 4, '-') ||
	    !is_at(text, len, 7, '-'))
		return -1;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	if (day > days[month - 1] + (leap && month == 2))
		return -1;
	/* A calendar whose year begins in March: leap days come last. */
	int64_t y = year - (month < 3), m = month < 3 ? month + 9 : month - 3;
	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* HH:MM, :SS and a fraction if they are there; `at` moves behind.  Microseconds, or -1. */
static int64_t clock_time(const char *text, size_t len, size_t *at)
{
	int hour = number(text, len, *at, 2), minute = number(text, len, *at + 3, 2), second = 0;
	int64_t fraction = 0;
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || !is_at(text, len, *at + 2, ':'))
		return -1;
	*at += 5;
	if (is_at(text, len, *at, ':')) {
		second = number(text, len, *at + 1, 2);
		if (second < 0 || second > 60)
			return -1;
		*at += 3;
		if (is_at(text, len, *at, '.')) {
			if (number(text, len, *at + 1, 1) < 0)
				return -1;
			int64_t unit = 100000;
			for (++*at; number(text, len, *at, 1) >= 0; ++*at, unit /= 10)
				fraction += unit * (text[*at] - '0');
		}
	}
	return ((int64_t)hour * 3600 + minute * 60 + second) * 1000000 + fraction;
}

/* Z or +HH:MM to the end of the text: minutes east of UTC; false: neither. */
static bool zone(const char *text, size_t len, size_t at, int *east)
{
	*east = 0;
	if (at + 1 == len && (text[at] == 'Z' || text[at] == 'z'))
		return true;
	int hour = number(text, len, at + 1, 2), minute = number(text, len, at + 4, 2);
	if (at + 6 != len || (text[at] != '+' && text[at] != '-') || hour < 0 || hour > 23 ||
	    minute < 0 || minute > 59 || text[at + 3] != ':')
		return false;
	*east = (hour * 60 + minute) * (text[at] == '-' ? -1 : 1);
	return true;
}

bool time_read(const char *text, size_t len, int64_t *time_us)
{
	int64_t day = date(text, len), of_day = 0;
	int east = 0;
	size_t at = 11;
	if (day < 0)
		return false;
	if (len > 10) {
		if (text[10] != 'T' && text[10] != 't' && text[10] != ' ')
			return false;
		of_day = clock_time(text, len, &at);
		if (of_day < 0 || !zone(text, len, at, &east))
			return false;
	}
	*time_us = day * INT64_C(86400000000) + of_day - east * INT64_C(60000000);
	return *time_us >= 0;
}
