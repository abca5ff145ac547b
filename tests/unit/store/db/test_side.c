/* SPDX-License-Identifier: MIT */
/* Refusals and what was offered: order, limits, ages, names. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/documents.h"

#define DAY INT64_C(86400000000)
#define START INT64_C(1790000000000000)

static int refuse_at(struct store *s, int64_t us, const char *reason, const char *offered, size_t len,
                     char kept[NAME_LIMIT + 1])
{
	struct refusal r = { .time_us = us, .code = "EINVAL", .op = "write", .path = "sessions/uno/log.jsonl",
		.author = "ana:sh", .reason = reason, .todo = "write JSON", .kept = "" };
	return store_refuse(s, &r, "log.jsonl", offered, len, kept);
}

struct got {
	int count;
	char first[64], last[64];
};

static void take(void *ctx, const struct refusal *r)
{
	struct got *g = ctx;
	(void)snprintf(g->count++ ? g->last : g->first, 64, "%s", r->reason);
}

static void test_order_and_cap(void **state)
{
	struct memory *m = *state;
	struct got g = { 0 };
	char kept[NAME_LIMIT + 1], reason[64];
	struct status st;
	for (int i = 0; i < 1100; i++) {
		(void)snprintf(reason, sizeof reason, "r%d", i);
		assert_int_equal(refuse_at(m->s, START + i, reason, NULL, 0, kept), 0);
		assert_string_equal(kept, "");
	}
	assert_int_equal(store_refusals(m->s, 3, take, &g), 0);
	assert_int_equal(g.count, 3);
	assert_string_equal(g.first, "r1097");
	assert_string_equal(g.last, "r1099");
	g = (struct got){ 0 };
	assert_int_equal(store_refusals(m->s, 5000, take, &g), 0);
	assert_int_equal(g.count, 1000);
	assert_string_equal(g.first, "r100");
	store_status(m->s, &st);
	assert_int_equal(st.refusals, 1100);
}

static void test_offered(void **state)
{
	struct memory *m = *state;
	char one[NAME_LIMIT + 1], two[NAME_LIMIT + 1], bytes[16];
	struct rejected file, next;
	assert_int_equal(refuse_at(m->s, START, "bad", "a\0b\n", 4, one), 0);
	assert_int_equal(refuse_at(m->s, START, "bad", "", 0, two), 0); /* in the same microsecond */
	assert_string_not_equal(one, two);
	assert_int_equal(store_rejected_by_name(m->s, one, &file), 0);
	assert_int_equal(file.size, 4);
	assert_non_null(strstr(file.reason, "bad"));
	assert_non_null(strstr(file.reason, "write JSON"));
	assert_int_equal(store_rejected_read(m->s, file.id, 1, bytes, sizeof bytes), 3);
	assert_memory_equal(bytes, "\0b\n", 3);
	assert_int_equal(store_rejected_read(m->s, file.id, 4, bytes, sizeof bytes), 0);
	assert_int_equal(store_rejected_read(m->s, file.id, INT64_MAX, bytes, sizeof bytes), 0);
	assert_int_equal(store_rejected_next(m->s, file.id, &next), 0);
	assert_string_equal(next.name, two);
	assert_int_equal(next.size, 0);
	assert_int_equal(store_rejected_next(m->s, next.id, &next), STORE_ENOENT);
	assert_int_equal(store_rejected_drop(m->s, file.id), 0);
	assert_int_equal(store_rejected_drop(m->s, file.id), STORE_ENOENT);
	assert_int_equal(store_rejected_by_id(m->s, file.id, &file), STORE_ENOENT);
	assert_int_equal(store_rejected_read(m->s, file.id, 0, bytes, sizeof bytes), STORE_ENOENT);
	/* The side database is not memory: it may be gone, and ids are not used again while it lives. */
	int64_t last = next.id;
	assert_int_equal(refuse_at(m->s, START + 1, "bad", "x", 1, one), 0);
	assert_int_equal(store_rejected_by_name(m->s, one, &file), 0);
	assert_true(file.id > last);
}

static void test_age(void **state)
{
	struct memory *m = *state;
	char old[NAME_LIMIT + 1], young[NAME_LIMIT + 1], kept[NAME_LIMIT + 1];
	struct rejected file;
	assert_int_equal(refuse_at(m->s, START, "old", "x", 1, old), 0);
	assert_int_equal(refuse_at(m->s, START + 2 * DAY, "young", "x", 1, young), 0);
	assert_int_equal(refuse_at(m->s, START + 30 * DAY, "now", NULL, 0, kept), 0);
	assert_int_equal(store_rejected_by_name(m->s, old, &file), 0);
	assert_int_equal(refuse_at(m->s, START + 30 * DAY + 1, "now", NULL, 0, kept), 0);
	assert_int_equal(store_rejected_by_name(m->s, old, &file), STORE_ENOENT);
	assert_int_equal(store_rejected_by_name(m->s, young, &file), 0);
}

/* Of one refusal 4 MiB are kept, and 512 MiB in all: the oldest go, the newest stays. */
static void test_bytes(void **state)
{
	enum { PIECE = 5 << 20, KEPT = 512 / 4, REFUSED = KEPT + 4 };
	struct memory *m = *state;
	char *piece = calloc(1, PIECE), kept[REFUSED][NAME_LIMIT + 1];
	struct rejected file;
	assert_non_null(piece);
	for (int i = 0; i < REFUSED; i++)
		assert_int_equal(refuse_at(m->s, START + i, "big", piece, PIECE, kept[i]), 0);
	free(piece);
	for (int i = 0; i < REFUSED; i++)
		assert_int_equal(store_rejected_by_name(m->s, kept[i], &file),
		                 i < REFUSED - KEPT ? STORE_ENOENT : 0);
}

static void count_texts(void *ctx, const struct refusal *r)
{
	assert_true(r->code && r->op && r->path && r->author && r->reason && r->todo && r->kept);
	++*(int *)ctx;
}

static void count_scratch(void *ctx, const struct scratch_row *row)
{
	assert_true(row->id > 0 && row->name[0] && row->bytes);
	++*(int *)ctx;
}

/* Tables of ours that somebody else made: no field may be trusted, nor that rows ever end. */
static void test_foreign(void **state)
{
	struct memory *m = *state;
	char path[256];
	int count = 0;
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	store_close(m->s);
	m->s = NULL;
	sql_in(path,
		"DROP TABLE IF EXISTS refusal; DROP TABLE IF EXISTS scratch; DROP TABLE IF EXISTS access;"
		"CREATE TABLE refusal(id INTEGER PRIMARY KEY, time_us, code, op, path, author, reason, todo, kept,"
		" entries DEFAULT 0); INSERT INTO refusal(time_us) VALUES(1);"
		"CREATE TABLE scratch(id, dir, name, mode, changed_us, bytes, touched_us);"
		"INSERT INTO scratch VALUES(1, 1, 'a', 0, 0, NULL, 0), (2, 1, NULL, 0, 0, NULL, 0),"
		" (3, 1, 'b', 0, 0, 'x', 0), (3, 1, 'b', 0, 0, 'x', 0), (4, 1, 'c', 0, 0, 'x', 0);"
		"CREATE TABLE access(doc, uses, last_us); INSERT INTO access VALUES(1, 1, 1), (1, 1, 1)");
	m->s = memory_store(m, 0);
	assert_int_equal(store_refusals(m->s, 10, count_texts, &count), 0);
	assert_int_equal(count, 1);
	count = 0;
	assert_int_equal(store_scratch_each(m->s, count_scratch, &count), STORE_EFORMAT);
	assert_int_equal(count, 2);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

/* Somebody writes into the file while it is open: what is wrong is said where refusals are read. */
static void test_overwritten(void **state)
{
	struct memory *m = *state;
	struct got g = { 0 };
	char path[256], kept[NAME_LIMIT + 1], junk[65536];
	int64_t mark;
	char trouble[256];
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	assert_int_equal(refuse_at(m->s, START, "before", "x", 1, kept), 0);
	memory_reopen(m, 0);
	assert_int_equal(store_mark_get(m->s, "mark", &mark), STORE_ENOENT); /* opened, and nothing read of refusals */
	memset(junk, 0xaa, sizeof junk);
	FILE *f = fopen(path, "r+");
	assert_non_null(f);
	assert_int_equal(fwrite(junk, 1, sizeof junk, f), sizeof junk);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(store_refusals(m->s, 10, take, &g), 0);
	assert_int_equal(g.count, 1);
	assert_non_null(strstr(g.first, "DB.side cannot be used"));
	store_trouble(m->s, trouble, sizeof trouble);
	assert_non_null(strstr(trouble, "it is no database"));
	assert_int_not_equal(refuse_at(m->s, START + 1, "meanwhile", "x", 1, kept), 0);
	/* Moved away it is made anew, and what waited goes there. */
	assert_int_equal(remove(path), 0);
	assert_int_equal(refuse_at(m->s, START + 2, "after", "x", 1, kept), 0);
	g = (struct got){ 0 };
	assert_int_equal(store_refusals(m->s, 10, take, &g), 0);
	assert_int_equal(g.count, 2);
	assert_string_equal(g.first, "meanwhile");
	assert_string_equal(g.last, "after");
}

/* Tables of the same names that are not ours: that is said, too. */
static void test_other_tables(void **state)
{
	struct memory *m = *state;
	struct got g = { 0 };
	char path[256];
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	(void)remove(path);
	sql_in(path, "CREATE TABLE refusal(x)");
	memory_reopen(m, 0);
	assert_int_equal(store_refusals(m->s, 10, take, &g), 0);
	assert_int_equal(g.count, 1);
	assert_non_null(strstr(g.first, "DB.side cannot be used"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_order_and_cap), WITH(test_offered), WITH(test_age),
		WITH(test_bytes), WITH(test_foreign), WITH(test_overwritten), WITH(test_other_tables) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
