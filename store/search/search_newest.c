/* SPDX-License-Identifier: MIT */
/* The newest texts that pass the filters, where nothing else is asked for. */
#include <stdlib.h>

#include "store/internal.h"
#include "store/search/search_post.h"

/* A text and when it was said. */
struct dated {
	int64_t said_us, seq;
};

/* 1: the text passes what the statement does not ask. */
static int passes(struct search *x, const struct search_plan *plan, bool matched, int64_t seq)
{
	int avoided = !matched && *plan->avoid ? post_matches(x, plan->avoid, seq) : 0;
	if (avoided)
		return avoided < 0 ? avoided : 0;
	return post_role(x, plan, seq);
}

static int newest_first(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;
	if (x->said_us != y->said_us)
		return x->said_us < y->said_us ? 1 : -1;
	return (x->seq < y->seq) - (x->seq > y->seq);
}

/* All that match, by when they were said. */
static int list_told(struct search *x, const struct search_plan *plan, sqlite3_stmt *q,
                     int64_t *seqs)
{
	struct dated *all = NULL, one;
	size_t count = 0, room = 0;
	int rc = SQLITE_DONE, err = 0;
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		one.seq = sqlite3_column_int64(q, 0);
		int good = post_said(x, one.seq, &one.said_us);
		good = good > 0 && post_in_range(plan, one.said_us) ? passes(x, plan, true, one.seq) : good;
		err = good < 0 ? good : 0;
		if (good <= 0 || !post_in_range(plan, one.said_us))
			continue;
		if (!ARRAY_ROOM(all, room, count))
			err = STORE_ENOMEM;
		else
			all[count++] = one;
	}
	err = err ? err : db_error(rc);
	if (!err && count > 0)
		qsort(all, count, sizeof *all, newest_first);
	count = count < plan->limit ? count : plan->limit;
	for (size_t i = 0; !err && i < count; i++)
		seqs[i] = all[i].seq;
	free(all);
	return err ? err : (int)count;
}

/* As the statement has them: the newest first. */
static int list_some(struct search *x, const struct search_plan *plan, sqlite3_stmt *q,
                     bool matched, int64_t *seqs)
{
	int count = 0, rc = SQLITE_DONE, err = 0;
	while (!err && count < (int)plan->limit && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		int good = passes(x, plan, matched, seq);
		err = good < 0 ? good : 0;
		if (good > 0)
			seqs[count++] = seq;
	}
	return err ? err : rc == SQLITE_ROW || db_error(rc) == 0 ? count : db_error(rc);
}

int post_newest(struct search *x, const struct search_plan *plan, int64_t *seqs)
{
	if (plan->first > plan->last)
		return 0;
	char *match = *plan->need ? post_filters(plan) : NULL;
	bool one = plan->first == plan->last;
	sqlite3_stmt *q = x->stmt[match ? SEARCH_MATCHES : one ? SEARCH_ENTRY : SEARCH_NEWEST];
	if (*plan->need && !match)
		return STORE_ENOMEM;
	if (match) {
		sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
		sqlite3_bind_int64(q, 2, plan->first);
		sqlite3_bind_int64(q, 3, plan->last);
		sqlite3_bind_int64(q, 4, plan->tables);
	} else {
		sqlite3_bind_int64(q, 1, plan->after_us);
		sqlite3_bind_int64(q, 2, plan->before_us ? plan->before_us : INT64_MAX);
		if (one)
			sqlite3_bind_int64(q, 3, plan->first);
	}
	int count = match && plan->told ? list_told(x, plan, q, seqs) :
		list_some(x, plan, q, match != NULL, seqs);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	sqlite3_free(match);
	return count;
}
