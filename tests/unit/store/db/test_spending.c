/* SPDX-License-Identifier: MIT */
/* What a statement may take of a processor's time: of a file little, of what is only ours all. */
#include "tests/unit/store_fixture.h"

#include <stdio.h>
#include <time.h>

#include "store/db/db.h"
#include "store/db/spending.h"

static double cpu(void)
{
	struct timespec t;
	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds until `name` has counted to `most`, or is stopped; *rc is SQLite's. */
static double count_to(const char *name, long long most, int *rc)
{
	sqlite3 *db = NULL;
	char sql[160];
	assert_int_equal(db_connect(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db), SQLITE_OK);
	assert_int_equal(db_harden(db), 0);
	(void)snprintf(sql, sizeof sql, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	               " WHERE i < %lld) SELECT max(i) FROM n", most);
	double before = cpu();
	*rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	double took = cpu() - before;
	sqlite3_close(db);
	return took;
}

static void of_a_file(void **state)
{
	struct memory *m = *state;
	int rc;
	double took = count_to(m->path, 1LL << 40, &rc);
	assert_int_equal(rc, SQLITE_INTERRUPT);
	assert_true(took >= BUDGET_SECONDS && took < BUDGET_SECONDS + 2);
}

/* Made for a comparison, as large as the memory is, and gone with its connection. */
static void of_ours(void **state)
{
	(void)state;
	int rc = SQLITE_OK;
	double a_million = count_to("", 1000000, &rc) + 1e-3, took = 0;
	long long most = (long long)(1e6 * (BUDGET_SECONDS + 1) / a_million);
	for (; took < BUDGET_SECONDS + 0.2; most += most / 4) {
		took = count_to("", most, &rc);
		assert_int_equal(rc, SQLITE_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_a_file, memory_open, memory_close),
		cmocka_unit_test(of_ours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
