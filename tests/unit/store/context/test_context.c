/* SPDX-License-Identifier: MIT */
/* Windows: what a turn tells, refusals and their words, several writers, other programs, redaction, older views. */
#include "tests/unit/doc_fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/db/schema.h"

static struct why why;

static int commit(struct store *s, const struct context_op *ops, size_t count)
{
	memset(&why, 0, sizeof why);
	return store_context_commit(s, 1, ops, count, "agent:sh", NULL, &why);
}

static int on(struct store *s, enum context_verb verb, int64_t first, int64_t last)
{
	struct context_range r = { first, last };
	struct context_op op = { .verb = verb, .range = &r, .count = 1, .line = 1 };
	if (verb == CONTEXT_SUMMARIZE) {
		op.text = "topic: x\n";
		op.len = 9;
	}
	return commit(s, &op, 1);
}

static struct context_state state_of(struct store *s)
{
	struct context_state state;
	assert_int_equal(store_context_state(s, 1, &state), 0);
	return state;
}

static int64_t talk(struct memory *m, int messages)
{
	int64_t id = make_session(m->s, "work");
	while (messages-- > 0)
		say(m->s, "hola", "");
	return id;
}

/* "3.tool(bash)!*: text; ": of the one turn asked for */
static int tell_turn(void *ctx, const struct turn *t)
{
	(void)snprintf(ctx, 256, "%lld.%s(%s)%s%s: %s %lld %zu", (long long)t->n, t->role, t->tool, t->error ? "!" : "",
	               t->pinned ? "*" : "", t->content, (long long)t->tokens, t->len);
	return 1;
}

static void test_turns(void **state)
{
	struct memory *m = *state;
	static const char *const table[][2] = {
		{ "{\"role\":\"user\",\"content\":\"hola\",\"token_count\":7}", "user(): hola 7 4" },
		{ "{\"role\":\"tool\",\"tool\":\"bash\",\"error\":\"no\",\"content\":\"\"}", "tool(bash)!:  0 0" },
		{ "{\"tool\":{\"name\":\"grep\"},\"error\":false,\"content\":\"x\",\"pinned\":true}", "(grep)*: x 0 1" },
		{ "{\"error\":\"\",\"content\":\"x\",\"pinned\":null}", "(): x 0 1" },
		{ "{\"error\":null,\"tool\":3,\"content\":\"x\",\"pinned\":\"true\"}", "(): x 0 1" },
		{ "{\"error\":{\"code\":7},\"content\":\"a\xc3\xb1o\",\"token_count\":12345678901}",
		  "()!: a\xc3\xb1o 12345678901 4" },
		{ "{\"content\":\"a\\u0000b\",\"token_count\":-1}", "(): a 0 3" },
		{ "{\"content\":[1],\"token_count\":\"3\"}", "():  0 0" },
		{ "{\"content\":\"x\"", "():  0 0" }, { "[]", "():  0 0" },
	};
	char got[256], expected[256];
	make_session(m->s, "work");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(put(m->s, "s1", "message", table[i][0]), 0);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		(void)snprintf(expected, sizeof expected, "%zu.%s", i + 1, table[i][1]);
		assert_int_equal(store_turns(m->s, 1, (int64_t)i + 1, INT64_MAX, tell_turn, got), 0);
		assert_string_equal(got, expected);
	}
	assert_int_equal(store_turns(m->s, 2, 1, 9, tell_turn, got), STORE_ENOENT);
	assert_int_equal(store_context_state(m->s, 2, &(struct context_state){ 0 }), STORE_ENOENT);
	got[0] = '\0';
	assert_int_equal(store_turns(m->s, 1, 5, 4, tell_turn, got), 0);
	assert_int_equal(store_turns(m->s, 1, 11, 20, tell_turn, got), 0);
	assert_string_equal(got, "");
	assert_int_equal(store_pinned(m->s, 1, tell_turn, got), 0);
	assert_string_equal(got, "3.(grep)*: x 0 1");
	views_hold(m);
}

static void test_words(void **state)
{
	struct memory *m = *state;
	talk(m, 20);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 20, 21), STORE_EINVAL);
	assert_string_equal(why.text, "there is no message 21: the session has 20");
	assert_int_equal(why.line, 1);
	assert_int_equal(on(m->s, CONTEXT_PIN, 1, 12), 0);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 2, 14), STORE_EPINNED);
	assert_string_equal(why.text, "pinned messages stay in the window: 2 3 4 5 6 7 8 9 …");
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 12, 13), STORE_EPINNED);
	assert_string_equal(why.text, "pinned messages stay in the window: 12");
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 14, 16), 0);
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 16, 18), STORE_EEXIST);
	assert_string_equal(why.text, "a summary is written once, and 14-16 is summarized already");
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 13, 20), STORE_EEXIST);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 3, 2), STORE_EINVAL);
	assert_string_equal(why.todo, "name messages by number, as in: 3 4 7-9");
	struct context_op window = { .verb = CONTEXT_WINDOW, .window = 65 };
	assert_int_equal(commit(m->s, &window, 1), STORE_EINVAL);
	assert_string_equal(why.text, "a window has 1 to 64 turns");
	struct context_range r = { 18, 19 };
	struct context_op bad = { .verb = CONTEXT_SUMMARIZE, .range = &r, .count = 1, .text = "\xff", .len = 1 };
	assert_int_equal(commit(m->s, &bad, 1), STORE_EINVAL);
	bad.text = " \n";
	bad.len = 2;
	assert_int_equal(commit(m->s, &bad, 1), STORE_EINVAL);
	assert_int_equal(store_context_commit(m->s, 9, &window, 1, "a", NULL, &why), STORE_ENOENT);
	assert_int_equal(state_of(m->s).summaries, 1);
	views_hold(m);
}

static int take_text(void *ctx, const struct summary *y)
{
	*(char **)ctx = strndup(y->text, y->len);
	return 1;
}

/* Any text comes back as it was. */
static void test_texts(void **state)
{
	struct memory *m = *state;
	char most[CONTEXT_TEXT_MOST + 1], *got = NULL;
	memset(most, '"', sizeof most);
	most[CONTEXT_TEXT_MOST] = '\0';
	const char *const texts[] = { "x", "two\nlines\n", "\"quoted\" \\ back", "\x01\x1f tab\t",
		"a\xc3\xb1o \xe6\xbc\xa2 \xf0\x9f\x8d\xb5", "  leading\r\n", most };
	talk(m, 20);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		int64_t seq, session;
		struct context_range r = { 2 * (int64_t)i + 1, 2 * (int64_t)i + 2 };
		struct context_op op = { .verb = CONTEXT_SUMMARIZE, .range = &r, .count = 1, .text = texts[i],
			.len = strlen(texts[i]) };
		assert_int_equal(store_context_commit(m->s, 1, &op, 1, "ana:vim", &seq, &why), 0);
		assert_int_equal(store_summary(m->s, seq, &session, take_text, &got), 0);
		assert_string_equal(got, texts[i]);
		assert_int_equal(session, 1);
		free(got);
	}
	struct context_op reset = { .verb = CONTEXT_RESET };
	assert_int_equal(commit(m->s, &reset, 1), 0);
	assert_int_equal(store_summary(m->s, entries_of(m->s) - 2, NULL, take_text, &got), 0); /* dissolved, not gone */
	assert_string_equal(got, most);
	free(got);
	assert_int_equal(store_summary(m->s, 3, NULL, take_text, &got), STORE_ENOENT);
	views_hold(m);
}

/* Two processes: each checks against what the other has done. */
static void test_two(void **state)
{
	struct memory *m = *state;
	struct store *other = memory_store(m, 0);
	talk(m, 20);
	assert_int_equal(on(m->s, CONTEXT_PIN, 3, 3), 0);
	assert_int_equal(on(other, CONTEXT_PRUNE, 3, 3), STORE_EPINNED);
	assert_int_equal(on(other, CONTEXT_SUMMARIZE, 5, 9), 0);
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 9, 9), STORE_EEXIST);
	for (int64_t n = 10; n < 20; n++)
		assert_int_equal(on(n % 2 ? other : m->s, CONTEXT_PRUNE, n, n), 0);
	assert_int_equal(state_of(m->s).pruned, 10);
	assert_int_equal(state_of(other).pruned, 10);
	store_close(other);
	views_hold(m);
}

/* A session that is made later, or by nobody; streams that only look like ours. */
static void test_others(void **state)
{
	struct memory *m = *state;
	assert_int_equal(put(m->s, "c1", "context", "{\"op\":\"window\",\"n\":5}"), 0);
	assert_int_equal(put(m->s, "c1", "context", "{\"op\":\"prune\",\"ids\":[[1,1]]}"), 0);
	talk(m, 3);
	assert_int_equal(state_of(m->s).window, 5);
	assert_int_equal(state_of(m->s).pruned, 0);
	assert_int_equal(put(m->s, "c01", "context", "{\"op\":\"prune\",\"ids\":[[1,1]]}"), 0);
	assert_int_equal(put(m->s, "c0", "context", "{\"op\":\"prune\",\"ids\":[[1,1]]}"), 0);
	assert_int_equal(put(m->s, "c1x", "context", "{\"op\":\"prune\",\"ids\":[[1,1]]}"), 0);
	assert_int_equal(put(m->s, "s1", "context", "{\"op\":\"prune\",\"ids\":[[1,1]]}"), 0); /* a line of the log */
	assert_int_equal(put(m->s, "c77", "context", "{\"op\":\"reset\"}"), 0);
	assert_int_equal(state_of(m->s).pruned, 0);
	assert_int_equal(state_of(m->s).messages, 4);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 1, 4), 0);
	assert_int_equal(state_of(m->s).active, 0);
	views_hold(m);
}

static void redact(struct memory *m, int64_t seq)
{
	sqlite3 *db = NULL;
	char sql[128];
	(void)snprintf(sql, sizeof sql, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = %lld", (long long)seq);
	assert_int_equal(db_open(m->path, DB_REDACT, &db, NULL), 0);
	assert_int_equal(db_exec(db, sql), 0);
	sqlite3_close(db);
}

/* A redacted operation has no effect once the views are made anew; what leant on it has its own. */
static void test_redacted(void **state)
{
	struct memory *m = *state;
	struct store_config config = { .key_dir = m->keys, .text_size = body_text_size, .clock = clock_now };
	char got[256];
	talk(m, 9);
	assert_int_equal(on(m->s, CONTEXT_SUMMARIZE, 3, 5), 0);
	int64_t seq = entries_of(m->s) - 1;
	assert_int_equal(on(m->s, CONTEXT_RESTORE, 4, 4), 0);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 7, 8), 0);
	store_close(m->s);
	redact(m, seq);
	redact(m, 4); /* message 3 */
	assert_int_equal(remake(m->path, &config, &why), 0);
	m->s = memory_store(m, 0);
	assert_int_equal(state_of(m->s).summaries, 0);
	assert_int_equal(state_of(m->s).active, 7);
	assert_int_equal(store_turns(m->s, 1, 3, 3, tell_turn, got), 0);
	assert_string_equal(got, "3.():  0 0");
	views_hold(m);
}

static int any_turn(void *ctx, const struct turn *t)
{
	(void)t;
	++*(int *)ctx;
	return 0;
}

static void test_older_views(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	struct context_state s;
	int count = 0;
	talk(m, 5);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 2, 3), 0);
	store_close(m->s);
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "DROP TABLE v_context; DROP TABLE v_context_mark; DROP TABLE v_context_summary;"
	                             " DROP TABLE v_context_window; UPDATE v_made SET version = 3"), 0);
	sqlite3_close(db);
	m->s = memory_store(m, STORE_READONLY);
	assert_int_equal(store_context_state(m->s, 1, &s), 0); /* such a file knows no windows */
	assert_int_equal(s.active, 5);
	assert_int_equal(store_turns(m->s, 1, 1, 5, any_turn, &count), 0);
	assert_int_equal(store_active_back(m->s, 1, 0, any_turn, &count), 0);
	assert_int_equal(on(m->s, CONTEXT_PRUNE, 1, 1), STORE_EROFS);
	memory_reopen(m, 0);
	assert_int_equal(state_of(m->s).active, 3);
	views_hold(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_turns, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_words, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_texts, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_two, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_others, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_redacted, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_older_views, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
