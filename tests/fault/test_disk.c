/* SPDX-License-Identifier: MIT */
/*
 * The disk fails at its Nth write, sync or truncate, once or for good, until a
 * run meets no fault any more.  After each: no acknowledged line is lost, none
 * that was refused is there, a document has its last acknowledged version whole,
 * the chain holds, the views follow, appending and saving go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/fault/fault_vfs.h"
#include "tests/fault/life.h"

struct way {
	unsigned ops;
	int rc;
	bool stays;
};

static void until_clean(void **state)
{
	const struct way *way = *state;
	struct fault_life l;
	int refused = 0, saves = 0;
	int64_t n = 1;
	life_begin(&l);
	bool all = getenv("CINTA_LONG") != NULL;
	for (bool struck = true; struck; n += 1 + (all ? 0 : n / 60)) { /* all of the first, then steps */
		life_again(&l);
		fault_arm(way->ops, n, way->rc, way->stays);
		life_run(&l);
		struck = fault_struck();
		fault_arm(0, 0, 0, false);
		refused += l.refused + (l.opened != 0);
		saves += l.saves_refused;
		if (!struck)
			assert_int_equal(l.refused + l.saves_refused + (l.opened != 0), 0);
		life_check(&l);
	}
	/* It did strike, and where commits need what fails, writers were told. */
	assert_true(n > 3);
	if (way->ops & (FAULT_WRITE | FAULT_TORN))
		assert_true(refused > 0 && saves > 0);
	life_end(&l);
}

#define CASE(title, o, r, s) { title, until_clean, NULL, NULL, &(struct way){ o, r, s } }

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("a write fails once: full", FAULT_WRITE, SQLITE_FULL, false),
		CASE("writes fail from then on: full", FAULT_WRITE, SQLITE_FULL, true),
		CASE("a write fails once: I/O error", FAULT_WRITE, SQLITE_IOERR_WRITE, false),
		CASE("a write is torn once", FAULT_TORN, SQLITE_IOERR_WRITE, false),
		CASE("writes are torn from then on", FAULT_TORN, SQLITE_FULL, true),
		CASE("a sync fails once", FAULT_SYNC, SQLITE_IOERR_FSYNC, false),
		CASE("syncs fail from then on", FAULT_SYNC, SQLITE_IOERR_FSYNC, true),
		CASE("everything fails from then on", FAULT_WRITE | FAULT_SYNC | FAULT_TRUNCATE,
		     SQLITE_IOERR, true),
	};
	fault_vfs_install();
	return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
