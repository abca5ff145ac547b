/* SPDX-License-Identifier: MIT */
/*
 * The order of memories that is kept (ranking.c) against all of them read and scored: memories
 * made, saved, used, moved, retired, superseded, past their end, as time goes on, in any order.
 */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW T(0)
#define MINUTE INT64_C(60000000)

enum { MEMORIES = 400, LIMIT = 30, ALL = 1000000 };

static const char *const types[] = { "preference", "decision", "fact", "entity", "temporal" };

struct world {
	struct store *s;
	int64_t id[MEMORIES], now;
	int type[MEMORIES];
	bool here[MEMORIES];
	int count;
};

/* What a save says of itself. */
static char *version(const struct world *w)
{
	char fields[256];
	size_t at = 0;
	at += (size_t)snprintf(fields, sizeof fields, "{\"importance\":%d.%d", random() % 9 == 0, (int)(random() % 10));
	if (random() % 4 == 0)
		at += (size_t)snprintf(fields + at, sizeof fields - at, ",\"superseded_by\":\"m%ld\"", random() % MEMORIES);
	if (random() % 6 == 0)
		at += (size_t)snprintf(fields + at, sizeof fields - at, ",\"status\":\"%s\"",
		                       random() % 2 ? "deleted" : "active");
	if (random() % 5 == 0) {
		time_t end = (time_t)(w->now / 1000000) + random() % 7200;
		char text[32];
		struct tm tm;
		gmtime_r(&end, &tm);
		(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
		at += (size_t)snprintf(fields + at, sizeof fields - at, ",\"expires_at\":\"%s.000000Z\"", text);
	}
	(void)snprintf(fields + at, sizeof fields - at, "}");
	return doc_version_of("what it says", fields);
}

static void make(struct world *w)
{
	char place[1024], parent[64], name[32];
	int n = w->count++;
	char *text = version(w);
	struct doc_text body = doc_text_of(text);
	w->type[n] = (int)(random() % 5);
	(void)snprintf(parent, sizeof parent, "memories/%s", types[w->type[n]]);
	(void)snprintf(name, sizeof name, "m%d.md", n);
	assert_int_equal(store_doc_make(w->s, parent, name, doc_text_of(doc_place(place, parent, name, false)), &body,
	                                "ana:vim", &w->id[n]), 0);
	w->here[n] = true;
	free(text);
}

static void save(struct world *w, int n)
{
	char *text = version(w);
	assert_int_equal(store_doc_append(w->s, w->id[n], "document", doc_text_of(text), "ana:vim", -1), 0);
	w->here[n] = true; /* a version brings one back */
	free(text);
}

static void move(struct world *w, int n)
{
	char parent[64], name[32];
	if (!w->here[n])
		return;
	w->type[n] = (int)(random() % 5);
	(void)snprintf(parent, sizeof parent, "memories/%s", types[w->type[n]]);
	(void)snprintf(name, sizeof name, random() % 2 ? "m%d.md" : "was%d.md", n);
	int err = doc_move(w->s, w->id[n], parent, name);
	assert_true(err == 0 || err == STORE_EEXIST);
}

static void retire(struct world *w, int n)
{
	if (!w->here[n])
		return;
	assert_int_equal(store_doc_append(w->s, w->id[n], "retire", doc_text_of("{\"into\":0}"), "ana:vim", -1), 0);
	w->here[n] = false;
}

static void happen(struct world *w)
{
	int n = w->count ? (int)(random() % w->count) : 0;
	long what = random() % 16;
	w->now += random() % MINUTE;
	clock_set(w->now);
	if (w->count < 20 || (what < 3 && w->count < MEMORIES))
		make(w);
	else if (what < 6)
		save(w, n);
	else if (what < 7)
		move(w, n);
	else if (what < 8)
		retire(w, n);
	else if (what < 10)
		assert_int_equal(store_memory_accessed(w->s, &w->id[n], 1, /* at times by a clock that is ahead */
			w->now + (random() % 8 == 0 ? random() % (300 * MINUTE) : 0)), 0);
	else if (what < 11)
		w->now += random() % (120 * MINUTE);
	else
		say(w->s, "a message", "");
}

struct list {
	struct memory_hit hit[LIMIT];
	int count;
};

static int take(void *ctx, const struct memory_hit *m)
{
	struct list *l = ctx;
	assert_true(l->count < LIMIT);
	l->hit[l->count++] = *m;
	return 0;
}

static bool is(double a, double b)
{
	return a <= b && a >= b;
}

static void same(const struct world *w, int limit)
{
	struct list all = { .count = 0 }, best = { .count = 0 };
	assert_int_equal(store_newest_memories(w->s, ALL, limit, w->now, take, &all), 0);
	assert_int_equal(store_search_memories(w->s, NULL, NULL, limit, 0, w->now, take, &best), 0);
	assert_int_equal(best.count, all.count);
	for (int i = 0; i < all.count; i++) {
		const struct memory_hit *a = &all.hit[i], *b = &best.hit[i];
		if (a->id != b->id)
			fail_msg("%d of %d: %lld, not %lld", i, limit, (long long)b->id, (long long)a->id);
		assert_true(is(a->score.total, b->score.total) && is(a->days, b->days));
		assert_true(a->uses == b->uses && a->used_us == b->used_us && a->most == b->most && a->type == b->type);
		assert_true(a->tokens == b->tokens && a->made_us == b->made_us && a->saved_us == b->saved_us);
	}
}

static void test_any_order(void **state)
{
	struct memory *m = *state;
	struct world w = { .s = m->s, .now = NOW };
	(void)make_session(m->s, "talk");
	for (unsigned seed = 1; seed <= 3; seed++) {
		srandom(seed);
		for (int i = 0; i < 700; i++) {
			happen(&w);
			same(&w, 1 + (int)(random() % LIMIT));
			if (random() % 97 == 0) {
				memory_reopen(m, 0);
				w.s = m->s;
			}
		}
		for (int i = 0; i < 20; i++) { /* nothing happens but time */
			w.now += INT64_C(1) << (20 + i);
			same(&w, LIMIT);
		}
	}
	w.now = NOW + MINUTE; /* as it would have been then */
	same(&w, LIMIT);
}

/* Another process writes: here the views of one store, and the uses, come from another. */
static void test_another_writes(void **state)
{
	struct memory *m = *state;
	struct world w = { .s = m->s, .now = NOW }, other = { .s = memory_store(m, 0), .now = NOW };
	srandom(7);
	for (int i = 0; i < 30; i++)
		make(&w);
	other = (struct world){ .s = other.s, .now = NOW, .count = w.count };
	memcpy(other.id, w.id, sizeof w.id);
	memcpy(other.here, w.here, sizeof w.here);
	for (int i = 0; i < 60; i++) {
		save(&other, (int)(random() % 30));
		same(&w, LIMIT);
		same(&other, LIMIT);
	}
	store_close(other.s);
	same(&w, LIMIT);
}

/* Many of one score: of these the first by number. */
static void test_all_alike(void **state)
{
	struct memory *m = *state;
	struct world w = { .s = m->s, .now = NOW };
	clock_set(NOW);
	for (int i = 0; i < 200; i++) {
		char name[32];
		int64_t id;
		(void)snprintf(name, sizeof name, "m%d.md", i);
		assert_int_equal(doc_make(m->s, "memories/fact", name, "alike", &id), 0);
	}
	same(&w, 10);
	w.now += INT64_C(86400000000);
	same(&w, LIMIT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_any_order), TEST(test_another_writes), TEST(test_all_alike) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
