/* SPDX-License-Identifier: MIT */
/*
 * Who opens a memory looks whether its views are of this tape.  While others append, and see what
 * they appended, they are; once they were made anew for having seen an entry too many.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "store/internal.h"
#include "store/views/views.h"
#include "tests/unit/store_fixture.h"

enum { OPENINGS = 60, MANY = 20000, WAL_MOST = 26 << 20 };

struct writer {
	struct store *s;
	_Atomic bool stop;
	int said;
};

static void *write_on(void *arg)
{
	struct writer *w = arg;
	for (; !atomic_load(&w->stop); w->said++) {
		say(w->s, "one more", "");
		assert_int_equal(store_catch_up(w->s), 0);
	}
	return NULL;
}

/* A number that goes up when tables are made anew. */
static int64_t made(const struct memory *m)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 60000);
	int64_t version = db_int(db, "PRAGMA schema_version", -1);
	assert_true(version >= 0);
	sqlite3_close(db);
	return version;
}

static void test_others_append(void **state)
{
	struct memory *m = *state;
	struct writer w = { .s = m->s };
	pthread_t thread;
	make_session(m->s, "x");
	assert_int_equal(store_catch_up(m->s), 0);
	int64_t before = made(m);
	assert_int_equal(pthread_create(&thread, NULL, write_on, &w), 0);
	for (int i = 0; i < OPENINGS; i++)
		store_close(memory_store(m, 0));
	atomic_store(&w.stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(made(m), before);
	assert_true(w.said > OPENINGS / 10);
}

/* Views of a tape that had more are not of this one. */
static void test_seen_too_much(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	make_session(m->s, "x");
	say(m->s, "a", "");
	assert_int_equal(store_catch_up(m->s), 0);
	int64_t before = made(m), entries = entries_of(m->s);
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "UPDATE v_state SET upto = upto + 1"), 0);
	sqlite3_close(db);
	memory_reopen(m, 0);
	assert_true(made(m) != before);
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(views_at(m->s), entries);
}

/* Many messages in few transactions. */
static void say_many(struct store *s, int count)
{
	enum { AT_ONCE = 1000 };
	static struct draft d[AT_ONCE];
	static char body[AT_ONCE][64];
	for (int n = 0; n < count; n += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++) {
			int len = snprintf(body[i], sizeof body[i], "{\"role\":\"user\",\"content\":\"%d\"}", n + i);
			d[i] = (struct draft){ .stream = "s1", .kind = "message", .author = "ana:vim", .body = body[i],
				.body_len = (size_t)len };
		}
		struct append a = { .drafts = d, .count = AT_ONCE, .expect = -1 };
		assert_int_equal(store_append_wait(s, &a), 0);
	}
}

static int64_t size_of(const struct memory *m, const char *suffix)
{
	char path[256];
	struct stat st;
	(void)snprintf(path, sizeof path, "%s%s", m->path, suffix);
	return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* Views are made anew in some hundred transactions: the log beside the file does not keep them all. */
static void test_log_is_copied_back(void **state)
{
	struct memory *m = *state;
	memory_reopen(m, STORE_OWNER);
	make_session(m->s, "x");
	say_many(m->s, MANY);
	assert_int_equal(store_catch_up(m->s), 0);
	store_close(m->s);
	int64_t before = size_of(m, "");
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "UPDATE v_made SET version = 1"), 0);
	sqlite3_close(db);
	m->s = memory_store(m, STORE_OWNER);
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(views_at(m->s), entries_of(m->s));
	print_message("file %lld, log %lld\n", (long long)before, (long long)size_of(m, "-wal"));
	assert_in_range(size_of(m, "-wal"), 1, WAL_MOST);
}

/* views.sql writes the version that schema.h asks for: else each opening would make them anew. */
static void test_version_is_one(void **state)
{
	struct memory *m = *state;
	assert_int_equal(store_catch_up(m->s), 0);
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(views_version(db), VIEWS_VERSION);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_others_append, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_seen_too_much, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_version_is_one, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_log_is_copied_back, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
