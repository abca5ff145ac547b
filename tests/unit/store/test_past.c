/* SPDX-License-Identifier: MIT */
/* Logs, sessions/current and directories as they were, against what the store said at that time. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "fs/tree/when.h"

enum { STEPS = 400, LOGS = 12, NAMES = 6 };

/* All that can be asked about a moment. */
struct moment {
	int64_t time_us, current;
	struct group log[LOGS]; /* id 0: not made */
	int64_t made[2], changed;
	char names[1024];
	struct doc place[NAMES + 1]; /* by the document's id */
};

static struct log_id log_at(int i)
{
	return (struct log_id){ i < 5 ? LOG_SESSION : i < 10 ? LOG_THREAD : LOG_RECORD, i < 10 ? i % 5 + 1 : i - 9 };
}

static void remember(struct store *s, struct moment *m)
{
	struct group g = { .id = 0 };
	memset(m, 0, sizeof *m);
	m->time_us = clock_now();
	assert_int_equal(store_catch_up(s), 0);
	for (int i = 0; i < LOGS; i++)
		(void)store_group_by_id(s, log_at(i).kind, log_at(i).id, &m->log[i]);
	for (int i = 0; i < 2; i++)
		if (store_group_newest(s, i ? LOG_THREAD : LOG_SESSION, &g) == 0)
			m->made[i] = g.made_us;
	if (store_group_current(s, &g) == 0)
		m->current = g.id;
	assert_int_equal(store_doc_dir_changed(s, "notes", &m->changed), 0);
	doc_list(s, "notes", m->names);
	for (int id = 1; id <= NAMES; id++)
		if (store_doc_by_id(s, id, &m->place[id]) || m->place[id].into)
			m->place[id].id = 0;
}

static void check(struct store *s, const struct moment *m, int64_t at)
{
	struct group g = { .id = 0 };
	struct doc d = { .id = 0 };
	int64_t us, tokens;
	char names[1024] = "";
	for (int i = 0; i < LOGS; i++) {
		const struct group *then = &m->log[i];
		memset(&g, 0, sizeof g); /* names are compared with what follows them */
		int err = store_group_at_time(s, log_at(i), at, &g);
		assert_int_equal(err, then->id ? 0 : STORE_ENOENT);
		if (err)
			continue;
		assert_int_equal(store_tokens_of_first(s, log_at(i), g.messages, &tokens), 0);
		assert_int_equal(tokens, then->tokens);
		g.tokens = then->tokens;
		assert_memory_equal(&g, then, sizeof g);
	}
	for (int i = 0; i < 2; i++) {
		struct log_id log = { i ? LOG_THREAD : LOG_SESSION, 0 };
		assert_int_equal(store_groups_changed_at_time(s, log, at, &us), 0);
		assert_int_equal(us, m->made[i]);
	}
	int err = store_current_at_time(s, at, &g);
	assert_int_equal(err, m->current ? 0 : STORE_ENOENT);
	assert_int_equal(err ? 0 : g.id, m->current);
	assert_int_equal(store_doc_dir_changed_at_time(s, "notes", at, &us), 0);
	assert_int_equal(us, m->changed);
	while (store_doc_next_at_time(s, at, "notes", d.id, &d) == 0)
		(void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", d.name);
	assert_string_equal(names, m->names);
	for (int id = 1; id <= NAMES; id++) {
		err = store_doc_place_at_time(s, id, at, &d);
		assert_int_equal(err, m->place[id].id ? 0 : STORE_ENOENT);
		if (!err)
			assert_string_equal(d.parent, m->place[id].parent);
		if (!err)
			assert_string_equal(d.name, m->place[id].name);
	}
}

static void write_something(struct store *s, uint64_t *seed, int step)
{
	char body[256], stream[24], name[32];
	int64_t id;
	struct doc d;
	(void)snprintf(name, sizeof name, "n%d.md", step);
	switch (dice(seed, 8)) {
	case 0:
		(void)snprintf(name, sizeof name, "s%d", step);
		if (step < STEPS / 2 && store_group_by_id(s, LOG_SESSION, 5, NULL))
			(void)make_session(s, name);
		return;
	case 1:
		(void)snprintf(body, sizeof body, "{\"content\":\"r%d\",\"token_count\":2}", step);
		(void)snprintf(stream, sizeof stream, "r%u", dice(seed, 2) + 1);
		assert_int_equal(put(s, stream, "record", body), 0);
		return;
	case 2:
		if (store_doc_by_id(s, NAMES, &d))
			(void)doc_make(s, dice(seed, 3) ? "notes" : "smma", name, name, &id);
		return;
	case 3:
		id = dice(seed, NAMES) + 1;
		if (store_doc_by_id(s, id, &d) == 0)
			(void)doc_move(s, id, dice(seed, 3) ? "notes" : "smma", name);
		return;
	case 4:
		id = dice(seed, NAMES) + 1;
		if (dice(seed, 10) == 0 && store_doc_by_id(s, id, &d) == 0)
			assert_int_equal(store_doc_append(s, id, "retire", doc_text_of("{\"into\":1}"), "ana:mv", -1), 0);
		return;
	default:
		id = dice(seed, 5) + 1;
		if (store_group_by_id(s, LOG_SESSION, id, NULL))
			return;
		(void)snprintf(body, sizeof body, "{\"content\":\"%d %0*d\",\"thread\":\"t%u\",\"token_count\":%u}", step,
		               (int)dice(seed, 90), 1, dice(seed, 5), dice(seed, 50));
		(void)snprintf(stream, sizeof stream, "s%d", (int)id);
		assert_int_equal(put(s, stream, "message", body), 0);
	}
}

static void test_moments(void **state)
{
	struct memory *m = *state;
	struct moment *at = calloc(STEPS + 1, sizeof *at);
	uint64_t seed = 3;
	int64_t newest, start;
	assert_non_null(at);
	assert_int_equal(store_newest_time(m->s, &start), 0);
	at[0].time_us = start;
	for (int i = 1; i <= STEPS; i++) {
		clock_set(T(i * 10));
		write_something(m->s, &seed, i);
		remember(m->s, &at[i]);
	}
	assert_int_equal(store_newest_time(m->s, &newest), 0);
	assert_true(newest > T(0) && newest <= T(STEPS * 10));
	for (int i = 0; i <= STEPS; i++) {
		check(m->s, &at[i], at[i].time_us);
		check(m->s, &at[i], at[i].time_us + 9);
	}
	check(m->s, &at[0], 0);
	check(m->s, &at[STEPS], INT64_MAX);
	memory_reopen(m, STORE_READONLY);
	check(m->s, &at[STEPS / 3], T(STEPS / 3 * 10 + 5));
	free(at);
}

/* Entries of one microsecond belong together. */
static void test_same_time(void **state)
{
	struct memory *m = *state;
	struct group g = { .id = 0 };
	(void)make_session(m->s, "s");
	clock_set(T(5));
	for (int i = 0; i < 7; i++)
		say(m->s, "x", "");
	clock_set(T(6));
	say(m->s, "y", "");
	assert_int_equal(store_group_at_time(m->s, (struct log_id){ LOG_SESSION, 1 }, T(4), &g), 0);
	assert_int_equal(g.messages, 0);
	assert_int_equal(g.last_us, 0);
	assert_int_equal(store_group_at_time(m->s, (struct log_id){ LOG_SESSION, 1 }, T(5), &g), 0);
	assert_int_equal(g.messages, 7);
}

static void test_when(void **state)
{
	static const struct {
		const char *text, *means;
	} good[] = {
		{ "2026-11-20", "2026-11-20T23:59:59.999999Z" },
		{ "2026-11-20T10:00", "2026-11-20T10:00:59.999999Z" },
		{ "2026-11-20T10:00Z", "2026-11-20T10:00:59.999999Z" },
		{ "2026-11-20T10:00:07Z", "2026-11-20T10:00:07.999999Z" },
		{ "2026-11-20T10:00:07.5", "2026-11-20T10:00:07.599999Z" },
		{ "2026-11-20T10:00:07.000001Z", "2026-11-20T10:00:07.000001Z" },
		{ "2024-02-29", "2024-02-29T23:59:59.999999Z" },
	};
	static const char *const bad[] = { "", "x", "2026", "2026-11", "2026-1-2", "2026-11-31", "2025-02-29",
		"2026-00-01", "2026-11-20Z", "2026-11-20T", "2026-11-20T24:00", "2026-11-20T10", "2026-11-20T10:00:60",
		"2026-11-20T10:00:07.", "2026-11-20T10:00:07.Z", "2026-11-20T10:00:07.1234567", "2026-11-20T10:00:07+01:00",
		" 2026-11-20", "2026-11-20 ", "2026-11-20T10:00:07ZZ", "12026-11-20" };
	char text[64];
	int64_t us;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(when_parse(good[i].text, &us), 0);
		when_print(us, text, sizeof text);
		assert_string_equal(text, good[i].means);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (when_parse(bad[i], &us) == 0)
			fail_msg("taken for a time: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_moments, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_same_time, memory_open, memory_close),
		cmocka_unit_test(test_when),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
