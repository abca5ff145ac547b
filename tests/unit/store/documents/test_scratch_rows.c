/* SPDX-License-Identifier: MIT */
/* Editors' files in PATH.side: stored, replaced, dropped, there after the store is closed. */
#include "tests/unit/store_fixture.h"

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
	assert_int_equal(store_scratch_put(m->s, &a), 0);
	assert_int_equal(store_scratch_put(m->s, &b), 0);
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
	assert_int_equal(store_scratch_put(m->s, &a), 0);
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
	assert_int_equal(store_scratch_put(m->s, &c), 0);
	assert_true(c.id > b.id); /* a number is never used again */
	assert_int_equal(entries_of(m->s), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
