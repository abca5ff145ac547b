/* SPDX-License-Identifier: MIT */
/* Digests: once for a range, no effect on the window, as the tape says after a rebuild, in older files none. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"

static struct why why;

static int commit(struct store *s, enum context_verb verb, int64_t first, int64_t last, const char *text)
{
	struct context_range r = { first, last };
	struct context_op op = { .verb = verb, .range = &r, .count = 1, .line = 1, .text = text,
		.len = text ? strlen(text) : 0 };
	memset(&why, 0, sizeof why);
	return store_context_commit(s, 1, &op, 1, "cinta:summarizer", NULL, &why);
}

static int keep(void *ctx, const struct summary *y)
{
	(void)snprintf(ctx, 64, "%lld-%lld %s: %s", (long long)y->first, (long long)y->last, y->author, y->text);
	return 1;
}

/* "": there is none */
static const char *digest(struct store *s, int64_t first, int64_t last, char got[64])
{
	got[0] = '\0';
	int err = store_digest(s, 1, (struct context_range){ first, last }, keep, got);
	assert_int_equal(err, got[0] ? 0 : STORE_ENOENT);
	return got;
}

static bool untouched(struct store *s, int64_t first, int64_t last)
{
	bool yes;
	assert_int_equal(store_context_untouched(s, 1, (struct context_range){ first, last }, &yes), 0);
	return yes;
}

static void talk(struct memory *m, int messages)
{
	make_session(m->s, "work");
	while (messages-- > 0)
		say(m->s, "hola", "");
}

static void test_once(void **state)
{
	struct memory *m = *state;
	struct context_state before, after;
	char got[64];
	talk(m, 9);
	assert_int_equal(store_context_state(m->s, 1, &before), 0);
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 6, "topic: x\n"), 0);
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 6, "topic: y\n"), STORE_EEXIST);
	assert_string_equal(why.text, "4-6 has a digest already");
	assert_int_equal(put(m->s, "c1", "context", "{\"op\":\"digest\",\"from\":4,\"to\":6,\"text\":\"topic: z\"}"), 0);
	assert_string_equal(digest(m->s, 4, 6, got), "4-6 cinta:summarizer: topic: x\n");
	assert_string_equal(digest(m->s, 4, 5, got), "");
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 5, "topic: w\n"), 0); /* another range */
	assert_string_equal(digest(m->s, 4, 5, got), "4-5 cinta:summarizer: topic: w\n");

	/* Nothing of the window is another, and nothing of the window goes. */
	assert_int_equal(store_context_state(m->s, 1, &after), 0);
	assert_memory_equal(&before, &after, sizeof before);
	struct context_op reset = { .verb = CONTEXT_RESET };
	assert_int_equal(store_context_commit(m->s, 1, &reset, 1, "ana", NULL, &why), 0);
	assert_string_equal(digest(m->s, 4, 6, got), "4-6 cinta:summarizer: topic: x\n");
	views_hold(m);
	memory_reopen(m, 0);
	assert_string_equal(digest(m->s, 4, 6, got), "4-6 cinta:summarizer: topic: x\n");
}

static void test_unsound(void **state)
{
	static const char *const table[] = {
		"{\"op\":\"digest\",\"from\":4,\"to\":10,\"text\":\"x\"}", /* there are nine */
		"{\"op\":\"digest\",\"from\":0,\"to\":3,\"text\":\"x\"}",
		"{\"op\":\"digest\",\"from\":5,\"to\":4,\"text\":\"x\"}",
		"{\"op\":\"digest\",\"from\":4,\"to\":6,\"text\":\" \\n\"}",
		"{\"op\":\"digest\",\"from\":4,\"to\":6}",
		"{\"op\":\"digest\",\"from\":\"4\",\"to\":6,\"text\":\"x\"}",
		"{\"op\":\"digest\",\"ids\":[[4,6]],\"text\":\"x\"}",
	};
	struct memory *m = *state;
	char got[64], *large = calloc(1, CONTEXT_TEXT_MOST + 2);
	talk(m, 9);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(put(m->s, "c1", "context", table[i]), 0);
	say(m->s, "hola", ""); /* the tenth comes too late for the entry before it */
	assert_string_equal(digest(m->s, 4, 10, got), "");
	assert_string_equal(digest(m->s, 4, 6, got), "");
	assert_string_equal(digest(m->s, 0, 3, got), "");
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 11, "x"), STORE_EINVAL);
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 6, ""), STORE_EINVAL);
	assert_non_null(large);
	memset(large, 'x', CONTEXT_TEXT_MOST + 1);
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 6, large), STORE_EINVAL);
	free(large);
	assert_int_equal(store_digest(m->s, 2, (struct context_range){ 1, 3 }, keep, got), STORE_ENOENT);
	views_hold(m);
}

static void test_touched(void **state)
{
	struct memory *m = *state;
	talk(m, 12);
	assert_true(untouched(m->s, 4, 6));
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 4, 6, "x"), 0);
	assert_true(untouched(m->s, 4, 6));
	assert_int_equal(commit(m->s, CONTEXT_PIN, 5, 5, NULL), 0);
	assert_false(untouched(m->s, 4, 6));
	assert_int_equal(commit(m->s, CONTEXT_UNPIN, 5, 5, NULL), 0);
	assert_true(untouched(m->s, 4, 6));
	assert_int_equal(commit(m->s, CONTEXT_PRUNE, 6, 6, NULL), 0);
	assert_false(untouched(m->s, 4, 6));
	assert_true(untouched(m->s, 7, 9));
	assert_int_equal(commit(m->s, CONTEXT_SUMMARIZE, 8, 8, "x"), 0);
	assert_false(untouched(m->s, 7, 9));
	assert_true(untouched(m->s, 9, 9));
	assert_int_equal(commit(m->s, CONTEXT_SUMMARIZE, 1, 4, "x"), 0);
	assert_false(untouched(m->s, 4, 6));
	views_hold(m);
}

static void test_older_views(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	char got[64];
	talk(m, 5);
	assert_int_equal(commit(m->s, CONTEXT_DIGEST, 1, 3, "x"), 0);
	store_close(m->s);
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "DROP TABLE v_context_digest; UPDATE v_made SET version = 5"), 0);
	sqlite3_close(db);
	m->s = memory_store(m, STORE_READONLY);
	assert_string_equal(digest(m->s, 1, 3, got), "");
	memory_reopen(m, 0);
	assert_string_equal(digest(m->s, 1, 3, got), "1-3 cinta:summarizer: x");
	views_hold(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_unsound, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_touched, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_older_views, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
