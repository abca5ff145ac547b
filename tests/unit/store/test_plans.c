/* SPDX-License-Identifier: MIT */
/* No statement of a reader, or of the views, walks all of a table that grows with the memory. */
#include <string.h>

#include "store/internal.h"
#include "store/views/views.h"
#include "tests/unit/store_fixture.h"

/* What may be walked: small by nature, or shown whole. */
static const char *const walked[] = { "CONSTANT ROW", "(subquery-1)", "v_state", "v_redacted", "v_group", "f",
	"v_fact" };

static bool may_walk(const char *plan, const char *text)
{
	size_t len = strlen(text);
	if (len > 8 && strcmp(text + len - 8, " LIMIT 1") == 0)
		return true; /* it ends with the first row, where no index sorts */
	for (size_t i = 0; i < sizeof walked / sizeof *walked; i++) {
		size_t n = strlen(walked[i]);
		if (strncmp(plan, walked[i], n) == 0 && (plan[n] == '\0' || plan[n] == ' '))
			return true;
	}
	return false;
}

static int check_plan(sqlite3 *db, const char *text)
{
	char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", text);
	sqlite3_stmt *q;
	int bad = 0;
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(q, 3);
		if (strncmp(plan, "SCAN ", 5) != 0 || may_walk(plan + 5, text))
			continue;
		print_error("%s: %s\n", plan, text);
		bad++;
	}
	sqlite3_finalize(q);
	sqlite3_free(sql);
	return bad;
}

static void test_statements(void **state)
{
	struct memory *m = *state;
	sqlite3 *db;
	int bad = 0;
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	for (int room = 0; room < SQL_ROOMS; room++)
		for (int i = 0; i < store_reads[room]->count; i++)
			bad += check_plan(db, store_reads[room]->text[i]);
	for (int room = 0; room < SQL_ROOMS; room++)
		for (int i = 0; i < store_views.room[room]->sql.count; i++)
			bad += check_plan(db, store_views.room[room]->sql.text[i]);
	sqlite3_close(db);
	assert_int_equal(bad, 0);
}

/* That the test can fail: what a look at others' entries once was. */
static void test_walk(void **state)
{
	struct memory *m = *state;
	sqlite3 *db;
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	assert_int_equal(check_plan(db, "SELECT stream, max(kind) FROM tape WHERE seq >= ?1 GROUP BY stream LIMIT ?2"), 1);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_statements, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_walk, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
