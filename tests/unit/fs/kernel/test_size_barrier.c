/* SPDX-License-Identifier: MIT */
/* Sizes of a log while appends to it are under way: each told is at least the one before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "fs/internal.h"

enum { INO = 77 };

/* A memory of one log in one mount, and what happens while its size is being measured. */
struct bench {
	struct fs fs;
	struct fs_mount mount;
	struct kernel kernel;
	int64_t bytes;                  /* of the log */
	void (*meanwhile)(struct bench *b); /* once, after measuring and before the answer */
	int64_t told;                   /* by meanwhile */
};

static int measure(struct fs *fs, uint64_t ino, int64_t *size)
{
	struct bench *b = (struct bench *)fs;
	assert_int_equal(ino, INO);
	if (b->bytes < 0)
		return -EIO;
	*size = b->bytes;
	void (*meanwhile)(struct bench *b) = b->meanwhile;
	b->meanwhile = NULL;
	if (meanwhile)
		meanwhile(b);
	return 0;
}

static const struct kernel_asks asks = { .size = measure };

static int64_t told(struct bench *b)
{
	return size_barrier_told(&b->fs, INO, b->bytes);
}

static void bench_init(struct bench *b, bool held)
{
	memset(b, 0, sizeof *b);
	lock_init(&b->fs.lock, RANK_FS);
	kcache_init(&b->mount.kcache);
	size_barrier_init(&b->kernel.barrier);
	b->fs.kernel_asks = &asks;
	b->fs.kernel = &b->kernel;
	b->fs.mounts = &b->mount;
	b->mount.fs = &b->fs;
	b->bytes = 100;
	if (held)
		kcache_mark(&b->mount.kcache, INO, 1, KCACHE_DATA);
}

static void bench_release(struct bench *b)
{
	assert_null(b->kernel.barrier.first);
	size_barrier_release(&b->kernel.barrier);
	kcache_release(&b->mount.kcache);
	lock_destroy(&b->fs.lock);
}

static void test_held_back(void **state)
{
	struct bench b;
	struct barrier_file one = { 0 }, two = { 0 };
	(void)state;
	bench_init(&b, true);
	size_barrier_begin(&b.fs, &one, INO);
	size_barrier_begin(&b.fs, &two, INO);
	b.bytes = 110;
	size_barrier_measure(&b.fs, &one, INO);
	b.bytes = 130;
	size_barrier_measure(&b.fs, &two, INO);
	assert_int_equal(told(&b), 100);
	size_barrier_end(&b.fs, &one);
	assert_int_equal(told(&b), 110);
	size_barrier_end(&b.fs, &two);
	assert_int_equal(told(&b), 130);
	bench_release(&b);
}

/* Another append, which nobody held the log for, commits and is seen. */
static void others_line(struct bench *b)
{
	b->bytes = 120;
	b->told = told(b);
}

static void test_grows_while_measured(void **state)
{
	struct bench b;
	struct barrier_file one = { 0 };
	(void)state;
	bench_init(&b, true);
	b.meanwhile = others_line;
	size_barrier_begin(&b.fs, &one, INO);
	assert_int_equal(b.told, 120);
	assert_int_equal(told(&b), 120);
	b.bytes = 150;
	assert_int_equal(told(&b), 120);
	size_barrier_measure(&b.fs, &one, INO);
	size_barrier_end(&b.fs, &one);
	assert_int_equal(told(&b), 150);
	bench_release(&b);
}

/* Its line is told when its write is answered, whoever else is under way. */
static void test_began_unheld(void **state)
{
	struct bench b;
	struct barrier_file one = { 0 }, two = { 0 };
	(void)state;
	bench_init(&b, false);
	size_barrier_begin(&b.fs, &one, INO);
	kcache_mark(&b.mount.kcache, INO, 1, KCACHE_DATA);
	size_barrier_begin(&b.fs, &two, INO);
	b.bytes = 120;
	size_barrier_measure(&b.fs, &one, INO);
	assert_int_equal(told(&b), 100);
	size_barrier_end(&b.fs, &one);
	assert_int_equal(told(&b), 120);
	b.bytes = 140;
	assert_int_equal(told(&b), 120);
	size_barrier_end(&b.fs, &two); /* it failed: nothing of it was measured */
	assert_int_equal(told(&b), 140);
	bench_release(&b);
}

/* An append that fails, of a log that could not be measured, takes no size back. */
static void test_fails(void **state)
{
	struct bench b;
	struct barrier_file one = { 0 }, two = { 0 };
	(void)state;
	bench_init(&b, true);
	b.bytes = -1;
	size_barrier_begin(&b.fs, &one, INO);
	size_barrier_begin(&b.fs, &two, INO);
	b.bytes = 100;
	assert_int_equal(told(&b), 100);
	size_barrier_end(&b.fs, &one);
	assert_int_equal(told(&b), 100);
	size_barrier_end(&b.fs, &two);
	bench_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held_back), cmocka_unit_test(test_grows_while_measured),
		cmocka_unit_test(test_began_unheld), cmocka_unit_test(test_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
