/* SPDX-License-Identifier: MIT */
/*
 * The calendar's clock as entries are dated by it, and what to say when it jumps.
 *
 * 1. Within CLOCK_SLACK_US no entry is dated before the one before it: clocks are corrected by
 *    seconds all the time.
 * 2. When the clock goes back further, entries carry what it says now: the truth, as far as
 *    anybody knows.  Their order is that of seq.
 * 3. A jump of more than CLOCK_SLACK_US, either way, is told in `trouble` for an hour.
 */
#ifndef CINTA_STORE_CLOCK_H
#define CINTA_STORE_CLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_SLACK_US INT64_C(300000000)

struct clock_watch {
	_Atomic int64_t ahead_us;  /* of the clock since boot, when looked at last; 0: never */
	_Atomic int64_t jumped_us; /* by how much it jumped last, 0: never; < 0: back */
	_Atomic int64_t jumped_at; /* when, by the clock since boot */
};

/* Microseconds since boot, sleep counted: no setting of the time changes them. */
int64_t clock_since_boot(void);
/* The date of an entry: `now` by the calendar's clock, `last` of the entry before, 0: none. */
int64_t clock_date(struct clock_watch *w, int64_t now, int64_t last);
/* Looks whether the calendar's clock, which says `now`, has jumped since the last look. */
void clock_look(struct clock_watch *w, int64_t now);
/* "clock: …" if there was a jump within the hour, else "". */
void clock_trouble(const struct clock_watch *w, char *text, size_t size);

#endif
