/* SPDX-License-Identifier: MIT */
/* What of PATH.vectors is in memory: the texts that can be found, and where a model's packs are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/vectors/vector_file.h"

/* ---- texts ------------------------------------------------------------- */

/* The first row that is not before `seq`. */
static size_t place_of(const struct vectors *v, int64_t seq)
{
	if (v->count > 0 && v->rows[v->count - 1].seq < seq)
		return v->count;
	return array_place(v->rows, v->count, sizeof *v->rows, seq);
}

const struct vector_row *vectors_row(const struct vectors *v, int64_t seq)
{
	size_t at = place_of(v, seq);
	return at < v->count && v->rows[at].seq == seq ? &v->rows[at] : NULL;
}

static int insert(struct vectors *v, size_t at, struct vector_row row)
{
	if (!ARRAY_ROOM(v->rows, v->room, v->count))
		return STORE_ENOMEM;
	memmove(v->rows + at + 1, v->rows + at, (v->count - at) * sizeof *v->rows);
	v->rows[at] = row;
	v->count++;
	return 0;
}

int vectors_put_row(struct vectors *v, int64_t seq, uint32_t id, int flags)
{
	struct vector_row row = { seq, id, flags };
	size_t at = place_of(v, seq);
	if (!v->loaded)
		return 0;
	if (at == v->count || v->rows[at].seq != seq)
		return insert(v, at, row);
	v->rows[at] = row;
	return 0;
}

void vectors_drop_row(struct vectors *v, int64_t seq)
{
	size_t at = place_of(v, seq);
	if (!v->loaded || at == v->count || v->rows[at].seq != seq)
		return;
	v->count--;
	memmove(v->rows + at, v->rows + at + 1, (v->count - at) * sizeof *v->rows);
}

void vectors_unload(struct vectors *v)
{
	v->loaded = false;
	v->count = 0;
	v->model = 0;
	v->pack_count = 0;
}

static int last_number(struct vectors *v, int64_t *last)
{
	int err = vectors_number(v, VECTORS_LAST, last);
	return err ? err : *last < 0 || *last > UINT32_MAX ? STORE_EFORMAT : 0;
}

static int load_rows(struct vectors *v)
{
	sqlite3_stmt *q = v->stmt[VECTORS_LIVE];
	int64_t last = 0;
	int err = last_number(v, &last), rc = SQLITE_DONE;
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0), id = sqlite3_column_int64(q, 1);
		if (id <= 0 || id > last || (v->count > 0 && v->rows[v->count - 1].seq >= seq))
			err = STORE_EFORMAT; /* of one entry, one text is live */
		else
			err = insert(v, v->count,
			             (struct vector_row){ seq, (uint32_t)id, sqlite3_column_int(q, 2) });
	}
	sqlite3_reset(q);
	v->loaded = !err && rc == SQLITE_DONE;
	return err ? err : db_error(rc);
}

/* ---- packs ------------------------------------------------------------- */

/* Room for the packs up to number n - 1. */
static int have_packs(struct vectors *v, size_t n)
{
	if (n <= v->pack_count)
		return 0;
	struct vector_pack *grown = realloc(v->packs, n * sizeof *grown);
	if (!grown)
		return STORE_ENOMEM;
	memset(grown + v->pack_count, 0, (n - v->pack_count) * sizeof *grown);
	v->packs = grown;
	v->pack_count = n;
	return 0;
}

static int load_packs(struct vectors *v, int64_t model)
{
	sqlite3_stmt *q = v->stmt[VECTORS_PACKS];
	int64_t last = 0;
	int rc = SQLITE_DONE, err = last_number(v, &last);
	v->pack_count = 0;
	err = err ? err : have_packs(v, (size_t)last / PACK + 1);
	sqlite3_bind_int64(q, 1, model);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t n = sqlite3_column_int64(q, 0);
		if (n < 0 || n >= (int64_t)v->pack_count) /* only what was forgotten stood there */
			continue;
		v->packs[n] = (struct vector_pack){ sqlite3_column_int64(q, 3),
			(uint64_t)sqlite3_column_int64(q, 1), (uint64_t)sqlite3_column_int64(q, 2) };
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

int vectors_load(struct vectors *v, const struct vector_model *m)
{
	int64_t version = 0, model = 0;
	int err = vectors_number(v, VECTORS_CHANGED, &version);
	if (!err && version != v->version) /* another process wrote */
		vectors_unload(v);
	v->version = version;
	if (!err && !v->loaded)
		err = load_rows(v);
	sqlite3_stmt *q = v->stmt[VECTORS_MODEL];
	sqlite3_bind_text(q, 1, m->name, -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 2, m->dims);
	err = err ? err : vectors_number(v, VECTORS_MODEL, &model);
	sqlite3_clear_bindings(q);
	if (!err && model > 0 && v->model != model)
		err = load_packs(v, model);
	v->model = err ? 0 : model;
	v->dims = m->dims;
	if (err)
		vectors_unload(v);
	return err ? err : model > 0 ? 0 : STORE_ENOENT;
}

/* ---- writing ----------------------------------------------------------- */

static int read_pack(struct vectors *v, int64_t model, int64_t n, struct vector_pack *out)
{
	sqlite3_stmt *q = v->stmt[VECTORS_PACK];
	memset(out, 0, sizeof *out);
	sqlite3_bind_int64(q, 1, model);
	sqlite3_bind_int64(q, 2, n);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*out = (struct vector_pack){ sqlite3_column_int64(q, 2),
			(uint64_t)sqlite3_column_int64(q, 0), (uint64_t)sqlite3_column_int64(q, 1) };
	sqlite3_reset(q);
	return db_error(rc);
}

static int save_pack(struct vectors *v, int64_t model, int64_t n, const struct vector_pack *p)
{
	sqlite3_stmt *q = v->stmt[VECTORS_SAVE_PACK];
	const int64_t values[] = { model, n, (int64_t)p->have, (int64_t)p->none, p->data };
	for (int i = 0; i < 5; i++)
		sqlite3_bind_int64(q, i + 1, values[i]);
	int err = vectors_run(v, VECTORS_SAVE_PACK);
	if (!err && v->model == model) {
		err = have_packs(v, (size_t)n + 1);
		if (!err)
			v->packs[n] = *p;
	}
	return err;
}

/* The vectors' row, checked: 64 of `dims` floats. */
static int open_data(struct vectors *v, int64_t data, int dims, int write, sqlite3_blob **out)
{
	int err = db_error(sqlite3_blob_open(v->db, "main", "data", "vectors", data, write, out));
	if (!err && sqlite3_blob_bytes(*out) != PACK * dims * (int)sizeof(float))
		err = STORE_EFORMAT;
	return err == STORE_EIO ? STORE_EFORMAT : err; /* "no such row" is an SQLITE_ERROR */
}

static int write_place(struct vectors *v, int64_t data, int dims, uint32_t id, const float *values)
{
	const int size = dims * (int)sizeof(float);
	sqlite3_blob *blob = NULL;
	int err = open_data(v, data, dims, 1, &blob);
	if (!err)
		err = db_error(sqlite3_blob_write(blob, values, size, (int)(id % PACK) * size));
	int closed = db_error(sqlite3_blob_close(blob));
	return err ? err : closed;
}

int vectors_write(struct vectors *v, int64_t model, int dims, uint32_t id, const float *unit)
{
	struct vector_pack p;
	uint64_t bit = UINT64_C(1) << id % PACK;
	int err = read_pack(v, model, id / PACK, &p);
	if (!err && unit && p.data == 0) {
		sqlite3_bind_int(v->stmt[VECTORS_ADD_DATA], 1, PACK * dims * (int)sizeof(float));
		err = vectors_run(v, VECTORS_ADD_DATA);
		p.data = sqlite3_last_insert_rowid(v->db);
	}
	if (!err && unit)
		err = write_place(v, p.data, dims, id, unit);
	if (err)
		return err;
	p.have = unit ? p.have | bit : p.have & ~bit;
	p.none = unit ? p.none & ~bit : p.none | bit;
	return save_pack(v, model, id / PACK, &p);
}

int vectors_erase(struct vectors *v, uint32_t id)
{
	sqlite3_stmt *q = v->stmt[VECTORS_PACKS_AT];
	uint64_t bit = UINT64_C(1) << id % PACK;
	for (int64_t model = 0;;) {
		struct vector_pack p;
		sqlite3_bind_int64(q, 1, id / PACK);
		sqlite3_bind_int64(q, 2, model);
		int rc = sqlite3_step(q);
		model = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
		int dims = rc == SQLITE_ROW ? sqlite3_column_int(q, 1) : 0;
		sqlite3_reset(q);
		if (rc != SQLITE_ROW)
			return db_error(rc);
		if (dims < 1 || dims > VECTOR_DIMS_MOST)
			return STORE_EFORMAT;
		float *zeros = calloc((size_t)dims, sizeof *zeros);
		int err = zeros ? read_pack(v, model, id / PACK, &p) : STORE_ENOMEM;
		if (!err && p.data > 0)
			err = write_place(v, p.data, dims, id, zeros);
		free(zeros);
		p.have &= ~bit;
		p.none &= ~bit;
		err = err ? err : save_pack(v, model, id / PACK, &p);
		if (err)
			return err;
	}
}

/* ---- reading ----------------------------------------------------------- */

int vectors_read(struct vectors *v, int64_t model, int dims, uint32_t id, float *out)
{
	const int size = dims * (int)sizeof(float);
	struct vector_pack p;
	sqlite3_blob *blob = NULL;
	int err = read_pack(v, model, id / PACK, &p);
	if (err || !(p.have >> id % PACK & 1))
		return err ? err : STORE_ENOENT;
	err = open_data(v, p.data, dims, 0, &blob);
	if (!err)
		err = db_error(sqlite3_blob_read(blob, out, size, (int)(id % PACK) * size));
	sqlite3_blob_close(blob);
	return err;
}

/* Of one pack, those of `mask`: all at once, or one by one where they are few. */
static int scan_pack(sqlite3_blob *blob, uint64_t mask, const float *unit, int dims, float *buffer,
                     float *out)
{
	const int size = dims * (int)sizeof(float);
	bool few = __builtin_popcountll(mask) < PACK / 4;
	int rc = few ? SQLITE_OK : sqlite3_blob_read(blob, buffer, PACK * size, 0);
	for (int i = 0; rc == SQLITE_OK && i < PACK; i++) {
		float *at = few ? buffer : buffer + (size_t)i * (size_t)dims;
		if (!(mask >> i & 1))
			continue;
		if (few)
			rc = sqlite3_blob_read(blob, at, size, i * size);
		float cosine = vector_dot(at, unit, (size_t)dims);
		out[i] = cosine >= -2 && cosine <= 2 ? cosine : NAN; /* a byte of the file has changed */
	}
	return db_error(rc);
}

int vectors_cosines(struct vectors *v, const float *unit, const uint64_t *want, float *out)
{
	float *buffer = malloc(PACK * (size_t)v->dims * sizeof *buffer);
	sqlite3_blob *blob = NULL;
	int err = buffer ? 0 : STORE_ENOMEM;
	for (size_t i = 0; i < PACK * v->pack_count; i++)
		out[i] = NAN;
	for (size_t n = 0; !err && n < v->pack_count; n++) {
		uint64_t mask = v->packs[n].have & (want ? want[n] : UINT64_MAX);
		if (!mask)
			continue;
		if (!blob)
			err = open_data(v, v->packs[n].data, v->dims, 0, &blob);
		else if (sqlite3_blob_reopen(blob, v->packs[n].data) != SQLITE_OK ||
		         sqlite3_blob_bytes(blob) != PACK * v->dims * (int)sizeof(float))
			err = STORE_EFORMAT;
		if (!err)
			err = scan_pack(blob, mask, unit, v->dims, buffer, out + PACK * n);
	}
	sqlite3_blob_close(blob);
	free(buffer);
	return err;
}
