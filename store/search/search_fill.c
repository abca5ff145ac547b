/* SPDX-License-Identifier: MIT */
/* Letting the search index catch up with the tape; its invariants are in search_index.c. */
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/documents/documents.h"
#include "store/facts/facts.h"
#include "store/internal.h"
#include "store/search/search_index.h"

enum { MOST_DEPTH = 256, RESETS_MOST = 3 };
enum { LONGEST_WORD = 32768 }; /* what FTS5 keeps of one */
enum { RESET = 1 }; /* what is in the index can no longer be taken out */

/* Documents and facts that entries at hand are about: settled at the end, once each. */
struct touched {
	int64_t *ids; /* documents as they are, facts negative */
	size_t count, room;
};

static int touch(struct touched *t, int64_t id)
{
	for (size_t i = t->count; i > 0 && i + 8 > t->count; i--)
		if (t->ids[i - 1] == id)
			return 0;
	if (!ARRAY_ROOM(t->ids, t->room, t->count))
		return STORE_ENOMEM;
	t->ids[t->count++] = id;
	return 0;
}

static int64_t sum_of(const struct search_text *t)
{
	const char *const parts[] = { t->body, t->scope };
	uint64_t h = HASH_NONE;
	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
		for (size_t i = 0, len = p == 0 ? t->len : strlen(parts[p]); i < len; i++)
			h = hash_byte(h, (unsigned char)parts[p][i]);
		h = hash_byte(h, 0);
	}
	return (int64_t)(h >> 1);
}

struct summing {
	struct search_sum *sum;
	bool page, take;
	int64_t text, offset;
	int column;
};

static void sum_word(void *ctx, const char *word, size_t len, size_t start, size_t end)
{
	struct summing *s = ctx;
	(void)start, (void)end;
	len = len < LONGEST_WORD ? len : LONGEST_WORD;
	(s->take ? search_sum_take : search_sum_put)(s->sum, s->page, word, len, s->text, s->column,
	                                             s->offset++);
}

static int sum_words(struct search *x, enum search_stmt which, const struct search_text *t)
{
	struct summing s = { x->sum, which != SEARCH_ADD_WORDS, which == SEARCH_DROP_PAGE, t->seq, 0,
		0 };
	int err = search_tokens_each(&x->tokens, t->body, t->len, sum_word, &s);
	s.column = 1;
	s.offset = 0;
	return err ? err : search_tokens_each(&x->tokens, t->scope, strlen(t->scope), sum_word, &s);
}

static int put_words(struct search *x, enum search_stmt which, const struct search_text *t)
{
	if (x->sum)
		return sum_words(x, which, t);
	sqlite3_stmt *q = x->stmt[which];
	sqlite3_bind_int64(q, 1, t->seq);
	sqlite3_bind_text64(q, 2, t->body, t->len, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_text(q, 3, t->scope, -1, SQLITE_STATIC);
	return search_run(x, which);
}

static int add_text(struct search *x, const struct search_text *t, const char *root,
                    const char *name)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ADD_TEXT];
	if (!t->body)
		return 0;
	sqlite3_clear_bindings(q);
	sqlite3_bind_int64(q, 1, t->seq);
	if (t->session > 0)
		sqlite3_bind_int64(q, 2, t->session);
	if (t->kind == HIT_MESSAGE)
		sqlite3_bind_int64(q, 3, t->n);
	sqlite3_bind_int64(q, 4, (int64_t)t->words);
	int says = (t->timed ? FLAG_TIMED : 0) | (t->asks ? FLAG_ASKS : 0) |
		(t->told ? FLAG_TOLD : 0);
	sqlite3_bind_int64(q, 5, (int)t->kind | t->role << FLAG_ROLE_SHIFT | says);
	sqlite3_bind_int64(q, 6, t->day);
	if (t->kind == HIT_DOCUMENT) {
		sqlite3_bind_int64(q, 7, t->doc);
		sqlite3_bind_text(q, 8, root, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 9, name, -1, SQLITE_STATIC);
	}
	sqlite3_bind_int64(q, 11, t->time_us);
	if (t->kind != HIT_MESSAGE) /* messages stay */
		sqlite3_bind_int64(q, 10, sum_of(t));
	int err = search_run(x, SEARCH_ADD_TEXT);
	x->page_changes += t->kind != HIT_MESSAGE;
	return err ? err : put_words(x, t->kind == HIT_MESSAGE ? SEARCH_ADD_WORDS : SEARCH_ADD_PAGE, t);
}

/* A document's or a fact's.  RESET when the text is not the one that went in. */
static int drop_text(struct search *x, const struct search_text *t, int64_t sum)
{
	if (!t->body || sum_of(t) != sum)
		return RESET;
	x->page_changes++;
	int err = put_words(x, SEARCH_DROP_PAGE, t);
	sqlite3_bind_int64(x->stmt[SEARCH_DROP_TEXT], 1, t->seq);
	return err ? err : search_run(x, SEARCH_DROP_TEXT);
}

/* A fact is as old as what was said. */
static int date_fact(struct search *x, struct search_text *t)
{
	sqlite3_stmt *q = x->stmt[TAPE_FACT];
	sqlite3_bind_int64(q, 1, t->seq);
	int rc = sqlite3_step(q);
	int64_t said = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : t->time_us;
	sqlite3_reset(q);
	if (said < t->time_us)
		search_text_said(t, said);
	return db_error(rc);
}

/* The text of entry `seq`; `root` is NULL for a fact. */
static int text_at(struct search *x, int64_t seq, int64_t doc, const char *root, const char *name,
                   struct search_text *out)
{
	sqlite3_stmt *q = x->stmt[TAPE_ENTRIES];
	struct entry e;
	*out = (struct search_text){ .seq = seq };
	sqlite3_bind_int64(q, 1, seq);
	sqlite3_bind_int64(q, 2, seq + 1);
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_ROW ? row_entry(&x->check, q, &e) : db_error(rc);
	if (rc == SQLITE_ROW && !err)
		err = root ? search_text_document(&e, doc, root, name, x->plain, out) :
			search_text_fact(&e, (int)store_stream_number(e.stream, 'f'), out);
	sqlite3_reset(q);
	return err || root ? err : date_fact(x, out);
}

/* ---- documents --------------------------------------------------------- */

struct doc_place {
	int64_t seq; /* 0: not there */
	int64_t sum;
	char root[DOC_KEY_MAX + 1], name[NAME_LIMIT + 1];
};

static int place_indexed(struct search *x, int64_t doc, struct doc_place *p)
{
	sqlite3_stmt *q = x->stmt[SEARCH_DOC];
	memset(p, 0, sizeof *p);
	sqlite3_bind_int64(q, 1, doc);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		p->seq = sqlite3_column_int64(q, 0);
		(void)snprintf(p->root, sizeof p->root, "%s", db_text(q, 1));
		(void)snprintf(p->name, sizeof p->name, "%s", db_text(q, 2));
		p->sum = sqlite3_column_int64(q, 3);
	}
	sqlite3_reset(q);
	return db_error(rc);
}

/* Where it stands now; folders lead up to a key. */
static int place_now(struct search *x, int64_t doc, struct doc_place *p)
{
	sqlite3_stmt *q = x->stmt[TAPE_DOC];
	memset(p, 0, sizeof *p);
	for (int depth = 0; depth < MOST_DEPTH; depth++) {
		sqlite3_bind_int64(q, 1, doc);
		int rc = sqlite3_step(q);
		bool here = rc == SQLITE_ROW && sqlite3_column_int(q, 3) != 0;
		bool text = here && sqlite3_column_int(q, 4) == 0 && sqlite3_column_int64(q, 5) > 0;
		if (depth == 0 && text) {
			p->seq = sqlite3_column_int64(q, 2);
			(void)snprintf(p->name, sizeof p->name, "%s", db_text(q, 1));
		}
		(void)snprintf(p->root, sizeof p->root, "%s", db_text(q, 0));
		sqlite3_reset(q);
		if (rc != SQLITE_ROW || p->seq == 0) {
			p->seq = 0;
			return db_error(rc);
		}
		if (p->root[0] != '#')
			return 0;
		doc = strtoll(p->root + 1, NULL, 10);
	}
	p->seq = 0;
	return 0;
}

static int settle_document(struct search *x, int64_t doc)
{
	struct doc_place was, is;
	struct search_text t;
	int err = place_indexed(x, doc, &was);
	if (!err)
		err = place_now(x, doc, &is);
	if (err || (was.seq == is.seq && strcmp(was.root, is.root) == 0 &&
	            strcmp(was.name, is.name) == 0))
		return err;
	if (was.seq > 0) {
		err = text_at(x, was.seq, doc, was.root, was.name, &t);
		err = err ? err : drop_text(x, &t, was.sum);
		search_text_release(&t);
	}
	if (!err && is.seq > 0) {
		err = text_at(x, is.seq, doc, is.root, is.name, &t);
		err = err ? err : add_text(x, &t, is.root, is.name);
		search_text_release(&t);
	}
	return err;
}

/* ---- facts ------------------------------------------------------------- */

static int settle_fact(struct search *x, int64_t id)
{
	struct search_text t;
	sqlite3_stmt *q = x->stmt[SEARCH_FACT];
	sqlite3_bind_int64(q, 1, id);
	int rc = sqlite3_step(q);
	bool in = rc == SQLITE_ROW;
	int64_t sum = in ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	int err = db_error(rc);
	q = x->stmt[TAPE_FACT];
	sqlite3_bind_int64(q, 1, id);
	rc = sqlite3_step(q);
	bool live = rc == SQLITE_ROW && sqlite3_column_int64(q, 0) == 0;
	sqlite3_reset(q);
	err = err ? err : db_error(rc);
	if (err || in == live)
		return err;
	err = text_at(x, id, 0, NULL, NULL, &t);
	err = err ? err : in ? drop_text(x, &t, sum) : add_text(x, &t, NULL, NULL);
	search_text_release(&t);
	return err;
}

/* The fact an entry adds, or retracts. */
static int see_fact(const struct entry *e, struct touched *touched)
{
	if (strcmp(e->kind, "fact.add") == 0)
		return touch(touched, -e->seq);
	if (strcmp(e->kind, "fact.retract") != 0 || !e->body)
		return 0;
	json_t *body = json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL);
	int64_t id = doc_body_number(json_object_get(body, "fact"));
	json_decref(body);
	return id > 0 ? touch(touched, -id) : 0;
}

/* ---- entries ----------------------------------------------------------- */

/* Whose turn message n of a session was.  ROLE_NONE: there is none, or it holds no text. */
static int role_of(struct search *x, int64_t session, int64_t n)
{
	sqlite3_stmt *around = x->stmt[TAPE_AROUND], *row = x->stmt[SEARCH_ROW];
	char stream[24];
	int role = ROLE_NONE;
	store_session_stream(session, stream);
	sqlite3_bind_text(around, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(around, 2, n);
	sqlite3_bind_int64(around, 3, n);
	if (sqlite3_step(around) == SQLITE_ROW) {
		sqlite3_bind_int64(row, 1, sqlite3_column_int64(around, 0));
		if (sqlite3_step(row) == SQLITE_ROW)
			role = sqlite3_column_int(row, 3) >> FLAG_ROLE_SHIFT & FLAG_ROLE >> FLAG_ROLE_SHIFT;
		sqlite3_reset(row);
	}
	sqlite3_reset(around);
	return role;
}

static int see_message(struct search *x, const struct entry *e, int64_t session)
{
	struct search_text t;
	int err = search_text_message(e, session, &t);
	/* Only between people: what one says to an assistant is worth as much when it asks. */
	t.asks = !err && t.asks && t.role == ROLE_USER && role_of(x, session, t.n - 1) == ROLE_USER;
	err = err ? err : add_text(x, &t, NULL, NULL);
	search_text_release(&t);
	return err;
}

struct filling {
	struct search *x;
	int64_t clean, last_us; /* when the one before was written */
	bool back;              /* one was written before the one before it */
	struct touched touched;
};

static int see(void *ctx, const struct entry *e)
{
	struct filling *f = ctx;
	struct log_id log;
	f->back = f->back || e->time_us < f->last_us;
	f->last_us = e->time_us;
	if (strcmp(e->kind, "tape.redact") == 0)
		return e->seq < f->clean ? 0 : RESET;
	if (store_stream_log(e->stream, &log))
		return log.kind == LOG_SESSION ? see_message(f->x, e, log.id) : 0;
	int64_t list = store_stream_number(e->stream, 'f');
	if (list >= FACT_WORK && list <= FACT_PROJECTS)
		return see_fact(e, &f->touched);
	int64_t doc = store_stream_number(e->stream, 'd');
	return doc > 0 ? touch(&f->touched, doc) : 0;
}

static int settle(struct search *x, const struct touched *touched)
{
	int err = 0;
	for (size_t i = 0; err == 0 && i < touched->count; i++)
		err = touched->ids[i] > 0 ? settle_document(x, touched->ids[i]) :
			settle_fact(x, -touched->ids[i]);
	return err;
}

int search_state(struct search *x, sqlite3_stmt *q, int64_t *upto, int64_t *clean, bool *same)
{
	sqlite3_stmt *t = x->stmt[TAPE_ENTRY];
	uint8_t leaf[HASH_SIZE] = { 0 };
	struct entry e;
	int rc = sqlite3_step(q);
	*upto = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	*clean = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
	if (rc == SQLITE_ROW && sqlite3_column_bytes(q, 2) == HASH_SIZE)
		memcpy(leaf, sqlite3_column_blob(q, 2), HASH_SIZE);
	sqlite3_reset(q);
	*same = true;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_EFORMAT : db_error(rc);
	if (*upto <= 0)
		return 0;
	sqlite3_bind_int64(t, 1, *upto - 1);
	rc = sqlite3_step(t);
	*same = rc == SQLITE_ROW && entry_of_row(t, &e) == 0 &&
		memcmp(e.leaf_hash, leaf, HASH_SIZE) == 0;
	sqlite3_reset(t);
	return db_error(rc);
}

int search_each_entry(struct search *x, int64_t *upto, int64_t stop, uint8_t leaf[HASH_SIZE],
                      int (*fn)(void *ctx, const struct entry *e), void *ctx)
{
	sqlite3_stmt *q = x->stmt[TAPE_ENTRIES];
	int err = 0, rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, *upto);
	sqlite3_bind_int64(q, 2, stop);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		if ((err = row_entry(&x->check, q, &e)) || (err = fn(ctx, &e)))
			break;
		memcpy(leaf, e.leaf_hash, HASH_SIZE);
		*upto = e.seq + 1;
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

static int save_state(struct search *x, int64_t upto, const uint8_t leaf[HASH_SIZE], bool back)
{
	sqlite3_bind_int64(x->stmt[SEARCH_SET_STATE], 1, upto);
	sqlite3_bind_blob(x->stmt[SEARCH_SET_STATE], 2, leaf, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_int(x->stmt[SEARCH_SET_STATE], 3, back);
	return search_run(x, SEARCH_SET_STATE);
}

/* In transactions on both files. */
static int see_some(struct search *x, int64_t most, int64_t limit, int64_t clean, int64_t *upto)
{
	struct filling f = { .x = x, .clean = clean, .last_us = search_time_at(x, *upto - 1) };
	uint8_t leaf[HASH_SIZE];
	int64_t from = *upto, stop = limit - from > most ? from + most : limit;
	int err = search_each_entry(x, upto, stop, leaf, see, &f);
	if (!err)
		err = settle(x, &f.touched);
	if (!err && *upto > from)
		err = save_state(x, *upto, leaf, f.back);
	free(f.touched.ids);
	return err;
}

/* An empty index holds nothing that was redacted so far. */
static int be_clean(struct search *x, int64_t clean)
{
	char sql[64];
	(void)snprintf(sql, sizeof sql, "UPDATE state SET clean = %lld", (long long)clean);
	return db_exec(x->db, sql);
}

int search_catch_up(struct search *x, int64_t most, int64_t *left)
{
	int64_t upto = 0, clean = 0, limit = 0;
	bool same = true;
	int err = db_exec(x->tape, "BEGIN"); /* one state of the tape and its views */
	if (err)
		return err;
	err = x->fixed ? db_exec(x->db, "BEGIN") : db_begin(x->db);
	if (!err) {
		/* Views that claim more than there is would never be reached. */
		int64_t entries = db_int(x->tape, "SELECT max(seq) + 1 FROM tape", 0);
		limit = views_upto(x->tape);
		limit = limit < entries ? limit : entries;
		err = search_state(x, x->stmt[SEARCH_STATE], &upto, &clean, &same);
		err = err || same ? err : RESET;
		if (!err && !x->fixed && upto == 0 && clean < limit)
			err = be_clean(x, clean = limit);
		int64_t from = upto;
		if (!err && !x->fixed && upto < limit)
			err = see_some(x, most, limit, clean, &upto);
		if (!err && !x->fixed && most > 0 && upto == from)
			limit = upto; /* of a damaged tape: what the views speak of is not there */
		*left = limit > upto ? limit - upto : 0;
		x->upto = err ? 0 : upto;
		if (!err)
			err = db_commit(x->db);
		else
			db_rollback(x->db);
	}
	db_rollback(x->tape);
	if (!err && *left == 0)
		x->resets = 0;
	if (err != RESET)
		return err;
	*left = INT64_MAX;
	if (x->fixed || x->resets++ >= RESETS_MOST)
		return x->fixed ? STORE_EFORMAT : STORE_EIO;
	return search_reset(x, limit);
}
