/* SPDX-License-Identifier: MIT */
/*
 * Postings of a question's terms, read from FTS5 and merged by text.
 *
 * Where filters leave few texts, these are read first, and then all words in one expression, so
 * that FTS5 goes once through the scope and in each word's postings only to where the scope is.
 * Else each word is read by itself.  One that is in very many texts is read only as far back as
 * POSTS_… texts: then it says little, and the newest are as good as any; search_spot.c asks again
 * around those that other words brought up.
 */
#include "store/search/search_post.h"

#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

enum {
	POSTS_ALL = 60000, /* read for a question … */
	POSTS_TERM = 40000, /* … for one of its terms, at most … */
	POSTS_LEAST = 5000, /* … and at least */
	SCOPE_MOST = 5000   /* texts of a scope before the rest is estimated */
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
};

size_t search_term(const struct search_plan *plan, const char *stem, size_t len)
{
	size_t t = 0;
	while (t < plan->term_count && (plan->terms[t].stem_len != len ||
	       memcmp(plan->terms[t].stem, stem, len < STEM_MOST ? len : STEM_MOST) != 0))
		t++;
	return t;
}

/* {body} : "word" OR {scope} : by the word */
static void add_word(sqlite3_str *s, const char *word, size_t len)
{
	char by[SCOPE_SIZE];
	search_scope('b', word, len, by);
	sqlite3_str_appendf(s, "({body} : \"%.*s\" OR {scope} : %s)", (int)len, word, by);
}

/* (need AND (word OR word …)) NOT (avoid), with `count` of the plan's words from `first` on. */
static char *expression(const struct search_plan *p, size_t first, size_t count)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	if (*p->avoid)
		sqlite3_str_appendall(s, "(");
	if (*p->need)
		sqlite3_str_appendf(s, "%s%s", p->need, count > 0 ? " AND " : "");
	for (size_t t = first; t < first + count; t++) {
		sqlite3_str_appendall(s, t > first ? " OR " : "(");
		add_word(s, p->terms[t].text, p->terms[t].len);
	}
	if (count > 0)
		sqlite3_str_appendall(s, ")");
	if (*p->avoid)
		sqlite3_str_appendf(s, ") NOT (%s)", p->avoid);
	return sqlite3_str_finish(s);
}

/* The statement, about to give what matches in [first, last]; end_match() in any case. */
static sqlite3_stmt *begin_match(struct search *x, enum search_stmt which, const char *match,
                                 int64_t first, int64_t last)
{
	sqlite3_stmt *q = x->stmt[which];
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, first);
	sqlite3_bind_int64(q, 3, last);
	return q;
}

static int end_match(sqlite3_stmt *q, int rc)
{
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return db_error(rc);
}

/* Is there a text `seq` that satisfies this expression? */
static int matches(struct search *x, const char *match, int64_t seq)
{
	sqlite3_stmt *q = begin_match(x, SEARCH_MATCHES, match, seq, seq);
	int rc = sqlite3_step(q);
	int err = end_match(q, rc);
	return rc == SQLITE_ROW ? 1 : err;
}

static int newest_first(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

int post_passes(struct search *x, const struct search_plan *plan, const struct rows *rows,
                int64_t seq)
{
	if (rows->scope)
		return bsearch(&seq, rows->scope, rows->scope_count, sizeof seq, newest_first) != NULL;
	if (!*plan->need) {
		int avoided = *plan->avoid ? matches(x, plan->avoid, seq) : 0;
		return avoided < 0 ? avoided : !avoided;
	}
	char *match = expression(plan, 0, 0);
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
	char *match = *plan->need ? expression(plan, 0, 0) : NULL;
	sqlite3_stmt *q = x->stmt[match ? SEARCH_MATCHES : SEARCH_NEWEST];
	int count = 0, rc = SQLITE_DONE, err = *plan->need && !match ? STORE_ENOMEM : 0;
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
	rc = end_match(q, rc);
	sqlite3_free(match);
	return err ? err : rc ? rc : count;
}

/* ---- scopes ------------------------------------------------------------ */

/* What satisfies the filters: how many, and which if they are few. */
static int read_scope(struct search *x, const struct search_plan *plan, struct rows *out)
{
	int64_t oldest = plan->last;
	int rc = SQLITE_DONE;
	size_t count = 0;
	out->texts = (double)(plan->last - plan->first + 1);
	if (!*plan->need)
		return 0;
	char *match = expression(plan, 0, 0);
	out->scope = malloc(SCOPE_MOST * sizeof *out->scope);
	if (!match || !out->scope) {
		sqlite3_free(match);
		return STORE_ENOMEM;
	}
	sqlite3_stmt *q = begin_match(x, SEARCH_MATCHES, match, plan->first, plan->last);
	while (count < SCOPE_MOST && (rc = sqlite3_step(q)) == SQLITE_ROW)
		out->scope[count++] = oldest = sqlite3_column_int64(q, 0);
	int err = end_match(q, rc);
	sqlite3_free(match);
	out->scope_count = count;
	if (count < SCOPE_MOST) {
		out->texts = (double)count;
		return err;
	}
	free(out->scope);
	out->scope = NULL;
	out->texts = (double)count * (double)(plan->last - plan->first + 1) /
		(double)(plan->last - oldest + 1);
	return err;
}

/* All words at once: of a small scope. */
static int read_within(struct search *x, const struct search_plan *plan, struct rows *out)
{
	out->all = malloc((out->scope_count + 1) * sizeof *out->all);
	char *match = expression(plan, 0, plan->term_count);
	if (!out->all || !match || out->scope_count == 0) {
		int none = !out->all || !match ? STORE_ENOMEM : 0;
		sqlite3_free(match);
		return none;
	}
	x->seen.phrase = plan->need_phrases;
	x->seen.words = plan->term_count;
	sqlite3_stmt *q = begin_match(x, SEARCH_WITHIN, match, out->scope[out->scope_count - 1],
	                              out->scope[0]);
	int rc = SQLITE_DONE;
	while (out->count < out->scope_count && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct row *r = &out->all[out->scope_count - ++out->count];
		*r = (struct row){ .seq = sqlite3_column_int64(q, 0), .who = x->seen.who };
		memcpy(r->body, x->seen.body, plan->term_count);
		for (size_t t = 0; t < plan->term_count; t++)
			out->df[t] += r->body[t] > 0;
	}
	memmove(out->all, out->all + out->scope_count - out->count, out->count * sizeof *out->all);
	for (size_t t = 0; t < plan->term_count; t++)
		out->from[t] = plan->first;
	sqlite3_free(match);
	return end_match(q, rc);
}

/* ---- merging ----------------------------------------------------------- */

static int keep(struct posts *p, int64_t seq, const struct search_seen *seen)
{
	if (!ARRAY_ROOM(p->all, p->room, p->count))
		return STORE_ENOMEM;
	p->in_body += seen->body[0] > 0;
	p->all[p->count++] = (struct post){ seq, seen->body[0], seen->who != 0 };
	return 0;
}

/* Postings of term t, newest first, at most `most`; *cut: there are more. */
static int read_term(struct search *x, const struct search_plan *plan, size_t t, size_t most,
                     struct posts *p, bool *cut)
{
	char *match = expression(plan, t, 1);
	int rc = SQLITE_DONE, err = 0;
	if (!match)
		return STORE_ENOMEM;
	x->seen.phrase = plan->need_phrases;
	x->seen.words = 1;
	sqlite3_stmt *q = begin_match(x, SEARCH_POSTINGS, match, plan->first, plan->last);
	while (!err && p->count < most && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = keep(p, sqlite3_column_int64(q, 0), &x->seen);
	*cut = rc == SQLITE_ROW;
	rc = end_match(q, rc);
	sqlite3_free(match);
	return err ? err : rc;
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

/* Each word by itself. */
static int read_all(struct search *x, const struct search_plan *plan, struct rows *out)
{
	struct posts posts[TERMS_MOST] = { 0 };
	size_t most = POSTS_ALL / (plan->term_count ? plan->term_count : 1);
	int err = 0;
	most = most > POSTS_TERM ? POSTS_TERM : most < POSTS_LEAST ? POSTS_LEAST : most;
	for (size_t t = 0; !err && t < plan->term_count; t++) {
		struct posts *p = &posts[t];
		bool cut;
		err = read_term(x, plan, t, most, p, &cut);
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

int rows_read(struct search *x, const struct search_plan *plan, struct rows *out)
{
	memset(out, 0, sizeof *out);
	int err = read_scope(x, plan, out);
	if (err)
		return err;
	return out->scope ? read_within(x, plan, out) : read_all(x, plan, out);
}

void rows_release(struct rows *r)
{
	free(r->all);
	free(r->scope);
	r->all = NULL;
	r->scope = NULL;
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
