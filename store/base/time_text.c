/* SPDX-License-Identifier: MIT */
/* RFC 3339 to microseconds; see time_text.h. */
#include "store/base/time_text.h"

#include <time.h>

struct reading {
	const char *at, *end;
};

/* Exactly `digits` of them, at most `most`; -1: something else is there. */
static int take_number(struct reading *r, int digits, int most)
{
	int n = 0;
	for (int i = 0; i < digits; i++, r->at++) {
		if (r->at == r->end || *r->at < '0' || *r->at > '9')
			return -1;
		n = n * 10 + (*r->at - '0');
	}
	return n <= most ? n : -1;
}

static bool char_take(struct reading *r, char c)
{
	bool here = r->at < r->end && *r->at == c;
	r->at += here;
	return here;
}

static bool take_date(struct reading *r, struct tm *tm)
{
	int year = take_number(r, 4, 9999), month, day;
	if (year < 1970 || !char_take(r, '-') || (month = take_number(r, 2, 12)) < 1 ||
	    !char_take(r, '-') || (day = take_number(r, 2, 31)) < 1)
		return false;
	*tm = (struct tm){ .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day };
	struct tm same = *tm;
	return timegm(&same) >= 0 && same.tm_mday == day; /* not the 31st of a shorter month */
}

/* ".5": any number of digits, of which six count. */
static bool take_fraction(struct reading *r, int64_t *us)
{
	int digit = take_number(r, 1, 9);
	if (digit < 0)
		return false;
	for (int64_t unit = 100000; digit >= 0; unit /= 10) {
		*us += unit * digit;
		bool more = r->at < r->end && *r->at >= '0' && *r->at <= '9';
		digit = more ? take_number(r, 1, 9) : -1;
	}
	return true;
}

static bool take_clock(struct reading *r, int64_t *us)
{
	int hour = take_number(r, 2, 23), minute, second = 0;
	if (hour < 0 || !char_take(r, ':') || (minute = take_number(r, 2, 59)) < 0)
		return false;
	int64_t part = 0;
	if (char_take(r, ':') && ((second = take_number(r, 2, 60)) < 0 ||
	                          (char_take(r, '.') && !take_fraction(r, &part))))
		return false;
	*us = (hour * INT64_C(3600) + minute * 60 + second) * 1000000 + part;
	return true;
}

/* Z, or an offset; *us: how far the place's clock is ahead of UTC. */
static bool take_zone(struct reading *r, int64_t *us)
{
	int hour, minute;
	*us = 0;
	if (char_take(r, 'Z') || char_take(r, 'z'))
		return true;
	bool west = char_take(r, '-');
	if ((!west && !char_take(r, '+')) || (hour = take_number(r, 2, 23)) < 0 || !char_take(r, ':') ||
	    (minute = take_number(r, 2, 59)) < 0)
		return false;
	*us = (hour * 60 + minute) * (west ? -1 : 1) * INT64_C(60000000);
	return true;
}

bool time_of_text(const char *text, size_t len, int64_t *time_us)
{
	struct reading r = { text, text + len };
	struct tm tm;
	int64_t of_day = 0, ahead = 0;
	if (!take_date(&r, &tm))
		return false;
	if (r.at < r.end && ((!char_take(&r, 'T') && !char_take(&r, 't') && !char_take(&r, ' ')) ||
	                     !take_clock(&r, &of_day) || !take_zone(&r, &ahead)))
		return false;
	*time_us = (int64_t)timegm(&tm) * 1000000 + of_day - ahead;
	return r.at == r.end && *time_us >= 0;
}
