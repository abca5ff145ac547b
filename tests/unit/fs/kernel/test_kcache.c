/* SPDX-License-Identifier: MIT */
/* The table of what a kernel knows against a plain array, with chains of collisions and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fs/base/ino.h"
#include "fs/kernel/kcache.h"

enum { INODES = 300, STEPS = 60000 };

struct model {
	uint32_t lookups, marks;
	bool here;
};

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

static void take_all(struct kcache *k, struct model m[INODES])
{
	size_t count, marked = 0;
	uint64_t *all = kcache_take_all(k, &count);
	for (int i = 0; i < INODES; i++)
		marked += m[i].marks != 0;
	assert_int_equal(count, marked);
	for (size_t i = 0; i < count; i++) {
		size_t at = (size_t)(all[i] >> 40) - 1;
		assert_true(at < INODES && m[at].marks);
		m[at].marks = 0;
	}
	free(all);
}

static void test_model(void **state)
{
	struct kcache k;
	struct model m[INODES] = { { 0 } };
	uint64_t seed = 11;
	(void)state;
	kcache_init(&k);
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = dice(&seed, INODES), n = dice(&seed, 3), marks = 1 + dice(&seed, 3);
		uint64_t ino = (uint64_t)(i + 1) << 40; /* differ in high bits alone */
		switch (dice(&seed, 6)) {
		case 0:
		case 1:
			kcache_mark(&k, ino, n, marks);
			m[i].lookups += n;
			m[i].marks |= marks;
			m[i].here = true;
			break;
		case 2:
		case 3:
			kcache_forget(&k, ino, n);
			m[i].lookups -= n < m[i].lookups ? n : m[i].lookups;
			if (m[i].lookups == 0)
				m[i] = (struct model){ 0 };
			break;
		case 4:
			assert_int_equal(kcache_take(&k, ino), m[i].marks);
			m[i].marks = 0;
			break;
		default:
			if (step % 500 == 0)
				take_all(&k, m);
		}
	}
	for (uint32_t i = 0; i < INODES; i++)
		assert_int_equal(kcache_take(&k, (uint64_t)(i + 1) << 40), m[i].marks);
	kcache_release(&k);
}

/* A size lives as long as its inode's look-ups, and never shows up with another's. */
static void test_size(void **state)
{
	struct kcache k;
	(void)state;
	kcache_init(&k);
	kcache_set_size(&k, 7, 70);
	assert_int_equal(kcache_size(&k, 7), 0);
	assert_false(kcache_has(&k, 7, true));
	for (uint64_t ino = 1; ino <= INODES; ino++) {
		kcache_mark(&k, ino, 1, 0);
		kcache_set_size(&k, ino, (int64_t)ino * 10);
	}
	for (uint64_t ino = 1; ino <= INODES; ino += 2)
		kcache_forget(&k, ino, 1);
	for (uint64_t ino = 1; ino <= INODES; ino++) {
		assert_int_equal(kcache_has(&k, ino, true), ino % 2 == 0);
		assert_int_equal(kcache_size(&k, ino), ino % 2 == 0 ? (int64_t)ino * 10 : 0);
	}
	kcache_mark(&k, 1, 1, 0);
	assert_int_equal(kcache_size(&k, 1), 0);
	kcache_release(&k);
}

/* Some marks go, the others and the references stay. */
static void test_unmark(void **state)
{
	struct kcache k;
	(void)state;
	kcache_init(&k);
	kcache_unmark(&k, 5, KCACHE_ATTR); /* nothing is known yet */
	kcache_mark(&k, 5, 1, KCACHE_ATTR | KCACHE_DATA | KCACHE_FOREVER);
	kcache_mark(&k, 6, 1, KCACHE_ATTR);
	kcache_unmark(&k, 5, KCACHE_ATTR | KCACHE_FOREVER);
	kcache_unmark(&k, 7, KCACHE_ATTR);
	assert_true(kcache_has(&k, 5, true));
	assert_int_equal(kcache_take(&k, 5), KCACHE_DATA);
	assert_int_equal(kcache_take(&k, 6), KCACHE_ATTR);
	assert_false(kcache_has(&k, 7, false));
	k.overflow = true;
	kcache_unmark(&k, 5, KCACHE_ATTR);
	assert_int_equal(kcache_take(&k, 5), KCACHE_ATTR | KCACHE_DATA | KCACHE_FOREVER);
	kcache_release(&k);
}

static void test_overflow(void **state)
{
	struct kcache k;
	(void)state;
	kcache_init(&k);
	assert_int_equal(kcache_take(&k, 7), 0);
	k.overflow = true; /* as after a failed allocation: rather a message too many */
	assert_int_equal(kcache_take(&k, 7), KCACHE_ATTR | KCACHE_DATA | KCACHE_FOREVER);
	assert_true(kcache_has(&k, 7, false) && !kcache_has(&k, 7, true));
	kcache_release(&k);
}

/* Readers at a version each: more than there are editions, and each that is open can still end. */
static void test_editions(void **state)
{
	const uint64_t ino = ino_make(KIND_DOC, 7);
	uint64_t node[EDITIONS + 50];
	int64_t version;
	int open = 0;
	struct kcache k;
	(void)state;
	kcache_init(&k);
	for (int i = 0; i < EDITIONS + 50; i++) {
		node[open] = kcache_mark(&k, ino, 1, KCACHE_ATTR);
		version = i + 1;
		if (!kcache_open(&k, node[open], &version))
			continue;
		for (int j = 0; j < open; j++)
			assert_int_not_equal(node[j], node[open]);
		assert_true(kcache_supersede(&k, ino));
		assert_int_equal(kcache_kept(&k, node[open]), version);
		open++;
	}
	assert_true(open > EDITIONS - 3 && open < EDITIONS);
	for (int i = 0; i < open; i++)
		assert_int_equal(kcache_kept(&k, node[i]), i + 1);
	kcache_close(&k, node[3]);
	kcache_forget(&k, node[3], 1); /* one number is free again */
	kcache_take(&k, ino);
	version = EDITIONS + 50;
	assert_true(kcache_open(&k, kcache_node(&k, ino), &version));
	assert_true(kcache_supersede(&k, ino));
	assert_int_equal(kcache_mark(&k, ino, 1, KCACHE_ATTR), node[3]);
	kcache_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_model), cmocka_unit_test(test_size),
		cmocka_unit_test(test_unmark), cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_editions) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
