/* SPDX-License-Identifier: MIT */
/* Dates in a query, as much of them as is given. */
#include "render/search/query_date.h"

#include <stdbool.h>
#include <stddef.h>

#include "render/format/format.h"

/* `digits` of them at *at, which moves behind; -1: they are not there. */
static int number(const char **at, int digits)
{
	int n = 0;
	for (int i = 0; i < digits; i++) {
		char c = (*at)[i];
		if (c < '0' || c > '9')
			return -1;
		n = n * 10 + (c - '0');
	}
	*at += digits;
	return n;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970; the reverse of buf_add_time(), in years that begin in March. */
static int64_t days_since(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

int query_date(const char *text, int64_t *us)
{
	/* What stands before each part, its digits, its range; the day's end is the month's. */
	static const struct {
		char mark;
		int digits, from, to;
	} part[] = { { 0, 4, 1970, 9999 }, { '-', 2, 1, 12 }, { '-', 2, 1, 31 },
		     { 'T', 2, 0, 23 }, { ':', 2, 0, 59 }, { ':', 2, 0, 59 } };
	int value[6] = { 0, 1, 1, 0, 0, 0 }, parts = 0;
	for (; parts < 6 && *text; parts++) {
		if (part[parts].mark && *text != part[parts].mark)
			break;
		text += part[parts].mark != 0;
		value[parts] = number(&text, part[parts].digits);
		if (value[parts] < part[parts].from || value[parts] > part[parts].to)
			return RENDER_EINVAL;
	}
	if (parts > 3 && *text == 'Z')
		text++;
	if (parts == 0 || *text || value[2] > days_of(value[0], value[1]))
		return RENDER_EINVAL;
	int64_t s = days_since(value[0], value[1], value[2]) * 86400 + value[3] * 3600 +
	            value[4] * 60 + value[5];
	*us = s * 1000000;
	return 0;
}
