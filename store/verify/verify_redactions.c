/* SPDX-License-Identifier: MIT */
/*
 * Bodies that are gone.  A redaction stands behind what it names, so at the first body
 * that is gone all entries of the kind are read, whatever stream they are in: those that
 * only claim make the difference between MISSING and REDACTED-UNPROVED.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/db/db.h"
#include "store/tape/tape.h"
#include "store/verify/verify.h"

struct claim {
	int64_t names, by;
	int64_t time_us;
	char *author, *body; /* owned */
	size_t len;
	bool counts; /* it is in the one stream where it may prove something */
	bool proved; /* it did */
};

static int add_claim(struct verify *v, sqlite3_stmt *q)
{
	const char *body = (const char *)sqlite3_column_text(q, 3);
	const char *author = (const char *)sqlite3_column_text(q, 4);
	size_t len = (size_t)sqlite3_column_bytes(q, 3);
	struct claim c = { .names = redaction_names(body, len), .by = sqlite3_column_int64(q, 0),
		.counts = sqlite3_column_int(q, 1) != 0, .time_us = sqlite3_column_int64(q, 2),
		.len = len };
	if (c.names < 0 || c.names >= c.by)
		return 0;
	if (!ARRAY_ROOM(v->claims, v->claim_cap, v->claim_count))
		return STORE_ENOMEM;
	c.body = malloc(len + 1);
	c.author = strdup(author ? author : "");
	if (!c.body || !c.author) {
		free(c.body);
		free(c.author);
		return STORE_ENOMEM;
	}
	memcpy(c.body, body, len);
	c.body[len] = '\0';
	v->claims[v->claim_count++] = c;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	if (x->names != y->names)
		return x->names < y->names ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by);
}

static int read_claims(struct verify *v)
{
	int err = 0, rc = SQLITE_DONE;
	sqlite3_stmt *q =
		db_prepare(v->db, "SELECT seq, stream = '" REDACTION_STREAM "', time_us, body, author"
		                  " FROM tape WHERE kind = '" REDACTION_KIND "' AND typeof(body) = 'text'");
	v->claims_read = true;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = add_claim(v, q);
	if (!err && (!q || rc != SQLITE_DONE))
		err = verify_sqlite(v, -1);
	sqlite3_finalize(q);
	if (v->claim_count > 0)
		qsort(v->claims, v->claim_count, sizeof *v->claims, compare);
	return err;
}

/* The first claim that names `seq`, or where it would stand. */
static size_t first_of(const struct verify *v, int64_t seq)
{
	size_t low = 0, high = v->claim_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (v->claims[middle].names < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int redactions_judge(struct verify *v, const struct entry *e)
{
	long long seq = (long long)e->seq;
	int err = 0;
	if (!v->claims_read) {
		rows_pause(v->rows);
		err = read_claims(v);
		rows_resume(v->rows);
	}
	if (err)
		return err;
	size_t i = first_of(v, e->seq);
	if (i == v->claim_count || v->claims[i].names != e->seq)
		return verify_fault(v, VERDICT_MISSING, e->seq,
		                    "entry %lld: the body is gone and no redaction says so", seq);
	bool keeps = strcmp(e->stream, REDACTION_STREAM) == 0;
	for (; !keeps && v->has_key && i < v->claim_count && v->claims[i].names == e->seq; i++) {
		struct claim *c = &v->claims[i];
		c->proved = c->counts &&
			redaction_proves(&v->key, v->origin, c->body, c->len, e->seq, e->leaf_hash);
		if (c->proved)
			return 0;
	}
	return verify_fault(v, VERDICT_UNPROVED, e->seq,
	                    "entry %lld: the body is gone, and what says so has not the owner's"
	                    " signature; if you took it out, say so: cinta redact %lld DB",
	                    seq, seq);
}

int redactions_judge_back(struct verify *v)
{
	if (!v->claims_met || !v->has_key)
		return 0;
	int err = v->claims_read ? 0 : read_claims(v);
	sqlite3_stmt *q = db_prepare(v->db, "SELECT leaf_hash FROM tape WHERE seq = ?1"
		" AND body IS NOT NULL AND stream <> '" REDACTION_STREAM "'");
	if (!err && !q)
		err = verify_sqlite(v, -1);
	for (size_t i = 0; !err && i < v->claim_count; i++) {
		const struct claim *c = &v->claims[i];
		if (!c->counts || c->proved)
			continue;
		sqlite3_bind_int64(q, 1, c->names);
		const void *leaf = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_blob(q, 0) : NULL;
		if (leaf && redaction_proves(&v->key, v->origin, c->body, c->len, c->names, leaf))
			err = verify_fault(v, VERDICT_FORMAT, c->names,
			                   "entry %lld: its owner has taken the body out, by entry %lld, and it"
			                   " is there again: the next cinta mount takes it out",
			                   (long long)c->names, (long long)c->by);
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return err;
}

static void claim_tell(const struct verify *v, const struct claim *c)
{
	json_t *body = json_loadb(c->body, c->len, 0, NULL);
	const char *reason = json_string_value(json_object_get(body, "reason"));
	const struct verify_redaction r = { c->names, c->by, c->time_us, c->author,
		                                reason ? reason : "" };
	v->options->on_gone(v->options->ctx, &r);
	json_decref(body);
}

static int compare_by(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	return (x->by > y->by) - (x->by < y->by);
}

void redactions_report(struct verify *v)
{
	int64_t since = v->out->since;
	if (v->claim_count > 0)
		qsort(v->claims, v->claim_count, sizeof *v->claims, compare_by);
	for (size_t i = 0; i < v->claim_count; i++) {
		const struct claim *c = &v->claims[i];
		if (!c->proved)
			continue;
		v->out->redacted++;
		v->out->redacted_unsigned += c->by >= v->out->signed_upto;
		if (since >= 0 && c->names < since && c->by >= since && v->options->on_gone)
			claim_tell(v, c);
	}
}

void redactions_release(struct verify *v)
{
	for (size_t i = 0; i < v->claim_count; i++) {
		free(v->claims[i].body);
		free(v->claims[i].author);
	}
	free(v->claims);
}
