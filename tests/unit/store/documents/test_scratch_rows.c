/* SPDX-License-Identifier: MIT */
/* Editors' files in PATH.side: stored, replaced, dropped, there after the store is closed. */
#include "tests/unit/store_fixture.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct seen {
	int count;
	struct scratch_row last;
	char name[64], bytes[64];
};

static void see(void *ctx, const struct scratch_row *row)
{
	struct seen *s = ctx;
	s->count++;
	s->last = *row;
	(void)snprintf(s->name, sizeof s->name, "%s", row->name);
	assert_in_range(row->len, 0, sizeof s->bytes);
	memcpy(s->bytes, row->bytes, row->len);
}

static struct seen look(struct store *s)
{
	struct seen seen = { 0 };
	assert_int_equal(store_scratch_each(s, see, &seen), 0);
	return seen;
}

static void test_rows(void **state)
{
	struct memory *m = *state;
	struct scratch_row a = { .dir = UINT64_C(0xC000000000000001), .name = ".a.md.swp", .mode = S_IFREG | 0600,
		.changed_us = 5, .bytes = "v\0im", .len = 4 };
	struct scratch_row b = { .dir = 2, .name = ".#a.md", .mode = S_IFLNK | 0777, .changed_us = 6,
		.bytes = "ana@host.12", .len = 11 };
	assert_int_equal(look(m->s).count, 0);
	assert_int_equal(store_scratch_put(m->s, &a, 1), 0);
	assert_int_equal(store_scratch_put(m->s, &b, 1), 0);
	assert_true(a.id > 0 && b.id > a.id);
	struct seen seen = look(m->s);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.last.id, b.id);
	assert_int_equal(seen.last.mode, b.mode);
	assert_memory_equal(seen.bytes, "ana@host.12", 11);
	a.name = "4913";
	a.len = 0;
	a.bytes = NULL;
	int64_t id = a.id;
	assert_int_equal(store_scratch_put(m->s, &a, 1), 0);
	assert_int_equal(a.id, id);
	assert_int_equal(store_scratch_drop(m->s, b.id), 0);
	assert_int_equal(store_scratch_drop(m->s, b.id), STORE_ENOENT);
	memory_reopen(m, 0);
	seen = look(m->s);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.last.id, id);
	assert_true(seen.last.dir == a.dir);
	assert_string_equal(seen.name, "4913");
	assert_int_equal(seen.last.changed_us, 5);
	assert_int_equal(seen.last.len, 0);
	struct scratch_row c = { .dir = 2, .name = "c", .mode = S_IFREG | 0644, .bytes = "" };
	assert_int_equal(store_scratch_put(m->s, &c, 1), 0);
	assert_true(c.id > b.id); /* a number is never used again */
	assert_int_equal(entries_of(m->s), 1);
}

static int64_t side_size(const struct memory *m)
{
	char path[PATH_MAX];
	struct stat st;
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* All of many at once, or none; and what an emptied workspace took the file gives back. */
static void test_gives_back(void **state)
{
	struct memory *m = *state;
	enum { MANY = 24, EACH = 1 << 20 };
	static struct scratch_row row[MANY];
	char *bytes = calloc(1, EACH);
	assert_non_null(bytes);
	for (int i = 0; i < MANY; i++)
		row[i] = (struct scratch_row){ .dir = 2, .name = "f", .mode = S_IFREG | 0600,
			.bytes = bytes, .len = EACH };
	assert_int_equal(store_scratch_put(m->s, row, MANY), 0);
	memory_reopen(m, 0);
	assert_true(side_size(m) > (int64_t)MANY * EACH);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(store_scratch_drop(m->s, row[i].id), 0);
	memory_reopen(m, 0);
	assert_true(side_size(m) < EACH);
	assert_int_equal(look(m->s).count, 0);
	free(bytes);
}

/* What could not be kept is said until it is, not until another is. */
static void test_unkept(void **state)
{
	struct memory *m = *state;
	char trouble[256];
	struct scratch_row good = { .dir = 2, .name = "good", .mode = S_IFREG | 0600, .bytes = "x", .len = 1 };
	struct scratch_row bad = { .dir = 2, .name = "bad", .mode = S_IFREG | 0600, .bytes = "", .len = SIZE_MAX / 2 };
	assert_int_equal(store_scratch_put(m->s, &good, 1), 0);
	store_trouble(m->s, trouble, sizeof trouble);
	assert_string_equal(trouble, "");
	assert_int_not_equal(store_scratch_put(m->s, &bad, 1), 0); /* longer than SQLite takes */
	assert_int_equal(store_scratch_put(m->s, &good, 1), 0);
	store_trouble(m->s, trouble, sizeof trouble);
	assert_non_null(strstr(trouble, "files off the tape are not kept"));
	store_scratch_kept(m->s);
	store_trouble(m->s, trouble, sizeof trouble);
	assert_string_equal(trouble, "");
}

/* Of what is refused the first 4 MiB are kept, and it is said how much there was. */
static void test_cut(void **state)
{
	struct memory *m = *state;
	enum { MUCH = 6 << 20, KEPT = 4 << 20 };
	char kept[NAME_LIMIT + 1], *bytes = malloc(MUCH);
	struct rejected there;
	const struct refusal r = { .time_us = INT64_C(1700000000000000), .code = "EFBIG", .op = "flush",
		.path = "notes/a.md", .author = "ana:cp", .reason = "too long", .todo = "split it",
		.kept = "" };
	assert_non_null(bytes);
	memset(bytes, 'x', MUCH);
	assert_int_equal(store_refuse(m->s, &r, "a.md", bytes, MUCH, kept), 0);
	assert_int_equal(store_rejected_by_name(m->s, kept, &there), 0);
	assert_int_equal(there.size, KEPT);
	assert_non_null(strstr(there.reason, "4194304 of 6291456 bytes"));
	assert_int_equal(store_rejected_read(m->s, there.id, KEPT - 3, bytes, 16), 3);
	assert_int_equal(store_refuse(m->s, &r, "b.md", bytes, KEPT, kept), 0);
	assert_int_equal(store_rejected_by_name(m->s, kept, &there), 0);
	assert_int_equal(there.size, KEPT);
	assert_null(strstr(there.reason, "bytes are kept"));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_gives_back, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_cut, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_unkept, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
