/* SPDX-License-Identifier: MIT */
/* Documents on the tape: making, saving, renaming, retiring, their past, many writers, many versions. */
#include "tests/unit/doc_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void test_make_and_save(void **state)
{
	struct memory *m = *state;
	struct doc d;
	struct doc_version v;
	int64_t id = 0, other = 0;
	char hex[2 * HASH_SIZE + 1];
	assert_int_equal(doc_id_at(m->s, "blocks/rules", "a.md"), STORE_ENOENT);
	clock_set(T(1000));
	assert_int_equal(doc_make(m->s, "blocks/rules", "a.md", "uno\n", &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(doc_make(m->s, "blocks/rules", "a.md", "x", &other), STORE_EEXIST);
	assert_int_equal(doc_make(m->s, "blocks/persona", "a.md", "otra", &other), 0);
	assert_int_equal(other, 2);
	clock_set(T(2000));
	assert_int_equal(doc_save(m->s, id, "uno\ndos\n", 1), 0);
	assert_int_equal(doc_save(m->s, id, "tres\n", 1), STORE_EMOVED);
	assert_int_equal(doc_save(m->s, id, "tres\n", -1), 0);
	assert_int_equal(store_doc_at(m->s, "blocks/rules", "a.md", &d), 0);
	assert_int_equal(d.id, id);
	assert_false(d.folder);
	assert_int_equal(d.versions, 3);
	assert_int_equal(d.entries, 3);
	assert_int_equal(d.size, 5);
	assert_int_equal(d.made_us, T(1000));
	assert_int_equal(d.saved_us, T(2000));
	assert_int_equal(d.into, 0);
	doc_reads(m->s, id, 0, "tres\n");
	doc_reads(m->s, id, 1, "uno\n");
	doc_reads(m->s, id, 2, "uno\ndos\n");
	doc_reads(m->s, id, 3, "tres\n");
	char *bytes;
	size_t len;
	assert_int_equal(store_doc_content(m->s, id, 4, &bytes, &len), STORE_ENOENT);
	assert_int_equal(store_doc_content(m->s, 9, 0, &bytes, &len), STORE_ENOENT);
	assert_int_equal(store_doc_version(m->s, id, 2, &v), 0);
	store_sha256("uno\ndos\n", 8, hex);
	assert_string_equal(v.sha256, hex);
	assert_string_equal(v.author, "bea:nano");
	assert_int_equal(v.n, 2);
	assert_int_equal(v.time_us, T(2000));
	assert_int_equal(v.size, 8);
	assert_int_equal(v.tokens, 3);
	assert_int_equal(v.added, 2);
	assert_int_equal(v.removed, 1);
	assert_int_equal(strlen(v.hash), 64);
	assert_int_equal(store_doc_version(m->s, id, 0, &v), 0);
	assert_int_equal(v.n, 3);
	views_hold(m);
}

static void test_rename_and_listing(void **state)
{
	struct memory *m = *state;
	char names[1024];
	int64_t id[4], changed = -1;
	struct doc d;
	assert_int_equal(store_doc_dir_changed(m->s, "notes", &changed), 0);
	assert_int_equal(changed, 0);
	clock_set(T(100));
	for (int i = 0; i < 4; i++) {
		char name[8] = { (char)('a' + i), '.', 'm', 'd', 0 };
		assert_int_equal(doc_make(m->s, "notes", name, name, &id[i]), 0);
	}
	assert_string_equal(doc_list(m->s, "notes", names), "a.md b.md c.md d.md ");
	clock_set(T(200));
	assert_int_equal(doc_move(m->s, id[1], "notes", "z.md"), 0);
	assert_int_equal(doc_move(m->s, id[2], "blocks/rules", "c.md"), 0);
	assert_int_equal(doc_move(m->s, id[0], "notes", "z.md"), STORE_EEXIST);
	assert_int_equal(doc_move(m->s, id[0], "notes", "a.md"), 0);
	assert_string_equal(doc_list(m->s, "notes", names), "a.md z.md d.md ");
	assert_string_equal(doc_list(m->s, "blocks/rules", names), "c.md ");
	assert_int_equal(doc_id_at(m->s, "notes", "b.md"), STORE_ENOENT);
	assert_int_equal(doc_id_at(m->s, "notes", "z.md"), id[1]);
	assert_int_equal(store_doc_dir_changed(m->s, "notes", &changed), 0);
	assert_int_equal(changed, T(200));
	clock_set(T(300));
	assert_int_equal(doc_save(m->s, id[3], "new", -1), 0); /* no name changes by a save */
	assert_int_equal(store_doc_dir_changed(m->s, "notes", &changed), 0);
	assert_int_equal(changed, T(200));
	assert_int_equal(doc_make(m->s, "notes", "b.md", "again", &id[2]), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "b.md"), id[2]);
	assert_int_equal(store_doc_by_id(m->s, id[1], &d), 0);
	assert_int_equal(d.versions, 1);
	assert_int_equal(d.entries, 2);
	views_hold(m);
}

static void test_replace(void **state)
{
	struct memory *m = *state;
	struct doc d;
	int64_t a, b, c;
	char names[1024];
	assert_int_equal(doc_make(m->s, "notes", "a.md", "A", &a), 0);
	assert_int_equal(doc_make(m->s, "notes", "b.md", "B", &b), 0);
	char *version = doc_version_of("A", "{}");
	struct doc at[2];
	assert_int_equal(store_doc_by_id(m->s, a, &at[0]), 0);
	assert_int_equal(store_doc_by_id(m->s, b, &at[1]), 0);
	struct doc moved = at[1];
	(void)snprintf(moved.name, sizeof moved.name, "c.md");
	assert_int_equal(store_doc_replace(m->s, &at[0], doc_text_of("{\"into\":2}"), &moved,
		doc_text_of(version), "ana:mv"), STORE_EMOVED);
	assert_int_equal(store_doc_replace(m->s, &at[0], doc_text_of("{\"into\":2}"), &at[1],
		doc_text_of(version), "ana:mv"), 0);
	free(version);
	assert_string_equal(doc_list(m->s, "notes", names), "b.md ");
	doc_reads(m->s, b, 0, "A");
	doc_reads(m->s, b, 1, "B");
	assert_int_equal(store_doc_by_id(m->s, a, &d), 0);
	assert_int_equal(d.into, b);
	doc_reads(m->s, a, 0, "A");
	assert_int_equal(doc_make(m->s, "notes", "a.md", "new", &c), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "a.md"), c);
	assert_int_equal(doc_save(m->s, a, "late", -1), 0); /* keeps its history, does not come back */
	assert_int_equal(doc_id_at(m->s, "notes", "a.md"), c);
	doc_reads(m->s, a, 0, "late");
	views_hold(m);
}

static void test_at_time(void **state)
{
	struct memory *m = *state;
	struct doc d;
	struct doc_version v;
	char names[1024];
	int64_t a, b, f;
	clock_set(T(100));
	assert_int_equal(doc_make(m->s, "notes", "a.md", "1", &a), 0);
	clock_set(T(200));
	assert_int_equal(doc_make(m->s, "notes", "b.md", "22", &b), 0);
	assert_int_equal(doc_save(m->s, a, "22", -1), 0);
	clock_set(T(300));
	assert_int_equal(doc_move(m->s, a, "notes", "c.md"), 0);
	assert_int_equal(doc_make_folder(m->s, "notes", "f", &f), 0);
	clock_set(T(400));
	char *version = doc_version_of("333", "{}");
	struct doc at[2];
	assert_int_equal(store_doc_by_id(m->s, a, &at[0]), 0);
	assert_int_equal(store_doc_by_id(m->s, b, &at[1]), 0);
	assert_int_equal(store_doc_replace(m->s, &at[1], doc_text_of("{\"into\":1}"), &at[0],
		doc_text_of(version), "ana:mv"), 0);
	free(version);
	clock_set(T(500));
	assert_int_equal(doc_save(m->s, a, "4444", -1), 0);
	assert_string_equal(doc_list_at(m->s, T(99), "notes", names), "");
	assert_string_equal(doc_list_at(m->s, T(100), "notes", names), "a.md:1 ");
	assert_string_equal(doc_list_at(m->s, T(299), "notes", names), "a.md:2 b.md:1 ");
	assert_string_equal(doc_list_at(m->s, T(300), "notes", names), "c.md:2 b.md:1 f:0 ");
	assert_string_equal(doc_list_at(m->s, T(400), "notes", names), "c.md:3 f:0 ");
	assert_string_equal(doc_list_at(m->s, T(1000), "notes", names), "c.md:4 f:0 ");
	assert_int_equal(store_doc_at_time(m->s, T(250), "notes", "a.md", &d), 0);
	assert_int_equal(d.id, a);
	assert_int_equal(d.versions, 2);
	assert_int_equal(d.size, 2);
	assert_int_equal(d.saved_us, T(200));
	assert_int_equal(store_doc_at_time(m->s, T(350), "notes", "a.md", &d), STORE_ENOENT);
	assert_int_equal(store_doc_at_time(m->s, T(350), "notes", "b.md", &d), 0);
	assert_int_equal(d.into, 0);
	assert_int_equal(store_doc_at_time(m->s, T(450), "notes", "b.md", &d), STORE_ENOENT);
	assert_int_equal(store_doc_version_at(m->s, a, T(99), &v), STORE_ENOENT);
	assert_int_equal(store_doc_version_at(m->s, a, T(200), &v), 0);
	assert_int_equal(v.n, 2);
	assert_int_equal(store_doc_version_at(m->s, a, T(499), &v), 0);
	assert_int_equal(v.n, 3);
}

static void test_folders(void **state)
{
	struct memory *m = *state;
	struct doc d;
	char names[1024];
	int64_t f, g, a;
	assert_int_equal(doc_make_folder(m->s, "notes", "viajes", &f), 0);
	assert_int_equal(doc_make_folder(m->s, "notes", "viajes", &g), STORE_EEXIST);
	assert_int_equal(doc_make_folder(m->s, "#1", "2026", &g), 0);
	assert_int_equal(doc_make(m->s, "#2", "lima.md", "x", &a), 0);
	assert_int_equal(store_doc_at(m->s, "#1", "2026", &d), 0);
	assert_true(d.folder);
	assert_int_equal(d.versions, 0);
	assert_int_equal(doc_id_at(m->s, "#2", "lima.md"), a);
	assert_int_equal(doc_move(m->s, f, "notes", "v"), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "v"), f);
	assert_string_equal(doc_list(m->s, "#1", names), "2026 ");
	/* Into itself, below itself, or below nothing: nothing moves. */
	assert_int_equal(doc_move(m->s, f, "#1", "w"), 0);
	assert_int_equal(doc_move(m->s, f, "#2", "w"), 0);
	assert_int_equal(doc_move(m->s, a, "#77", "w"), 0);
	assert_int_equal(doc_move(m->s, g, "#3", "w"), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "v"), f);
	assert_int_equal(doc_id_at(m->s, "#2", "lima.md"), a);
	assert_int_equal(doc_id_at(m->s, "#1", "2026"), g);
	views_hold(m);
}

static void test_two_stores(void **state)
{
	struct memory *m = *state;
	struct store *two = memory_store(m, 0);
	char names[1024];
	int64_t a, b;
	assert_int_equal(doc_make(m->s, "notes", "a.md", "one", &a), 0);
	assert_int_equal(doc_id_at(two, "notes", "a.md"), a);
	assert_int_equal(doc_make(two, "notes", "a.md", "one", &b), STORE_EEXIST);
	assert_int_equal(doc_make(two, "notes", "b.md", "two", &b), 0);
	assert_int_equal(b, 2);
	assert_int_equal(doc_save(m->s, b, "three", 1), 0);
	assert_int_equal(doc_save(two, b, "four", 1), STORE_EMOVED);
	doc_reads(two, b, 0, "three");
	assert_int_equal(doc_move(two, a, "notes", "c.md"), 0);
	assert_string_equal(doc_list(m->s, "notes", names), "c.md b.md ");
	store_close(two);
	memory_reopen(m, STORE_READONLY);
	assert_string_equal(doc_list(m->s, "notes", names), "c.md b.md ");
	doc_reads(m->s, b, 0, "three");
	memory_reopen(m, 0);
	views_hold(m);
}

struct racer {
	struct store *s;
	int won, errors;
};

static void *make_many(void *arg)
{
	struct racer *r = arg;
	for (int i = 0; i < 40; i++) {
		char name[16], body[1024];
		int64_t id;
		(void)snprintf(name, sizeof name, "n%d.md", i);
		struct doc_text v = doc_text_of("{\"fields\":{},\"text\":\"x\"}");
		int err =
			store_doc_make(r->s, "notes", name, doc_text_of(doc_place(body, "notes", name, false)), &v, "ana:cp", &id);
		r->won += err == 0;
		r->errors += err != 0 && err != STORE_EEXIST;
	}
	return NULL;
}

/* Four threads on two stores: each name has one maker. */
static void test_race(void **state)
{
	struct memory *m = *state;
	struct store *two = memory_store(m, 0);
	struct racer r[4] = { { .s = m->s }, { .s = two }, { .s = m->s }, { .s = two } };
	pthread_t thread[4];
	struct doc d;
	int won = 0;
	int64_t after = 0, count = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, make_many, &r[i]), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		assert_int_equal(r[i].errors, 0);
		won += r[i].won;
	}
	assert_int_equal(won, 40);
	for (; store_doc_next(m->s, "notes", after, &d) == 0; after = d.id, count++)
		assert_int_equal(d.versions, 1);
	assert_int_equal(count, 40);
	store_close(two);
	views_hold(m);
}

static double ms_since(const struct timespec *from)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) * 1e3 + (double)(now.tv_nsec - from->tv_nsec) / 1e6;
}

static void count_versions(void *ctx, const struct doc_version *v)
{
	int64_t *n = ctx;
	assert_int_equal(v->n, ++*n);
}

/* Ten thousand versions, ten thousand documents; how long it takes is told, not tested. */
static void test_many(void **state)
{
	enum { MANY = 10000 };
	struct memory *m = *state;
	struct doc d;
	struct timespec from;
	int64_t id, other, n = 0, after = 0;
	char *page = malloc(2001);
	assert_non_null(page);
	memory_reopen(m, STORE_OWNER); /* as a mount has it */
	memset(page, 'x', 2000);
	page[2000] = '\0';
	assert_int_equal(doc_make(m->s, "notes", "a.md", "first", &id), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	char *version = doc_version_of(page, "{\"section\":\"notes\"}");
	for (int i = 1; i < MANY; i++)
		assert_int_equal(store_doc_append(m->s, id, "document", doc_text_of(version), "ana:vim", i), 0);
	print_message("%d saves: %.1f ms\n", MANY, ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(store_catch_up(m->s), 0);
	print_message("views catch up: %.1f ms\n", ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(store_doc_history(m->s, id, count_versions, &n), 0);
	assert_int_equal(n, MANY);
	print_message("history: %.1f ms\n", ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 1000; i++)
		doc_reads(m->s, id, 1, "first");
	print_message("first version 1000 times: %.1f ms\n", ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 1000; i++)
		doc_reads(m->s, id, 0, page);
	print_message("newest version 1000 times: %.1f ms\n", ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < MANY; i++) {
		char name[16], body[1024];
		struct doc_text v = doc_text_of("{\"fields\":{},\"text\":\"x\"}");
		(void)snprintf(name, sizeof name, "n%d.md", i);
		struct doc_text place = doc_text_of(doc_place(body, "memories/fact", name, false));
		assert_int_equal(store_doc_make(m->s, "memories/fact", name, place, &v, "ana:cp", &other), 0);
	}
	print_message("%d makes: %.1f ms\n", MANY, ms_since(&from));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (n = 0; store_doc_next(m->s, "memories/fact", after, &d) == 0; after = d.id)
		n++;
	assert_int_equal(n, MANY);
	print_message("listing: %.1f ms\n", ms_since(&from));
	free(version);
	free(page);
}

static int64_t counted(struct store *s, int64_t most)
{
	int64_t count = -1;
	assert_int_equal(store_doc_count(s, "memories/", "memories0", most, &count), 0);
	return count;
}

/* Those that are there, in these directories, and no more than was asked for. */
static void test_count(void **state)
{
	struct memory *m = *state;
	static const char *const names[] = { "a.md", "b.md", "c.md" };
	int64_t id[4];
	assert_int_equal(counted(m->s, 10), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(doc_make(m->s, i ? "memories/fact" : "memories/decision", names[i], "x", &id[i]), 0);
	assert_int_equal(doc_make(m->s, "notes", "a.md", "x", &id[3]), 0);
	assert_int_equal(doc_make(m->s, "memoriesz", "a.md", "x", &id[3]), 0);
	assert_int_equal(counted(m->s, 10), 3);
	assert_int_equal(counted(m->s, 2), 2);
	assert_int_equal(doc_move(m->s, id[0], "notes", "b.md"), 0);
	assert_int_equal(counted(m->s, 10), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_make_and_save, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_rename_and_listing, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_replace, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_at_time, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_folders, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_two_stores, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_race, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_many, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_count, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
