/* SPDX-License-Identifier: MIT */
/*
 * The order of locks (store/lock.h): each wrong taking ends the program, each right one does
 * not.  A wrong one is made in a child process, for it ends.  Only the sanitizers' profiles
 * check; in the others nothing may end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/internal.h"
#include "tests/unit/store_fixture.h"

/* True if the child that runs `act` was ended by abort(). */
static bool ends(void (*act)(void *arg), void *arg)
{
	int status = 0;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)signal(SIGABRT, SIG_DFL); /* cmocka would make a failed test of it */
		(void)close(STDERR_FILENO);
		act(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void ask_again(void *ctx, const struct entry *e)
{
	struct group g;
	(void)e;
	(void)store_group_by_id(ctx, LOG_SESSION, 1, &g);
}

static void ask_in_callback(void *arg)
{
	(void)store_entry(arg, 0, ask_again, arg);
}

static void see(void *ctx, const struct entry *e)
{
	(void)e;
	++*(int *)ctx;
}

static void ask_after(void *arg)
{
	int seen = 0;
	struct group g;
	(void)store_entry(arg, 0, see, &seen);
	(void)store_group_by_id(arg, LOG_SESSION, 1, &g);
	_exit(seen == 1 ? 0 : 1);
}

/* What once made two mounts wait for ever. */
static void test_no_second_reader(void **state)
{
	const struct memory *m = *state;
	(void)make_session(m->s, "uno");
	assert_int_equal(ends(ask_in_callback, m->s), LOCK_CHECKED);
	assert_false(ends(ask_after, m->s));
}

/* Two locks and an order; `a` comes before `b`. */
struct pair {
	struct lock a, b, again;
};

static void in_order(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->a);
	lock_take(&p->b);
	lock_assert(&p->a);
	lock_give(&p->a); /* given back in any order */
	lock_give(&p->b);
	lock_assert_none();
}

static void against_order(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->b);
	lock_take(&p->a);
}

/* What holds a lock may take no other of its rank either: two such threads could cross. */
static void of_one_rank(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->a);
	lock_take(&p->again);
}

static void again_declared(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->again);
	lock_take(&p->b);
	lock_take(&p->again);
	lock_give(&p->again);
	lock_give(&p->b);
	lock_give(&p->again);
	lock_assert_none();
}

/* Who does not wait takes part in no circle. */
static void without_waiting(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->b);
	if (!lock_try(&p->a))
		_exit(1);
	lock_give(&p->a);
	lock_give(&p->b);
}

static void tell_kernel_with_one(void *arg)
{
	struct pair *p = arg;
	lock_take(&p->a);
	lock_assert_none();
}

static void never_taken(void *arg)
{
	struct pair *p = arg;
	lock_assert(&p->a);
}

static void test_order(void **state)
{
	struct pair p;
	(void)state;
	lock_init(&p.a, RANK_DOCS);
	lock_init(&p.b, RANK_COMMIT);
	lock_init_recursive(&p.again, RANK_DOCS);
	assert_false(ends(in_order, &p));
	assert_false(ends(again_declared, &p));
	assert_false(ends(without_waiting, &p));
	assert_int_equal(ends(against_order, &p), LOCK_CHECKED);
	assert_int_equal(ends(of_one_rank, &p), LOCK_CHECKED);
	assert_int_equal(ends(tell_kernel_with_one, &p), LOCK_CHECKED);
	assert_int_equal(ends(never_taken, &p), LOCK_CHECKED);
	lock_destroy(&p.a);
	lock_destroy(&p.b);
	lock_destroy(&p.again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test_setup_teardown(test_no_second_reader, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
