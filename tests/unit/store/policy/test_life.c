/* SPDX-License-Identifier: MIT */
/* Which things are retired (policy_life()). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define DAY (INT64_C(86400) * 1000000)
#define NOW (400 * DAY)

static void test_documents(void **state)
{
	(void)state;
	static const struct {
		const char *status;
		int64_t expires_us;
		bool replaced;
		enum life life;
	} table[] = {
		{ NULL, 0, false, LIFE_LIVE }, { "", 0, false, LIFE_LIVE }, { "active", 0, false, LIFE_LIVE },
		{ "active", NOW + 1, false, LIFE_LIVE }, { "active", NOW, false, LIFE_EXPIRED },
		{ "active", NOW - DAY, true, LIFE_EXPIRED }, { "active", 0, true, LIFE_SUPERSEDED },
		{ "superseded", 0, false, LIFE_SUPERSEDED }, { "superseded", NOW, true, LIFE_EXPIRED },
		{ "deleted", 0, false, LIFE_DELETED }, { "deleted", NOW, true, LIFE_DELETED },
		{ "expired", 0, false, LIFE_EXPIRED }, { "deprecated", 0, false, LIFE_DEPRECATED },
		{ "inactive", 0, false, LIFE_INACTIVE }, { "draft", 0, false, LIFE_INACTIVE },
		{ "stale", 0, false, LIFE_INACTIVE }, { "live", 0, false, LIFE_INACTIVE },
		{ "pruned", 0, false, LIFE_INACTIVE },
	};
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct policy_thing t = { .status = table[i].status, .expires_us = table[i].expires_us,
			.replaced = table[i].replaced };
		assert_int_equal(policy_life(&t, NOW), table[i].life);
	}
	const struct policy_thing pruned = { .pruned = true };
	assert_int_equal(policy_life(&pruned, NOW), LIFE_PRUNED);
}

static void test_facts(void **state)
{
	(void)state;
	static const struct {
		enum confidence confidence;
		int days;
		enum life on, after; /* at that age, and a microsecond later */
	} table[] = {
		{ CONFIDENCE_LOW, 30, LIFE_LIVE, LIFE_AGED }, { CONFIDENCE_LOW, 180, LIFE_AGED, LIFE_STALE },
		{ CONFIDENCE_MEDIUM, 90, LIFE_LIVE, LIFE_AGED }, { CONFIDENCE_MEDIUM, 180, LIFE_AGED, LIFE_STALE },
		{ CONFIDENCE_HIGH, 180, LIFE_LIVE, LIFE_STALE },
	};
	for (size_t i = 0; i < COUNT(table); i++) {
		struct policy_thing t = { .is_fact = true, .confidence = table[i].confidence,
			.confirmed_us = NOW - table[i].days * DAY };
		assert_int_equal(policy_life(&t, NOW), table[i].on);
		assert_int_equal(policy_life(&t, NOW + 1), table[i].after);
		t.retracted = true;
		assert_int_equal(policy_life(&t, NOW), LIFE_DELETED);
		t.replaced = true;
		assert_int_equal(policy_life(&t, NOW), LIFE_SUPERSEDED);
	}
	const struct policy_thing ahead = { .is_fact = true, .confirmed_us = NOW + DAY };
	assert_int_equal(policy_life(&ahead, NOW), LIFE_LIVE); /* a clock set back */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_documents), cmocka_unit_test(test_facts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
