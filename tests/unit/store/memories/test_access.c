/* SPDX-License-Identifier: MIT */
/*
 * Uses of memories as cto_memory shows them: copied after each batch, made again by a rebuild, taken over from
 * other processes and from a file of counts that is gone or nonsense.
 */
#include "tests/unit/doc_fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW T(0)

static int64_t make(struct store *s, const char *name)
{
	char place[1024];
	int64_t id = 0;
	char *version = doc_version_of("text", "{}");
	struct doc_text v = doc_text_of(version);
	assert_int_equal(store_doc_make(s, "memories/fact", name,
	                                doc_text_of(doc_place(place, "memories/fact", name, false)), &v, "ana:vim",
	                                &id), 0);
	free(version);
	return id;
}

/* "3 2100-01-01T00:00:01.000000Z|0 NULL", by id, as a sqlite3 shell reads it. */
static void shown(const struct memory *m, const char *want)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	assert_int_equal(sqlite3_open_v2(m->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
		"SELECT group_concat(access_count_v2 || ' ' || coalesce(last_access, 'NULL'), '|')"
		" FROM (SELECT * FROM cto_memory ORDER BY id)", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(q, 0), want);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

static void side(const struct memory *m, const char *sql)
{
	char path[256];
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	sql_in(path, sql);
}

static void use(struct store *s, int64_t id, int64_t us)
{
	assert_int_equal(store_memory_accessed(s, &id, 1, us), 0);
}

static void close_it(struct memory *m)
{
	store_close(m->s);
	m->s = NULL;
}

static void test_shown(void **state)
{
	struct memory *m = *state;
	struct verify_report report;
	const struct verify_options all = { .key_dir = m->keys, .all = true, .text_size = body_text_size };
	clock_set(NOW);
	int64_t a = make(m->s, "a.md");
	(void)make(m->s, "b.md");
	assert_int_equal(store_catch_up(m->s), 0);
	shown(m, "0 NULL|0 NULL");
	use(m->s, a, NOW + 1000000);
	use(m->s, a, NOW + 3000000);
	use(m->s, a, NOW + 2000000); /* late: the last time stays */
	use(m->s, 999, NOW); /* of no memory */
	shown(m, "0 NULL|0 NULL"); /* they wait */
	int64_t entries = entries_of(m->s);
	memory_reopen(m, 0);
	shown(m, "3 2100-01-01T00:00:03.000000Z|0 NULL");
	use(m->s, a, NOW + 4000000);
	use(m->s, a + 1, NOW + 5000000);
	memory_reopen(m, 0);
	shown(m, "4 2100-01-01T00:00:04.000000Z|1 2100-01-01T00:00:05.000000Z");
	assert_int_equal(entries_of(m->s), entries); /* no memory changed */
	memory_reopen(m, STORE_OWNER); /* it signs as it goes */
	close_it(m);
	assert_int_equal(store_verify(m->path, &all, &report), 0);
	assert_int_equal(report.verdict, VERDICT_OK);
}

static void test_rebuilt(void **state)
{
	struct memory *m = *state;
	const struct store_config config = { .key_dir = m->keys, .text_size = body_text_size };
	struct why why;
	clock_set(NOW);
	use(m->s, make(m->s, "a.md"), NOW + 1000000);
	close_it(m);
	shown(m, "1 2100-01-01T00:00:01.000000Z");
	assert_int_equal(remake(m->path, &config, &why), 0);
	shown(m, "1 2100-01-01T00:00:01.000000Z");
	side(m, "DROP TABLE access");
	assert_int_equal(remake(m->path, &config, &why), 0);
	shown(m, "0 NULL");
}

/* The owner's first turn, or its last, takes over what others did to the counts. */
static void test_taken_over(void **state)
{
	struct memory *m = *state;
	clock_set(NOW);
	int64_t a = make(m->s, "a.md");
	(void)make(m->s, "b.md");
	use(m->s, a, NOW + 1000000);
	close_it(m);
	side(m, "UPDATE access SET uses = 7; INSERT INTO access VALUES(2, 5, 0)");
	m->s = memory_store(m, 0);
	memory_reopen(m, 0); /* who used nothing and does not own it leaves the copy alone */
	shown(m, "1 2100-01-01T00:00:01.000000Z|0 NULL");
	memory_reopen(m, STORE_OWNER);
	close_it(m);
	shown(m, "7 2100-01-01T00:00:01.000000Z|5 NULL");
	side(m, "UPDATE access SET uses = -3 WHERE doc = 2; UPDATE access SET uses = 9000000000000000000, last_us = -1"
	        " WHERE doc = 1");
	m->s = memory_store(m, STORE_OWNER);
	close_it(m);
	shown(m, "1000000000000000 NULL|0 NULL");
	char path[256];
	static const char *const endings[] = { "", "-wal", "-shm" };
	for (int i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof path, "%s.side%s", m->path, endings[i]);
		(void)unlink(path);
	}
	m->s = memory_store(m, STORE_OWNER);
	close_it(m);
	shown(m, "0 NULL|0 NULL");
	m->s = memory_store(m, 0);
}

static int take(void *ctx, const struct memory_hit *h)
{
	*(struct memory_hit *)ctx = *h;
	return 1;
}

static struct memory_hit best(struct store *s, const char *query, int64_t now)
{
	struct memory_hit hit = { .id = 0 };
	assert_int_equal(store_search_memories(s, query, NULL, 1, 0, now, take, &hit), 0);
	return hit;
}

/* A use by a clock that was ahead does not keep a memory fresh, and the next one is the last. */
static void test_ahead(void **state)
{
	struct memory *m = *state;
	const int64_t day = INT64_C(86400000000), now = NOW + 10 * day, ahead = NOW + 3000 * day;
	clock_set(NOW);
	int64_t a = make(m->s, "a.md");
	for (int written = 0; written < 2; written++) {
		clock_set(ahead);
		use(m->s, a, ahead);
		if (written)
			memory_reopen(m, 0);
		clock_set(now);
		for (int asked = 0; asked < 2; asked++) {
			const struct memory_hit hit = best(m->s, asked ? "text" : NULL, now);
			assert_true(hit.days >= 10 && hit.days <= 10);
			assert_int_equal(hit.used_us, 0);
			assert_int_equal(hit.uses, 1 + written * 2);
		}
		use(m->s, a, now - day);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(best(m->s, NULL, now).used_us, now - day);
			memory_reopen(m, 0);
		}
	}
	assert_int_equal(best(m->s, NULL, ahead).used_us, now - day);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_shown), TEST(test_rebuilt), TEST(test_taken_over),
		TEST(test_ahead) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
