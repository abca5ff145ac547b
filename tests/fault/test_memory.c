/* SPDX-License-Identifier: MIT */
/*
 * SQLite's Nth allocation fails, once or for good, in steps that grow with N,
 * until a run meets no fault any more.  What must hold then is the same as when
 * the disk fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/fault/life.h"

static sqlite3_mem_methods real;
static _Atomic int64_t left; /* allocations until one fails; 0: never */
static _Atomic bool stays, struck;

static bool fails(void)
{
	if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) > 1)
		return false;
	atomic_store(&left, atomic_load(&stays) ? 1 : 0);
	atomic_store(&struck, true);
	return true;
}

static void *get(int size)
{
	return fails() ? NULL : real.xMalloc(size);
}

static void *regrow(void *old, int size)
{
	return fails() ? NULL : real.xRealloc(old, size);
}

static void arm(int64_t n, bool for_good)
{
	atomic_store(&left, 0);
	atomic_store(&stays, for_good);
	atomic_store(&struck, false);
	atomic_store(&left, n);
}

static void until_clean(void **state)
{
	bool for_good = *state != NULL;
	struct fault_life l;
	int refused = 0, saves = 0, runs = 0;
	bool hit = true;
	life_begin(&l);
	for (int64_t n = 1; hit; n += 1 + n / (getenv("CINTA_LONG") ? 300 : 30), runs++) {
		life_again(&l);
		arm(n, for_good);
		life_run(&l);
		hit = atomic_load(&struck);
		arm(0, false);
		refused += l.refused + (l.opened != 0);
		saves += l.saves_refused;
		if (!hit)
			assert_int_equal(l.refused + l.saves_refused + (l.opened != 0), 0);
		life_check(&l);
	}
	assert_true(runs > 50 && refused > 10 && (saves > 2 || !for_good));
	life_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "an allocation fails once", until_clean, NULL, NULL, NULL },
		{ "allocations fail from then on", until_clean, NULL, NULL, &real },
	};
	sqlite3_mem_methods mine;
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
		return 1;
	mine = real;
	mine.xMalloc = get;
	mine.xRealloc = regrow;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &mine) != SQLITE_OK)
		return 1;
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
