/* SPDX-License-Identifier: MIT */
/*
 * Windowed term coverage.  For each term t of the question and each message i of a session
 *
 *   tf(i) = own(i) / max(1, words(i)/60)
 *         + sum k = 1..4 of w(k) * (min(9, own(i-k)) / (1 + words(i-k)/60) + the same for i+k)
 *         + 1 if t is in the author's name + 0.3 if t is a word of the date
 *   score += idf(t) * 1.9 tf / (tf + 0.9)          idf = ln(1 + (N - df + .5) / (df + .5))
 *
 * where own(i) is 0.3 if the message has not the term itself, but a word with its first four
 * letters.  So a message that holds no term ranks through those around it.  Between people, who
 * asks tells little and who answers repeats little: what ends with a question lends the next
 * message 1.5 times w(1), and counts 0.8 itself.  An assistant is told things by asking it, so that
 * neither is done where one has just spoken.  Then: an assistant's counts 0.75;
 * 0.15 of the sum of idf more when the question names the author, and when it asks for a time
 * and the message holds a word of time.  The constants were measured on dialogues and on long chats
 * with agents, but for the bonus and for what df counts, which were chosen on dialogues alone.  A
 * neighbour's text in the index, or the date of writing in the score, lose more on the one than
 * they win on the other.  Documents and facts have no neighbours.
 */
#include "store/search/search_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/search/search_spot.h"

enum { NEIGHBOUR_MOST = 9 };

const struct search_weights search_weights = { .window = { 0, 0.5, 0.35, 0.25, 0.15 },
	.saturation = 0.9, .alike = 0.3, .same = 0.6, .in_date = 0.3, .bonus = 0.15, .assistant = 0.75,
	.answered = 1.5, .asking = 0.8, .words = 60 };

/* A message or text that may be a hit; `spot` is -1 while only its neighbours are known. */
struct candidate {
	double score;
	int64_t seq, session, n;
	ptrdiff_t spot;
	size_t from, to; /* the spots around it */
};

static double saturate(const struct search_weights *w, double tf)
{
	return tf * (1 + w->saturation) / (tf + w->saturation);
}

/* How often a text has term t, as the formula counts. */
static double counts(const struct ranking *r, const struct row *row, size_t t)
{
	if (row->body[t] > 0)
		return row->body[t];
	return fmax(row->alike >> t & 1 ? r->alike[t] : 0, row->same >> t & 1 ? r->same[t] : 0);
}

/* Of a term's other words: if more texts have them than the word, they tell less. */
static double weigh_other(const struct ranking *r, size_t t, double df, double n, double weight)
{
	df = df < n ? df : n;
	double idf = log(1 + (n - df + 0.5) / (df + 0.5));
	return weight * (idf < r->idf[t] ? idf / r->idf[t] : 1);
}

static void weigh_others(struct ranking *r, size_t t, double n)
{
	double alike = 0, same = 0;
	for (size_t i = 0; i < r->rows.count; i++) {
		alike += r->rows.all[i].alike >> t & 1;
		same += r->rows.all[i].same >> t & 1;
	}
	r->alike[t] = weigh_other(r, t, alike, n, r->plan->weights->alike);
	r->same[t] = weigh_other(r, t, same, n, r->plan->weights->same);
}

static void weigh(struct ranking *r)
{
	const struct search_weights *w = r->plan->weights;
	/* How many texts there are to tell a rare word from a common one. */
	double hits = (double)r->rows.count, n = r->rows.texts > hits ? r->rows.texts : hits;
	for (size_t t = 0; t < r->plan->term_count; t++) {
		double df = r->rows.df[t] < n ? r->rows.df[t] : n;
		r->idf[t] = log(1 + (n - df + 0.5) / (df + 0.5));
		r->idf_sum += r->idf[t];
		weigh_others(r, t, n);
	}
	for (size_t i = 0; i < r->rows.count; i++) {
		struct row *row = &r->rows.all[i];
		double own = 0;
		for (size_t t = 0; t < r->plan->term_count; t++)
			own += r->idf[t] * saturate(w, counts(r, row, t) + (row->who >> t & 1));
		row->own = (float)own;
	}
}

/* ---- scores ------------------------------------------------------------ */

/* What spot s adds to tf of term t at a distance of k messages. */
static double lend(const struct ranking *r, const struct spot *s, size_t t, int64_t k)
{
	const struct search_weights *w = r->plan->weights;
	double own = counts(r, &s->row, t);
	if (k == 0) {
		double length = s->session ? s->words : sqrt(s->words); /* a document is long by nature */
		return own / (length > 1 ? length : 1) + (s->row.who >> t & 1) +
			w->in_date * (s->dates >> t & 1);
	}
	return w->window[k] * fmin(own, (double)NEIGHBOUR_MOST) / (1 + s->words);
}

static bool between(const struct spot *s, const struct spot *from, const struct spot *to)
{
	return (uintptr_t)s >= (uintptr_t)from && (uintptr_t)s < (uintptr_t)to;
}

static bool is_assistant(const struct spot *s)
{
	return s && spot_role(s) == ROLE_ASSISTANT;
}

/* Text n, `here` if it is known, comes after a question among people. */
static bool answers(const struct spot *s, int64_t n, const struct spot *here)
{
	return s->n == n - 1 && s->flags & FLAG_ASKS && !is_assistant(here);
}

/* Text n of a session from the spots [from, to) around it; `here` is its own, or NULL. */
static double score_of(const struct ranking *r, size_t from, size_t to, int64_t n,
                       const struct spot *here)
{
	const struct search_weights *w = r->plan->weights;
	double score = 0;
	for (size_t t = 0; t < r->plan->term_count; t++) {
		double tf = 0;
		for (size_t i = from; i < to; i++)
			tf += lend(r, &r->spots[i], t, llabs(r->spots[i].n - n)) *
				(answers(&r->spots[i], n, here) ? w->answered : 1);
		if (here && !between(here, &r->spots[from], &r->spots[to]))
			tf += lend(r, here, t, 0);
		score += tf > 0 ? r->idf[t] * saturate(w, tf) : 0;
	}
	if (is_assistant(here))
		score *= w->assistant;
	if (here && here->flags & FLAG_ASKS)
		score *= w->asking;
	if (here && here->row.who)
		score += w->bonus * r->idf_sum;
	if (r->plan->asks_when && (!here || here->flags & FLAG_TIMED)) /* without `here`: at best */
		score += w->bonus * r->idf_sum;
	return score;
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? 1 : -1;
	return (x->n < y->n) - (x->n > y->n);
}

/* True if a term is near: where there is none, date and time alone are no score. */
static bool in_reach(const struct ranking *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct row *row = &r->spots[i].row;
		bool any = r->spots[i].own || row->who || row->alike || row->same;
		for (size_t t = 0; !any && t < r->plan->term_count; t++)
			any = row->body[t] > 0;
		if (any)
			return true;
	}
	return false;
}

/* All texts in reach of a term, and plan->also; `out` has room for 2 * WINDOW + 1 a spot. */
static size_t score_all(const struct ranking *r, struct candidate *out)
{
	size_t count = 0, from = 0, to = 0;
	int64_t session = -1, done = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct spot *s = &r->spots[i];
		if (s->session == 0) {
			bool reach = r->plan->also_count == 0 || in_reach(r, i, i + 1);
			out[count++] = (struct candidate){ reach ? score_of(r, i, i + 1, s->n, s) : 0,
				s->row.seq, 0, 0, (ptrdiff_t)i, i, i + 1 };
			continue;
		}
		if (s->session != session) {
			session = s->session;
			done = 0;
			from = to = i;
		}
		for (int64_t n = s->n > done + WINDOW ? s->n - WINDOW : done + 1; n <= s->n + WINDOW; n++) {
			const struct spot *here = NULL;
			while (r->spots[from].n < n - WINDOW)
				from++;
			for (to = to < from ? from : to; to < r->count && r->spots[to].session == session &&
			     r->spots[to].n <= n + WINDOW; to++)
				;
			for (size_t j = from; j < to && !here; j++)
				here = r->spots[j].n == n ? &r->spots[j] : NULL;
			done = n;
			bool reach = r->plan->also_count == 0 || in_reach(r, from, to);
			if (!reach && !(here && here->also))
				continue;
			out[count++] = (struct candidate){ reach ? score_of(r, from, to, n, here) : 0,
				here ? here->row.seq : 0, session, n, here ? here - r->spots : -1, from, to };
		}
	}
	return count;
}

/* Looks up a candidate without a term of its own.  1: it is there and passes; 0; or an error. */
static int look_up(struct ranking *r, struct candidate *c, struct spot *s)
{
	sqlite3_stmt *q = r->x->stmt[TAPE_AROUND];
	char stream[24];
	store_session_stream(c->session, stream);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, c->n);
	sqlite3_bind_int64(q, 3, c->n);
	int rc = sqlite3_step(q);
	int64_t seq = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW || seq < r->plan->first || seq > r->plan->last)
		return db_error(rc);
	c->seq = seq;
	int known = spot_describe(r->x, r->plan, seq, s);
	if (known > 0)
		c->score = score_of(r, c->from, c->to, c->n, s);
	return known;
}

static struct search_found found_of(const struct spot *s, double score)
{
	return (struct search_found){ .seq = s->row.seq, .score = score,
		.kind = (enum hit_kind)(s->flags & FLAG_KIND), .role = spot_role(s),
		.session = s->session, .n = s->n, .doc = s->doc, .said_us = s->said_us };
}

static void sift(struct candidate *heap, size_t count, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && by_score(&heap[child + 1], &heap[child]) > 0;
		if (by_score(&heap[child], &heap[at]) <= 0)
			return;
		const struct candidate c = heap[at];
		heap[at] = heap[child];
		heap[child] = c;
	}
}

/* The `most` best of them come first, in order; how many these are.  The rest is in no order. */
static size_t best_first(struct candidate *c, size_t count, size_t most)
{
	most = most < count ? most : count;
	for (size_t i = most / 2; count > most && i-- > 0;)
		sift(c, most, i); /* the worst of the best on top */
	for (size_t i = most; i < count; i++)
		if (by_score(&c[i], &c[0]) < 0) {
			const struct candidate worst = c[0];
			c[0] = c[i];
			c[i] = worst;
			sift(c, most, 0);
		}
	qsort(c, most, sizeof *c, by_score);
	return most;
}

/* Candidates come with what they can have at best.  True if none can still get in. */
static bool enough(const struct candidate *kept, size_t count, size_t limit, double best)
{
	size_t better = 0;
	for (size_t i = 0; count >= limit && i < count && better < limit; i++)
		better += kept[i].score >= best;
	return better >= limit;
}

/* So many candidates are looked at, if enough of them pass. */
static size_t nearest(const struct search_plan *plan)
{
	return 2 * plan->limit + 64;
}

static int deliver(struct ranking *r, struct candidate *c, size_t count, struct search_found *out,
                   size_t *found)
{
	size_t kept = 0, near = best_first(c, count, nearest(r->plan));
	for (size_t i = 0; i < near; i++) {
		struct spot s = { 0 };
		int good = 1;
		if (c[i].spot < 0)
			good = look_up(r, &c[i], &s);
		if (good > 0 && (c[i].spot < 0 || !r->spots[c[i].spot].own) && r->plan->check)
			good = post_passes(r->x, r->plan, &r->rows, c[i].seq);
		if (good < 0)
			return good;
		if (good)
			c[kept++] = c[i];
		if (i + 1 == near && kept < r->plan->limit) /* too many do not pass: as many again */
			near += best_first(c + near, count - near, near);
		if (i + 1 < near && enough(c, kept, r->plan->limit, c[i + 1].score))
			break;
	}
	qsort(c, kept, sizeof *c, by_score);
	for (*found = 0; *found < kept && *found < r->plan->limit; ++*found) {
		struct spot s = { 0 };
		int known = spot_describe(r->x, r->plan, c[*found].seq, &s);
		if (known < 0)
			return known;
		out[*found] = found_of(&s, c[*found].score);
	}
	return 0;
}

/* ---- for store/find/hybrid.c --------------------------------------------------- */

/* Of candidates that are not looked at, and of rows without a window, as good as is known. */
static void spread(const struct ranking *r, const struct candidate *c, size_t count,
                   struct search_spread *out)
{
	size_t placed = 0;
	for (size_t i = 0; i < count; i++) {
		out->sum += c[i].score;
		out->squares += c[i].score * c[i].score;
	}
	for (size_t i = 0; i < r->count; i++)
		placed += r->spots[i].own;
	out->whole = placed >= r->rows.count && !r->rows.cut && count <= nearest(r->plan);
	if (placed >= r->rows.count)
		return;
	for (size_t i = 0; i < r->rows.count; i++) {
		double own = (double)r->rows.all[i].own;
		out->sum += own;
		out->squares += own * own;
	}
	for (size_t i = 0; i < r->count; i++) { /* these were counted as candidates */
		double own = r->spots[i].own ? (double)r->spots[i].row.own : 0;
		out->sum -= own;
		out->squares -= own * own;
	}
}

static size_t gather_also(const struct ranking *r, const struct candidate *c, size_t count,
                          struct search_found *out)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		if (c[i].spot >= 0 && r->spots[c[i].spot].also && found < r->plan->also_count)
			out[found++] = found_of(&r->spots[c[i].spot], c[i].score);
	return found;
}

/* Hits, and behind them the texts of plan->also. */
static int deliver_all(struct ranking *r, struct candidate *c, size_t count,
                       struct search_found *out, size_t *found)
{
	if (r->plan->spread)
		spread(r, c, count, r->plan->spread);
	size_t also = gather_also(r, c, count, out + r->plan->limit);
	int err = deliver(r, c, count, out, found);
	if (r->plan->spread)
		r->plan->spread->found = *found;
	memmove(out + *found, out + r->plan->limit, also * sizeof *out);
	*found += also;
	return err;
}

int search_rank(struct search *x, const struct search_plan *plan, struct search_found **out,
                size_t *count)
{
	struct ranking r = { .x = x, .plan = plan };
	struct candidate *all = NULL;
	*out = calloc(plan->limit + plan->also_count + 1, sizeof **out);
	*count = 0;
	int err = *out ? rows_read(x, plan, &r.rows) : STORE_ENOMEM;
	if (err)
		goto out;
	weigh(&r);
	if ((err = spots_place(&r)))
		goto out;
	all = malloc((r.count + 1) * (2 * WINDOW + 1) * sizeof *all);
	err = all ? deliver_all(&r, all, score_all(&r, all), *out, count) : STORE_ENOMEM;
out:
	free(all);
	free(r.spots);
	rows_release(&r.rows);
	return err;
}

int search_list(struct search *x, const struct search_plan *plan, struct search_found **out,
                size_t *count)
{
	int64_t *seqs = malloc((plan->limit + 1) * sizeof *seqs);
	*count = 0;
	*out = calloc(plan->limit + 1, sizeof **out);
	int got = seqs && *out ? post_newest(x, plan, seqs) : STORE_ENOMEM;
	for (int i = 0; i < got; i++) {
		struct spot s = { 0 };
		int known = spot_describe(x, plan, seqs[i], &s);
		if (known > 0)
			(*out)[(*count)++] = found_of(&s, 0);
		else if (known < 0)
			got = known;
	}
	free(seqs);
	return got < 0 ? got : 0;
}

int search_name(struct search *x, struct search_found *found, size_t count)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ROW];
	int err = 0;
	for (size_t i = 0; !err && i < count; i++) {
		if (found[i].kind != HIT_DOCUMENT)
			continue;
		sqlite3_bind_int64(q, 1, found[i].seq);
		int rc = sqlite3_step(q);
		const char *root = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 6) : NULL;
		const char *name = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 7) : NULL;
		size_t room = strlen(name ? name : "") + 1;
		found[i].name = malloc(room + strlen(root ? root : "") + 1);
		if (found[i].name) {
			found[i].root = found[i].name + room;
			(void)snprintf(found[i].name, room, "%s", name ? name : "");
			(void)snprintf(found[i].root, strlen(root ? root : "") + 1, "%s", root ? root : "");
		}
		err = found[i].name ? db_error(rc) : STORE_ENOMEM;
		sqlite3_reset(q);
	}
	return err;
}
