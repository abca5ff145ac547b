/* SPDX-License-Identifier: MIT */
/* Axes with round numbers, days and names of months.  Private to render/plot. */
#ifndef CINTA_PLOT_AXIS_H
#define CINTA_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { AXIS_MOST = 12, NUMBER_SIZE = 32 };
#define DAY_IN_US INT64_C(86400000000)

/* From 0 to `steps` times `step`, which is 1, 2 or 5 times a power of ten. */
struct axis {
	double step, top;
	int steps; /* 1..AXIS_MOST */
};
/* The shortest axis of at most `most` steps that holds `value`; its step is 1 at least, unless
 * there are fractions. */
struct axis axis_of(double value, int most, bool fractions);
/* "1,234", "0.25": as many decimals as `step` has, 0 of a step of 1 or more. */
void axis_number(char dst[NUMBER_SIZE], double value, double step);
/* A value by itself: whole, or rounded to two decimals. */
void value_number(char dst[NUMBER_SIZE], double value);

struct civil {
	int year, month, day; /* month and day from 1 */
};
struct civil civil_of(int64_t day);     /* days since 1970 */
int64_t day_of_civil(struct civil c);   /* back; a month beyond 12 is one of the next year */
/* The day of a time, of UTC. */
int64_t day_of_us(int64_t time_us);
/* "2026-11-20" */
enum { DAY_SIZE = 32 };
void day_name(char dst[DAY_SIZE], int64_t day);
/* "Nov" */
const char *month_name(int month);

/* Round moments between two times. */
struct time_axis {
	int64_t at_us[AXIS_MOST];
	char label[AXIS_MOST][DAY_SIZE];
	int count;
};
/* At most `most` (1..AXIS_MOST) of them: hours, days, Mondays, months or years. */
void time_axis_of(struct time_axis *out, int64_t from_us, int64_t to_us, int most);

#endif
