/* SPDX-License-Identifier: MIT */
/* The last refusal, for who tries again: whose it is, and when it is over. */
#include "tests/unit/store_fixture.h"

#include <sqlite3.h>
#include <string.h>

static void refuse_for(struct store *s, const char *author, const char *code, const char *reason)
{
	char kept[NAME_LIMIT + 1];
	struct refusal r = { .time_us = 5, .code = code, .op = "flush", .path = "notes/a.md",
		.author = author, .reason = reason, .todo = "save again", .kept = "" };
	assert_int_equal(store_refuse(s, &r, "", NULL, 0, kept), 0);
}

static void store_as(struct store *s, const char *author)
{
	struct draft d = { .stream = "x1", .kind = "note", .author = author, .body = "{}", .body_len = 2 };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	assert_int_equal(store_append_wait(s, &a), 0);
}

static void take(void *ctx, const struct refusal *r)
{
	assert_string_equal(r->path, "notes/a.md");
	assert_string_equal(r->todo, "save again");
	assert_int_equal(r->time_us, 5);
	(void)snprintf(ctx, 64, "%s", r->reason);
}

/* The reason of the last refusal, "" for none. */
static const char *last(struct store *s, const char *author)
{
	static char reason[64];
	reason[0] = '\0';
	int err = store_last_refusal(s, author, take, reason);
	assert_int_equal(err, reason[0] ? 0 : STORE_ENOENT);
	return reason;
}

static void test_whose(void **state)
{
	struct memory *m = *state;
	assert_string_equal(last(m->s, "ana:vim"), "");
	refuse_for(m->s, "ana:vim", "EINVAL", "one");
	refuse_for(m->s, "ana:vim", "EFBIG", "two");
	refuse_for(m->s, "ana:sh", "EINVAL", "three");
	refuse_for(m->s, "anabel:sh", "EINVAL", "other");
	refuse_for(m->s, "ana:vim", "CONFLICT", "was stored");
	refuse_for(m->s, "cinta", "SCRATCH", "nobody's");
	assert_string_equal(last(m->s, "ana:vim"), "two");
	assert_string_equal(last(m->s, "ana:sh"), "three");
	assert_string_equal(last(m->s, "ana"), "three");
	assert_string_equal(last(m->s, "an"), "");
	assert_string_equal(last(m->s, "cinta"), "");
	assert_string_equal(last(m->s, "%"), "");
	memory_reopen(m, 0);
	assert_string_equal(last(m->s, "ana:vim"), "two");
}

static void test_over(void **state)
{
	struct memory *m = *state;
	store_as(m->s, "ana:vim");
	refuse_for(m->s, "ana:vim", "EINVAL", "one");
	store_as(m->s, "ana:sh");
	store_as(m->s, "anabel:vim");
	assert_string_equal(last(m->s, "ana:vim"), "one");
	assert_string_equal(last(m->s, "ana"), "");
	store_as(m->s, "ana:vim");
	assert_string_equal(last(m->s, "ana:vim"), "");
	refuse_for(m->s, "ana:vim", "EINVAL", "two");
	assert_string_equal(last(m->s, "ana:vim"), "two");
	/* By another process, too. */
	struct store *other = memory_store(m, 0);
	store_as(other, "ana:vim");
	store_close(other);
	assert_string_equal(last(m->s, "ana:vim"), "");
	/* Long ago. */
	refuse_for(m->s, "ana:vim", "EINVAL", "three");
	for (int i = 0; i < 1000; i++)
		store_as(m->s, "bo:sh");
	assert_string_equal(last(m->s, "ana:vim"), "three");
	store_as(m->s, "bo:sh");
	assert_string_equal(last(m->s, "ana:vim"), "");
}

/* A file that the first cinta made: its rows are there, and new ones go in. */
static void test_old_file(void **state)
{
	struct memory *m = *state;
	char path[256];
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	sql_in(path,
		"CREATE TABLE refusal (id INTEGER PRIMARY KEY, time_us INTEGER NOT NULL, code TEXT NOT NULL,"
		" op TEXT NOT NULL, path TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL, todo TEXT NOT NULL,"
		" kept TEXT NOT NULL) STRICT; CREATE TABLE scratch (id INTEGER PRIMARY KEY AUTOINCREMENT,"
		" dir INTEGER NOT NULL, name TEXT NOT NULL, mode INTEGER NOT NULL, changed_us INTEGER NOT NULL,"
		" bytes BLOB NOT NULL) STRICT; PRAGMA user_version=1;"
		"INSERT INTO refusal VALUES (1, 5, 'EINVAL', 'flush', 'notes/a.md', 'ana:vim', 'old', 'save again', '')");
	assert_string_equal(last(m->s, "ana:vim"), "old");
	store_as(m->s, "ana:vim");
	assert_string_equal(last(m->s, "ana:vim"), "");
	refuse_for(m->s, "bo:vim", "EINVAL", "new");
	assert_string_equal(last(m->s, "bo:vim"), "new");
	memory_reopen(m, 0);
	assert_string_equal(last(m->s, "bo:vim"), "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whose, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_over, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_old_file, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
