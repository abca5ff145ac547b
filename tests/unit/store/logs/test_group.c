/* SPDX-License-Identifier: MIT */
/* Sessions and threads: making by many at once, listing, the current one, references. */
#include "tests/unit/store_fixture.h"

#include <openssl/sha.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RACERS = 8, NAMES = 12 };

struct race {
	struct store *s[2];
	_Atomic int next;
	_Atomic int won[NAMES], lost[NAMES];
	_Atomic int64_t id[NAMES];
	pthread_barrier_t start;
};

static void *make_all(void *arg)
{
	struct race *r = arg;
	struct store *s = r->s[atomic_fetch_add(&r->next, 1) % 2];
	for (int i = 0; i < NAMES; i++) {
		char name[32], body[64];
		int64_t id = 0;
		(void)snprintf(name, sizeof name, "n%d", i);
		int len = snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
		pthread_barrier_wait(&r->start);
		int err = store_session_make(s, name, body, (size_t)len, "a", &id);
		if (err == 0) {
			atomic_fetch_add(&r->won[i], 1);
			atomic_store(&r->id[i], id);
		} else if (err == STORE_EEXIST) {
			atomic_fetch_add(&r->lost[i], 1);
		}
	}
	return NULL;
}

/* Eight threads on two stores of one file make the same names: each has exactly one maker. */
static void test_race(void **state)
{
	struct memory *m = *state;
	struct race *r = calloc(1, sizeof *r);
	pthread_t thread[RACERS];
	struct group g;
	assert_non_null(r);
	r->s[0] = m->s;
	r->s[1] = memory_store(m, 0);
	assert_int_equal(pthread_barrier_init(&r->start, NULL, RACERS), 0);
	for (int i = 0; i < RACERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, make_all, r), 0);
	for (int i = 0; i < RACERS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	for (int i = 0; i < NAMES; i++) {
		char name[32];
		(void)snprintf(name, sizeof name, "n%d", i);
		assert_int_equal(atomic_load(&r->won[i]), 1);
		assert_int_equal(atomic_load(&r->lost[i]), RACERS - 1);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(store_group_by_name(r->s[k], LOG_SESSION, name, &g), 0);
			assert_int_equal(g.id, atomic_load(&r->id[i]));
		}
	}
	assert_int_equal(entries_of(m->s), 1 + NAMES);
	store_close(r->s[1]);
	pthread_barrier_destroy(&r->start);
	free(r);
}

static void test_listing(void **state)
{
	struct memory *m = *state;
	struct group g;
	assert_int_equal(store_group_next(m->s, LOG_SESSION, 0, &g), STORE_ENOENT);
	assert_int_equal(store_group_newest(m->s, LOG_SESSION, &g), STORE_ENOENT);
	assert_int_equal(store_group_current(m->s, &g), STORE_ENOENT);
	for (int i = 1; i <= 5; i++) {
		char name[16];
		(void)snprintf(name, sizeof name, "n%d", i);
		assert_int_equal(make_session(m->s, name), i);
		assert_int_equal(store_group_newest(m->s, LOG_SESSION, &g), 0);
		assert_string_equal(g.name, name);
		assert_int_equal(store_group_current(m->s, &g), STORE_ENOENT); /* nobody wrote to it */
	}
	int64_t id = 0;
	for (int i = 1; i <= 5; i++, id = g.id) {
		assert_int_equal(store_group_next(m->s, LOG_SESSION, id, &g), 0);
		assert_int_equal(g.id, i);
		assert_string_equal(g.author, "ana:sh");
	}
	assert_int_equal(store_group_next(m->s, LOG_SESSION, id, &g), STORE_ENOENT);
	say(m->s, "a", ",\"thread\":\"x y\"");
	assert_int_equal(store_group_current(m->s, &g), 0);
	assert_int_equal(g.id, 1);
	memory_reopen(m, 0);
	assert_int_equal(store_group_current(m->s, &g), 0);
	assert_int_equal(g.id, 1);
	assert_int_equal(store_group_by_name(m->s, LOG_THREAD, "x y", &g), 0);
	assert_int_equal(g.messages, 1);
	assert_int_equal(store_group_by_name(m->s, LOG_THREAD, "n1", NULL), STORE_ENOENT);
	assert_int_equal(store_group_by_id(m->s, LOG_SESSION, 6, NULL), STORE_ENOENT);
}

static void test_stream_names(void **state)
{
	static const char *const none[] = { "", "s", "s0", "s01", "sx", "s1x", "t1", "s-1", "sessions",
		"s12345678901234567890" };
	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(store_stream_session(none[i]), 0);
	assert_int_equal(store_stream_session("s1"), 1);
	assert_int_equal(store_stream_session("s907"), 907);
}

/* Rows by other programs: no name, another's name, messages before the session's entry. */
static void test_odd_sessions(void **state)
{
	struct memory *m = *state;
	struct group g;
	static const char *const bodies[] = { "{\"name\":\"uno\"}", "{\"name\":\"uno\"}", "{}", "no json",
		"{\"name\":\"a/b\"}", "{\"name\":5}" };
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(put(m->s, "sessions", "session", bodies[i]), 0);
	assert_int_equal(put(m->s, "s9", "message", "{\"content\":\"early\"}"), 0);
	assert_int_equal(store_catch_up(m->s), 0);
	for (int64_t id = 1; id <= 6; id++) {
		assert_int_equal(store_group_by_id(m->s, LOG_SESSION, id, &g), 0);
		struct group again;
		assert_int_equal(store_group_by_name(m->s, LOG_SESSION, g.name, &again), 0);
		assert_int_equal(again.id, id); /* whatever it is called, it is found by that */
	}
	assert_int_equal(store_group_by_name(m->s, LOG_SESSION, "uno", &g), 0);
	assert_int_equal(g.id, 1);
	assert_int_equal(store_group_by_name(m->s, LOG_SESSION, "s9", &g), 0);
	assert_int_equal(g.messages, 1);
}

struct refs {
	struct ref ref[32];
	int count;
};

static void take_ref(void *ctx, const struct ref *r)
{
	struct refs *refs = ctx;
	assert_true(refs->count < 32);
	refs->ref[refs->count++] = *r;
}

static void take_hash(void *ctx, const struct entry *e)
{
	for (int i = 0; i < HASH_SIZE; i++)
		(void)snprintf((char *)ctx + 2 * i, 3, "%02x", e->leaf_hash[i]);
}

static void hash_text(const char *text, char hex[2 * HASH_SIZE + 1])
{
	uint8_t hash[HASH_SIZE];
	(void)SHA256((const uint8_t *)text, strlen(text), hash);
	for (int i = 0; i < HASH_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", hash[i]);
}

static void test_refs(void **state)
{
	struct memory *m = *state;
	struct refs got = { .count = 0 };
	char one[65], two[65], other[65], text[65], more[1024];
	static const char own[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
	(void)make_session(m->s, "uno");
	(void)make_session(m->s, "a/b"); /* unusable: known as s2 */
	(void)make_session(m->s, "tres");
	say(m->s, "first", "");
	assert_int_equal(put(m->s, "s3", "message", "{\"content\":\"elsewhere\"}"), 0);
	(void)snprintf(more, sizeof more, ",\"thread\":\"t\",\"refs\":[{\"type\":\"context\",\"ref\":1},"
	               "{\"type\":\"accountant\",\"ref\":\"tres/1\"},{\"type\":\"secretary\",\"ref\":\"%s\"},"
	               "{\"type\":\"context\",\"ref\":\"planilla 3\"},{\"type\":\"context\",\"ref\":2},"
	               "{\"type\":\"context\",\"ref\":\"tres/2\"},{\"type\":\"context\",\"ref\":\"1\"}]", own);
	say(m->s, "second", more);
	assert_int_equal(store_refs(m->s, 1, take_ref, &got), 0);
	assert_int_equal(read_message(m->s, 1, 1, take_hash, one), 0);
	assert_int_equal(read_message(m->s, 1, 2, take_hash, two), 0);
	assert_int_equal(read_message(m->s, 3, 1, take_hash, other), 0);
	assert_int_equal(got.count, 6); /* the last names message 1 again: one row */
	const char *want[6] = { one, other, own, NULL, NULL, NULL };
	static const char *const texts[6] = { NULL, NULL, NULL, "planilla 3", "2", "tres/2" };
	static const char *const types[6] = { "context", "accountant", "secretary", "context", "context",
		"context" };
	for (int i = 0; i < 6; i++) {
		if (texts[i])
			hash_text(texts[i], text); /* itself, and later ones, cannot be meant */
		assert_string_equal(got.ref[i].ref_hash, texts[i] ? text : want[i]);
		assert_string_equal(got.ref[i].ref_type, types[i]);
		assert_int_equal(got.ref[i].position, i + 1);
		assert_int_equal(got.ref[i].message, 2);
		assert_string_equal(got.ref[i].message_hash, two);
	}
	hash_text("threads/t", text);
	assert_string_equal(got.ref[0].thread_hash, text);
	got.count = 0;
	assert_int_equal(store_refs(m->s, 3, take_ref, &got), 0);
	assert_int_equal(got.count, 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_race), WITH(test_listing), WITH(test_stream_names),
		WITH(test_odd_sessions), WITH(test_refs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
