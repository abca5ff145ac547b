/* SPDX-License-Identifier: MIT */
/*
 * Which text has which vector: letting `text` catch up with the search index.
 *
 * Invariants
 *   1. Below `upto`, every text of the index has one live row, and no other row is live.  What was
 *      a text keeps its row, so that a redaction finds what was made of it.
 *   2. `upto` is never past the index's; `leaf` is the hash of entry upto - 1.  Vectors of another
 *      tape, or of an older copy of this one, are thrown away: their entries cannot be told.
 *   3. A hash that no row holds came by store_vectors_add() alone: a question's.
 */
#include <stdlib.h>
#include <string.h>

#include "store/documents/documents.h"
#include "store/facts/facts.h"
#include "store/internal.h"
#include "store/vectors/vector_file.h"

struct filling {
	struct vectors *v;
	struct search *x;
	int64_t clean;
	bool redacted; /* an entry says so */
};

/* ---- texts ------------------------------------------------------------- */

/* What the index knows of a text; 1, 0 nothing, or a STORE_ code. */
struct indexed {
	int64_t session, doc, sum;
	int flags;
	char root[DOC_KEY_MAX + 1], name[NAME_LIMIT + 1];
};

static int look_up(struct search *x, int64_t seq, struct indexed *out)
{
	sqlite3_stmt *q = x->stmt[SEARCH_ROW];
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		out->session = sqlite3_column_int64(q, 0);
		out->flags = sqlite3_column_int(q, 3);
		out->doc = sqlite3_column_int64(q, 5);
		(void)snprintf(out->root, sizeof out->root, "%s", db_text(q, 6));
		(void)snprintf(out->name, sizeof out->name, "%s", db_text(q, 7));
	}
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

static int read_text(struct search *x, const struct entry *e, const struct indexed *in,
                     struct search_text *out)
{
	if ((in->flags & FLAG_KIND) == HIT_MESSAGE)
		return search_text_message(e, in->session, out);
	if ((in->flags & FLAG_KIND) == HIT_FACT)
		return search_text_fact(e, (int)store_stream_number(e->stream, 'f'), out);
	return search_text_document(e, in->doc, in->root, in->name, x->plain, out);
}

int vectors_text(struct search *x, int64_t seq, struct search_text *out)
{
	struct indexed in = { 0 };
	struct entry e;
	*out = (struct search_text){ .seq = seq };
	int known = look_up(x, seq, &in);
	if (known <= 0)
		return known;
	sqlite3_stmt *q = x->stmt[TAPE_ENTRY];
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_ROW ? row_entry(&x->check, q, &e) : db_error(rc);
	if (rc == SQLITE_ROW && !err)
		err = read_text(x, &e, &in, out);
	sqlite3_reset(q);
	return err;
}

static int number_of(struct vectors *v, const unsigned char hash[VECTOR_HASH], int64_t *id)
{
	sqlite3_bind_blob(v->stmt[VECTORS_FIND], 1, hash, VECTOR_HASH, SQLITE_STATIC);
	int err = vectors_number(v, VECTORS_FIND, id);
	if (err || *id > 0)
		return err;
	sqlite3_bind_blob(v->stmt[VECTORS_NUMBER], 1, hash, VECTOR_HASH, SQLITE_STATIC);
	err = vectors_run(v, VECTORS_NUMBER);
	*id = sqlite3_last_insert_rowid(v->db);
	return err ? err : *id > UINT32_MAX ? STORE_ENOSPC : 0;
}

/* `sum` as the index has it. */
static int save_text(struct filling *f, const struct search_text *t, int64_t sum)
{
	struct vectors *v = f->v;
	unsigned char hash[VECTOR_HASH];
	size_t len = t->len;
	int64_t id = 0;
	if (!t->body)
		return 0;
	int flags = (int)t->kind | t->role << FLAG_ROLE_SHIFT;
	vector_cut(t->body, &len);
	hasher_sha256(&v->hasher, t->body, len, hash);
	int err = number_of(v, hash, &id);
	sqlite3_stmt *q = v->stmt[VECTORS_SAVE_TEXT];
	sqlite3_clear_bindings(q);
	sqlite3_bind_int64(q, 1, t->seq);
	sqlite3_bind_int64(q, 2, id);
	if (t->kind == HIT_DOCUMENT)
		sqlite3_bind_int64(q, 3, t->doc);
	sqlite3_bind_int64(q, 4, sum);
	sqlite3_bind_int64(q, 5, flags);
	err = err ? err : vectors_run(v, VECTORS_SAVE_TEXT);
	return err ? err : vectors_put_row(v, t->seq, (uint32_t)id, flags);
}

/* ---- entries ----------------------------------------------------------- */

static int see_message(struct filling *f, const struct entry *e, int64_t session)
{
	struct search_text t;
	int err = search_text_message(e, session, &t);
	err = err ? err : save_text(f, &t, 0);
	search_text_release(&t);
	return err;
}

/* The index has settled what is there of a document: at most one version, in one place. */
static int see_document(struct filling *f, int64_t doc)
{
	sqlite3_stmt *is = f->x->stmt[SEARCH_DOC], *was = f->v->stmt[VECTORS_DOC];
	struct search_text t;
	sqlite3_bind_int64(is, 1, doc);
	sqlite3_bind_int64(was, 1, doc);
	int there = sqlite3_step(is), before = sqlite3_step(was);
	int64_t seq = there == SQLITE_ROW ? sqlite3_column_int64(is, 0) : 0;
	int64_t sum = there == SQLITE_ROW ? sqlite3_column_int64(is, 3) : 0;
	int64_t old = before == SQLITE_ROW ? sqlite3_column_int64(was, 0) : 0;
	bool same = seq == old && (!old || sum == sqlite3_column_int64(was, 1));
	sqlite3_reset(is);
	sqlite3_reset(was);
	int err = db_error(there) ? db_error(there) : db_error(before);
	if (err || same)
		return err;
	if (old > 0) {
		sqlite3_bind_int64(f->v->stmt[VECTORS_END_DOC], 1, doc);
		err = vectors_run(f->v, VECTORS_END_DOC);
		vectors_drop_row(f->v, old);
	}
	if (err || seq == 0)
		return err;
	err = vectors_text(f->x, seq, &t);
	err = err ? err : save_text(f, &t, sum);
	search_text_release(&t);
	return err;
}

static int see_fact(struct filling *f, const struct entry *e)
{
	int64_t id = strcmp(e->kind, "fact.add") == 0 ? e->seq : 0;
	struct search_text t;
	if (strcmp(e->kind, "fact.retract") == 0 && e->body) {
		json_t *body = json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL);
		id = doc_body_number(json_object_get(body, "fact"));
		json_decref(body);
	}
	if (id <= 0)
		return 0;
	sqlite3_stmt *q = f->x->stmt[SEARCH_FACT];
	sqlite3_bind_int64(q, 1, id);
	int rc = sqlite3_step(q);
	bool live = rc == SQLITE_ROW;
	int64_t sum = live ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	int err = db_error(rc);
	if (!err && live) {
		err = vectors_text(f->x, id, &t);
		err = err ? err : save_text(f, &t, sum);
		search_text_release(&t);
	} else if (!err) { /* what was retracted need not be a fact: anybody writes entries */
		sqlite3_bind_int64(f->v->stmt[VECTORS_END], 1, id);
		err = vectors_run(f->v, VECTORS_END);
		if (sqlite3_changes(f->v->db) > 0)
			vectors_drop_row(f->v, id);
	}
	return err;
}

static int see(void *ctx, const struct entry *e)
{
	struct filling *f = ctx;
	struct log_id log;
	if (strcmp(e->kind, "tape.redact") == 0)
		f->redacted = f->redacted || e->seq >= f->clean;
	if (store_stream_log(e->stream, &log))
		return log.kind == LOG_SESSION ? see_message(f, e, log.id) : 0;
	int64_t list = store_stream_number(e->stream, 'f');
	if (list >= FACT_WORK && list <= FACT_PROJECTS)
		return see_fact(f, e);
	int64_t doc = store_stream_number(e->stream, 'd');
	return doc > 0 ? see_document(f, doc) : 0;
}

/* ---- redactions -------------------------------------------------------- */

/* All texts an entry ever had; their vectors, unless another entry says the same. */
static int forget_entry(struct vectors *v, int64_t seq)
{
	int64_t id = 0, shared = 0;
	int err;
	vectors_drop_row(v, seq);
	for (;;) {
		sqlite3_bind_int64(v->stmt[VECTORS_OF_ENTRY], 1, seq);
		err = vectors_number(v, VECTORS_OF_ENTRY, &id);
		if (err || id == 0)
			return err;
		sqlite3_bind_int64(v->stmt[VECTORS_DROP_TEXT], 1, seq);
		sqlite3_bind_int64(v->stmt[VECTORS_DROP_TEXT], 2, id);
		sqlite3_bind_int64(v->stmt[VECTORS_SHARED], 1, id);
		sqlite3_bind_int64(v->stmt[VECTORS_FORGET], 1, id);
		if ((err = vectors_run(v, VECTORS_DROP_TEXT)) ||
		    (err = vectors_number(v, VECTORS_SHARED, &shared)))
			return err;
		if (!shared && ((err = vectors_erase(v, (uint32_t)id)) ||
		                (err = vectors_run(v, VECTORS_FORGET))))
			return err;
	}
}

/* The tape says itself what is gone: whatever its redactions name, and whoever wrote them. */
static int forget_redacted(struct filling *f)
{
	sqlite3_stmt *q = f->x->stmt[TAPE_REDACTED];
	int err = 0, rc = SQLITE_DONE;
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = forget_entry(f->v, sqlite3_column_int64(q, 0));
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

/* ---- catching up ------------------------------------------------------- */

static int see_some(struct filling *f, int64_t *upto, int64_t stop)
{
	sqlite3_stmt *set = f->v->stmt[VECTORS_SET_STATE];
	uint8_t leaf[HASH_SIZE];
	int err = search_each_entry(f->x, upto, stop, leaf, see, f);
	if (!err && f->redacted)
		err = forget_redacted(f);
	sqlite3_bind_int64(set, 1, *upto);
	sqlite3_bind_blob(set, 2, leaf, HASH_SIZE, SQLITE_STATIC);
	return err ? err : vectors_run(f->v, VECTORS_SET_STATE);
}

/*
 * In transactions on all three files.  The state is the first thing read: so the tape, which only
 * grows, has what the state speaks of, also while another process goes on.
 */
static int begin(struct filling *f, bool write, int64_t *upto, int64_t *limit)
{
	bool same = true;
	int err = db_exec(f->x->tape, "BEGIN");
	err = err ? err : db_exec(f->x->db, "BEGIN");
	err = err ? err : write ? db_begin(f->v->db) : db_exec(f->v->db, "BEGIN");
	err = err ? err : search_state(f->x, f->v->stmt[VECTORS_STATE], upto, &f->clean, &same);
	err = err || same ? err : STORE_EFORMAT;
	int64_t seen = views_upto(f->x->tape);
	*limit = db_int(f->x->db, "SELECT upto FROM state", 0);
	*limit = *limit < seen ? *limit : seen;
	return err;
}

static void end(struct filling *f)
{
	db_rollback(f->v->db);
	db_rollback(f->x->db);
	db_rollback(f->x->tape);
}

int vectors_catch_up(struct vectors *v, struct search *x, int64_t most, int64_t *left)
{
	struct filling f = { .v = v, .x = x };
	int64_t upto = 0, limit = 0;
	int err = begin(&f, false, &upto, &limit);
	if (!err && !v->fixed && upto < limit) { /* else who reads waits for no writer */
		end(&f);
		err = begin(&f, true, &upto, &limit);
		if (!err && upto < limit)
			err = see_some(&f, &upto, limit - upto > most ? upto + most : limit);
		if (!err)
			err = db_commit(v->db);
	}
	end(&f);
	if (err) /* `rows` may be ahead of what is kept */
		vectors_unload(v);
	else if (f.redacted && v->owner)
		(void)db_empty_wal(v->db); /* what is gone leaves it, too, if nobody reads */
	v->upto = err ? 0 : upto;
	*left = limit > upto ? limit - upto : 0;
	return err;
}
