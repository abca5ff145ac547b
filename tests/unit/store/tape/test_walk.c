/* SPDX-License-Identifier: MIT */
/* The walk over the tape, and the owner's word for how far it came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/proof/proof.h"
#include "tests/unit/tape_fixture.h"

enum { ROWS = 700 };

static void make(struct fixture *f)
{
	fixture_make(f);
	fixture_fill(f, ROWS - 1, 40);
	fixture_sign(f, false);
	fixture_disarm(f);
	fixture_exec(f, "PRAGMA ignore_check_constraints = 1");
}

/* Walks all, at most so many rows a time; w->tree.size tells how far. */
static int walk(struct fixture *f, struct walk *w, int64_t step, int (*go)(struct walk *, int64_t, int64_t))
{
	int err = 0;
	assert_int_equal(walk_init(w, f->origin, NULL), 0);
	for (int64_t at = step; !err && w->tree.size < ROWS; at += step) {
		assert_int_equal(walk_begin(w, f->db), 0);
		err = go(w, at < ROWS ? at : ROWS, INT64_MAX);
		walk_end(w);
	}
	return err;
}

static void test_all_holds(void **state)
{
	struct fixture f;
	struct walk w;
	uint8_t root[HASH_SIZE], whole[HASH_SIZE];
	(void)state;
	make(&f);
	assert_int_equal(merkle_root(f.db, &f.h, ROWS, root), 0);
	for (int64_t step = 1; step <= ROWS; step = 7 * step + 3) {
		for (int leaves = 0; leaves < 2; leaves++) {
			assert_int_equal(walk(&f, &w, step, leaves ? walk_leaves : walk_on), 0);
			assert_int_equal(w.tree.size, ROWS);
			assert_int_equal(w.bad, -1);
			merkle_top(&w.tree, &w.hasher, whole);
			assert_memory_equal(root, whole, HASH_SIZE);
			walk_release(&w);
		}
	}
	/* With no time left it takes some steps all the same, so that it gets there. */
	assert_int_equal(walk_init(&w, f.origin, NULL), 0);
	assert_int_equal(walk_begin(&w, f.db), 0);
	assert_int_equal(walk_on(&w, ROWS, 0), 0);
	assert_in_range(w.tree.size, 1, ROWS - 1);
	walk_end(&w);
	walk_release(&w);
	fixture_free(&f);
}

static void test_what_is_wrong(void **state)
{
	static const struct {
		const char *sql;
		int64_t bad; /* -1: no row by its own hashes */
		const char *wrong;
		bool holds_from; /* rows from 350 on are not touched by it */
	} cases[] = {
		{ "UPDATE tape SET body = body || ' ' WHERE seq = 300", 300, "", true },
		{ "UPDATE tape SET author = 'mallory' WHERE seq = 300", 300, "", true },
		{ "UPDATE tape SET time_us = time_us + 1 WHERE seq = 300", 300, "", true },
		{ "UPDATE tape SET salt = zeroblob(16) WHERE seq = 300", 300, "", true },
		{ "UPDATE tape SET body_len = body_len + 1 WHERE seq = 300", 300, "", true },
		{ "UPDATE tape SET leaf_hash = zeroblob(32) WHERE seq = 300", 300, "entry 305 does not name", true },
		{ "UPDATE tape SET salt = NULL WHERE seq = 300", -1, "entry 300 breaks the format", true },
		{ "UPDATE tape SET kind = 'a b' WHERE seq = 300", -1, "entry 300 breaks the format", true },
		{ "DELETE FROM tape WHERE seq = 300", -1, "entry 300 is not there", true },
		{ "UPDATE tape SET prev = zeroblob(32) WHERE seq = 300", 300, "entry 300 does not name", true },
		{ "UPDATE tape SET stream_seq = stream_seq + 1000 WHERE seq = 300", 300, "entry 300 does not name", true },
		{ "UPDATE tape SET body = 'x' WHERE seq = 400", 400, "", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct walk w;
		char wrong[160] = "";
		make(&f);
		assert_int_equal(walk_holds(f.db, f.origin, 0, ROWS, wrong), 0);
		fixture_exec(&f, "%s", cases[i].sql);
		int err = walk(&f, &w, 100, walk_on);
		if (w.bad != cases[i].bad || strncmp(w.wrong, cases[i].wrong, strlen(cases[i].wrong)) != 0)
			fail_msg("%s: bad %lld, %s", cases[i].sql, (long long)w.bad, w.wrong);
		assert_int_equal(err, cases[i].wrong[0] ? STORE_EFORMAT : 0);
		walk_release(&w);
		assert_int_equal(walk_holds(f.db, f.origin, 0, ROWS, wrong), STORE_EFORMAT);
		assert_int_equal(strncmp(wrong, "entry ", 6), 0);
		assert_int_equal(walk_holds(f.db, f.origin, 350, ROWS, wrong), cases[i].holds_from ? 0 : STORE_EFORMAT);
		fixture_free(&f);
	}
}

static void test_signer_looks(void **state)
{
	struct fixture f;
	bool ro;
	char trouble[256];
	struct signer *s = NULL;
	(void)state;
	make(&f);
	fixture_fill(&f, 10, 40);
	fixture_exec(&f, "UPDATE tape SET body = 'x' WHERE seq = %d", ROWS + 4);
	assert_int_equal(signer_open(f.db, f.path, f.origin, f.vkey, f.keys, &s, &ro, trouble, sizeof trouble), 0);
	assert_int_equal(signer_sign(s, f.db, 1, 0), STORE_EFORMAT);
	assert_int_equal(signer_size(s), ROWS);
	signer_trouble(s, trouble, sizeof trouble);
	assert_string_equal(trouble, "entry 704 is not the one that was hashed: nothing is signed (cinta verify DB)");
	signer_close(s);
	/* Rows that somebody has walked are not walked again: the caller's word counts. */
	assert_int_equal(signer_open(f.db, f.path, f.origin, f.vkey, f.keys, &s, &ro, trouble, sizeof trouble), 0);
	assert_int_equal(signer_sign(s, f.db, 1, ROWS + 5), 0);
	signer_close(s);
	fixture_free(&f);
}

static void test_verified(void **state)
{
	struct fixture f;
	struct note_key key, other;
	EVP_PKEY *pkey = NULL;
	struct checkpoint c = { .size = 12345 }, got;
	char text[VERIFIED_SIZE], bad[VERIFIED_SIZE + 2];
	(void)state;
	fixture_make(&f);
	assert_int_equal(key_load(f.keys, f.origin, &pkey, &key), 0);
	(void)snprintf(c.origin, sizeof c.origin, "%s", f.origin);
	memset(c.root, 7, HASH_SIZE);
	assert_true(verified_make(&c, pkey, text));
	assert_true(verified_read(text, &key, &got));
	assert_int_equal(got.size, c.size);
	assert_memory_equal(got.root, c.root, HASH_SIZE);
	size_t len = strlen(text);
	for (size_t i = 0; i < len; i++) { /* each byte counts */
		memcpy(bad, text, len + 1);
		bad[i] ^= 1;
		assert_false(verified_read(bad, &key, &got));
		memcpy(bad, text, len + 1);
		bad[i] = '\0';
		assert_false(verified_read(bad, &key, &got));
	}
	(void)snprintf(bad, sizeof bad, "%s\n", text);
	assert_false(verified_read(bad, &key, &got));
	other = key;
	(void)snprintf(other.name, sizeof other.name, "other");
	assert_false(verified_read(text, &other, &got));
	/* It is no note, and no note is one of these. */
	assert_int_not_equal(note_checkpoint(text, len, &key, &got), NOTE_OK);
	assert_int_not_equal(checkpoint_parse(text, len - NOTE_SIG_TEXT - 1, &got), NOTE_OK);
	char note[NOTE_OWN_SIZE];
	assert_int_equal(note_sign(&c, &key, pkey, note), NOTE_OK);
	assert_false(verified_read(note, &key, &got));
	EVP_PKEY_free(pkey);
	fixture_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_holds),
		cmocka_unit_test(test_what_is_wrong),
		cmocka_unit_test(test_signer_looks),
		cmocka_unit_test(test_verified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
