/* SPDX-License-Identifier: MIT */
/* The threat table: each attack on a tape, and the exact verdict it must get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/verify/verify.h"
#include "tests/unit/tape_fixture.h"

enum { ROWS = 42, BIG = 600 };

/* 42 rows, signed at 20 and 42, sidecar at 42. */
static void make(struct fixture *f)
{
	fixture_make(f);
	fixture_fill(f, 19, 60);
	fixture_sign(f, false);
	fixture_fill(f, ROWS - 20, 60);
	fixture_sign(f, true);
}

static void drop_sidecar(struct fixture *f)
{
	char path[PATH_MAX];
	assert_true(note_file_name(f->path, path, sizeof path));
	assert_int_equal(unlink(path), 0);
}

static void expect_(struct fixture *f, enum verdict verdict, int64_t seq, int line)
{
	struct verify_report r;
	fixture_verify(f, &r);
	if (r.verdict != verdict || r.seq != seq)
		print_error("line %d: %s %lld: %s\n", line, verdict_name(r.verdict), (long long)r.seq,
		            r.detail);
	assert_string_equal(verdict_name(r.verdict), verdict_name(verdict));
	assert_int_equal(r.seq, seq);
}
#define expect(f, verdict, seq) expect_(f, verdict, seq, __LINE__)

static void test_good(void **state)
{
	struct fixture f;
	struct verify_report r;
	(void)state;
	make(&f);
	fixture_verify(&f, &r);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.entries, ROWS);
	assert_int_equal(r.signed_upto, ROWS);
	assert_int_equal(r.anchored_upto, 0); /* the sidecar lies beside it */
	/* Rows after the checkpoint are fine, and said to be unsigned. */
	fixture_fill(&f, 3, 60);
	fixture_verify(&f, &r);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.entries, ROWS + 3);
	assert_int_equal(r.signed_upto, ROWS);
	fixture_free(&f);
}

/* One SQL statement on a disarmed tape, and what it must be called. */
struct attack {
	const char *sql;
	enum verdict verdict;
	int64_t seq;
};

static const struct attack attacks[] = {
	{ "UPDATE tape SET stream = 's9' WHERE seq = 7", VERDICT_LINK, 7 },
	{ "UPDATE tape SET stream_seq = stream_seq + 100 WHERE seq = 7", VERDICT_LINK, 7 },
	{ "UPDATE tape SET prev = randomblob(32) WHERE seq = 7", VERDICT_LINK, 7 },
	{ "UPDATE tape SET time_us = time_us + 1 WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET kind = 'fact' WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET author = 'eva:sh' WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET kind = 'messagea', author = 'na:sh' WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET body_len = body_len + 1 WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET body_hash = randomblob(32) WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET leaf_hash = randomblob(32) WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET salt = randomblob(16) WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET body = replace(body, 'x', 'y') WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET body = body || ' ' WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET body = body || char(0) WHERE seq = 7", VERDICT_CONTENT, 7 },
	{ "UPDATE tape SET salt = NULL, body = NULL WHERE seq = 7", VERDICT_MISSING, 7 },
	{ "UPDATE tape SET salt = x'00' WHERE seq = 7", VERDICT_FORMAT, 7 },
	{ "UPDATE tape SET kind = 'two words' WHERE seq = 7", VERDICT_FORMAT, 7 },
	{ "UPDATE tape SET author = 'a' || char(10) || 'b' WHERE seq = 7", VERDICT_FORMAT, 7 },
	{ "UPDATE tape SET author = 'a' || char(0) WHERE seq = 7", VERDICT_FORMAT, 7 },
	{ "UPDATE tape SET body = replace(body, 'vkey', 'wkey') WHERE seq = 0", VERDICT_CONTENT, 0 },
	{ "UPDATE tape SET kind = 'message' WHERE seq = 0", VERDICT_CONTENT, 0 },
	{ "DELETE FROM tape WHERE seq = 7", VERDICT_LINK, 7 },
	{ "DELETE FROM tape WHERE seq = 0", VERDICT_LINK, 0 },
	{ "UPDATE tape SET seq = seq + 1000 WHERE seq = 7", VERDICT_LINK, 7 },
	{ "DELETE FROM tape WHERE seq >= 30", VERDICT_ROLLBACK, -1 },
	{ "DELETE FROM tape WHERE seq >= 10", VERDICT_ROLLBACK, -1 },
	{ "DELETE FROM tape WHERE seq >= 20; DELETE FROM tape_checkpoint WHERE size > 20",
	  VERDICT_ROLLBACK, -1 }, /* the sidecar knows */
	{ "DELETE FROM tape; DELETE FROM tape_checkpoint", VERDICT_ROLLBACK, -1 },
	{ "UPDATE tape_checkpoint SET note = replace(note, '42', '41') WHERE size = 42", VERDICT_FORK, -1 },
	{ "UPDATE tape_checkpoint SET size = 41 WHERE size = 42", VERDICT_FORK, -1 },
	{ "UPDATE tape_checkpoint SET note = '' WHERE size = 20", VERDICT_FORK, -1 },
	{ "INSERT INTO tape_checkpoint SELECT 30, note FROM tape_checkpoint WHERE size = 20",
	  VERDICT_FORK, -1 },
	{ "INSERT INTO tape_tile VALUES (1, 0, zeroblob(32))", VERDICT_DERIVED, -1 },
	{ "INSERT INTO tape_tile VALUES (9, 5, zeroblob(32))", VERDICT_DERIVED, -1 },
	{ "DROP TABLE tape_tile", VERDICT_FORMAT, -1 },
	{ "DROP TABLE tape; CREATE VIEW tape AS SELECT 1", VERDICT_FORMAT, -1 },
};

static void test_attacks(void **state)
{
	struct fixture f;
	char copy[160];
	(void)state;
	make(&f);
	fixture_disarm(&f);
	(void)snprintf(copy, sizeof copy, "%s/good.db", f.dir);
	fixture_exec(&f, "VACUUM INTO '%s'", copy);
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
		char command[640];
		sqlite3_close(f.db);
		(void)snprintf(command, sizeof command, "rm -f %s-wal %s-shm; cp %s %s", f.path, f.path,
		               copy, f.path);
		assert_int_equal(system(command), 0);
		assert_int_equal(db_open(f.path, DB_REDACT, &f.db, NULL), 0);
		expect(&f, VERDICT_OK, -1);
		fixture_exec(&f, "PRAGMA ignore_check_constraints=ON; %s", attacks[i].sql);
		expect_(&f, attacks[i].verdict, attacks[i].seq, (int)i + 1000);
	}
	fixture_free(&f);
}

static void test_swap_bodies(void **state)
{
	struct fixture f;
	(void)state;
	make(&f);
	fixture_disarm(&f);
	fixture_exec(&f, "CREATE TEMP TABLE two AS SELECT seq, salt, body FROM tape WHERE seq IN (8, 9);"
	                 "UPDATE tape SET (salt, body) ="
	                 " (SELECT salt, body FROM two WHERE two.seq = 17 - tape.seq) WHERE seq IN (8, 9)");
	expect(&f, VERDICT_CONTENT, 8);
	fixture_free(&f);
}

/* Everything consistent but the signature: only the notes can tell. */
static void test_rehashed(void **state)
{
	static const char *const edits[] = {
		"UPDATE tape SET body = '{}' WHERE seq = 7",
		"UPDATE tape SET author = 'eva:sh' WHERE seq = 30",
		"UPDATE tape SET time_us = 1 WHERE seq = 41",
		"UPDATE tape SET body = NULL, salt = NULL, kind = 'a' WHERE seq = 50", /* none: control */
	};
	for (size_t i = 0; i < 4; i++) {
		struct fixture f;
		(void)state;
		make(&f);
		fixture_disarm(&f);
		fixture_exec(&f, "%s", edits[i]);
		fixture_rehash(&f);
		expect(&f, i < 3 ? VERDICT_FORK : VERDICT_OK, -1);
		fixture_free(&f);
	}
}

static void test_forged_tail(void **state)
{
	struct fixture f;
	struct verify_report r;
	(void)state;
	make(&f);
	fixture_append(&f, "s1", "message", "{\"forged\":true}");
	fixture_verify(&f, &r);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.signed_upto, ROWS);
	assert_int_equal(r.entries, ROWS + 1);
	fixture_free(&f);
}

static void test_nothing_to_check(void **state)
{
	struct fixture f;
	(void)state;
	make(&f);
	drop_sidecar(&f);
	fixture_disarm(&f);
	fixture_exec(&f, "DELETE FROM tape_checkpoint");
	expect(&f, VERDICT_UNVERIFIABLE, -1);
	fixture_exec(&f, "DELETE FROM tape");
	expect(&f, VERDICT_UNVERIFIABLE, -1);
	fixture_free(&f);
}

/* What the file cannot prove about itself: an anchor outside does. */
static void test_old_copy(void **state)
{
	struct fixture f;
	char note[PATH_MAX], sidecar[PATH_MAX];
	struct verify_report r;
	(void)state;
	make(&f);
	(void)snprintf(note, sizeof note, "%s/anchor", f.dir);
	assert_true(note_file_name(f.path, sidecar, sizeof sidecar));
	assert_int_equal(rename(sidecar, note), 0);
	fixture_disarm(&f);
	fixture_exec(&f, "DELETE FROM tape WHERE seq >= 20; DELETE FROM tape_checkpoint WHERE size > 20");
	expect(&f, VERDICT_OK, -1);
	const char *notes[] = { note, NULL };
	struct verify_options o = { .vkey = f.vkey, .notes = notes };
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_ROLLBACK);
	notes[0] = "/nonexistent/note";
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_UNVERIFIABLE);
	fixture_free(&f);
}

static void test_keys(void **state)
{
	struct fixture f, other;
	struct verify_report r;
	(void)state;
	make(&f);
	fixture_make(&other); /* the same origin, another key */
	struct verify_options o = { .key_dir = f.keys };
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_OK);
	o.key_dir = other.keys;
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_FORK);
	o.key_dir = "/nonexistent";
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_UNVERIFIABLE);
	assert_non_null(strstr(r.detail, "--vkey"));
	/* Without a trusted key a real fault is still named. */
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape SET body = 'x' WHERE seq = 3");
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_CONTENT);
	assert_int_equal(r.seq, 3);
	o.vkey = "nonsense";
	assert_int_equal(store_verify(f.path, &o, &r), STORE_EINVAL);
	/* A key for another tape. */
	o.vkey = "tape.example/5f3c9a1e7b2d4c60+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";
	assert_int_equal(store_verify(f.path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_FORK);
	assert_int_equal(r.seq, 0);
	fixture_free(&other);
	fixture_free(&f);
}

static void test_redaction(void **state)
{
	struct fixture f;
	(void)state;
	make(&f);
	fixture_redact(&f, 5, "a secret");
	expect(&f, VERDICT_OK, -1);
	/* Another one that no entry names; and one that is named too early. */
	fixture_exec(&f, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = 6");
	expect(&f, VERDICT_MISSING, 6);
	fixture_redact(&f, 6, "another");
	fixture_append(&f, "tape", "tape.redact", "{\"seq\":45}");
	fixture_fill(&f, 1, 60);
	expect(&f, VERDICT_OK, -1);
	fixture_exec(&f, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = 45");
	expect(&f, VERDICT_MISSING, 45);
	fixture_free(&f);
}

static void test_tiles(void **state)
{
	struct fixture f;
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, BIG - 1, 60);
	fixture_sign(&f, true);
	assert_int_equal(db_int(f.db, "SELECT count(*) FROM tape_tile", -1), 2);
	expect(&f, VERDICT_OK, -1);
	fixture_disarm(&f);
	fixture_exec(&f, "DELETE FROM tape_tile WHERE idx = 1");
	expect(&f, VERDICT_DERIVED, -1);
	fixture_exec(&f, "INSERT INTO tape_tile SELECT 1, 1, hash FROM tape_tile WHERE idx = 0");
	expect(&f, VERDICT_DERIVED, -1);
	fixture_free(&f);
}

static void test_not_a_tape(void **state)
{
	struct fixture f;
	struct verify_report r;
	struct verify_options o = { .key_dir = "/nonexistent" };
	(void)state;
	fixture_make(&f);
	assert_int_equal(store_verify("/nonexistent/tape.db", &o, &r), STORE_ENOENT);
	assert_int_equal(store_verify("/etc/passwd", &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_FORMAT);
	assert_int_equal(store_verify("/dev/null", &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_FORMAT);
	fixture_free(&f);
}

static void test_schema(void **state)
{
	static const char *const changes[] = {
		"DROP TRIGGER tape_keep",
		"CREATE TRIGGER extra AFTER INSERT ON tape BEGIN SELECT 1; END",
		"DROP TRIGGER tape_keep; CREATE TRIGGER tape_keep BEFORE DELETE ON tape BEGIN SELECT 1; END",
		"DROP INDEX v_ref_hash",
		"CREATE TABLE zzz (a)",
	};
	char detail[256] = "";
	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct fixture f;
		fixture_make(&f);
		assert_int_equal(schema_compare(f.db, detail, sizeof detail), 0);
		fixture_exec(&f, "%s", changes[i]);
		assert_int_equal(schema_compare(f.db, detail, sizeof detail), 1);
		assert_true(detail[0] != '\0');
		fixture_free(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),       cmocka_unit_test(test_attacks),
		cmocka_unit_test(test_swap_bodies), cmocka_unit_test(test_rehashed),
		cmocka_unit_test(test_forged_tail), cmocka_unit_test(test_nothing_to_check),
		cmocka_unit_test(test_old_copy),   cmocka_unit_test(test_keys),
		cmocka_unit_test(test_redaction),  cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_not_a_tape), cmocka_unit_test(test_schema),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
