/* SPDX-License-Identifier: MIT */
/* Facts that other programs wrote, rightly or wrongly, and what a redaction leaves of them. */
#include "tests/unit/fact_fixture.h"

#include <sqlite3.h>

#include "store/db/db.h"

/* Any program may write; what makes no sense changes nothing. */
static void test_by_others(void **state)
{
	struct memory *m = *state;
	static const char *const bad[][2] = {
		{ "fact.add", "" }, { "fact.add", "[]" }, { "fact.add", "{\"text\":7}" }, { "fact.add", "{\"text\":\"\"}" },
		{ "fact.add", "{\"text\":\"x\",\"confidence\":\"sure\"}" }, { "fact.add", "{\"text\":\"x\\u0000\"}" },
		{ "fact.add", "{\"text\":\"x\",\"confidence\":null}" }, { "fact.add", "{\"text\":\"x\"" },
		{ "fact.retract", "{}" }, { "fact.retract", "{\"fact\":\"1\"}" }, { "fact.retract", "{\"fact\":0}" },
		{ "fact.retract", "{\"fact\":1e300}" }, { "fact.retract", "{\"fact\":-1}" },
		{ "fact.retract", "{\"fact\":99}" }, { "fact.confirm", "{\"fact\":[]}" }, { "fact.weigh", "{\"fact\":1}" },
		{ "fact.weigh", "{\"fact\":1,\"confidence\":\"x\"}" }, { "fact.text", "{}" }, { "fact.text", "null" },
	};
	char list[1024];
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("uno")), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(put(m->s, "f1", bad[i][0], bad[i][1]), 0);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno ");
	fact_frame_is(m->s, FACT_WORK, 0, "");
	assert_int_equal(fact_saves(m->s, FACT_WORK), 1 + (int64_t)(sizeof bad / sizeof *bad));
	int64_t before = fact_saves(m->s, FACT_WORK);
	assert_int_equal(put(m->s, "f1", "fact.dance", "{\"fact\":1}"), 0); /* another kind is not even a save */
	assert_int_equal(put(m->s, "f0", "fact.add", "{\"text\":\"x\"}"), 0);
	assert_int_equal(put(m->s, "f6", "fact.add", "{\"text\":\"x\"}"), 0);
	assert_int_equal(put(m->s, "f01", "fact.add", "{\"text\":\"x\"}"), 0);
	assert_int_equal(fact_saves(m->s, FACT_WORK), before);
	/* With little, but enough: */
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"text\":\"dos\",\"supersedes\":1e14,\"more\":{}}"), 0);
	struct fact f = fact_get(m->s, entries_of(m->s) - 1);
	assert_true(f.explicit_);
	assert_int_equal(f.supersedes, 0);
	assert_int_equal(f.confidence, CONFIDENCE_HIGH);
	assert_string_equal(fact_list_at(m->s, FACT_WORK, before + 1, list), "uno dos ");
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, 1)), 0);
	assert_int_equal(fact_saves(m->s, FACT_WORK), before + 2);
	views_hold(m);
}

static int rebuild(struct memory *m)
{
	struct why why;
	struct store_config config = { .key_dir = m->keys, .text_size = body_text_size, .clock = clock_now };
	store_close(m->s);
	int err = remake(m->path, &config, &why);
	m->s = memory_store(m, 0);
	return err;
}

/* What a redaction leaves moves no number of a save. */
static void test_redacted(void **state)
{
	struct memory *m = *state;
	char list[1024];
	sqlite3 *db = NULL;
	clock_set(T(100)); /* all of this at one time: only numbers tell saves apart */
	struct fact_change two[] = { fact_add("uno"), fact_add("secret"), fact_add("tres") };
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, two, 3, "ana:vim", NULL, 0, NULL), 0);
	int64_t secret = entries_of(m->s) - 2;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_CONFIRM, secret)), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("cuatro")), 0);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno secret+ tres cuatro ");
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "UPDATE tape SET salt = NULL, body = NULL WHERE body LIKE '%secret%'"), 0);
	sqlite3_close(db);
	assert_int_equal(rebuild(m), 0);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno tres cuatro ");
	assert_int_equal(fact_saves(m->s, FACT_WORK), 3);
	assert_string_equal(fact_list_at(m->s, FACT_WORK, 1, list), "uno tres ");
	assert_string_equal(fact_list_at(m->s, FACT_WORK, 3, list), "uno tres cuatro ");
	assert_int_equal(fact_get(m->s, secret).len, 0);
	views_hold(m);
}

/* Which entries are one save: those that follow at once, of one time, author and number. */
static void test_claims(void **state)
{
	struct memory *m = *state;
	static const char one[] = "{\"save\":1,\"text\":\"x\"}", two[] = "{\"save\":2,\"text\":\"x\"}";
	clock_set(T(100));
	assert_int_equal(put(m->s, "f1", "fact.add", one), 0);
	assert_int_equal(put(m->s, "f1", "fact.add", one), 0);
	assert_int_equal(fact_saves(m->s, FACT_WORK), 1);
	assert_int_equal(put(m->s, "other", "note", "x"), 0);
	assert_int_equal(put(m->s, "f1", "fact.add", one), 0); /* not at once */
	assert_int_equal(fact_saves(m->s, FACT_WORK), 2);
	clock_set(T(101));
	assert_int_equal(put(m->s, "f1", "fact.add", two), 0); /* another time */
	assert_int_equal(fact_saves(m->s, FACT_WORK), 3);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("y")), 0);
	assert_int_equal(fact_saves(m->s, FACT_WORK), 4);
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"save\":4,\"text\":\"z\"}"), 0); /* another author */
	assert_int_equal(fact_saves(m->s, FACT_WORK), 5);
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"text\":\"z\"}"), 0); /* no number */
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"text\":\"z\"}"), 0);
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"save\":99,\"text\":\"z\"}"), 0);
	assert_int_equal(fact_saves(m->s, FACT_WORK), 8);
	views_hold(m);
}

/* Entries that name a fact of another list, or one that is gone. */
static void test_wrong_names(void **state)
{
	struct memory *m = *state;
	char list[1024];
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("uno")), 0); /* entry 1 */
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("dos")), 0);
	assert_int_equal(put(m->s, "f2", "fact.retract", "{\"save\":1,\"fact\":1}"), 0);
	assert_int_equal(put(m->s, "f2", "fact.confirm", "{\"save\":2,\"fact\":1}"), 0);
	assert_string_equal(fact_live(m->s, FACT_WORK, list), "uno dos ");
	assert_int_equal(put(m->s, "f1", "fact.retract", "{\"save\":3,\"fact\":1,\"by\":77}"), 0);
	assert_int_equal(put(m->s, "f1", "fact.retract", "{\"save\":4,\"fact\":1,\"by\":2}"), 0);
	assert_int_equal(put(m->s, "f1", "fact.confirm", "{\"save\":5,\"fact\":1}"), 0);
	assert_int_equal(put(m->s, "f1", "fact.weigh", "{\"save\":6,\"fact\":1,\"confidence\":\"low\"}"), 0);
	struct fact f = fact_get(m->s, 1);
	assert_int_equal(f.superseded_by, 0); /* 77 is no fact, and what is gone is gone */
	assert_int_equal(f.confirmations, 0);
	assert_int_equal(f.confidence, CONFIDENCE_HIGH);
	/* Two that claim to stand for one: the first does. */
	int64_t first = entries_of(m->s);
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"save\":7,\"text\":\"2\",\"supersedes\":2}"), 0);
	assert_int_equal(put(m->s, "f1", "fact.add", "{\"save\":8,\"text\":\"2b\",\"supersedes\":2}"), 0);
	assert_int_equal(fact_get(m->s, 2).superseded_by, first);
	views_hold(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_others, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_claims, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_wrong_names, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_redacted, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
