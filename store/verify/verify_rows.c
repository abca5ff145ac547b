/* SPDX-License-Identifier: MIT */
/*
 * The walk over all rows: each field, each link, each hash, and the tree's right
 * edge.  The hot loop of verify, so no statement and no allocation in it but for
 * a stream's first entry; the rows come from verify_ahead.c.
 */
#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"
#include "store/base/hash.h"
#include "store/db/db.h"
#include "store/verify/verify.h"

/* ---- the heads of the streams ------------------------------------------------ */

/* Open addressing, at most 3/4 full; stream NULL: free. */
struct link {
	char *stream;
	uint64_t hash;
	int64_t next; /* stream_seq of the next entry */
	int64_t dictionary; /* the first document of these sixteen places, once it has come; else -1 */
	uint8_t last[HASH_SIZE];
};

static struct link *link_slot(struct link *links, size_t cap, const char *stream, uint64_t hash)
{
	size_t i = hash & (cap - 1);
	while (links[i].stream && (links[i].hash != hash || strcmp(links[i].stream, stream) != 0))
		i = (i + 1) & (cap - 1);
	return &links[i];
}

static bool links_grow(struct verify *v)
{
	size_t cap = v->link_cap ? 2 * v->link_cap : 1024;
	struct link *links = calloc(cap, sizeof *links);
	if (!links)
		return false;
	for (size_t i = 0; i < v->link_cap; i++)
		if (v->links[i].stream)
			*link_slot(links, cap, v->links[i].stream, v->links[i].hash) = v->links[i];
	free(v->links);
	v->links = links;
	v->link_cap = cap;
	return true;
}

/* The head of a stream, new with zeros if it has none; NULL: out of memory. */
static struct link *link_of(struct verify *v, const char *stream)
{
	uint64_t hash = hash_text(HASH_NONE, stream);
	hash ^= hash >> 32; /* for the mask */
	if (4 * (v->link_count + 1) > 3 * v->link_cap && !links_grow(v))
		return NULL;
	struct link *l = link_slot(v->links, v->link_cap, stream, hash);
	if (!l->stream) {
		l->stream = strdup(stream);
		if (!l->stream)
			return NULL;
		l->hash = hash;
		v->link_count++;
	}
	return l;
}

void verify_rows_release(struct verify *v)
{
	for (size_t i = 0; i < v->link_cap; i++)
		free(v->links[i].stream);
	free(v->links);
}

/* ---- one row ---------------------------------------------------------------- */

static int check_hashes(struct verify *v, const struct entry *e, size_t stored)
{
	enum row_fault fault = row_fault(&v->h, v->origin, e, stored);
	if (fault != ROW_GOOD)
		return verify_fault(v, VERDICT_CONTENT, e->seq, "entry %lld: the %s is not the one hashed",
		                    (long long)e->seq, fault == ROW_BODY ? "body" : "header");
	return e->body ? 0 : redactions_judge(v, e);
}

/* One look-up unpacks any body, and who redacts a dictionary finds what was packed with it. */
static int check_dictionary(struct verify *v, struct link *l, const struct entry *e)
{
	enum { TOGETHER = 16 };
	int64_t beside = rows_beside(v->rows);
	if (e->stream_seq % TOGETHER == 0)
		l->dictionary = -1;
	if (beside >= 0 && beside != l->dictionary)
		return verify_fault(v, VERDICT_FORMAT, e->seq,
		                    "entry %lld: it is packed with entry %lld, not with the first version"
		                    " near it", (long long)e->seq, (long long)beside);
	if (l->dictionary < 0 && strcmp(e->kind, "document") == 0)
		l->dictionary = e->seq;
	return 0;
}

static int check_row(struct verify *v, const struct entry *e, size_t stored)
{
	int64_t want = v->tree.size;
	long long seq = (long long)want;
	if (e->seq != want)
		return verify_fault(v, VERDICT_LINK, want, "entry %lld is not there, %lld follows", seq,
		                    (long long)e->seq);
	struct link *l = link_of(v, e->stream);
	if (!l)
		return STORE_ENOMEM;
	if (e->stream_seq != l->next)
		return verify_fault(v, VERDICT_LINK, want, "entry %lld is number %lld of %s, not %lld", seq,
		                    (long long)e->stream_seq, e->stream, (long long)l->next);
	if (memcmp(e->prev, l->last, HASH_SIZE) != 0)
		return verify_fault(v, VERDICT_LINK, want,
		                    "entry %lld does not name the hash of %s before it", seq, e->stream);
	int err = check_hashes(v, e, stored);
	err = err ? err : check_dictionary(v, l, e);
	if (err)
		return err;
	if (want == 0 && (strcmp(e->kind, "tape.genesis") != 0 || strcmp(e->stream, "tape") != 0))
		return verify_fault(v, VERDICT_FORMAT, 0, "entry 0 is not a genesis");
	v->claims_met = v->claims_met || strcmp(e->kind, REDACTION_KIND) == 0;
	memcpy(l->last, e->leaf_hash, HASH_SIZE);
	l->next++;
	merkle_push(&v->tree, &v->h, 0, e->leaf_hash);
	return 0;
}

static int walk(struct verify *v)
{
	struct entry e;
	size_t stored = 0;
	bool strict = false;
	while (rows_next(v->rows, &e, &stored, &strict)) {
		int err = strict ? check_row(v, &e, stored) :
			verify_fault(v, VERDICT_FORMAT, v->tree.size,
			             "entry %lld: a field breaks the format", (long long)v->tree.size);
		if (err)
			return err;
		v->out->entries = v->tree.size;
		proofs_at(v);
		if (v->tree.size % (1 << TILE_HEIGHT) == 0)
			tiles_at(v);
	}
	const char *said;
	int rc = rows_ended(v->rows, &said);
	return rc == SQLITE_DONE ? 0 : verify_sqlite_said(v, v->tree.size, rc, said);
}

int verify_rows(struct verify *v)
{
	merkle_init(&v->tree);
	proofs_at(v);
	int err = rows_open(v);
	if (!err)
		err = walk(v);
	rows_close(v->rows);
	v->rows = NULL;
	err = err ? err : redactions_judge_back(v);
	if (!err)
		merkle_top(&v->tree, &v->h, v->out->root);
	return err;
}
