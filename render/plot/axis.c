/* SPDX-License-Identifier: MIT */
/* Round numbers and round moments; see axis.h. */
#include "render/plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct axis axis_of(double value, int most, bool fractions)
{
	static const double nice[] = { 1, 2, 5 };
	struct axis a = { .step = 1 };
	double power = 1;
	if (!isfinite(value) || value < 0)
		value = 0;
	while (fractions && value > 0 && power > 1e-6 && value / power < most)
		power /= 10;
	for (int n = 0; a.step * most < value || n == 0; n++) {
		a.step = nice[n % 3] * power;
		power *= n % 3 == 2 ? 10 : 1;
	}
	a.steps = (int)ceil(value / a.step - 1e-9);
	a.steps = a.steps < 1 ? 1 : a.steps > most ? most : a.steps;
	a.top = a.step * a.steps;
	return a;
}

/* Commas between thousands, behind the sign and before the point. */
static void add_commas(char dst[NUMBER_SIZE], const char *plain)
{
	size_t digits = strcspn(plain, "."), at = 0;
	for (size_t i = 0; plain[i] && at + 2 < NUMBER_SIZE; i++) {
		dst[at++] = plain[i];
		if (i + 1 < digits && (digits - i - 1) % 3 == 0)
			dst[at++] = ',';
	}
	dst[at] = '\0';
}

void axis_number(char dst[NUMBER_SIZE], double value, double step)
{
	char plain[NUMBER_SIZE];
	int decimals = 0;
	while (decimals < 6 && step < 0.999999) {
		step *= 10;
		decimals++;
	}
	if (!isfinite(value) || value < 0)
		value = 0;
	(void)snprintf(plain, sizeof plain, "%.*f", decimals, value > 1e15 ? 1e15 : value);
	add_commas(dst, plain);
}

void value_number(char dst[NUMBER_SIZE], double value)
{
	axis_number(dst, value, floor(value) < value ? 0.01 : 1);
}

struct civil civil_of(int64_t day)
{
	/* In a calendar whose year begins in March leap days come last. */
	int64_t days = day + 719468, era = (days - (days < 0 ? 146096 : 0)) / 146097;
	int64_t of_era = days - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	struct civil c = { .day = (int)(of_year - (153 * month + 2) / 5 + 1) };
	c.month = (int)(month + (month < 10 ? 3 : -9));
	c.year = (int)(year + era * 400 + (c.month <= 2));
	return c;
}

int64_t day_of_civil(struct civil c)
{
	int64_t year = c.year + (c.month - 1) / 12, month = (c.month - 1) % 12 + 1;
	year -= month <= 2;
	int64_t era = (year - (year < 0 ? 399 : 0)) / 400, of_era = year - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + c.day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t day_of_us(int64_t time_us)
{
	return time_us / DAY_IN_US - (time_us % DAY_IN_US < 0);
}

void day_name(char dst[DAY_SIZE], int64_t day)
{
	struct civil c = civil_of(day);
	(void)snprintf(dst, DAY_SIZE, "%04d-%02d-%02d", c.year, c.month, c.day);
}

const char *month_name(int month)
{
	static const char *const names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug",
		"Sep", "Oct", "Nov", "Dec" };
	return names[(month - 1) % 12];
}

/* ---- moments ---------------------------------------------------------------- */

enum unit { HOURS, DAYS, MONTHS };
struct pace {
	enum unit unit;
	int every;
};

/* The first moment of the pace that is not before that time. */
static int64_t first_at(struct pace p, int64_t from_us)
{
	int64_t day = day_of_us(from_us + DAY_IN_US - 1), hour_us = p.every * INT64_C(3600000000);
	if (p.unit == HOURS)
		return (from_us + hour_us - 1) / hour_us * hour_us;
	if (p.unit == DAYS && p.every < 7)
		return day * DAY_IN_US;
	if (p.unit == DAYS) /* 1970-01-05 was a Monday */
		return (day + (4 - day % 7 + 7) % 7) * DAY_IN_US;
	struct civil c = civil_of(day);
	int months = c.year * 12 + c.month - 1 + (c.day > 1);
	months = (months + p.every - 1) / p.every * p.every;
	c = (struct civil){ months / 12, months % 12 + 1, 1 };
	return day_of_civil(c) * DAY_IN_US;
}

static int64_t next_at(struct pace p, int64_t at_us)
{
	if (p.unit == HOURS)
		return at_us + p.every * INT64_C(3600000000);
	if (p.unit == DAYS)
		return at_us + p.every * DAY_IN_US;
	struct civil c = civil_of(day_of_us(at_us));
	c.month += p.every;
	return day_of_civil(c) * DAY_IN_US;
}

static void label_of(struct pace p, int64_t at_us, char label[DAY_SIZE])
{
	struct civil c = civil_of(day_of_us(at_us));
	int hour = (int)(at_us / INT64_C(3600000000) % 24);
	if (p.unit == HOURS && hour > 0)
		(void)snprintf(label, DAY_SIZE, "%02d:00", hour);
	else if (p.unit != MONTHS)
		(void)snprintf(label, DAY_SIZE, "%d %s", c.day, month_name(c.month));
	else if (p.every >= 12 || c.month == 1)
		(void)snprintf(label, DAY_SIZE, "%d", c.year);
	else
		(void)snprintf(label, DAY_SIZE, "%s", month_name(c.month));
}

void time_axis_of(struct time_axis *out, int64_t from_us, int64_t to_us, int most)
{
	static const struct pace paces[] = { { HOURS, 1 }, { HOURS, 3 }, { HOURS, 6 }, { HOURS, 12 },
		{ DAYS, 1 }, { DAYS, 2 }, { DAYS, 7 }, { DAYS, 14 }, { MONTHS, 1 }, { MONTHS, 3 },
		{ MONTHS, 6 }, { MONTHS, 12 }, { MONTHS, 24 }, { MONTHS, 60 }, { MONTHS, 120 },
		{ MONTHS, 240 }, { MONTHS, 600 }, { MONTHS, 1200 }, { MONTHS, 12000 } };
	from_us = from_us < 0 ? 0 : from_us;
	for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
		int64_t at = first_at(paces[i], from_us);
		out->count = 0;
		for (; at <= to_us && out->count < most; at = next_at(paces[i], at)) {
			out->at_us[out->count] = at;
			label_of(paces[i], at, out->label[out->count++]);
		}
		if (at > to_us)
			return;
	}
}
