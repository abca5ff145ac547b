/* SPDX-License-Identifier: MIT */
/*
 * The door of the vectors (vectors.h).  The file is made by store_vectors_add() and
 * store_vectors_missing() alone: who embeds nothing never has it.
 */
#include "store/vectors.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/views/views.h"
#include "store/vectors/vectors.h"

enum { BATCH = 2000 /* entries a transaction, while others wait */, TEXTS_MOST = 1024 };

/* ---- the store's ------------------------------------------------------- */

struct vectors *vectors_of(struct store *s, bool make)
{
	struct index *x = s->index;
	if (x->vectors)
		return x->vectors;
	int err = STORE_EROFS;
	if (!s->read_only)
		err = vectors_open(s->path, make, false, &x->vectors);
	if (err == STORE_EFORMAT) {
		vectors_remove(s->path);
		err = vectors_open(s->path, make, false, &x->vectors);
	}
	/* Only one process copies the WAL back, as with the memory's own (docs/design.md). */
	if (!err)
		x->vectors->owner = (s->config.flags & STORE_OWNER) != 0;
	if (!err && !x->vectors->owner)
		(void)db_exec(x->vectors->db, "PRAGMA wal_autocheckpoint=0");
	if (err == STORE_EROFS || err == STORE_ENOSPC)
		err = vectors_open(s->path, false, true, &x->vectors);
	return err ? NULL : x->vectors;
}

void vectors_failed(struct store *s, int err)
{
	struct index *x = s->index;
	if (err != STORE_EFORMAT && err != STORE_EIO)
		return;
	bool remove = err == STORE_EFORMAT && !s->read_only && x->vectors && !x->vectors->fixed;
	vectors_close(x->vectors);
	x->vectors = NULL;
	if (remove)
		vectors_remove(s->path);
}

/* The index, and then the vectors, see further entries; *left: 0 when they have all. */
int vectors_keep_up(struct store *s, int64_t most, int64_t *left)
{
	int64_t unseen = 0;
	int err = search_keep_up(s, most, left);
	struct vectors *v = err ? NULL : vectors_of(s, false);
	if (!v)
		return err;
	err = vectors_catch_up(v, s->index->search, most, &unseen);
	if (err)
		vectors_failed(s, err);
	*left += unseen;
	return err;
}

static int model_number(struct vectors *v, const struct vector_model *m, int64_t *model)
{
	sqlite3_stmt *q = v->stmt[VECTORS_MODEL];
	sqlite3_bind_text(q, 1, m->name, -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 2, m->dims);
	int err = vectors_number(v, VECTORS_MODEL, model);
	sqlite3_clear_bindings(q);
	return err;
}

static int hash_number(struct vectors *v, const unsigned char hash[VECTOR_HASH], int64_t *id)
{
	sqlite3_bind_blob(v->stmt[VECTORS_FIND], 1, hash, VECTOR_HASH, SQLITE_STATIC);
	int err = vectors_number(v, VECTORS_FIND, id);
	sqlite3_clear_bindings(v->stmt[VECTORS_FIND]);
	return err;
}

int store_vector(struct store *s, const struct vector_model *m,
                 const unsigned char hash[VECTOR_HASH], float *out)
{
	int64_t model = 0, id = 0;
	if (!vector_model_ok(m))
		return STORE_EINVAL;
	lock_take(&s->index->lock);
	struct vectors *v = vectors_of(s, false);
	int err = v ? model_number(v, m, &model) : STORE_ENOENT;
	if (!err && model > 0)
		err = hash_number(v, hash, &id);
	if (!err)
		err = id > 0 ? vectors_read(v, model, m->dims, (uint32_t)id, out) : STORE_ENOENT;
	if (err && err != STORE_ENOENT)
		vectors_failed(s, err);
	lock_give(&s->index->lock);
	return err;
}

/*
 * Locks the index, in which the vectors have then seen all that is committed; a search gets its
 * turn between two batches.
 */
static int lock_settled(struct store *s)
{
	int64_t behind = 1;
	bool again = false;
	tape_see_others(s);
	int err = store_catch_up(s);
	lock_take(&s->index->lock);
	while (!err && behind > 0) {
		const struct vectors *v = vectors_of(s, true);
		err = v && !v->fixed ? vectors_keep_up(s, BATCH, &behind) : STORE_EROFS;
		if (err == STORE_EFORMAT && !again) { /* it is gone: start again */
			again = true;
			err = 0;
			behind = 1;
		}
		if (!err && behind > 0) {
			lock_give(&s->index->lock);
			(void)sched_yield();
			lock_take(&s->index->lock);
		}
	}
	return err;
}

/* ---- adding ------------------------------------------------------------ */

static bool was_handed(const struct vectors *v, const unsigned char hash[VECTOR_HASH])
{
	for (size_t i = 0; v->handed && i < HANDED; i++)
		if (memcmp(v->handed[i], hash, VECTOR_HASH) == 0)
			return true;
	return false;
}

/*
 * A hash that has no number is a question's, and gets one; but one that was handed out as a text's
 * has lost it since by a redaction, and nothing of it is kept.
 */
static int add_one(struct vectors *v, int64_t model, int dims, const struct vector_add *a,
                   float *unit)
{
	int64_t id = 0;
	int err = hash_number(v, a->hash, &id);
	if (err || (id == 0 && was_handed(v, a->hash)))
		return err;
	if (id == 0) {
		sqlite3_bind_blob(v->stmt[VECTORS_NUMBER], 1, a->hash, VECTOR_HASH, SQLITE_STATIC);
		err = vectors_run(v, VECTORS_NUMBER);
		id = sqlite3_last_insert_rowid(v->db);
	}
	if (!err && id > UINT32_MAX)
		err = STORE_ENOSPC;
	bool good = a->values && vector_unit(a->values, dims, unit);
	return err ? err : vectors_write(v, model, dims, (uint32_t)id, good ? unit : NULL);
}

static int add_all(struct vectors *v, const struct vector_model *m, const struct vector_add *add,
                   size_t count)
{
	int64_t model = 0;
	float *unit = malloc((size_t)m->dims * sizeof *unit);
	int err = unit ? db_begin(v->db) : STORE_ENOMEM;
	if (err)
		goto out;
	err = model_number(v, m, &model);
	if (!err && model == 0) {
		sqlite3_bind_text(v->stmt[VECTORS_ADD_MODEL], 1, m->name, -1, SQLITE_STATIC);
		sqlite3_bind_int(v->stmt[VECTORS_ADD_MODEL], 2, m->dims);
		err = vectors_run(v, VECTORS_ADD_MODEL);
		sqlite3_clear_bindings(v->stmt[VECTORS_ADD_MODEL]);
		model = sqlite3_last_insert_rowid(v->db);
	}
	for (size_t i = 0; !err && i < count; i++)
		err = add_one(v, model, m->dims, &add[i], unit);
	if (!err)
		err = db_commit(v->db);
	if (err) {
		db_rollback(v->db);
		vectors_unload(v);
	}
out:
	free(unit);
	return err;
}

int store_vectors_add(struct store *s, const struct vector_model *m, const struct vector_add *add,
                      size_t count)
{
	if (!vector_model_ok(m))
		return STORE_EINVAL;
	int err = lock_settled(s); /* what was redacted meanwhile is known then */
	err = err ? err : add_all(s->index->vectors, m, add, count);
	if (err)
		vectors_failed(s, err);
	lock_give(&s->index->lock);
	return err;
}

/* ---- what is missing --------------------------------------------------- */

struct missing {
	unsigned char hash[VECTOR_HASH];
	char *text;
	size_t len;
};

static void remember(struct vectors *v, const unsigned char hash[VECTOR_HASH])
{
	if (!v->handed)
		v->handed = calloc(HANDED, sizeof *v->handed);
	if (v->handed && !was_handed(v, hash))
		memcpy(v->handed[v->handed_at++ % HANDED], hash, VECTOR_HASH);
}

/* 1: it is still a text, the one its hash was made of. */
static int vector_take(struct vectors *v, struct search *x, const struct vector_row *row,
                       struct missing *out)
{
	struct search_text t;
	int64_t id = 0;
	int err = vectors_text(x, row->seq, &t);
	if (!err && t.body) {
		out->text = t.body;
		out->len = t.len;
		t.body = NULL;
		store_vector_hash(out->text, &out->len, out->hash);
		out->text[out->len] = '\0';
		err = hash_number(v, out->hash, &id);
	}
	search_text_release(&t);
	if (!err && id == row->id) {
		remember(v, out->hash);
		return 1;
	}
	free(out->text);
	out->text = NULL;
	return err;
}

static int find_missing(struct vectors *v, struct search *x, struct missing *list, size_t most,
                        size_t *found, int64_t *left)
{
	size_t ids = PACK * v->pack_count;
	for (size_t i = 0; i < v->count; i++)
		ids = v->rows[i].id >= ids ? (size_t)v->rows[i].id + 1 : ids;
	unsigned char *seen = calloc(ids / 8 + 1, 1);
	int got = seen ? 0 : STORE_ENOMEM;
	for (size_t i = 0; got >= 0 && i < v->count; i++) {
		uint32_t id = v->rows[i].id, n = id / PACK;
		uint64_t done = n < v->pack_count ? v->packs[n].have | v->packs[n].none : 0;
		if ((done >> id % PACK & 1) || (seen[id / 8] >> id % 8 & 1))
			continue;
		seen[id / 8] = (unsigned char)(seen[id / 8] | 1u << id % 8);
		if (*found == most) {
			++*left;
			continue;
		}
		got = vector_take(v, x, &v->rows[i], &list[*found]);
		*found += got > 0;
		*left += got > 0;
	}
	free(seen);
	return got < 0 ? got : 0;
}

static int missing_now(struct store *s, const struct vector_model *m, struct missing *list,
                       size_t most, size_t *found, int64_t *left)
{
	struct vectors *v = s->index->vectors;
	int err = db_exec(s->index->search->tape, "BEGIN");
	if (err)
		return err;
	err = db_exec(s->index->search->db, "BEGIN");
	if (!err)
		err = vectors_load(v, m);
	if (err == STORE_ENOENT) { /* none of this model: all are missing */
		v->pack_count = 0;
		err = 0;
	}
	if (!err)
		err = find_missing(v, s->index->search, list, most, found, left);
	db_rollback(s->index->search->db);
	db_rollback(s->index->search->tape);
	return err;
}

int store_vectors_missing(struct store *s, const struct vector_model *m, size_t most,
                          vector_text_fn *fn, void *ctx, int64_t *left)
{
	struct missing *list;
	size_t found = 0;
	*left = 0;
	if (!vector_model_ok(m))
		return STORE_EINVAL;
	most = most < TEXTS_MOST ? most : TEXTS_MOST;
	list = calloc(most + 1, sizeof *list);
	if (!list)
		return STORE_ENOMEM;
	int err = lock_settled(s);
	err = err ? err : missing_now(s, m, list, most, &found, left);
	if (err)
		vectors_failed(s, err);
	lock_give(&s->index->lock);
	for (size_t i = 0, stop = 0; i < found; i++) {
		stop = stop || err || fn(ctx, list[i].hash, list[i].text, list[i].len);
		free(list[i].text);
	}
	free(list);
	return err;
}
