/* SPDX-License-Identifier: MIT */
/* Readers of a file that was deleted: who has it open serves all; nobody is told of damage. */
#include <pthread.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/tape/moved.h"
#include "tests/unit/store_fixture.h"

static void *borrow(void *arg)
{
	struct reader *r = reader_get(arg);
	if (r)
		reader_put(arg, r);
	return r;
}

/* The one reader that is open is lent when another thread asks: it waits for that one. */
static void test_waits_for_an_open_one(void **state)
{
	struct memory *m = *state;
	pthread_t thread;
	void *got = NULL;
	memory_reopen(m, STORE_OWNER); /* an owner knows which file is its own */
	struct reader *first = reader_get(m->s);
	assert_non_null(first);
	assert_int_equal(unlink(m->path), 0);
	assert_true(moved_look(m->s));
	assert_int_equal(pthread_create(&thread, NULL, borrow, m->s), 0);
	usleep(50000);
	reader_put(m->s, first);
	assert_int_equal(pthread_join(thread, &got), 0);
	assert_ptr_equal(got, first);
}

/* None is open: there is nothing to wait for. */
static void test_says_that_none_can_be_had(void **state)
{
	struct memory *m = *state;
	memory_reopen(m, STORE_OWNER);
	assert_int_equal(unlink(m->path), 0);
	assert_int_equal(readers_renew(m->s->readers, 5), 0);
	assert_null(reader_get(m->s));
	assert_null(reader_get(m->s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_waits_for_an_open_one, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_says_that_none_can_be_had, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
