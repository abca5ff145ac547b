/* SPDX-License-Identifier: MIT */
/*
 * When texts were said, for the filters of time.  What was said is written later or at once, so a
 * range of seqs bounds what was said after a time, and all of it only where nothing was imported.
 */
#include "store/search/search_post.h"

bool search_any_told(struct search *x)
{
	sqlite3_stmt *q = x->stmt[SEARCH_TOLD];
	bool any = sqlite3_step(q) == SQLITE_ROW;
	sqlite3_reset(q);
	return any;
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
