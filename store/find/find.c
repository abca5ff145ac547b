/* SPDX-License-Identifier: MIT */
/*
 * store_search(): a question becomes a plan (plan.c), the plan is ranked, and what was found is
 * read from the tape.
 */
#include "store/search.h"

#include <stdlib.h>
#include <string.h>

#include "store/find/hybrid.h"
#include "store/find/living.h"
#include "store/find/plan.h"
#include "store/internal.h"

enum {
	BATCH = 2000,        /* entries a transaction while a search waits for the index */
	WORDS_BYTES = 1 << 20,
	FOUND_MOST = 16 * SEARCH_LIMIT_MOST /* looked at for those of a life that is asked for */
};

/* ---- running ----------------------------------------------------------- */

static bool has_word(const char *text)
{
	return text[strspn(text, " \t\r\n")] != '\0';
}

/* By words and by meaning, where there are vectors. */
static int rank(struct store *s, const struct search_query *q, const struct search_plan *plan,
                struct search_found **out, size_t *count)
{
	struct vectors *v = q->vector ? vectors_of(s, false) : NULL;
	int failed = 0;
	if (!v)
		return plan->term_count > 0 ? search_rank(s->index->search, plan, out, count) : 0;
	int err = search_mix(s->index->search, v, plan, q->vector, q->model, out, count, &failed);
	if (failed)
		vectors_failed(s, failed);
	return err;
}

/* Of those that are found the names, too. */
static int find_run(struct store *s, const struct search_query *q, size_t limit,
                    struct search_found **out, size_t *count)
{
	struct search *x = s->index->search;
	struct search_plan plan;
	int err = plan_make(s, q, &plan);
	plan.limit = limit;
	if (!err && (err = db_exec(x->tape, "BEGIN")) == 0) {
		err = db_exec(x->db, "BEGIN");
		plan_range(x, q, &plan);
		if (!err && (plan.term_count > 0 || has_word(q->words))) /* "?!" asks for something */
			err = rank(s, q, &plan, out, count);
		else if (!err && q->phrase_count == 0) /* no text is known to have signs alone */
			err = search_list(x, &plan, out, count);
		if (!err)
			err = search_name(x, *out, *count);
		int code = sqlite3_errcode(x->db) & 0xff; /* not of the tape's file */
		x->damaged = err == STORE_EFORMAT && (code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
		db_rollback(x->db);
		db_rollback(x->tape);
	}
	plan_release(&plan);
	return err;
}

static void release_found(struct search_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(found[i].name);
	free(found);
}

/* As many as are wanted, however many are retired; with their names and lives. */
static int find_all(struct store *s, const struct search_query *q, struct search_found **found,
                    size_t *count)
{
	size_t limit = (size_t)(q->limit ? q->limit : SEARCH_LIMIT), asked = limit;
	for (;;) {
		int err = find_run(s, q, asked, found, count);
		bool more = *count == asked && asked < FOUND_MOST;
		if (!err)
			err = find_living(s, q, found, count);
		if (err || !more || find_is_enough(q, *found, *count, limit)) {
			while (*count > limit)
				free((*found)[--*count].name);
			return err;
		}
		release_found(*found, *count);
		*found = NULL;
		*count = 0;
		asked = asked < SEARCH_LIMIT_MOST ? SEARCH_LIMIT_MOST : 4 * asked;
	}
}

/*
 * Everything the views have now; on a full disk, or when that takes too long since the question
 * came, what the index has.  Who writes on, faster than words go into an index, does not keep us
 * waiting, nor do those who asked before.
 */
static int index_all(struct store *s, const struct search_query *q, int64_t asked)
{
	const struct index *x = s->index;
	const int64_t wait_us = q->wait_us ? q->wait_us : SEARCH_WAIT_US;
	int64_t until = 0, left;
	int err;
	do {
		err = search_keep_up(s, BATCH, &left);
		if (!err && until == 0 && left < INT64_MAX) /* else it begins anew */
			until = x->search->upto + left;
	} while (!err && left > 0 && (until == 0 || x->search->upto < until) && !x->search->fixed &&
	         clock_since_boot() - asked < wait_us);
	if ((err == STORE_ENOSPC || err == STORE_EROFS) && x->search)
		err = 0;
	if (!err && q->extent) {
		int64_t upto = x->search->upto;
		*q->extent = (struct search_extent){ upto, until > upto ? until : upto };
	}
	return err;
}

/* In an index that is as new as can be.  One that is damaged is worth nothing, and made anew. */
static int find_in_index(struct store *s, const struct search_query *q, int64_t asked,
                         struct search_found **found, size_t *count)
{
	int64_t behind = 0;
	int err = index_all(s, q, asked);
	if (!err && q->vector && vectors_keep_up(s, BATCH, &behind))
		behind = 0; /* then without what is new */
	if (!err)
		err = find_all(s, q, found, count);
	if (err != STORE_EFORMAT || !s->index->search || !s->index->search->damaged)
		return err;
	release_found(*found, *count);
	*found = NULL;
	*count = 0;
	err = search_renew(s);
	if (!err)
		err = index_all(s, q, asked);
	return err ? err : find_all(s, q, found, count);
}

/* ---- handing out ------------------------------------------------------- */

enum { READ_AHEAD = 16 };

struct text_of {
	struct search_text text;
	char author[FIELD_MAX + 1];
	int domain;
	int err;
};

struct texts {
	struct store *s;
	const struct search_found *found;
	struct text_of items[READ_AHEAD];
};

static void read_text(void *ctx, size_t i, const struct entry *e, int err)
{
	struct texts *all = ctx;
	struct text_of *t = &all->items[i];
	const struct search_found *f = &all->found[i];
	t->err = err;
	if (err)
		return;
	(void)snprintf(t->author, sizeof t->author, "%s", e->author);
	t->domain = f->kind == HIT_FACT ? (int)store_stream_number(e->stream, 'f') : 0;
	if (f->kind == HIT_MESSAGE)
		t->err = search_text_message(e, f->session, &t->text);
	else if (f->kind == HIT_FACT)
		t->err = search_text_fact(e, t->domain, &t->text);
	else
		t->err = search_text_document(e, f->doc, f->root, f->name, all->s->config.plain_text,
		                              &t->text);
}

static int64_t id_of(const struct search_found *f)
{
	return f->kind == HIT_DOCUMENT ? f->doc : f->kind == HIT_FACT ? f->seq : 0;
}

/* Without its text: what is in the index is a hit, redacted or not. */
static int hand_out_unread(const struct search_found *f, hit_fn *fn, void *ctx)
{
	const struct search_hit h = { .kind = f->kind, .seq = f->seq, .session = f->session,
		.n = f->n, .id = id_of(f), .life = f->life, .heir = f->heir, .score = f->score,
		.time_us = f->said_us, .author = "", .by = "", .role = search_role_name(f->role),
		.owner = "", .text = "" };
	return fn(ctx, &h) != 0;
}

static int hand_out_one(const struct search_found *f, const struct text_of *t, hit_fn *fn,
                        void *ctx)
{
	if (t->err || !t->text.body) /* it was redacted meanwhile */
		return t->err == STORE_ENOENT ? 0 : t->err;
	const struct search_hit h = { .kind = f->kind, .seq = f->seq, .session = f->session,
		.n = f->n, .id = id_of(f), .domain = t->domain, .life = f->life, .heir = f->heir,
		.score = f->score, .time_us = f->said_us, .author = t->author, .by = t->text.by,
		.role = search_role_name(f->role), .owner = t->text.owner, .text = t->text.body,
		.len = t->text.len };
	return fn(ctx, &h) != 0;
}

/* At most READ_AHEAD, read together.  1: `fn` has had enough. */
static int hand_out_some(struct store *s, const struct search_found *found, size_t count,
                         hit_fn *fn, void *ctx)
{
	int64_t seqs[READ_AHEAD];
	struct texts *t = calloc(1, sizeof *t);
	if (!t)
		return STORE_ENOMEM;
	t->s = s;
	t->found = found;
	for (size_t i = 0; i < count; i++)
		seqs[i] = found[i].seq;
	int err = store_entries_at(s, seqs, count, read_text, t);
	for (size_t i = 0; err == 0 && i < count; i++)
		err = hand_out_one(&found[i], &t->items[i], fn, ctx);
	for (size_t i = 0; i < count; i++)
		search_text_release(&t->items[i].text);
	free(t);
	return err;
}

static int hand_out(struct store *s, const struct search_query *q,
                    const struct search_found *found, size_t count, hit_fn *fn, void *ctx)
{
	int err = 0;
	for (size_t i = 0; err == 0 && q->unread && i < count; i++)
		err = hand_out_unread(&found[i], fn, ctx);
	for (size_t i = 0, n; err == 0 && !q->unread && i < count; i += n) {
		n = count - i < READ_AHEAD ? count - i : READ_AHEAD;
		err = hand_out_some(s, found + i, n, fn, ctx);
	}
	return err;
}

int store_dictionary(struct store *s, const char *names, struct why *why)
{
	struct dictionary *d = NULL;
	int err = dictionary_open(names, &d, why);
	if (err || !s) {
		dictionary_close(d);
		return err;
	}
	lock_take(&s->index->lock);
	dictionary_close(s->index->dictionary);
	s->index->dictionary = d;
	lock_give(&s->index->lock);
	return 0;
}

/* True if one among them came in from another process since we looked. */
static bool newer(struct store *s, const struct search_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].seq >= tape_entries(s))
			return true;
	return false;
}

int store_search(struct store *s, const struct search_query *q, hit_fn *fn, void *ctx)
{
	struct search_found *found = NULL;
	size_t count = 0;
	int64_t asked = clock_since_boot();
	const unsigned all = SEARCH_MESSAGES | SEARCH_DOCUMENTS | SEARCH_FACTS;
	if (!q->words || strlen(q->words) > WORDS_BYTES || q->limit < 0 ||
	    q->limit > SEARCH_LIMIT_MOST || q->in > all || q->session < 0 || q->after_us < 0 ||
	    q->before_us < 0 || (q->vector && !vector_model_ok(q->model)))
		return STORE_EINVAL;
	tape_see_others(s); /* the maintenance thread would notice a little later */
	int err = store_catch_up(s);
	if (err)
		return err;
	lock_take(&s->index->lock);
	err = find_in_index(s, q, asked, &found, &count);
	lock_give(&s->index->lock);
	if (newer(s, found, count))
		tape_see_others(s);
	err = err ? err : hand_out(s, q, found, count, fn, ctx);
	release_found(found, count);
	return err < 0 ? err : 0;
}
