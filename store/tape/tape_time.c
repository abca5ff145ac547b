/* SPDX-License-Identifier: MIT */
/* The clock by which entries are dated: the calendar's, or a test's. */
#include <time.h>

#include "store/internal.h"

int64_t store_time(const struct store *s)
{
	if (s->config.clock)
		return s->config.clock();
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
