/* SPDX-License-Identifier: MIT */
/* The clock by which entries are dated: from 1970 on, or a test's; and a line of errors.log. */
#include <time.h>

#include "store/tape/tape_state.h"

int64_t store_time(const struct store *s)
{
	if (s->config.clock)
		return s->config.clock();
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec < 0 ? 0 : (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void tape_tell(struct store *s, const char *code, const char *op, const char *path,
               const char *text, const char *todo)
{
	const struct refusal r = { .time_us = store_time(s), .code = code, .op = op, .path = path,
		.author = "cinta", .reason = text, .todo = todo };
	store_tell(s, &r);
	atomic_store(&s->tape->foreign, 0); /* so that nobody is shown the errors.log of before */
}
