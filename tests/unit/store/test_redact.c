/* SPDX-License-Identifier: MIT */
/*
 * store_redact through the store's door: what stands in a body's place, logs whose sizes go on to
 * be right, an owner that finishes what a process that died has begun, and what is refused.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/views/stand_in.h"
#include "store/views/views.h"
#include "tests/unit/store_fixture.h"

static const char secret[] = "sk-live-SECRET-0123456789";

static int redact(struct store *s, int64_t seq, const char *reason, struct why *why)
{
	const struct redact r = { .seqs = &seq, .count = 1, .reason = reason, .author = "ana:cinta" };
	return store_redact(s, &r, why);
}

/* True if a file of the memory's directory holds the secret. */
static bool anywhere(const struct memory *m)
{
	char command[256];
	(void)snprintf(command, sizeof command, "grep -rqaF -e %s %s", secret, m->dir);
	return system(command) == 0;
}

static void has_line(const struct memory *m, const char *member)
{
	size_t len;
	struct log_stat st;
	const struct log_id log = { LOG_SESSION, 1 };
	char *text = log_of(m->s, log, &len);
	assert_int_equal(store_log_stat(m->s, log, &st), 0);
	assert_int_equal(st.bytes, len);
	if (!memmem(text, len, member, strlen(member)))
		fail_msg("no %s in %.*s", member, (int)len, text);
	free(text);
}

/* Entry 2 of the tape is the first message of session 1. */
static void tell(struct memory *m)
{
	assert_int_equal(make_session(m->s, "x"), 1);
	say(m->s, secret, ",\"thread\":\"th\"");
	say(m->s, "after it", ",\"thread\":\"th\"");
	assert_int_equal(store_catch_up(m->s), 0);
}

static void test_logs(void **state)
{
	struct memory *m = *state;
	struct group thread;
	tell(m);
	assert_int_equal(redact(m->s, 2, "a key", NULL), 0);
	has_line(m, "\"thread\":\"th\",\"content\":\"[redacted: a key]\",\"redacted\":true,");
	say(m->s, "and on", "");
	has_line(m, "\"content\":\"and on\"");
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(store_group_by_name(m->s, LOG_THREAD, "th", &thread), 0);
	assert_int_equal(thread.id, 1);
	assert_int_equal(thread.messages, 2);
}

/* Who is no owner leaves the WAL; the next owner takes what is left, at its start. */
static void test_finished_later(void **state)
{
	struct memory *m = *state;
	tell(m);
	assert_int_equal(redact(m->s, 2, "a key", NULL), 0);
	assert_int_equal(store_redact_wait(m->s, 0), STORE_EBUSY);
	assert_true(anywhere(m));
	struct store *owner = memory_store(m, STORE_OWNER);
	assert_int_equal(store_redact_wait(m->s, 20), 0);
	assert_false(anywhere(m));
	has_line(m, "[redacted: a key]");
	/* One that comes while it runs. */
	say(m->s, secret, "");
	assert_int_equal(redact(m->s, entries_of(m->s) - 1, "again", NULL), 0);
	assert_int_equal(store_redact_wait(m->s, 20), 0);
	assert_false(anywhere(m));
	store_close(owner);
	assert_false(anywhere(m));
}

/* Who follows others' entries asks this of each look; genesis is in that stream, too. */
static void test_came(void **state)
{
	struct memory *m = *state;
	tell(m);
	int64_t by = entries_of(m->s);
	assert_true(views_redacted_since(m->s, 0));
	assert_false(views_redacted_since(m->s, 1));
	assert_int_equal(redact(m->s, 2, "a key", NULL), 0);
	say(m->s, "behind it", "");
	assert_true(views_redacted_since(m->s, 1));
	assert_true(views_redacted_since(m->s, by));
	assert_false(views_redacted_since(m->s, by + 1));
}

static void test_refused(void **state)
{
	struct memory *m = *state;
	struct why why = { 0 };
	char line[300];
	tell(m);
	int64_t entries = entries_of(m->s);
	assert_int_equal(redact(m->s, entries, "a key", &why), STORE_ENOENT);
	assert_int_equal(redact(m->s, 0, "a key", &why), STORE_EINVAL); /* the genesis */
	assert_non_null(strstr(why.text, "cannot be redacted"));
	assert_int_equal(redact(m->s, 2, "", &why), STORE_EINVAL);
	assert_int_equal(redact(m->s, 2, "two\nlines", &why), STORE_EINVAL);
	assert_int_equal(redact(m->s, 2, "\xC3", &why), STORE_EINVAL);
	memset(line, 'x', sizeof line);
	line[201] = '\0';
	assert_int_equal(redact(m->s, 2, line, &why), STORE_EINVAL);
	/* One bad entry among good ones: none goes. */
	const int64_t seqs[] = { 2, entries };
	const struct redact both = { .seqs = seqs, .count = 2, .reason = "a key", .author = "ana:cinta" };
	assert_int_equal(store_redact(m->s, &both, &why), STORE_ENOENT);
	assert_int_equal(entries_of(m->s), entries);
	has_line(m, secret);
	struct store *reading = memory_store(m, STORE_READONLY);
	assert_int_equal(redact(reading, 2, "a key", &why), STORE_ENOENT);
	store_close(reading);
	(void)snprintf(line, sizeof line, "rm -r %.150s", m->keys);
	assert_int_equal(system(line), 0);
	memory_reopen(m, 0);
	assert_int_equal(redact(m->s, 2, "a key", &why), STORE_ENOENT); /* no key */
	assert_int_equal(entries_of(m->s), entries);
}

static bool is_th(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	return len == 2 && memcmp(text, "th", 2) == 0;
}

/* What is kept of a body says where it stands, and no text of anybody's but names. */
static void test_kept(void **state)
{
	static const struct {
		const char *kind, *body, *keep, *shown;
	} cases[] = {
		{ "message", "{\"role\":\"user\",\"content\":\"S\",\"thread\":\"a\",\"tool\":\"S\",\"pinned\":true}",
		  "{\"role\":\"user\",\"thread\":\"a\",\"pinned\":true}",
		  "{\"role\":\"user\",\"thread\":\"a\",\"pinned\":true,\"content\":\"[redacted: why]\",\"redacted\":true}" },
		{ "message", "{\"content\":\"S\",\"thread\":\"th\"}", NULL,
		  "{\"content\":\"[redacted: why]\",\"redacted\":true}" },
		{ "message", "{\"content\":\"S\",\"role\":{\"x\":\"S\"}}", NULL,
		  "{\"content\":\"[redacted: why]\",\"redacted\":true}" },
		{ "document", "{\"fields\":{\"name\":\"S\"},\"text\":\"S\"}", NULL, "{\"text\":\"[redacted: why]\\n\"}" },
		{ "document.make", "{\"parent\":\"notes\",\"name\":\"S\",\"path\":\"S\",\"folder\":false}",
		  "{\"parent\":\"notes\",\"folder\":false}",
		  "{\"parent\":\"notes\",\"folder\":false,\"name\":\"redacted-d8.md\"}" },
		{ "session", "{\"name\":\"S\"}", NULL, "{\"name\":\"redacted-s8\"}" },
		{ "fact.add", "{\"save\":3,\"text\":\"S\",\"source\":\"explicit\",\"entry\":9}",
		  "{\"save\":3,\"source\":\"explicit\",\"entry\":9}",
		  "{\"save\":3,\"source\":\"explicit\",\"entry\":9,\"text\":\"[redacted: why]\"}" },
		{ "context", "{\"op\":\"summarize\",\"from\":1,\"to\":2,\"text\":\"S\"}",
		  "{\"op\":\"summarize\",\"from\":1,\"to\":2}",
		  "{\"op\":\"summarize\",\"from\":1,\"to\":2,\"text\":\"[redacted: why]\"}" },
		{ "context", "{\"op\":\"prune\",\"ids\":[[1,2]]}", "{\"op\":\"prune\",\"ids\":[[1,2]]}",
		  "{\"op\":\"prune\",\"ids\":[[1,2]]}" },
		{ "message", "{\"content\":\"S\",\"role\":\"tool\","
		  "\"from\":{\"agent\":\"a\",\"session\":\"b\",\"id\":\"c\",\"part\":2},"
		  "\"trace\":123456789012345678901234567890}",
		  "{\"role\":\"tool\",\"from\":{\"agent\":\"a\",\"session\":\"b\",\"id\":\"c\",\"part\":2}}",
		  "{\"role\":\"tool\",\"from\":{\"agent\":\"a\",\"session\":\"b\",\"id\":\"c\",\"part\":2},"
		  "\"content\":\"[redacted: why]\",\"redacted\":true}" },
		{ "message", "no JSON: S", NULL, "{\"content\":\"[redacted: why]\",\"redacted\":true}" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char body[512];
		char *keep = stand_in_keep(cases[i].kind, cases[i].body, strlen(cases[i].body), is_th, NULL);
		if (cases[i].keep)
			assert_string_equal(keep, cases[i].keep);
		else
			assert_null(keep);
		int len = snprintf(body, sizeof body, "{\"seq\":1,\"reason\":\"why\"%s%s}", keep ? ",\"keep\":" : "",
		                   keep ? keep : "");
		char *shown = stand_in_body(cases[i].kind, "d8", 7, body, (size_t)len);
		assert_string_equal(shown, cases[i].shown);
		free(keep);
		free(shown);
	}
}

static int slow(void *ctx, const struct entry *e)
{
	const clock_t most = clock() + CLOCKS_PER_SEC / 9;
	*(int64_t *)ctx += e->seq == *(int64_t *)ctx;
	while (clock() < most)
		;
	return 0;
}

/* What it is called with may take longer than a statement of the database may (spending.h). */
static void test_slow_reader(void **state)
{
	struct memory *m = *state;
	int64_t seen = 0;
	assert_int_equal(make_session(m->s, "x"), 1);
	for (int i = 0; i < 62; i++)
		say(m->s, "a line", "");
	assert_int_equal(store_entries_each(m->s, 0, slow, &seen), 0);
	assert_int_equal(seen, 64);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_logs), CASE(test_finished_later), CASE(test_came), CASE(test_refused), CASE(test_kept),
		CASE(test_slow_reader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
