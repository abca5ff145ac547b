/* SPDX-License-Identifier: MIT */
/* The queue of fs/kernel: its order, what it holds while it works, its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "fs/kernel/queue.h"

enum { MANY = 1000 };

struct number {
	struct queued queued;
	int n;
};

struct log {
	struct queue queue;
	int worked[MANY], work_count;
	int done[MANY], done_count;
	bool kept; /* while it was worked on, each item was still the first */
};

static void work(void *ctx, struct queued *item)
{
	struct log *l = ctx;
	lock_take(&l->queue.lock); /* nobody holds it, or this waits for ever */
	l->kept = l->kept && l->queue.items.first == item;
	lock_give(&l->queue.lock);
	l->worked[l->work_count++] = ((struct number *)item)->n;
}

static void done(void *ctx, struct queued *item)
{
	struct log *l = ctx;
	l->done[l->done_count++] = ((struct number *)item)->n;
}

static void add(struct log *l, int n)
{
	struct number *item = malloc(sizeof *item);
	assert_non_null(item);
	item->n = n;
	lock_take(&l->queue.lock);
	queue_add(&l->queue, &item->queued);
	lock_give(&l->queue.lock);
}

static void test_order_and_end(void **state)
{
	(void)state;
	static struct log l = { .kept = true };
	assert_int_equal(queue_start(&l.queue, RANK_NOTIFIER, work, done, &l), 0);
	for (int n = 0; n < MANY; n++)
		add(&l, n);
	queue_stop(&l.queue); /* not before all is done */
	assert_int_equal(l.work_count, MANY);
	assert_int_equal(l.done_count, MANY);
	for (int n = 0; n < MANY; n++) {
		assert_int_equal(l.worked[n], n);
		assert_int_equal(l.done[n], n);
	}
	assert_true(l.kept);
	assert_null(l.queue.items.first);
	queue_stop(&l.queue); /* again: nothing */
}

static void test_nothing_to_do(void **state)
{
	(void)state;
	static struct log l;
	assert_int_equal(queue_start(&l.queue, RANK_NOTIFIER, work, NULL, &l), 0);
	queue_stop(&l.queue);
	assert_int_equal(l.work_count, 0);
	assert_int_equal(queue_start(&l.queue, RANK_NOTIFIER, work, NULL, &l), 0);
	add(&l, 7); /* without `done` */
	queue_stop(&l.queue);
	assert_int_equal(l.work_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_end),
		cmocka_unit_test(test_nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
