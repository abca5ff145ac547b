/* SPDX-License-Identifier: MIT */
/*
 * When texts were said, for the filters of time.  What was said is written later or at once, so a
 * range of seqs bounds what was said after a time, and all of it only where nothing was imported:
 * if times never went back along the tape, as they do when a clock is set back.
 */
#include "store/search/search_post.h"

bool search_any_told(struct search *x)
{
	sqlite3_stmt *q = x->stmt[SEARCH_TOLD];
	bool any = sqlite3_step(q) == SQLITE_ROW;
	sqlite3_reset(q);
	return any;
}

int64_t search_time_at(struct search *x, int64_t seq)
{
	sqlite3_stmt *q = x->stmt[TAPE_TIME];
	sqlite3_bind_int64(q, 1, seq);
	int64_t time_us = seq >= 0 && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) :
		INT64_MIN;
	sqlite3_reset(q);
	return time_us;
}

int64_t search_seq_of(struct search *x, int64_t time_us)
{
	sqlite3_stmt *q = x->stmt[SEARCH_TIMES];
	int64_t low = 0, high = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	bool back = high > 0 && sqlite3_column_int(q, 1);
	sqlite3_reset(q);
	while (!back && low < high) {
		int64_t mid = low + (high - low) / 2;
		if (search_time_at(x, mid) < time_us)
			low = mid + 1;
		else
			high = mid;
	}
	return back ? -1 : low;
}

bool post_in_range(const struct search_plan *plan, int64_t said_us)
{
	return said_us >= plan->after_us && (plan->before_us == 0 || said_us < plan->before_us);
}

int post_said(struct search *x, int64_t seq, int64_t *said_us)
{
	sqlite3_stmt *q = x->stmt[SEARCH_SAID];
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	*said_us = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

int post_dated(struct search *x, const struct search_plan *plan, int64_t seq)
{
	int64_t said_us;
	if (!plan->dated)
		return 1;
	int known = post_said(x, seq, &said_us);
	return known > 0 ? post_in_range(plan, said_us) : known;
}
