/* SPDX-License-Identifier: MIT */
/* Packed bytes: there and back, with a dictionary and without; whatever else is no packed body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"

enum { LEN = 20000 };

/* Words that repeat, but not too much: `seed` tells two texts apart, `step` how often. */
static char *text(unsigned seed, size_t step)
{
	char *t = malloc(LEN);
	unsigned x = 7;
	assert_non_null(t);
	for (size_t i = 0; i < LEN; i++) {
		x = x * 1103515245 + 12345;
		t[i] = (char)('a' + (x >> 16) % 20);
		if (i % step == 0)
			t[i] = (char)('A' + seed % 26);
	}
	return t;
}

static void test_alone(void **state)
{
	char *a = text(1, 100), *back = malloc(LEN);
	size_t len = 0;
	(void)state;
	uint8_t *p = pack_bytes(a, LEN, NULL, &len);
	assert_non_null(p);
	assert_true(len < LEN && p[0] == 0x78);
	assert_int_equal(pack_wants(p, len), -1);
	assert_true(pack_open(p, len, NULL, back, LEN));
	assert_memory_equal(a, back, LEN);
	assert_false(pack_open(p, len - 1, NULL, back, LEN));
	assert_false(pack_open(p, len, NULL, back, LEN - 1));
	assert_false(pack_open(p, 0, NULL, back, LEN));
	p[len / 2] ^= 1;
	assert_false(pack_open(p, len, NULL, back, LEN) && memcmp(a, back, LEN) == 0);
	free(p);
	free(a);
	free(back);
}

static void test_beside(void **state)
{
	char *a = text(1, 500), *b = text(2, 500), *back = malloc(LEN);
	size_t alone = 0, len = 0;
	struct pack_dictionary d = { 0x0102030405060708, a, LEN }, other = { d.seq, b, LEN };
	(void)state;
	free(pack_bytes(b, LEN, NULL, &alone));
	uint8_t *p = pack_bytes(b, LEN, &d, &len);
	assert_non_null(p);
	assert_true(len * 10 < alone);
	assert_true(pack_wants(p, len) == d.seq);
	assert_true(pack_open(p, len, &d, back, LEN));
	assert_memory_equal(b, back, LEN);
	assert_false(pack_open(p, len, &other, back, LEN));
	assert_false(pack_open(p, len, NULL, back, LEN));
	assert_false(pack_open(p, PACK_NAME - 1, &d, back, LEN));
	assert_false(pack_open(p, PACK_NAME, &d, back, LEN));
	free(p);
	free(a);
	free(b);
	free(back);
}

/* Neither what would be longer, nor what unpacks to very much. */
static void test_not_worth_it(void **state)
{
	uint8_t noise[4096];
	char *same = calloc(1, 1 << 20);
	size_t len;
	unsigned x = 3;
	(void)state;
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (uint8_t)((x = x * 1103515245 + 12345) >> 16);
	assert_null(pack_bytes(noise, sizeof noise, NULL, &len));
	assert_null(pack_bytes(same, 1 << 20, NULL, &len));
	assert_null(pack_bytes("", 0, NULL, &len));
	assert_null(pack_bytes("ab", 2, &(struct pack_dictionary){ 1, "ab", 2 }, &len));
	assert_true(pack_may(10, true, 640) && !pack_may(10, true, 641));
	assert_true(pack_may(10, false, PACK_BESIDE) && !pack_may(10, false, PACK_BESIDE + 1));
	assert_false(pack_may(10, true, 10) || pack_may(0, true, 10) || pack_may(-1, false, 10));
	free(same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_not_worth_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
