/* SPDX-License-Identifier: MIT */
/*
 * tape_tile against the tree that the rows make.  Tiles are derived: whatever is
 * wrong with them is DERIVED, and waits until rows and notes were found good.
 */
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/verify/verify.h"

struct tile {
	int64_t level, idx;
	uint8_t hash[HASH_SIZE];
	bool sound; /* the hash has its type and length */
};

static int compare_tile(const void *a, const void *b)
{
	const struct tile *x = a, *y = b;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

static struct tile *tile_new(struct verify *v)
{
	if (!ARRAY_ROOM(v->tiles, v->tile_cap, v->tile_count))
		return NULL;
	return &v->tiles[v->tile_count++];
}

int tiles_read(struct verify *v)
{
	int err = 0, rc = SQLITE_ERROR;
	sqlite3_stmt *q = db_prepare(v->db, "SELECT level, idx, hash FROM tape_tile");
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct tile *t = tile_new(v);
		if (!t) {
			err = STORE_ENOMEM;
			break;
		}
		t->level = sqlite3_column_int64(q, 0);
		t->idx = sqlite3_column_int64(q, 1);
		t->sound = sqlite3_column_type(q, 2) == SQLITE_BLOB &&
		           sqlite3_column_bytes(q, 2) == HASH_SIZE;
		if (t->sound)
			memcpy(t->hash, sqlite3_column_blob(q, 2), HASH_SIZE);
	}
	if (!err && rc != SQLITE_DONE)
		err = verify_sqlite(v, -1);
	sqlite3_finalize(q);
	if (v->tile_count > 0)
		qsort(v->tiles, v->tile_count, sizeof *v->tiles, compare_tile);
	return err;
}

static void check_tile(struct verify *v, int level, int64_t idx)
{
	struct tile want = { .level = level, .idx = idx };
	const struct tile *t = NULL;
	if (v->tile_count > 0)
		t = bsearch(&want, v->tiles, v->tile_count, sizeof *v->tiles, compare_tile);
	if (t)
		v->tiles_seen++;
	if (v->tile_fault[0])
		return;
	if (!t && v->tree.size <= v->tile_need)
		(void)snprintf(v->tile_fault, sizeof v->tile_fault, "tile %d/%lld is missing", level,
		               (long long)idx);
	else if (t && (!t->sound || memcmp(t->hash, v->tree.tile[level], HASH_SIZE) != 0))
		(void)snprintf(v->tile_fault, sizeof v->tile_fault,
		               "tile %d/%lld is not the root of its entries", level, (long long)idx);
}

void tiles_at(struct verify *v)
{
	for (int level = 1; level <= TILE_LEVEL_MAX && v->tree.size % tile_span(level) == 0; level++)
		check_tile(v, level, v->tree.size / tile_span(level) - 1);
}

int tiles_judge(struct verify *v)
{
	if (!v->tile_fault[0] && v->tiles_seen != v->tile_count)
		(void)snprintf(v->tile_fault, sizeof v->tile_fault, "%zu tiles are of no complete subtree",
		               v->tile_count - v->tiles_seen);
	return v->tile_fault[0] ? verify_fault(v, VERDICT_DERIVED, -1, "%s", v->tile_fault) : 0;
}

void tiles_release(struct verify *v)
{
	free(v->tiles);
}
