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
	POSTS_ALL = 24000, /* read for a question … */
	POSTS_TERM = 16000, /* … for one of its terms, at most … */
	POSTS_LEAST = 5000, /* … and at least */
	ALIKE_MOST = 1000   /* of words that begin alike; a word that is in more texts has enough */
};

struct post {
	int64_t seq;
	uint8_t body;
	bool who, same;
};

struct posts {
	struct post *all;
	size_t count, room, at;
	size_t in_body; /* how many hold the word in their text, not in name or date alone */
};

static bool is_stem(const char *stem, size_t stem_len, const char *word, size_t len)
{
	return stem_len == len && memcmp(stem, word, len < STEM_MOST ? len : STEM_MOST) == 0;
}

size_t search_term(const struct search_plan *plan, const char *stem, size_t len)
{
	for (size_t t = 0; t < plan->term_count; t++) {
		if (is_stem(plan->terms[t].stem, plan->terms[t].stem_len, stem, len))
			return t;
		for (size_t i = 0; i < plan->terms[t].others; i++)
			if (is_stem(plan->terms[t].other[i], plan->terms[t].other_len[i], stem, len))
				return t;
	}
	return plan->term_count;
}

enum { BEGINNING = 4 }; /* letters of a word by which others are like it */

/* Bytes of the word's first letters; what ends in a digit has one form. */
static size_t beginning(const char *word, size_t len)
{
	size_t at = 0;
	if (word[len - 1] >= '0' && word[len - 1] <= '9')
		return len;
	for (int letters = 0; at < len && letters < BEGINNING; letters++)
		for (at++; at < len && ((unsigned char)word[at] & 0xC0) == 0x80;)
			at++;
	return at;
}

enum how { BY_WORD, BY_BEGINNING, BY_BOTH };

/* {body} : "word", or {body} : "word" *, which a tokenizer leaves alone */
static void add_body(sqlite3_str *s, const char *word, size_t len, bool begins)
{
	size_t n = begins ? beginning(word, len) : len;
	sqlite3_str_appendf(s, "{body} : \"%.*s\"%s", (int)n, word, n < len ? " *" : "");
}

/* In the body, OR {scope} : by the word; the phrases see_row() counts. */
static void add_word(sqlite3_str *s, const struct search_plan *p, size_t t, enum how how)
{
	char by[SCOPE_SIZE];
	const char *word = p->terms[t].text;
	size_t len = p->terms[t].len;
	search_scope('b', word, len, by);
	sqlite3_str_appendall(s, "(");
	add_body(s, word, len, how == BY_BEGINNING);
	sqlite3_str_appendf(s, " OR {scope} : %s", by);
	if (how == BY_BOTH) {
		sqlite3_str_appendall(s, " OR ");
		add_body(s, word, len, true);
	}
	for (size_t i = 0; how != BY_WORD && i < p->terms[t].likes; i++) {
		sqlite3_str_appendall(s, " OR ");
		add_body(s, p->terms[t].like[i], strlen(p->terms[t].like[i]), false);
	}
	sqlite3_str_appendall(s, ")");
}

/* (need AND (word OR word …)) NOT (avoid), with `count` of the plan's words from `first` on. */
static char *expression(const struct search_plan *p, size_t first, size_t count, enum how how)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	if (*p->avoid)
		sqlite3_str_appendall(s, "(");
	if (*p->need)
		sqlite3_str_appendf(s, "%s%s", p->need, count > 0 ? " AND " : "");
	for (size_t t = first; t < first + count; t++) {
		sqlite3_str_appendall(s, t > first ? " OR " : "(");
		add_word(s, p, t, how);
	}
	if (count > 0)
		sqlite3_str_appendall(s, ")");
	if (*p->avoid)
		sqlite3_str_appendf(s, ") NOT (%s)", p->avoid);
	return sqlite3_str_finish(s);
}

char *post_filters(const struct search_plan *p)
{
	return expression(p, 0, 0, BY_WORD);
}

/* The statement, about to give what matches in [first, last]; post_end() in any case. */
static sqlite3_stmt *begin_match(struct search *x, enum search_stmt which, const char *match,
                                 int64_t first, int64_t last)
{
	sqlite3_stmt *q = x->stmt[which];
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, first);
	sqlite3_bind_int64(q, 3, last);
	return q;
}

sqlite3_stmt *post_begin(struct search *x, const char *match, unsigned tables, int64_t first,
                         int64_t last)
{
	sqlite3_stmt *q = begin_match(x, SEARCH_MATCHES, match, first, last);
	sqlite3_bind_int64(q, 4, tables);
	return q;
}

int post_end(sqlite3_stmt *q, int rc)
{
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return db_error(rc);
}

int post_matches(struct search *x, const char *match, int64_t seq)
{
	sqlite3_stmt *q = post_begin(x, match, IN_ALL, seq, seq);
	int rc = sqlite3_step(q);
	int err = post_end(q, rc);
	return rc == SQLITE_ROW ? 1 : err;
}

static int newest_first(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

static bool in_scope(const struct rows *rows, int64_t seq)
{
	return bsearch(&seq, rows->scope, rows->scope_count, sizeof seq, newest_first) != NULL;
}

int post_passes(struct search *x, const struct search_plan *plan, const struct rows *rows,
                int64_t seq)
{
	if (rows->scope)
		return in_scope(rows, seq);
	int dated = post_dated(x, plan, seq);
	if (dated <= 0)
		return dated;
	if (!*plan->need) {
		int avoided = *plan->avoid ? post_matches(x, plan->avoid, seq) : 0;
		return avoided < 0 ? avoided : !avoided;
	}
	char *match = post_filters(plan);
	int passes = match ? post_matches(x, match, seq) : STORE_ENOMEM;
	sqlite3_free(match);
	return passes;
}

bool post_role(struct search *x, const struct search_plan *plan, int64_t seq)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ROW];
	if (plan->role == ROLE_NONE && plan->tables == IN_ALL)
		return true;
	sqlite3_bind_int64(q, 1, seq);
	int flags = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int(q, 3) : -1;
	sqlite3_reset(q);
	unsigned table = (flags & FLAG_KIND) == HIT_MESSAGE ? IN_MESSAGES : IN_PAGES;
	return flags >= 0 && plan->tables & table &&
		(plan->role == ROLE_NONE || (flags & FLAG_ROLE) >> FLAG_ROLE_SHIFT == plan->role);
}

/* ---- scopes ------------------------------------------------------------ */

static int newest_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return (x->seq < y->seq) - (x->seq > y->seq);
}

/* The rows of one table, behind those that are there. */
static int read_some(struct search *x, const struct search_plan *plan, enum search_stmt which,
                     const char *match, struct rows *out)
{
	int rc = SQLITE_DONE;
	sqlite3_stmt *q = begin_match(x, which, match, out->scope[out->scope_count - 1],
	                              out->scope[0]);
	while (out->count < out->scope_count && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		if (plan->dated && !in_scope(out, sqlite3_column_int64(q, 0)))
			continue;
		struct row *r = &out->all[out->count++];
		*r = (struct row){ .seq = sqlite3_column_int64(q, 0), .who = x->seen.who,
			.alike = x->seen.alike, .same = x->seen.same };
		memcpy(r->body, x->seen.body, plan->term_count);
		for (size_t t = 0; t < plan->term_count; t++)
			out->df[t] += r->body[t] > 0;
	}
	return post_end(q, rc);
}

int rows_within(struct search *x, const struct search_plan *plan, struct rows *out)
{
	out->all = malloc((out->scope_count + 1) * sizeof *out->all);
	bool like = !plan->beginnings;
	char *match = expression(plan, 0, plan->term_count, like ? BY_BOTH : BY_BEGINNING);
	int err = out->all && match ? 0 : STORE_ENOMEM;
	x->seen.phrase = plan->need_phrases;
	x->seen.words = plan->term_count;
	x->seen.like = like;
	for (size_t t = 0; t < plan->term_count; t++)
		x->seen.likes[t] = (uint8_t)plan->terms[t].likes;
	if (!err && out->scope_count > 0 && plan->tables & IN_MESSAGES)
		err = read_some(x, plan, SEARCH_WITHIN, match, out);
	if (!err && out->scope_count > 0 && plan->tables & IN_PAGES)
		err = read_some(x, plan, SEARCH_PAGE_WITHIN, match, out);
	if (!err && out->count > 1)
		qsort(out->all, out->count, sizeof *out->all, newest_row);
	for (size_t t = 0; t < plan->term_count; t++)
		out->from[t] = plan->first;
	sqlite3_free(match);
	return err;
}

/* ---- merging ----------------------------------------------------------- */

/* How far a term was read. */
struct reach {
	double df;    /* how many texts hold it in their body */
	int64_t from; /* the oldest message it was looked for in … */
	bool cut;     /* … because there are too many */
};

static int post_keep(struct posts *p, int64_t seq, const struct search_seen *seen)
{
	if (!ARRAY_ROOM(p->all, p->room, p->count))
		return STORE_ENOMEM;
	p->in_body += seen->body[0] > 0;
	p->all[p->count++] = (struct post){ seq, seen->body[0], seen->who != 0, seen->same != 0 };
	return 0;
}

/* Of one table, newest first, at most `most`; *cut: there are more. */
static int read_table(struct search *x, const struct search_plan *plan, enum search_stmt which,
                      const char *match, size_t most, struct posts *p, bool *cut)
{
	int rc = SQLITE_DONE, err = 0;
	size_t before = p->count;
	sqlite3_stmt *q = begin_match(x, which, match, plan->first, plan->last);
	while (!err && p->count - before < most && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int dated = post_dated(x, plan, sqlite3_column_int64(q, 0));
		err = dated < 0 ? dated : dated ? post_keep(p, sqlite3_column_int64(q, 0), &x->seen) : 0;
	}
	*cut = rc == SQLITE_ROW;
	rc = post_end(q, rc);
	return err ? err : rc;
}

static int newest_post(const void *a, const void *b)
{
	const struct post *x = a, *y = b;
	return (x->seq < y->seq) - (x->seq > y->seq);
}

/* What was read of the newest messages stands for the rest. */
static double estimate(const struct posts *p, int64_t first, int64_t last)
{
	int64_t read = last - p->all[p->count - 1].seq + 1;
	return (double)p->in_body * (double)(last - first + 1) / (double)read;
}

/* Postings of term t, newest first, at most `most` of each table. */
static int read_term(struct search *x, const struct search_plan *plan, size_t t, enum how how,
                     size_t most, struct posts *p, struct reach *reach)
{
	char *match = expression(plan, t, 1, how);
	bool more;
	int err = match ? 0 : STORE_ENOMEM;
	*reach = (struct reach){ .from = plan->first };
	x->seen.phrase = plan->need_phrases;
	x->seen.words = 1;
	x->seen.like = false;
	x->seen.likes[0] = how == BY_WORD ? 0 : (uint8_t)plan->terms[t].likes;
	if (!err && plan->tables & IN_MESSAGES)
		err = read_table(x, plan, SEARCH_POSTINGS, match, most, p, &reach->cut);
	if (!err && reach->cut)
		reach->from = p->all[p->count - 1].seq;
	size_t messages = p->count, in_messages = p->in_body;
	double df = reach->cut ? estimate(p, plan->first, plan->last) : (double)in_messages;
	if (!err && plan->tables & IN_PAGES)
		err = read_table(x, plan, SEARCH_PAGE_POSTINGS, match, most, p, &more);
	reach->df = df + (double)(p->in_body - in_messages);
	if (messages > 0 && p->count > messages)
		qsort(p->all, p->count, sizeof *p->all, newest_post);
	sqlite3_free(match);
	return err;
}

static int64_t newest(const struct posts *posts, size_t count)
{
	int64_t seq = -1;
	for (size_t t = 0; t < count; t++)
		if (posts[t].at < posts[t].count && posts[t].all[posts[t].at].seq > seq)
			seq = posts[t].all[posts[t].at].seq;
	return seq;
}

/* The terms' own postings, and then those of words that begin alike. */
static int merge(struct posts *posts, size_t terms, struct rows *out)
{
	size_t total = 0;
	for (size_t t = 0; t < 2 * terms; t++)
		total += posts[t].count;
	out->all = malloc((total + 1) * sizeof *out->all);
	if (!out->all)
		return STORE_ENOMEM;
	for (int64_t seq; (seq = newest(posts, 2 * terms)) >= 0;) {
		struct row *r = &out->all[out->count++];
		memset(r, 0, sizeof *r);
		r->seq = seq;
		for (size_t i = 0; i < 2 * terms; i++) {
			const struct post *p = &posts[i].all[posts[i].at];
			size_t t = i % terms;
			if (posts[i].at == posts[i].count || p->seq != seq)
				continue;
			posts[i].at++;
			r->same = (uint16_t)(r->same | p->same << t);
			if (i >= terms) {
				r->alike = (uint16_t)(r->alike | (p->body > 0) << t);
				continue;
			}
			r->body[t] = p->body;
			r->who = (uint16_t)(r->who | p->who << t);
		}
	}
	return 0;
}

int rows_all(struct search *x, const struct search_plan *plan, struct rows *out)
{
	struct posts posts[2 * TERMS_MOST] = { 0 };
	enum how how = plan->beginnings ? BY_BEGINNING : BY_WORD;
	size_t most = POSTS_ALL / (plan->term_count ? plan->term_count : 1);
	int err = 0;
	most = most > POSTS_TERM ? POSTS_TERM : most < POSTS_LEAST ? POSTS_LEAST : most;
	for (size_t t = 0; !err && t < plan->term_count; t++) {
		struct posts *p = &posts[t];
		struct reach reach, alike;
		err = read_term(x, plan, t, how, most, p, &reach);
		if (!err && how == BY_WORD && p->count < ALIKE_MOST)
			err = read_term(x, plan, t, BY_BEGINNING, ALIKE_MOST,
			                &posts[plan->term_count + t], &alike);
		if (err)
			break;
		out->cut = out->cut || reach.cut;
		out->df[t] = reach.df;
		out->from[t] = reach.from;
	}
	if (!err)
		err = merge(posts, plan->term_count, out);
	for (size_t t = 0; t < 2 * plan->term_count; t++)
		free(posts[t].all);
	return err;
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
