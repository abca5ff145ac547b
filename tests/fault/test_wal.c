/* SPDX-License-Identifier: MIT */
/*
 * Frames that are gathered (store/wal/wal.h), beside a model: transactions of any size in a
 * cache of five pages, rollbacks, pages written twice, checkpoints, another connection that writes
 * by the system's VFS; writes that fail or are torn at any of it.  After each step what was
 * committed is there for others and nothing else, and so it is in a copy of the files alone, as a
 * kill or another machine would find them.
 *
 * Savepoints are rolled back only where the cache is not spilled: with both, SQLite 3.40 itself
 * leaves a log whose checksums do not go on, and a copy lacks what was committed since.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/db/db.h"
#include "tests/fault/fault_vfs.h"
#include "tests/place.h"

enum { ROWS = 60, SEEDS = 3, SEEDS_LONG = 100, STEPS = 120, BIG = 9000 };

struct model {
	char dir[96], path[128], copy[128];
	sqlite3 *db, *other; /* ours; one past our VFS */
	int value[ROWS], kept[ROWS]; /* in the transaction; committed */
	bool spills; /* the transaction, pages before its commit */
	bool unsure; /* its checksums were to be written anew when that failed: SQLite cannot tell */
	unsigned seed;
	bool faults;
	int failed;
};

static unsigned any(struct model *m, unsigned most)
{
	m->seed = m->seed * 1103515245u + 12345u;
	return (m->seed >> 16) % most;
}

static int run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void must(sqlite3 *db, const char *sql)
{
	if (run(db, sql) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3 *connect_plainly(const char *path)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	must(db, "PRAGMA wal_autocheckpoint=0");
	return db;
}

/* Or, where `or` is not NULL, that. */
static void expect(sqlite3 *db, const int value[ROWS], const int or[ROWS])
{
	sqlite3_stmt *q = NULL;
	bool same = true, other = or != NULL;
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT id, value, length(body) FROM t ORDER BY id", -1,
	                                    &q, NULL), SQLITE_OK);
	for (int i = 0; i < ROWS; i++) {
		assert_int_equal(sqlite3_step(q), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int(q, 0), i);
		assert_int_equal(sqlite3_column_int(q, 2), sqlite3_column_int(q, 1) % BIG);
		same = same && sqlite3_column_int(q, 1) == value[i];
		other = other && sqlite3_column_int(q, 1) == or[i];
	}
	assert_true(same || other);
	assert_int_equal(sqlite3_step(q), SQLITE_DONE);
	sqlite3_finalize(q);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(q, 0), "ok");
	sqlite3_finalize(q);
}

static void copy_file(const char *from, const char *to)
{
	static char bytes[1 << 16];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	assert_non_null(in);
	assert_non_null(out);
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
		assert_int_equal(fwrite(bytes, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

/* What a kill leaves: the files as they are, and SQLite recovers them. */
static void expect_copy(struct model *m)
{
	char from[160], to[160];
	copy_file(m->path, m->copy);
	(void)snprintf(from, sizeof from, "%s-wal", m->path);
	(void)snprintf(to, sizeof to, "%s-wal", m->copy);
	copy_file(from, to);
	(void)snprintf(to, sizeof to, "%s-shm", m->copy);
	(void)unlink(to);
	sqlite3 *db = connect_plainly(m->copy);
	expect(db, m->kept, m->unsure ? m->value : NULL);
	sqlite3_close(db);
}

static void model_open(struct model *m, unsigned seed, bool faults)
{
	memset(m, 0, sizeof *m);
	m->seed = seed;
	m->faults = faults;
	assert_true(place_make(m->dir, sizeof m->dir));
	(void)snprintf(m->path, sizeof m->path, "%s/t.db", m->dir);
	(void)snprintf(m->copy, sizeof m->copy, "%s/copy.db", m->dir);
	assert_int_equal(db_connect(m->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &m->db),
	                 SQLITE_OK);
	must(m->db, "PRAGMA page_size=1024; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
	            "PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=5;"
	            "CREATE TABLE t(id INTEGER PRIMARY KEY, value INTEGER, body BLOB);"
	            "CREATE INDEX i ON t(value)");
	for (int i = 0; i < ROWS; i++) {
		char sql[96];
		(void)snprintf(sql, sizeof sql, "INSERT INTO t VALUES(%d, 0, zeroblob(0))", i);
		must(m->db, sql);
	}
	m->other = connect_plainly(m->path);
}

static void model_close(struct model *m)
{
	char sql[160];
	sqlite3_close(m->db);
	sqlite3_close(m->other);
	(void)snprintf(sql, sizeof sql, "rm -rf '%s'", m->dir);
	assert_int_equal(system(sql), 0);
}

static int change(struct model *m, sqlite3 *db, int value[ROWS])
{
	char sql[128];
	int id = (int)any(m, ROWS), to = (int)any(m, 4 * BIG);
	to += to % BIG == 0; /* randomblob(0) has a byte */
	(void)snprintf(sql, sizeof sql, "UPDATE t SET value = %d, body = randomblob(%d) WHERE id = %d",
	               to, to % BIG, id);
	int rc = run(db, sql);
	if (rc == SQLITE_OK)
		value[id] = to;
	return rc;
}

/* Some changes; a savepoint among them, whose changes may go again. */
static int change_some(struct model *m)
{
	int before[ROWS], rc = SQLITE_OK;
	for (unsigned n = 1 + any(m, 6); n > 0 && !rc; n--)
		rc = change(m, m->db, m->value);
	if (rc || m->spills)
		return rc;
	memcpy(before, m->value, sizeof before);
	rc = run(m->db, "SAVEPOINT s");
	for (unsigned n = 1 + any(m, 12); n > 0 && !rc; n--)
		rc = change(m, m->db, m->value);
	if (!rc && any(m, 2)) {
		rc = run(m->db, "ROLLBACK TO s");
		memcpy(m->value, before, sizeof before);
	}
	return rc ? rc : run(m->db, "RELEASE s");
}

static void transact(struct model *m)
{
	memcpy(m->value, m->kept, sizeof m->value);
	m->spills = any(m, 2);
	must(m->db, m->spills ? "PRAGMA cache_spill=2" : "PRAGMA cache_spill=OFF");
	if (m->faults && any(m, 2))
		fault_arm(any(m, 2) ? FAULT_TORN : FAULT_WRITE, 1 + (int64_t)any(m, 4),
		          any(m, 2) ? SQLITE_FULL : SQLITE_IOERR_WRITE, any(m, 2));
	int rc = run(m->db, "BEGIN IMMEDIATE");
	for (unsigned n = any(m, 4) + 1; n > 0 && !rc; n--)
		rc = change_some(m);
	bool keep = any(m, 4) != 0;
	if (!rc)
		rc = run(m->db, keep ? "COMMIT" : "ROLLBACK");
	fault_arm(0, 0, 0, false);
	if (rc && !sqlite3_get_autocommit(m->db))
		must(m->db, "ROLLBACK");
	m->failed += rc != SQLITE_OK;
	m->unsure = rc && m->spills;
	if (!m->faults)
		assert_int_equal(rc, SQLITE_OK);
	if (rc == SQLITE_OK && keep)
		memcpy(m->kept, m->value, sizeof m->kept);
}

static void write_elsewhere(struct model *m)
{
	m->unsure = false;
	memcpy(m->value, m->kept, sizeof m->value);
	must(m->other, "BEGIN IMMEDIATE");
	for (unsigned n = 1 + any(m, 8); n > 0; n--)
		assert_int_equal(change(m, m->other, m->value), SQLITE_OK);
	must(m->other, "COMMIT");
	memcpy(m->kept, m->value, sizeof m->kept);
}

static void step(struct model *m)
{
	switch (any(m, 8)) {
	case 0:
		write_elsewhere(m);
		break;
	case 1:
		m->unsure = false;
		must(any(m, 2) ? m->db : m->other,
		     any(m, 2) ? "PRAGMA wal_checkpoint(TRUNCATE)" : "PRAGMA wal_checkpoint(PASSIVE)");
		break;
	default:
		transact(m);
		break;
	}
	expect(m->other, m->kept, NULL);
	if (any(m, 3) == 0)
		expect(m->db, m->kept, NULL);
	expect_copy(m);
}

static void beside_the_model(void **state)
{
	const bool faults = *state != NULL;
	unsigned seeds = getenv("CINTA_LONG") ? SEEDS_LONG : SEEDS;
	int failed = 0;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct model m;
		model_open(&m, seed, faults);
		for (int i = 0; i < STEPS; i++)
			step(&m);
		failed += m.failed;
		model_close(&m);
	}
	assert_int_equal(failed > 0, faults);
}

/* Nothing of a transaction is in the file before its commit, and then by one write. */
static void one_write(void **state)
{
	struct model m;
	(void)state;
	model_open(&m, 1, false);
	must(m.db, "PRAGMA cache_size=1000");
	must(m.db, "BEGIN IMMEDIATE; UPDATE t SET value = 7, body = zeroblob(7)");
	fault_arm(FAULT_WRITE, 2, SQLITE_FULL, true); /* a second one would be refused */
	must(m.db, "COMMIT");
	assert_false(fault_struck());
	fault_arm(FAULT_WRITE, 1, SQLITE_FULL, true); /* and there is a first one */
	must(m.db, "BEGIN IMMEDIATE; UPDATE t SET value = 8, body = zeroblob(8)");
	assert_false(fault_struck());
	assert_int_equal(run(m.db, "COMMIT"), SQLITE_FULL);
	fault_arm(0, 0, 0, false);
	for (int i = 0; i < ROWS; i++)
		m.kept[i] = 7;
	expect(m.other, m.kept, NULL);
	expect_copy(&m);
	model_close(&m);
}

/* What was rolled back does not get over what another connection wrote in its place. */
static void rolled_back(void **state)
{
	struct model m;
	(void)state;
	model_open(&m, 1, false);
	must(m.db, "BEGIN IMMEDIATE; UPDATE t SET value = 1, body = zeroblob(1)");
	must(m.db, "ROLLBACK");
	must(m.other, "UPDATE t SET value = 2, body = zeroblob(2)");
	must(m.db, "UPDATE t SET value = 3, body = zeroblob(3) WHERE id = 0");
	for (int i = 0; i < ROWS; i++)
		m.kept[i] = i ? 2 : 3;
	expect(m.other, m.kept, NULL);
	expect_copy(&m);
	model_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_write),
		cmocka_unit_test(rolled_back),
		cmocka_unit_test_prestate(beside_the_model, NULL),
		{ "beside the model, with faults", beside_the_model, NULL, NULL, "faults" },
	};
	fault_vfs_install();
	return cmocka_run_group_tests_name("wal", tests, NULL, NULL);
}
