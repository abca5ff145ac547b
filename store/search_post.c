/* SPDX-License-Identifier: MIT */
/*
 * Postings of a question's terms, read from FTS5 and merged by text.  A word that is in very many
 * texts is read only as far back as POSTS_… texts: then it says little, and the newest are as
 * good as any; search_score.c asks again around those that other words brought up.
 */
#include "store/search_post.h"

#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

enum {
	POSTS_ALL = 60000, /* read for a question … */
	POSTS_TERM = 40000, /* … for one of its terms, at most … */
	POSTS_LEAST = 5000, /* … and at least */
	COUNT_MOST = 5000   /* texts of a scope before the rest is estimated */
};

struct post {
	int64_t seq;
	uint8_t body;
	bool who;
};

struct posts {
	struct post *all;
	size_t count, room, at;
	size_t in_body; /* how many hold the word in their text, not in name or date alone */
	bool failed;
};

size_t search_term(const struct search_plan *plan, const char *stem, size_t len)
{
	size_t t = 0;
	while (t < plan->term_count && (plan->terms[t].stem_len != len ||
	       memcmp(plan->terms[t].stem, stem, len < STEM_MOST ? len : STEM_MOST) != 0))
		t++;
	return t;
}

/* (need AND ({body} : "term" OR {scope} : by the term)) NOT (avoid) */
static char *expression(const struct search_plan *p, const char *term, size_t len)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	if (*p->avoid)
		sqlite3_str_appendall(s, "(");
	if (*p->need)
		sqlite3_str_appendf(s, "%s%s", p->need, term ? " AND " : "");
	if (term) {
		char by[SCOPE_SIZE];
		search_scope('b', term, len, by);
		sqlite3_str_appendf(s, "({body} : \"%.*s\" OR {scope} : %s)", (int)len, term, by);
	}
	if (*p->avoid)
		sqlite3_str_appendf(s, ") NOT (%s)", p->avoid);
	return sqlite3_str_finish(s);
}

int post_each(struct search *x, const struct search_plan *plan, size_t t, int64_t first,
              int64_t last, size_t most, post_fn *fn, void *ctx, bool *cut)
{
	sqlite3_stmt *q = x->stmt[SEARCH_POSTINGS];
	char *match = expression(plan, plan->terms[t].text, plan->terms[t].len);
	size_t count = 0;
	int rc = SQLITE_DONE;
	if (!match)
		return STORE_ENOMEM;
	x->seen.phrase = plan->need_phrases;
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, first);
	sqlite3_bind_int64(q, 3, last);
	while (count < most && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		count++;
		fn(ctx, sqlite3_column_int64(q, 0), &x->seen);
	}
	*cut = rc == SQLITE_ROW;
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	sqlite3_free(match);
	return db_error(rc);
}

/* Is there a text `seq` that satisfies this expression? */
static int matches(struct search *x, const char *match, int64_t seq)
{
	sqlite3_stmt *q = x->stmt[SEARCH_POSTINGS];
	x->seen.phrase = 0;
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, seq);
	sqlite3_bind_int64(q, 3, seq);
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

int post_passes(struct search *x, const struct search_plan *plan, int64_t seq)
{
	if (!*plan->need) {
		int avoided = *plan->avoid ? matches(x, plan->avoid, seq) : 0;
		return avoided < 0 ? avoided : !avoided;
	}
	char *match = expression(plan, NULL, 0);
	int passes = match ? matches(x, match, seq) : STORE_ENOMEM;
	sqlite3_free(match);
	return passes;
}

static bool post_role(struct search *x, const struct search_plan *plan, int64_t seq)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ROW];
	if (plan->role == ROLE_NONE)
		return true;
	sqlite3_bind_int64(q, 1, seq);
	bool same = sqlite3_step(q) == SQLITE_ROW &&
		(sqlite3_column_int(q, 3) & FLAG_ROLE) >> FLAG_ROLE_SHIFT == plan->role;
	sqlite3_reset(q);
	return same;
}

int post_newest(struct search *x, const struct search_plan *plan, int64_t *seqs)
{
	char *match = *plan->need ? expression(plan, NULL, 0) : NULL;
	sqlite3_stmt *q = x->stmt[match ? SEARCH_POSTINGS : SEARCH_NEWEST];
	int count = 0, rc = SQLITE_DONE, err = *plan->need && !match ? STORE_ENOMEM : 0;
	x->seen.phrase = 0;
	if (match)
		sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, match ? 2 : 1, plan->first);
	sqlite3_bind_int64(q, match ? 3 : 2, plan->last);
	while (!err && count < (int)plan->limit && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		int avoided = !match && *plan->avoid ? matches(x, plan->avoid, seq) : 0;
		err = avoided < 0 ? avoided : 0;
		if (avoided == 0 && post_role(x, plan, seq))
			seqs[count++] = seq;
	}
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	sqlite3_free(match);
	return err ? err : db_error(rc) ? db_error(rc) : count;
}

double post_count(struct search *x, const struct search_plan *plan)
{
	char *match = expression(plan, NULL, 0);
	sqlite3_stmt *q = x->stmt[SEARCH_POSTINGS];
	int64_t count = 0, oldest = plan->last;
	int rc = SQLITE_DONE;
	if (!match)
		return STORE_ENOMEM;
	x->seen.phrase = 0;
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, plan->first);
	sqlite3_bind_int64(q, 3, plan->last);
	for (; count < COUNT_MOST && (rc = sqlite3_step(q)) == SQLITE_ROW; count++)
		oldest = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	sqlite3_free(match);
	if (db_error(rc))
		return db_error(rc);
	if (count < COUNT_MOST)
		return (double)count;
	return (double)count * (double)(plan->last - plan->first + 1) /
		(double)(plan->last - oldest + 1);
}

/* ---- merging ----------------------------------------------------------- */

static void keep(void *ctx, int64_t seq, const struct search_seen *seen)
{
	struct posts *p = ctx;
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 256;
		struct post *grown = p->failed ? NULL : realloc(p->all, room * sizeof *grown);
		if (!grown) {
			p->failed = true;
			return;
		}
		p->all = grown;
		p->room = room;
	}
	p->in_body += seen->body > 0;
	p->all[p->count++] = (struct post){ seq, (uint8_t)seen->body, seen->who };
}

/* What was read of the newest part stands for the rest. */
static double estimate(const struct posts *p, int64_t first, int64_t last)
{
	int64_t read = last - p->all[p->count - 1].seq + 1;
	return (double)p->in_body * (double)(last - first + 1) / (double)read;
}

static int64_t newest(const struct posts *posts, size_t terms)
{
	int64_t seq = -1;
	for (size_t t = 0; t < terms; t++)
		if (posts[t].at < posts[t].count && posts[t].all[posts[t].at].seq > seq)
			seq = posts[t].all[posts[t].at].seq;
	return seq;
}

static int merge(struct posts *posts, size_t terms, struct rows *out)
{
	size_t total = 0;
	for (size_t t = 0; t < terms; t++)
		total += posts[t].count;
	out->all = malloc((total + 1) * sizeof *out->all);
	if (!out->all)
		return STORE_ENOMEM;
	for (int64_t seq; (seq = newest(posts, terms)) >= 0;) {
		struct row *r = &out->all[out->count++];
		memset(r, 0, sizeof *r);
		r->seq = seq;
		for (size_t t = 0; t < terms; t++) {
			const struct post *p = &posts[t].all[posts[t].at];
			if (posts[t].at == posts[t].count || p->seq != seq)
				continue;
			r->body[t] = p->body;
			r->who = (uint16_t)(r->who | p->who << t);
			posts[t].at++;
		}
	}
	return 0;
}

int rows_read(struct search *x, const struct search_plan *plan, struct rows *out)
{
	struct posts posts[TERMS_MOST] = { 0 };
	size_t most = POSTS_ALL / (plan->term_count ? plan->term_count : 1);
	int err = 0;
	most = most > POSTS_TERM ? POSTS_TERM : most < POSTS_LEAST ? POSTS_LEAST : most;
	memset(out, 0, sizeof *out);
	for (size_t t = 0; !err && t < plan->term_count; t++) {
		struct posts *p = &posts[t];
		bool cut;
		err = post_each(x, plan, t, plan->first, plan->last, most, keep, p, &cut);
		if (!err && p->failed)
			err = STORE_ENOMEM;
		if (err)
			break;
		out->cut = out->cut || cut;
		out->df[t] = cut ? estimate(p, plan->first, plan->last) : (double)p->in_body;
		out->from[t] = cut ? p->all[p->count - 1].seq : plan->first;
	}
	if (!err)
		err = merge(posts, plan->term_count, out);
	for (size_t t = 0; t < plan->term_count; t++)
		free(posts[t].all);
	return err;
}

void rows_release(struct rows *r)
{
	free(r->all);
	r->all = NULL;
}

const struct row *rows_find(const struct rows *r, int64_t seq)
{
	size_t low = 0, high = r->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->all[mid].seq == seq)
			return &r->all[mid];
		if (r->all[mid].seq > seq)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
