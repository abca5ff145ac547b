/* SPDX-License-Identifier: MIT */
/* The tree over the tape.  Trusts tape_tile only as far as its callers compare roots. */
#include "store/proof/merkle.h"

#include <assert.h>
#include <string.h>

#include "store/db/db.h"
#include "store/store.h"

void merkle_init(struct merkle *m)
{
	m->size = 0;
}

void merkle_push(struct merkle *m, struct hasher *h, int height, const uint8_t hash[HASH_SIZE])
{
	uint8_t node[HASH_SIZE];
	int at = height;
	assert((m->size & (((int64_t)1 << height) - 1)) == 0);
	memcpy(node, hash, HASH_SIZE);
	for (;; at++) {
		if (at % TILE_HEIGHT == 0)
			memcpy(m->tile[at / TILE_HEIGHT], node, HASH_SIZE);
		if (!(m->size >> at & 1))
			break;
		hasher_node(h, m->peak[at], node, node);
	}
	memcpy(m->peak[at], node, HASH_SIZE);
	m->size += (int64_t)1 << height;
}

void merkle_top(const struct merkle *m, struct hasher *h, uint8_t root[HASH_SIZE])
{
	int at = 0;
	if (m->size == 0) {
		hasher_sha256(h, "", 0, root);
		return;
	}
	while (!(m->size >> at & 1))
		at++;
	memcpy(root, m->peak[at], HASH_SIZE);
	for (at++; at < MERKLE_HEIGHT; at++)
		if (m->size >> at & 1)
			hasher_node(h, m->peak[at], root, root);
}

int64_t tile_span(int level)
{
	assert(level >= 0 && level <= TILE_LEVEL_MAX);
	return (int64_t)1 << (TILE_HEIGHT * level);
}

/* The statements of one walk; prepared for it, because walks are rare. */
struct walk {
	sqlite3 *db;
	struct hasher *h;
	sqlite3_stmt *leaves, *tile, *put;
};

static int walk_begin(struct walk *w, sqlite3 *db, struct hasher *h)
{
	*w = (struct walk){ .db = db, .h = h };
	w->leaves = db_prepare(db, "SELECT seq, leaf_hash FROM tape WHERE seq >= ?1 AND seq < ?2"
	                           " ORDER BY seq");
	w->tile = db_prepare(db, "SELECT hash FROM tape_tile WHERE level = ?1 AND idx = ?2");
	if (w->leaves && w->tile)
		return 0;
	int err = db_error(sqlite3_errcode(db));
	return err ? err : STORE_EIO;
}

static void walk_end(struct walk *w)
{
	sqlite3_finalize(w->leaves);
	sqlite3_finalize(w->tile);
	sqlite3_finalize(w->put);
}

/* Pushes leaves first..first+count-1. */
static int push_leaves(struct walk *w, struct merkle *m, int64_t first, int64_t count)
{
	int64_t next = first;
	int rc;
	sqlite3_bind_int64(w->leaves, 1, first);
	sqlite3_bind_int64(w->leaves, 2, first + count);
	while ((rc = sqlite3_step(w->leaves)) == SQLITE_ROW) {
		const void *hash = sqlite3_column_blob(w->leaves, 1);
		if (sqlite3_column_int64(w->leaves, 0) != next || !hash ||
		    sqlite3_column_bytes(w->leaves, 1) != HASH_SIZE)
			break;
		merkle_push(m, w->h, 0, hash);
		next++;
	}
	sqlite3_reset(w->leaves);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return db_error(rc);
	return next == first + count ? 0 : STORE_EFORMAT;
}

/* 0: there, 1: not stored. */
static int stored_tile(struct walk *w, int level, int64_t idx, uint8_t hash[HASH_SIZE])
{
	int found = 1;
	sqlite3_bind_int(w->tile, 1, level);
	sqlite3_bind_int64(w->tile, 2, idx);
	int rc = sqlite3_step(w->tile);
	if (rc == SQLITE_ROW) {
		const void *blob = sqlite3_column_blob(w->tile, 0);
		found = blob && sqlite3_column_bytes(w->tile, 0) == HASH_SIZE ? 0 : STORE_EFORMAT;
		if (found == 0)
			memcpy(hash, blob, HASH_SIZE);
	}
	sqlite3_reset(w->tile);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? found : db_error(rc);
}

static int push_tiles(struct walk *w, struct merkle *m, int level, int64_t first, int64_t count);

/* A tile from its 256 children; depth is bounded by the levels. */
static int make_tile(struct walk *w, int level, int64_t idx, uint8_t hash[HASH_SIZE])
{
	const int64_t width = 1 << TILE_HEIGHT;
	struct merkle sub;
	merkle_init(&sub);
	int err = push_tiles(w, &sub, level - 1, idx * width, width);
	if (!err)
		merkle_top(&sub, w->h, hash);
	return err;
}

/*
 * Pushes tiles first..first+count-1 of a level; level 0 is the leaves.  `m` may
 * be a subtree's own, which starts empty at a boundary of its parent.
 */
static int push_tiles(struct walk *w, struct merkle *m, int level, int64_t first, int64_t count)
{
	if (level == 0)
		return count > 0 ? push_leaves(w, m, first, count) : 0;
	for (int64_t idx = first; idx < first + count; idx++) {
		uint8_t hash[HASH_SIZE];
		int err = stored_tile(w, level, idx, hash);
		if (err == 1)
			err = make_tile(w, level, idx, hash);
		if (err)
			return err;
		merkle_push(m, w->h, TILE_HEIGHT * level, hash);
	}
	return 0;
}

/* The largest step that begins at m->size and ends at or before `size`. */
static int load_step(struct walk *w, struct merkle *m, int64_t size)
{
	int level = TILE_LEVEL_MAX;
	while (level > 0 && (m->size % tile_span(level) != 0 || size - m->size < tile_span(level)))
		level--;
	int64_t count = (size - m->size) / tile_span(level);
	if (level < TILE_LEVEL_MAX) {
		/* Stop where a larger step becomes possible. */
		int64_t rest = (tile_span(level + 1) - m->size % tile_span(level + 1)) / tile_span(level);
		count = count < rest ? count : rest;
	}
	return push_tiles(w, m, level, m->size / tile_span(level), count);
}

static int walk_load(struct walk *w, struct merkle *m, int64_t size)
{
	int err = 0;
	while (!err && m->size < size)
		err = load_step(w, m, size);
	return err;
}

int merkle_load(sqlite3 *db, struct hasher *h, struct merkle *m, int64_t size)
{
	struct walk w;
	assert(size >= m->size);
	int err = walk_begin(&w, db, h);
	if (!err)
		err = walk_load(&w, m, size);
	walk_end(&w);
	return err;
}

int merkle_root(sqlite3 *db, struct hasher *h, int64_t size, uint8_t root[HASH_SIZE])
{
	struct merkle m;
	merkle_init(&m);
	int err = merkle_load(db, h, &m, size);
	if (!err)
		merkle_top(&m, h, root);
	return err;
}

static int put_tile(struct walk *w, int level, int64_t idx, const uint8_t hash[HASH_SIZE])
{
	sqlite3_bind_int(w->put, 1, level);
	sqlite3_bind_int64(w->put, 2, idx);
	sqlite3_bind_blob(w->put, 3, hash, HASH_SIZE, SQLITE_STATIC);
	int rc = sqlite3_step(w->put);
	sqlite3_reset(w->put);
	return db_error(rc);
}

/* Tiles are made in order, so the highest index tells where to go on. */
static int extend_level(struct walk *w, int level, int64_t count)
{
	char sql[80];
	(void)snprintf(sql, sizeof sql, "SELECT max(idx) FROM tape_tile WHERE level = %d", level);
	int err = 0;
	for (int64_t idx = db_int(w->db, sql, -1) + 1; !err && idx < count; idx++) {
		uint8_t hash[HASH_SIZE];
		err = make_tile(w, level, idx, hash);
		if (!err)
			err = put_tile(w, level, idx, hash);
	}
	return err;
}

int merkle_extend(sqlite3 *db, struct hasher *h, int64_t size)
{
	struct walk w;
	int err = walk_begin(&w, db, h);
	if (!err) {
		w.put = db_prepare(db, "INSERT INTO tape_tile (level, idx, hash) VALUES (?1, ?2, ?3)");
		err = w.put ? 0 : STORE_EIO;
	}
	for (int level = 1; !err && level <= TILE_LEVEL_MAX && tile_span(level) <= size; level++)
		err = extend_level(&w, level, size / tile_span(level));
	walk_end(&w);
	return err;
}
