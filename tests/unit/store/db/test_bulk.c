/* SPDX-License-Identifier: MIT */
/*
 * Reading in pieces: the same rows as page by page, one state of the file in a transaction whoever
 * writes and copies the log back meanwhile, and the new one in the next.
 */
#include "store/db/db.h"
#include "tests/place.h"
#include "tests/unit/store_fixture.h"

#include <string.h>
#include <unistd.h>

enum { ROWS = 6000 };

static char place[64], path[96];

static void run(sqlite3 *db, const char *sql)
{
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static sqlite3 *open_writer(void)
{
	sqlite3 *db;
	assert_int_equal(db_connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db), SQLITE_OK);
	return db;
}

static int setup(void **state)
{
	(void)state;
	assert_true(place_make(place, sizeof place));
	(void)snprintf(path, sizeof path, "%s/t.db", place);
	sqlite3 *db = open_writer();
	run(db, "PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, age INT, text TEXT);"
	        "WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 5999)"
	        " INSERT INTO t SELECT n, 1, printf('%0400d', n) FROM c;"
	        "PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite3_close(db);
	return 0;
}

static sqlite3 *open_reader(void)
{
	sqlite3 *db;
	assert_int_equal(db_open_file(path, SQLITE_OPEN_READONLY, &db), SQLITE_OK);
	assert_int_equal(bulk_read(db), 0);
	return db;
}

/* The rows from `first` on, each as it was written; all of one age, which is returned. */
static int read_from(sqlite3_stmt *q, int first, int last)
{
	char want[401];
	int age = 0;
	for (int n = first; n <= last; n++) {
		assert_int_equal(sqlite3_step(q), SQLITE_ROW);
		(void)snprintf(want, sizeof want, "%0400d", n);
		assert_int_equal(sqlite3_column_int(q, 0), n);
		assert_string_equal(db_text(q, 2), want);
		assert_true(age == 0 || age == sqlite3_column_int(q, 1));
		age = sqlite3_column_int(q, 1);
	}
	return age;
}

static void test_snapshot(void **state)
{
	(void)state;
	sqlite3 *writer = open_writer(), *reader = open_reader();
	sqlite3_stmt *q = db_prepare(reader, "SELECT n, age, text FROM t ORDER BY n");
	assert_non_null(q);
	for (int age = 1; age < 5; age++) {
		run(reader, "BEGIN");
		assert_int_equal(read_from(q, 0, 999), age);
		run(writer, "UPDATE t SET age = age + 1; PRAGMA wal_checkpoint(PASSIVE)");
		assert_int_equal(read_from(q, 1000, ROWS - 1), age);
		assert_int_equal(sqlite3_step(q), SQLITE_DONE);
		sqlite3_reset(q);
		run(reader, "COMMIT");
		/* Nobody reads: now all of the log goes into the file. */
		run(writer, "PRAGMA wal_checkpoint(TRUNCATE)");
	}
	sqlite3_finalize(q);
	assert_int_equal(sqlite3_close(reader), SQLITE_OK);
	assert_int_equal(sqlite3_close(writer), SQLITE_OK);
}

/* Backwards, from the middle, and behind a file that grew and shrank. */
static void test_any_order(void **state)
{
	(void)state;
	sqlite3 *writer = open_writer(), *reader = open_reader();
	assert_int_equal(db_int(reader, "SELECT count(*) FROM (SELECT text FROM t ORDER BY n DESC)"
	                                " WHERE length(text) = 400", 0), ROWS);
	for (int n = 0; n < ROWS; n += 37) {
		char sql[64];
		(void)snprintf(sql, sizeof sql, "SELECT text + 0 FROM t WHERE n = %d", n * 31 % ROWS);
		assert_int_equal(db_int(reader, sql, -1), n * 31 % ROWS);
	}
	run(writer, "DELETE FROM t WHERE n >= 100; PRAGMA wal_checkpoint(TRUNCATE); VACUUM;"
	            "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(db_int(reader, "SELECT sum(text + 0) FROM t", -1), 4950);
	run(writer, "INSERT INTO t SELECT n + 100, age, printf('%0400d', n + 100) FROM t;"
	            "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(db_int(reader, "SELECT sum(text + 0) FROM t", -1), 19900);
	assert_int_equal(sqlite3_close(reader), SQLITE_OK);
	assert_int_equal(sqlite3_close(writer), SQLITE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_snapshot, setup),
		cmocka_unit_test_setup(test_any_order, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
