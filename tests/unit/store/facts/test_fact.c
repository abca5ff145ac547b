/* SPDX-License-Identifier: MIT */
/* Facts on the tape: saving, what is live, what was, decay, many processes. */
#include "tests/unit/fact_fixture.h"

#include <pthread.h>
#include <string.h>

#include "store/db/db.h"

static void check_body(void *ctx, const struct entry *e)
{
	assert_int_equal(e->body_len, strlen(ctx));
	assert_memory_equal(e->body, ctx, e->body_len);
}

static void body_is(struct store *s, int64_t seq, const char *expected)
{
	assert_int_equal(store_entry(s, seq, check_body, (void *)(uintptr_t)expected), 0);
}

static void test_domains(void **state)
{
	(void)state;
	static const char *const names[] = { "work", "preferences", "decisions", "personal", "projects" };
	for (int i = 0; i < 5; i++) {
		assert_int_equal(store_fact_domain(names[i]), i + 1);
		assert_string_equal(store_fact_domain_name(i + 1), names[i]);
	}
	assert_int_equal(store_fact_domain("Work"), 0);
	assert_int_equal(store_fact_domain(""), 0);
	assert_null(store_fact_domain_name(0));
	assert_null(store_fact_domain_name(6));
}

static void test_commit(void **state)
{
	struct memory *m = *state;
	char list[1024];
	int64_t save = -1, count, last;
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "");
	assert_int_equal(fact_saves(m->s, FACT_WORK), 0);
	fact_frame_is(m->s, FACT_WORK, 0, "");
	clock_set(T(1000));
	struct fact_change three[] = { fact_add("uno"), fact_add("dos"), fact_add("tres") };
	three[1].confidence = CONFIDENCE_LOW;
	three[1].inferred = true;
	three[1].entry = 7;
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, three, 3, "ana:vim", NULL, 0, &save), 0);
	assert_int_equal(save, 1);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno dos? tres ");
	assert_string_equal(fact_live(m->s, FACT_PERSONAL, list), "");
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, three, 3, "ana:vim", NULL, 0, &save), STORE_EMOVED);
	int64_t first = entries_of(m->s) - 3;
	body_is(m->s, first, "{\"save\":1,\"text\":\"uno\",\"confidence\":\"high\",\"source\":\"explicit\"}");
	body_is(m->s, first + 1,
	        "{\"save\":1,\"text\":\"dos\",\"confidence\":\"low\",\"source\":\"inferred\",\"entry\":7}");
	struct fact f = fact_get(m->s, first + 1);
	assert_false(f.explicit_);
	assert_int_equal(f.entry, 7);
	assert_int_equal(f.domain, FACT_WORK);
	assert_int_equal(f.added_us, T(1000));
	assert_int_equal(f.confirmed_us, T(1000));
	assert_int_equal(f.retracted_us, 0);
	assert_string_equal(f.author, "ana:vim");

	clock_set(T(2000));
	struct fact_change mix[] = { fact_add("dos y medio"), fact_about(FACT_RETRACT, first + 1),
		fact_about(FACT_CONFIRM, first), fact_about(FACT_WEIGH, first + 2),
		{ .verb = FACT_TEXT, .text = "hola", .len = 4 } };
	mix[0].supersedes = first + 1;
	mix[2].entry = 9;
	mix[3].confidence = CONFIDENCE_MEDIUM;
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, mix, 5, "bea:nano", NULL, 1, &save), 0);
	assert_int_equal(save, 2);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno+ dos y medio tres~ ");
	fact_frame_is(m->s, FACT_WORK, 0, "hola");
	f = fact_get(m->s, first + 1);
	assert_int_equal(f.superseded_by, first + 3);
	assert_int_equal(f.retracted_us, T(2000));
	f = fact_get(m->s, first + 3);
	assert_int_equal(f.supersedes, first + 1);
	assert_int_equal(f.superseded_by, 0);
	assert_string_equal(f.author, "bea:nano");
	f = fact_get(m->s, first);
	assert_int_equal(f.confirmed_us, T(2000));
	body_is(m->s, first + 3, "{\"save\":2,\"text\":\"dos y medio\",\"confidence\":\"high\",\"source\":\"explicit\","
	                         "\"supersedes\":2}");
	body_is(m->s, first + 4, "{\"save\":2,\"fact\":2}");
	body_is(m->s, first + 5, "{\"save\":2,\"fact\":1,\"entry\":9}");
	body_is(m->s, first + 6, "{\"save\":2,\"fact\":3,\"confidence\":\"medium\"}");
	body_is(m->s, first + 7, "{\"save\":2,\"text\":\"hola\"}");
	assert_int_equal(store_fact_saves(m->s, FACT_WORK, &count, &last), 0);
	assert_int_equal(count, 2);
	assert_int_equal(last, T(2000));
	views_hold(m);
}

static void test_refused(void **state)
{
	struct memory *m = *state;
	char list[1024];
	int64_t save = 0;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("uno")), 0);
	int64_t before = entries_of(m->s), one = before - 1;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, 77)), STORE_ENOENT);
	assert_int_equal(fact_save_one(m->s, FACT_PERSONAL, fact_about(FACT_RETRACT, one)), STORE_ENOENT);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("")), STORE_EINVAL);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("\xFF")), STORE_EINVAL);
	struct fact_change nul = { .verb = FACT_ADD, .text = "a\0b", .len = 3 };
	assert_int_equal(fact_save_one(m->s, FACT_WORK, nul), STORE_EINVAL);
	struct fact_change both[] = { fact_add("good"), fact_add("\xC3") };
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, both, 2, "ana:vim", NULL, -1, NULL), STORE_EINVAL);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, NULL, 0, "ana:vim", NULL, 1, &save), 0);
	assert_int_equal(save, 1);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, NULL, 0, "ana:vim", NULL, 0, &save), STORE_EMOVED);
	assert_int_equal(entries_of(m->s), before);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, one)), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, one)), STORE_ENOENT); /* gone for good */
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_CONFIRM, one)), STORE_ENOENT);
	assert_int_equal(store_fact_by_id(m->s, 77, fact_keep, NULL), STORE_ENOENT);
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 3, fact_tell, list), STORE_ENOENT);
	assert_int_equal(store_fact_at(m->s, FACT_WORK, -1, fact_tell, list), STORE_ENOENT);
	assert_int_equal(store_fact_at(m->s, FACT_PROJECTS, 1, fact_tell, list), STORE_ENOENT);
	views_hold(m);
}

struct lines {
	char text[1024];
};

static void tell_save(void *ctx, const struct fact_save *v)
{
	struct lines *l = ctx;
	size_t len = strlen(l->text);
	assert_int_equal(strlen(v->hash), 64);
	(void)snprintf(l->text + len, sizeof l->text - len, "%lld %lld %s +%lld -%lld =%lld w%lld%s\n", (long long)v->n,
	               (long long)(v->time_us - T(0)), v->author, (long long)v->added, (long long)v->retracted,
	               (long long)v->confirmed, (long long)v->weighed, v->text ? " text" : "");
}

static void test_past(void **state)
{
	struct memory *m = *state;
	char list[1024];
	int64_t n;
	clock_set(T(100));
	struct fact_change two[] = { fact_add("a"), fact_add("b"), { .verb = FACT_TEXT, .text = "one", .len = 3 } };
	assert_int_equal(store_fact_commit(m->s, FACT_DECISIONS, two, 3, "ana:vim", NULL, 0, &n), 0);
	int64_t a = entries_of(m->s) - 3;
	clock_set(T(200));
	assert_int_equal(fact_save_one(m->s, FACT_DECISIONS, fact_about(FACT_CONFIRM, a)), 0);
	struct fact_change low = fact_about(FACT_WEIGH, a);
	assert_int_equal(fact_save_one(m->s, FACT_DECISIONS, low), 0); /* the same microsecond, another save */
	clock_set(T(300));
	struct fact_change swap[] = { fact_add("c"), fact_about(FACT_RETRACT, a),
		{ .verb = FACT_TEXT, .text = "", .len = 0 } };
	swap[0].supersedes = a;
	assert_int_equal(store_fact_commit(m->s, FACT_DECISIONS, swap, 3, "bea:sh", NULL, 3, &n), 0);
	assert_int_equal(fact_save_one(m->s, FACT_PERSONAL, fact_add("p")), 0);

	assert_string_equal(fact_list_at(m->s, FACT_DECISIONS, 1, list), "a b ");
	assert_string_equal(fact_list_at(m->s, FACT_DECISIONS, 2, list), "a+ b ");
	assert_string_equal(fact_list_at(m->s, FACT_DECISIONS, 3, list), "a?+ b ");
	assert_string_equal(fact_list_at(m->s, FACT_DECISIONS, 4, list), "c b ");
	assert_string_equal(fact_list_at(m->s, FACT_DECISIONS, 0, list), "c b ");
	fact_frame_is(m->s, FACT_DECISIONS, 1, "one");
	fact_frame_is(m->s, FACT_DECISIONS, 3, "one");
	fact_frame_is(m->s, FACT_DECISIONS, 4, "");
	assert_int_equal(store_fact_save_at(m->s, FACT_DECISIONS, T(99), &n), STORE_ENOENT);
	assert_int_equal(store_fact_save_at(m->s, FACT_DECISIONS, T(100), &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(store_fact_save_at(m->s, FACT_DECISIONS, T(299), &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(store_fact_save_at(m->s, FACT_DECISIONS, INT64_MAX, &n), 0);
	assert_int_equal(n, 4);
	assert_string_equal(fact_all_at(m->s, T(99), list), "");
	assert_string_equal(fact_all_at(m->s, T(299), list), "a?+ b ");
	assert_string_equal(fact_all_at(m->s, T(300), list), "a?-+ b c p ");
	list[0] = '\0';
	assert_int_equal(store_fact_all(m->s, fact_tell, list), 0);
	assert_string_equal(list, "a?-+ b c p ");
	struct lines l = { "" };
	assert_int_equal(store_fact_history(m->s, FACT_DECISIONS, tell_save, &l), 0);
	assert_string_equal(l.text, "1 100 ana:vim +2 -0 =0 w0 text\n2 200 ana:vim +0 -0 =1 w0\n"
	                            "3 200 ana:vim +0 -0 =0 w1\n4 300 bea:sh +1 -1 =0 w0 text\n");
	views_hold(m);
}

/* What was known of who stands for whom does not reach back. */
static void keep_first(void *ctx, const struct fact *f)
{
	struct fact *kept = ctx;
	if (kept->id == 0)
		fact_keep(ctx, f);
}

static void test_heirs_at_time(void **state)
{
	struct memory *m = *state;
	struct fact f = { 0 };
	clock_set(T(100));
	struct fact_change two[] = { fact_add("same"), fact_add("same!") };
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, two, 2, "ana:vim", NULL, 0, NULL), 0);
	int64_t one = entries_of(m->s) - 2;
	clock_set(T(200));
	struct fact_change merge = fact_about(FACT_RETRACT, one);
	merge.by = one + 1;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, merge), 0);
	assert_int_equal(fact_get(m->s, one).superseded_by, one + 1);
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 1, keep_first, &f), 0);
	assert_int_equal(f.id, one);
	assert_int_equal(f.superseded_by, 0);
	assert_int_equal(f.retracted_us, 0);
	struct fact_change again = fact_about(FACT_CONFIRM, one + 1);
	for (int i = 3; i <= 4; i++) {
		clock_set(T(i * 100));
		assert_int_equal(fact_save_one(m->s, FACT_WORK, again), 0);
		assert_int_equal(fact_save_one(m->s, FACT_PERSONAL, fact_add("other")), 0);
	}
	const int64_t confirmed[] = { T(100), T(100), T(300), T(400) };
	for (int n = 2; n <= 4; n++) {
		f.id = 0;
		assert_int_equal(store_fact_at(m->s, FACT_WORK, n, keep_first, &f), 0);
		assert_int_equal(f.id, one + 1);
		assert_int_equal(f.confirmed_us, confirmed[n - 1]);
	}
	clock_set(T(500));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("later")), 0);
	f.id = 0;
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 4, keep_first, &f), 0); /* not the newest: by its events */
	assert_int_equal(f.confirmed_us, T(400));
	views_hold(m);
}

static void test_state(void **state)
{
	(void)state;
	const int64_t day = INT64_C(86400000000), born = T(0);
	static const struct {
		enum confidence confidence;
		int days;
		enum fact_state on, after; /* exactly then, and a microsecond later */
	} table[] = {
		{ CONFIDENCE_LOW, 0, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_LOW, 29, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_LOW, 30, FACT_INJECTED, FACT_RETRIEVAL },
		{ CONFIDENCE_LOW, 31, FACT_RETRIEVAL, FACT_RETRIEVAL },
		{ CONFIDENCE_LOW, 90, FACT_RETRIEVAL, FACT_RETRIEVAL },
		{ CONFIDENCE_LOW, 180, FACT_RETRIEVAL, FACT_STALE },
		{ CONFIDENCE_MEDIUM, 30, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_MEDIUM, 89, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_MEDIUM, 90, FACT_INJECTED, FACT_RETRIEVAL },
		{ CONFIDENCE_MEDIUM, 91, FACT_RETRIEVAL, FACT_RETRIEVAL },
		{ CONFIDENCE_MEDIUM, 180, FACT_RETRIEVAL, FACT_STALE },
		{ CONFIDENCE_MEDIUM, 181, FACT_STALE, FACT_STALE },
		{ CONFIDENCE_HIGH, 30, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_HIGH, 90, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_HIGH, 91, FACT_INJECTED, FACT_INJECTED },
		{ CONFIDENCE_HIGH, 180, FACT_INJECTED, FACT_STALE },
		{ CONFIDENCE_HIGH, 3650, FACT_STALE, FACT_STALE },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fact f = { .confidence = table[i].confidence, .added_us = born - 1000 * day, .confirmed_us = born };
		assert_int_equal(store_fact_state(&f, born + table[i].days * day), table[i].on);
		assert_int_equal(store_fact_state(&f, born + table[i].days * day + 1), table[i].after);
		f.retracted_us = born + 1;
		assert_int_equal(store_fact_state(&f, born + table[i].days * day), FACT_STALE);
	}
	struct fact f = { .confidence = CONFIDENCE_LOW, .confirmed_us = born };
	assert_int_equal(store_fact_state(&f, born - 400 * day), FACT_INJECTED); /* a clock set back */
}

static void test_two_stores(void **state)
{
	struct memory *m = *state;
	struct store *two = memory_store(m, 0);
	char list[1024];
	int64_t n;
	struct fact_change c = fact_add("uno");
	assert_int_equal(fact_save_one(m->s, FACT_PROJECTS, c), 0);
	assert_string_equal(fact_live(two, FACT_PROJECTS, list), "uno ");
	c = fact_add("dos");
	assert_int_equal(store_fact_commit(two, FACT_PROJECTS, &c, 1, "ana:vim", NULL, 0, &n), STORE_EMOVED);
	assert_int_equal(store_fact_commit(two, FACT_PROJECTS, &c, 1, "ana:vim", NULL, 1, &n), 0);
	assert_int_equal(n, 2);
	c = fact_add("tres");
	assert_int_equal(store_fact_commit(m->s, FACT_PROJECTS, &c, 1, "ana:vim", NULL, 1, &n), STORE_EMOVED);
	assert_int_equal(store_fact_commit(m->s, FACT_PROJECTS, &c, 1, "ana:vim", NULL, 2, &n), 0);
	assert_string_equal(fact_live(two, FACT_PROJECTS, list), "uno dos tres ");
	store_close(two);
	memory_reopen(m, STORE_READONLY);
	assert_string_equal(fact_live(m->s, FACT_PROJECTS, list), "uno dos tres ");
	assert_string_equal(fact_list_at(m->s, FACT_PROJECTS, 1, list), "uno ");
	assert_int_equal(fact_save_one(m->s, FACT_PROJECTS, fact_add("x")), STORE_EROFS);
	memory_reopen(m, 0);
	views_hold(m);
}

struct racer {
	struct store *s;
	bool careful;
	int won, errors;
};

static void *race(void *arg)
{
	struct racer *r = arg;
	for (int i = 0; i < 25; i++) {
		struct fact_change c = fact_add("x");
		int64_t count = -1, last;
		if (r->careful && store_fact_saves(r->s, FACT_WORK, &count, &last) != 0)
			r->errors++;
		int err = store_fact_commit(r->s, FACT_WORK, &c, 1, "ana:vim", NULL, count, NULL);
		r->won += err == 0;
		r->errors += err != 0 && !(r->careful && err == STORE_EMOVED);
	}
	return NULL;
}

static void check_number(void *ctx, const struct entry *e)
{
	char lead[32];
	int len = snprintf(lead, sizeof lead, "{\"save\":%d,", *(const int *)ctx);
	assert_memory_equal(e->body, lead, (size_t)len);
}

static void find_seq(void *ctx, const struct fact_save *v)
{
	int64_t *want = ctx; /* a number; then its entry */
	if (v->n == want[0])
		want[1] = v->seq;
}

/* The body of save n's entry says so. */
static void numbers_follow(struct store *s, int n)
{
	int64_t want[2] = { n, -1 };
	assert_int_equal(store_fact_history(s, FACT_WORK, find_seq, want), 0);
	assert_int_equal(store_entry(s, want[1], check_number, &n), 0);
}

static void test_race(void **state)
{
	struct memory *m = *state;
	struct store *two = memory_store(m, 0);
	struct racer r[4] = { { m->s, false, 0, 0 }, { m->s, true, 0, 0 }, { two, false, 0, 0 }, { two, true, 0, 0 } };
	pthread_t t[4];
	int won = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, race, &r[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(r[i].errors, 0);
		won += r[i].won;
	}
	assert_int_equal(r[0].won + r[2].won, 50);
	assert_int_equal(fact_saves(m->s, FACT_WORK), won);
	assert_int_equal(fact_saves(two, FACT_WORK), won);
	for (int n = 1; n <= won; n++) /* each its own number, and all that came before it */
		numbers_follow(m->s, n);
	store_close(two);
	views_hold(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_state),
		cmocka_unit_test_setup_teardown(test_commit, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_refused, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_past, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_heirs_at_time, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_two_stores, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_race, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
