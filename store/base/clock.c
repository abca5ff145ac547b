/* SPDX-License-Identifier: MIT */
/* Dates of entries, and jumps of the clock (clock.h). */
#include "store/base/clock.h"

#include <stdio.h>
#include <time.h>

#define TOLD_US INT64_C(3600000000)

int64_t clock_since_boot(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void jumped(struct clock_watch *w, int64_t by_us)
{
	atomic_store(&w->jumped_us, by_us);
	atomic_store(&w->jumped_at, clock_since_boot());
}

int64_t clock_date(struct clock_watch *w, int64_t now, int64_t last)
{
	if (now >= last)
		return now;
	if (last - now <= CLOCK_SLACK_US)
		return last + 1; /* a time that has an entry is over (fs/past) */
	jumped(w, now - last);
	return now;
}

void clock_look(struct clock_watch *w, int64_t now)
{
	int64_t ahead = now - clock_since_boot(), before = atomic_exchange(&w->ahead_us, ahead);
	if (before && (ahead - before > CLOCK_SLACK_US || before - ahead > CLOCK_SLACK_US))
		jumped(w, ahead - before);
}

void clock_trouble(const struct clock_watch *w, char *text, size_t size)
{
	int64_t by = atomic_load(&w->jumped_us);
	text[0] = '\0';
	if (by == 0 || clock_since_boot() - atomic_load(&w->jumped_at) > TOLD_US)
		return;
	(void)snprintf(text, size, "clock: it jumped %s by %lld s; entries are dated by it, their order"
	               " is that of seq", by < 0 ? "back" : "forward",
	               (long long)(((by < 0 ? -by : by) + 500000) / 1000000));
}
