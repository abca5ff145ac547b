/* SPDX-License-Identifier: MIT */
/* The two clocks (base.h). */
#include <time.h>

#include "fs/base/base.h"

int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct timespec timespec_of(int64_t us)
{
	int64_t of_second = us % 1000000;
	of_second += of_second < 0 ? 1000000 : 0;
	return (struct timespec){ (us - of_second) / 1000000, of_second * 1000 };
}
