/* SPDX-License-Identifier: MIT */
/* Which texts are worth a window, and what stands around them. */
#include "store/search/search_spot.h"

#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

enum {
	EXACT_ROWS = 4000, /* up to so many, nothing is left out */
	CHOSEN = 160,      /* of more than that, at least so many get a window … */
	REFINED = 24       /* … and around so many we count the words that were cut */
};

int spot_role(const struct spot *s)
{
	return (s->flags & FLAG_ROLE) >> FLAG_ROLE_SHIFT;
}

/* ---- choosing ---------------------------------------------------------- */

static bool worse(const struct row *a, const struct row *b)
{
	return a->own < b->own || (a->own == b->own && a->seq < b->seq);
}

/* The `most` best rows: a heap with the worst on top. */
static size_t choose(const struct rows *rows, size_t most, const struct row **heap)
{
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->all[i];
		size_t at;
		if (count < most) {
			for (at = count++; at > 0 && worse(row, heap[(at - 1) / 2]); at = (at - 1) / 2)
				heap[at] = heap[(at - 1) / 2];
		} else if (worse(heap[0], row)) {
			for (at = 0;;) {
				size_t child = 2 * at + 1;
				child += child + 1 < count && worse(heap[child + 1], heap[child]);
				if (child >= count || !worse(heap[child], row))
					break;
				heap[at] = heap[child];
				at = child;
			}
		} else {
			continue;
		}
		heap[at] = row;
	}
	return count;
}

/* ---- spots ------------------------------------------------------------- */

int spot_describe(struct search *x, const struct search_plan *plan, int64_t seq, struct spot *s)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ROW];
	s->row.seq = seq;
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		s->flags = sqlite3_column_int(q, 3);
		s->words = sqlite3_column_double(q, 2) / plan->weights->words;
		s->doc = sqlite3_column_int64(q, 5);
		s->said_us = sqlite3_column_int64(q, 8);
		for (size_t t = 0; t < plan->term_count; t++)
			if (search_date_is(&plan->terms[t].date, sqlite3_column_int64(q, 4)))
				s->dates = (uint16_t)(s->dates | 1u << t);
		s->session = (s->flags & FLAG_KIND) == HIT_MESSAGE ? sqlite3_column_int64(q, 0) : 0;
		s->n = s->session ? sqlite3_column_int64(q, 1) : 0;
	}
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

static int add_spot(struct ranking *r, int64_t seq, const struct row *row)
{
	struct spot s = { .own = row != NULL };
	if (!ARRAY_ROOM(r->spots, r->room, r->count))
		return STORE_ENOMEM;
	if (row)
		s.row = *row;
	int known = spot_describe(r->x, r->plan, seq, &s);
	if (known > 0)
		r->spots[r->count++] = s;
	return known < 0 ? known : 0;
}

static int by_seq(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	return (x->row.seq > y->row.seq) - (x->row.seq < y->row.seq);
}

static int by_place(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return by_seq(a, b);
}

/* The messages around a chosen one that have terms, or may have some we did not read. */
static int widen(struct ranking *r, size_t i, bool all)
{
	sqlite3_stmt *q = r->x->stmt[TAPE_AROUND];
	char stream[24];
	int rc, err = 0;
	store_session_stream(r->spots[i].session, stream);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, r->spots[i].n - WINDOW);
	sqlite3_bind_int64(q, 3, r->spots[i].n + WINDOW);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		const struct row *row = rows_find(&r->rows, seq);
		if (seq != r->spots[i].row.seq && (row || all))
			err = add_spot(r, seq, row);
	}
	sqlite3_reset(q);
	return err;
}

/* One spot a text. */
static void drop_doubles(struct ranking *r)
{
	size_t kept = 0;
	if (r->count > 0)
		qsort(r->spots, r->count, sizeof *r->spots, by_seq);
	for (size_t i = 0; i < r->count; i++) {
		if (kept == 0 || r->spots[kept - 1].row.seq != r->spots[i].row.seq)
			r->spots[kept++] = r->spots[i];
	}
	r->count = kept;
}

struct counting {
	const struct search_plan *plan;
	struct row *row;
	bool any;
};

static void count_term(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct counting *c = ctx;
	(void)start, (void)end;
	size_t t = search_term(c->plan, term, len);
	if (t == c->plan->term_count)
		return;
	c->any = true;
	c->row->body[t] = (uint8_t)(c->row->body[t] + (c->row->body[t] < 255));
}

/* Counts a message's terms in its text, where it is older than what was read of one of them. */
static int recount(struct ranking *r, struct spot *s)
{
	struct search_text text = { 0 };
	struct entry e;
	bool old = false;
	for (size_t t = 0; t < r->plan->term_count; t++)
		old = old || s->row.seq < r->rows.from[t];
	if (!old || !s->session || r->plan->beginnings)
		return 0;
	sqlite3_stmt *q = r->x->stmt[TAPE_ENTRIES];
	sqlite3_bind_int64(q, 1, s->row.seq);
	sqlite3_bind_int64(q, 2, s->row.seq + 1);
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_ROW ? row_entry(&r->x->check, q, &e) : db_error(rc);
	if (rc == SQLITE_ROW && !err)
		err = search_text_message(&e, s->session, &text);
	sqlite3_reset(q);
	if (!err && text.body) {
		struct counting c = { r->plan, &s->row, false };
		memset(s->row.body, 0, sizeof s->row.body);
		err = search_tokens_each(&r->x->tokens, text.body, text.len, count_term, &c);
	}
	search_text_release(&text);
	return err;
}

/* Around the best, also the words that were cut before they came so far back. */
static int refine(struct ranking *r, const struct row *const *best, size_t count)
{
	int err = 0;
	for (size_t i = 0; !err && i < count; i++) {
		struct spot key = { .row.seq = best[i]->seq };
		const struct spot *s = bsearch(&key, r->spots, r->count, sizeof key, by_seq);
		for (size_t j = 0; !err && s && s->session && j < r->count; j++)
			if (r->spots[j].session == s->session && llabs(r->spots[j].n - s->n) <= WINDOW)
				err = recount(r, &r->spots[j]);
	}
	return err;
}

static int by_own(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;
	return worse(*x, *y) ? 1 : worse(*y, *x) ? -1 : 0;
}

static int place_chosen(struct ranking *r)
{
	size_t most = 2 * r->plan->limit > CHOSEN ? 2 * r->plan->limit : CHOSEN;
	const struct row **best = malloc(most * sizeof *best);
	if (!best)
		return STORE_ENOMEM;
	size_t count = choose(&r->rows, most, best);
	qsort(best, count, sizeof *best, by_own);
	int err = 0;
	for (size_t i = 0; !err && i < count; i++)
		err = add_spot(r, best[i]->seq, best[i]);
	for (size_t i = 0, chosen = r->count; !err && i < chosen; i++)
		err = r->spots[i].session ? widen(r, i, r->rows.cut && i < REFINED) : 0;
	drop_doubles(r);
	if (!err && r->rows.cut)
		err = refine(r, best, count < REFINED ? count : REFINED);
	free(best);
	return err;
}

/* The texts of plan->also, with what stands around them. */
static int place_also(struct ranking *r, bool chosen)
{
	size_t before = r->count, after;
	int err = 0;
	for (size_t i = 0; !err && i < r->plan->also_count; i++)
		err = add_spot(r, r->plan->also[i], rows_find(&r->rows, r->plan->also[i]));
	after = r->count;
	for (size_t i = before; chosen && !err && i < after; i++)
		err = r->spots[i].session ? widen(r, i, false) : 0;
	drop_doubles(r);
	for (size_t i = 0; !err && i < r->plan->also_count; i++) {
		struct spot key = { .row.seq = r->plan->also[i] };
		struct spot *s = bsearch(&key, r->spots, r->count, sizeof key, by_seq);
		if (s)
			s->also = true;
	}
	return err;
}

int spots_place(struct ranking *r)
{
	int err = 0;
	bool chosen = r->rows.count > EXACT_ROWS || r->rows.cut;
	if (chosen)
		err = place_chosen(r);
	else
		for (size_t i = 0; !err && i < r->rows.count; i++)
			err = add_spot(r, r->rows.all[i].seq, &r->rows.all[i]);
	if (!err && r->plan->also_count > 0)
		err = place_also(r, chosen);
	if (r->count > 0)
		qsort(r->spots, r->count, sizeof *r->spots, by_place);
	return err;
}
