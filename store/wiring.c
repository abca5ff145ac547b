/* SPDX-License-Identifier: MIT */
/*
 * What lower sub-rooms ask of higher ones, in tables: the views of each subject, in the order of
 * the floors, and what the tape asks of logs and views.
 */
#include "store/context/context.h"
#include "store/internal.h"

const struct view_table store_views = {
	.room = { [SQL_VIEWS] = &view_own, [SQL_LOGS] = &log_views, [SQL_DOCUMENTS] = &doc_views,
		[SQL_FACTS] = &fact_views, [SQL_CONTEXT] = &context_views },
	.component_here = doc_component_here, .pinned = context_pinned, .beside = "v_access",
	.sized = LOG_SIZED,
};

const struct sql *const store_reads[] = { [SQL_VIEWS] = &view_queries, [SQL_LOGS] = &log_queries,
	[SQL_DOCUMENTS] = &doc_queries, [SQL_FACTS] = &fact_queries, [SQL_CONTEXT] = &context_queries };

static bool at_once(const char *stream)
{
	int64_t number;
	const struct view_kind *k = view_kind_of(&store_views, stream, NULL, &number);
	return k && k->at_once;
}

static int known(struct store *s, const struct message_key *k)
{
	return log_known(views_made(s), k);
}

const struct tape_hooks store_hooks = { .known = known, .taken = log_taken,
	.log_seen = log_seen, .at_once = at_once, .before = views_before, .see = views_within,
	.seen = views_seen, .undo = views_undo };
