/* SPDX-License-Identifier: MIT */
/* The tree: known answers of RFC 6962, and tiles against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/proof/merkle.h"
#include "store/store.h"

static struct hasher h;

static void expect_hex(const uint8_t hash[HASH_SIZE], const char *hex)
{
	char text[HEX_SIZE];
	hex_of(hash, HASH_SIZE, text);
	assert_memory_equal(text, hex, strlen(hex));
}

static void test_known_answers(void **state)
{
	uint8_t a[HASH_SIZE], b[HASH_SIZE];
	struct merkle m;
	(void)state;
	merkle_init(&m);
	merkle_top(&m, &h, a);
	expect_hex(a, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	hasher_leaf(&h, "", 0, a);
	expect_hex(a, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
	hasher_leaf(&h, "L123456", 7, a);
	expect_hex(a, "395aa064");
	/* node("N123", "N456") as bytes, for hasher_node takes hashes only */
	hasher_sha256(&h, "\1N123N456", 9, b);
	expect_hex(b, "aa217fe8");
	memset(a, 1, sizeof a);
	memset(b, 2, sizeof b);
	uint8_t bytes[1 + 2 * HASH_SIZE] = { 1 }, node[HASH_SIZE], same[HASH_SIZE];
	memcpy(bytes + 1, a, HASH_SIZE);
	memcpy(bytes + 1 + HASH_SIZE, b, HASH_SIZE);
	hasher_sha256(&h, bytes, sizeof bytes, same);
	hasher_node(&h, a, b, node);
	assert_memory_equal(node, same, HASH_SIZE);
}

/* RFC 6962 §2.1, word for word: MTH(D[0:k]), MTH(D[k:n]), k the largest power of two < n. */
static void naive(const uint8_t (*leaf)[HASH_SIZE], int64_t n, uint8_t out[HASH_SIZE])
{
	uint8_t left[HASH_SIZE], right[HASH_SIZE];
	int64_t k = 1;
	if (n == 0) {
		hasher_sha256(&h, "", 0, out);
		return;
	}
	if (n == 1) {
		memcpy(out, leaf[0], HASH_SIZE);
		return;
	}
	while (2 * k < n)
		k *= 2;
	naive(leaf, k, left);
	naive(leaf + k, n - k, right);
	hasher_node(&h, left, right, out);
}

static uint8_t (*make_leaves(int64_t n))[HASH_SIZE]
{
	uint8_t(*leaf)[HASH_SIZE] = malloc((size_t)n * HASH_SIZE);
	assert_non_null(leaf);
	for (int64_t i = 0; i < n; i++)
		hasher_leaf(&h, (const char *)&i, sizeof i, leaf[i]);
	return leaf;
}

/* Just what merkle.c reads and writes. */
static sqlite3 *make_db(uint8_t (*leaf)[HASH_SIZE], int64_t n)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE tape (seq INTEGER PRIMARY KEY, leaf_hash BLOB);"
	                                  "CREATE TABLE tape_tile (level, idx, hash,"
	                                  " PRIMARY KEY (level, idx)) WITHOUT ROWID; BEGIN",
	                              NULL, NULL, NULL), SQLITE_OK);
	sqlite3_stmt *put = NULL;
	assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO tape VALUES (?1, ?2)", -1, &put, NULL), SQLITE_OK);
	for (int64_t i = 0; i < n; i++) {
		sqlite3_bind_int64(put, 1, i);
		sqlite3_bind_blob(put, 2, leaf[i], HASH_SIZE, SQLITE_STATIC);
		assert_int_equal(sqlite3_step(put), SQLITE_DONE);
		sqlite3_reset(put);
	}
	sqlite3_finalize(put);
	return db;
}

static int64_t tiles_of(int64_t n)
{
	int64_t count = 0;
	for (int level = 1; level <= TILE_LEVEL_MAX; level++)
		count += n / tile_span(level);
	return count;
}

static int64_t count_tiles(sqlite3 *db)
{
	sqlite3_stmt *q = NULL;
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM tape_tile", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return n;
}

/* The three ways to a root: definition, growing edge, database without and with tiles. */
static void test_small_trees(void **state)
{
	enum { MOST = 600 };
	uint8_t(*leaf)[HASH_SIZE] = make_leaves(MOST);
	sqlite3 *db = make_db(leaf, MOST);
	struct merkle m;
	(void)state;
	merkle_init(&m);
	for (int64_t n = 0; n <= MOST; n++) {
		uint8_t want[HASH_SIZE], got[HASH_SIZE];
		naive((const uint8_t(*)[HASH_SIZE])leaf, n, want);
		merkle_top(&m, &h, got);
		assert_memory_equal(got, want, HASH_SIZE);
		assert_int_equal(merkle_root(db, &h, n, got), 0);
		assert_memory_equal(got, want, HASH_SIZE);
		assert_int_equal(merkle_extend(db, &h, n), 0);
		assert_int_equal(count_tiles(db), tiles_of(n));
		assert_int_equal(merkle_root(db, &h, n, got), 0);
		assert_memory_equal(got, want, HASH_SIZE);
		if (n < MOST)
			merkle_push(&m, &h, 0, leaf[n]);
	}
	uint8_t root[HASH_SIZE];
	assert_int_equal(merkle_root(db, &h, MOST + 1, root), STORE_EFORMAT);
	sqlite3_close(db);
	free(leaf);
}

static void test_second_level(void **state)
{
	enum { TOP = 65536 };
	uint8_t(*leaf)[HASH_SIZE] = make_leaves(TOP + 1);
	sqlite3 *db = make_db(leaf, TOP + 1);
	uint8_t want[HASH_SIZE], got[HASH_SIZE];
	(void)state;
	for (int64_t n = TOP - 1; n <= TOP + 1; n++) {
		naive((const uint8_t(*)[HASH_SIZE])leaf, n, want);
		assert_int_equal(merkle_extend(db, &h, n), 0);
		assert_int_equal(count_tiles(db), tiles_of(n));
		assert_int_equal(merkle_root(db, &h, n, got), 0);
		assert_memory_equal(got, want, HASH_SIZE);
	}
	/* Tiles are really used, and a wrong one makes a wrong root. */
	assert_int_equal(sqlite3_exec(db, "UPDATE tape_tile SET hash = zeroblob(32) WHERE level = 2",
	                              NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(merkle_root(db, &h, TOP + 1, got), 0);
	assert_memory_not_equal(got, want, HASH_SIZE);
	sqlite3_close(db);
	free(leaf);
}

/* A loaded edge can go on from any size to any other. */
static void test_go_on(void **state)
{
	enum { MOST = 1030 };
	static const int64_t sizes[] = { 0, 1, 255, 256, 257, 511, 512, 700, 1023, 1024, MOST };
	uint8_t(*leaf)[HASH_SIZE] = make_leaves(MOST);
	sqlite3 *db = make_db(leaf, MOST);
	size_t count = sizeof sizes / sizeof *sizes;
	(void)state;
	for (int stored = 0; stored < 2; stored++) {
		for (size_t i = 0; i < count; i++)
			for (size_t k = i; k < count; k++) {
				struct merkle m;
				uint8_t want[HASH_SIZE], got[HASH_SIZE];
				merkle_init(&m);
				assert_int_equal(merkle_load(db, &h, &m, sizes[i]), 0);
				assert_int_equal(merkle_load(db, &h, &m, sizes[k]), 0);
				merkle_top(&m, &h, got);
				naive((const uint8_t(*)[HASH_SIZE])leaf, sizes[k], want);
				assert_memory_equal(got, want, HASH_SIZE);
			}
		assert_int_equal(merkle_extend(db, &h, MOST), 0);
	}
	sqlite3_close(db);
	free(leaf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_small_trees),
		cmocka_unit_test(test_second_level),
		cmocka_unit_test(test_go_on),
	};
	if (hasher_init(&h) != 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	hasher_release(&h);
	return failed;
}
