/* SPDX-License-Identifier: MIT */
/* Heads: what a transaction changes is seen after publish only, and gone when forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/tape/head.h"

static struct head *add(struct heads *h, const char *stream, int64_t bytes)
{
	struct head *head = heads_find(h, stream);
	if (!head)
		head = heads_add(h, stream);
	assert_non_null(head);
	heads_touch(h, head);
	head->next_count++;
	head->next_bytes += bytes;
	head->next_us = bytes;
	return head;
}

static void test_publish(void **state)
{
	struct heads h;
	int64_t bytes = -1, us = -1;
	(void)state;
	assert_int_equal(heads_init(&h), 0);
	(void)add(&h, "s1", 10);
	assert_false(heads_stat(&h, "s1", &bytes, &us) && bytes != 0); /* not committed */
	heads_publish(&h);
	assert_true(heads_stat(&h, "s1", &bytes, &us));
	assert_int_equal(bytes, 10);
	assert_int_equal(us, 10);
	(void)add(&h, "s1", 5);
	(void)add(&h, "s2", 7);
	assert_false(heads_stat(&h, "s2", &bytes, &us) && bytes != 0);
	assert_false(heads_stat(&h, "s1", &bytes, &us) && bytes != 10);
	heads_forget(&h); /* what a rollback does */
	assert_false(heads_stat(&h, "s1", &bytes, &us));
	assert_null(heads_find(&h, "s1"));
	heads_release(&h);
}

static void test_many(void **state)
{
	struct heads h;
	char stream[24];
	int64_t bytes, us;
	(void)state;
	assert_int_equal(heads_init(&h), 0);
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(stream, sizeof stream, "s%d", i);
		(void)add(&h, stream, i + 1);
		if (i % 7 == 0)
			heads_publish(&h);
	}
	heads_publish(&h);
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(stream, sizeof stream, "s%d", i);
		if (heads_stat(&h, stream, &bytes, &us)) /* a head may be dropped, never be wrong */
			assert_int_equal(bytes, i + 1);
	}
	(void)snprintf(stream, sizeof stream, "s%d", 2999);
	assert_true(heads_stat(&h, stream, &bytes, &us));
	heads_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_publish), cmocka_unit_test(test_many) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
