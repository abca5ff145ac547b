/* SPDX-License-Identifier: MIT */
/*
 * Which texts satisfy a question's filters, if they are few.  Of documents and facts alone the list
 * is kept until one of them changes: each turn of a conversation asks for the same facts and
 * memories, and what comes in between are messages.
 */
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/search/search_post.h"

enum {
	SCOPE_MOST = 5000, /* texts of a scope before the rest is estimated … */
	PAGES_MOST = 50000 /* … of documents and facts alone */
};

/* The one with this expression, if nothing has changed since. */
static const struct search_scope_kept *find_kept(struct search *x, const char *match,
                                                 int64_t version)
{
	for (int i = 0; i < SCOPES_KEPT; i++) {
		const struct search_scope_kept *k = &x->scope[i];
		if (k->match && strcmp(k->match, match) == 0 && k->changes == x->page_changes &&
		    k->version == version)
			return k;
	}
	return NULL;
}

/* Forgets the one before; what cannot be kept is read again. */
static void keep_scope(struct search *x, const char *match, int64_t version, const int64_t *seqs,
                       size_t count)
{
	struct search_scope_kept *k = &x->scope[x->scope_next];
	x->scope_next = (x->scope_next + 1) % SCOPES_KEPT;
	sqlite3_free(k->match);
	free(k->seqs);
	*k = (struct search_scope_kept){ .match = sqlite3_mprintf("%s", match),
		.seqs = malloc((count + 1) * sizeof *k->seqs), .count = count,
		.changes = x->page_changes, .version = version };
	if (k->seqs)
		memcpy(k->seqs, seqs, count * sizeof *seqs);
	if (k->match && k->seqs)
		return;
	sqlite3_free(k->match);
	k->match = NULL;
}

/* Which other connections' changes the index shows. */
static int64_t version_of(struct search *x)
{
	sqlite3_stmt *q = x->stmt[SEARCH_CHANGED];
	int64_t version = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
	sqlite3_reset(q);
	return version;
}

/* At most `most` into out->scope, or what is kept of before; *oldest: the last one of them. */
static int match_scope(struct search *x, const struct search_plan *plan, const char *match,
                       size_t most, struct rows *out, int64_t *oldest)
{
	bool keeps = plan->tables == IN_PAGES && plan->whole && !plan->dated;
	int64_t version = keeps ? version_of(x) : -1;
	const struct search_scope_kept *kept = keeps ? find_kept(x, match, version) : NULL;
	int rc = SQLITE_DONE, err = 0;
	if (kept) {
		memcpy(out->scope, kept->seqs, kept->count * sizeof *out->scope);
		out->scope_count = kept->count;
		return 0;
	}
	sqlite3_stmt *q = post_begin(x, match, plan->tables, plan->first, plan->last);
	while (!err && out->scope_count < most && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		*oldest = sqlite3_column_int64(q, 0);
		int dated = post_dated(x, plan, *oldest);
		err = dated < 0 ? dated : 0;
		if (dated > 0)
			out->scope[out->scope_count++] = *oldest;
	}
	rc = post_end(q, rc);
	err = err ? err : rc;
	if (!err && keeps && version >= 0 && out->scope_count < most)
		keep_scope(x, match, version, out->scope, out->scope_count);
	return err;
}

/* What satisfies the filters: how many, and which if they are few. */
static int read_scope(struct search *x, const struct search_plan *plan, struct rows *out)
{
	int64_t oldest = plan->last;
	size_t most = plan->tables == IN_PAGES ? PAGES_MOST : SCOPE_MOST;
	out->texts = (double)(plan->last - plan->first + 1);
	if (!*plan->need)
		return 0;
	char *match = post_filters(plan);
	out->scope = malloc(most * sizeof *out->scope);
	if (!match || !out->scope) {
		sqlite3_free(match);
		return STORE_ENOMEM;
	}
	int err = match_scope(x, plan, match, most, out, &oldest);
	sqlite3_free(match);
	if (out->scope_count < most) {
		out->texts = (double)out->scope_count;
		return err;
	}
	free(out->scope);
	out->scope = NULL;
	out->texts = (double)most * (double)(plan->last - plan->first + 1) /
		(double)(plan->last - oldest + 1);
	return err;
}

/* True if one has a word itself, or one that means the same. */
static bool any_meant(const struct rows *rows, size_t terms)
{
	for (size_t i = 0; i < rows->count; i++)
		for (size_t t = 0; t < terms; t++)
			if (rows->all[i].body[t] > 0 || rows->all[i].who || rows->all[i].same)
				return true;
	return false;
}

int rows_read(struct search *x, const struct search_plan *plan, struct rows *out)
{
	memset(out, 0, sizeof *out);
	int err = read_scope(x, plan, out);
	if (err)
		return err;
	err = out->scope ? rows_within(x, plan, out) : rows_all(x, plan, out);
	if (!err && !any_meant(out, plan->term_count))
		out->count = 0; /* who asks is told that they are like the words only, and asks for that */
	return err;
}
