/* SPDX-License-Identifier: MIT */
/* Pages that are not messages: names, refs, refusals, status, README; verify.sh on tapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "render/format/format.h"
#include "render/render.h"
#include "tests/unit/tape_fixture.h"

static bool name_ok(const char *name, size_t len, const char *what)
{
	struct why why = { 0 };
	int rc = render_check_name(name, len, what, &why);
	assert_true(rc == 0 || (rc == RENDER_EINVAL && strstr(why.text, what) && why.todo[0]));
	return rc == 0;
}

static void test_names(void **state)
{
	(void)state;
	static const char *const good[] = { "a", "x.y", "release 2", "caf\xC3\xA9", "-rf", "a#b~c",
					    "\xF0\x9F\x98\x80", "Current", "a.", "\xC2\xA0" };
	static const char *const bad[] = { "", ".", "..", ".a", "#a#", "a~", "a/b", "/",
	                                   "a\nb", "\x7F",
					   "a\tb", "\xC2\x85", "\xFF", "a\xC3", "\xED\xA0\x80",
	                                   "\x1B[1m" };
	char longest[NAME_LIMIT + 2];
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(name_ok(good[i], strlen(good[i]), "session"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(name_ok(bad[i], strlen(bad[i]), "thread"));
	assert_false(name_ok("current", 7, "session"));
	assert_true(name_ok("current", 7, "thread"));
	assert_false(name_ok("a\0b", 3, "session"));
	memset(longest, 'n', sizeof longest);
	assert_true(name_ok(longest, NAME_LIMIT, "session"));
	assert_false(name_ok(longest, NAME_LIMIT + 1, "session"));
}

static void gives(struct buf *out, const char *expected)
{
	assert_false(out->failed);
	assert_string_equal(out->data, expected);
	buf_release(out);
}

static void test_refusal(void **state)
{
	(void)state;
	struct buf out = BUF_INIT;
	struct refusal r = { 1795168800123456, "EPERM", "unlink", "sessions/x/log.jsonl",
			     "alice:rm", "the memory only grows", "append a correction",
			     "x-1.jsonl" };
	render_refusal(&out, &r);
	gives(&out, "2026-11-20T10:00:00.123456Z EPERM unlink sessions/x/log.jsonl alice:rm: "
	            "the memory only grows; append a correction; kept as rejected/x-1.jsonl\n");
	r.path = "sessions/a\n2026 EPERM\x1B[2J\t\xFF\xC2\x9B\xC3\xA9";
	r.todo = r.kept = "";
	render_refusal(&out, &r);
	gives(&out, "2026-11-20T10:00:00.123456Z EPERM unlink "
	            "sessions/a\\n2026 EPERM\\x1b[2J\\t\\xff"
	            "\\u009b"
	            "\xC3\xA9 alice:rm: the memory only grows\n");
	r.path = "notes/a\xE2\x80\xAEgpj.md";
	gives((render_refusal(&out, &r), &out),
	      "2026-11-20T10:00:00.123456Z EPERM unlink notes/a<U+202E>gpj.md alice:rm: the memory only grows\n");
}

static void test_session(void **state)
{
	(void)state;
	struct buf out = BUF_INIT;
	struct group g = { .id = 1, .name = "a \"b\"", .made_us = 1795168800000000,
			   .author = "ana:sh",
			   .messages = 2, .tokens = 31, .first_us = 1795168800123456 };
	render_session_page(&out, &g);
	gives(&out, "---\nname: \"a \\\"b\\\"\"\nmade: 2026-11-20T10:00:00.000000Z\n"
	            "author: \"ana:sh\"\n"
	            "---\n"
	            "# a \"b\"\n\nThe messages are in `log.jsonl` (append here) and "
	            "`transcript.md` (read here).\n");
	render_session_body(&out, g.name);
	gives(&out, "{\"name\":\"a \\\"b\\\"\"}");
}

/* A page of a message with a member of this name, and one in an object, is YAML and has both. */
static void named(const char *part, size_t times)
{
	struct buf name = BUF_INIT, body = BUF_INIT, page = BUF_INIT;
	struct front f;
	struct why why = { 0 };
	for (size_t i = 0; i < times; i++)
		buf_adds(&name, part);
	buf_addf(&body, "{\"%s\":{\"in\":[{\"%s\":1,\"b\":2}]},\"%sb\":[],\"content\":\"x\"}", name.data, name.data,
	         name.data);
	struct entry e = { .stream = "s1", .kind = "message", .author = "a", .body = body.data, .body_len = body.len };
	render_message_page(&page, &e, "s");
	assert_int_equal(front_read(&f, page.data, page.len, &why), 0);
	json_t *front = json_loadb(f.json.data, f.json.len, 0, NULL), *all = json_loadb(body.data, body.len, 0, NULL);
	assert_non_null(all);
	json_object_del(all, "content");
	const char *key;
	json_t *value;
	json_object_foreach(all, key, value)
		assert_true(json_equal(json_object_get(front, key), value));
	json_decref(front);
	json_decref(all);
	front_release(&f);
	buf_release(&page);
	buf_release(&body);
	buf_release(&name);
}

static void test_long_names(void **state)
{
	(void)state;
	for (size_t times = 1015; times < 1030; times++) {
		named("a", times);
		named("A", times);
		named("\xC3\xA9", times);
	}
	named("\xE2\x80\xAE", 400); /* six letters in the page */
	named("\\n:", 900);
}

static void test_status(void **state)
{
	(void)state;
	struct buf out = BUF_INIT;
	static struct status s = { .version = "0.1.0", .origin = "cinta/1", .entries = 12,
				   .database = "/tmp/caf\xE9\n.db", .signed_upto = 10,
				   .tokenizer = "o200k_base", .read_only = true };
	render_status(&out, &s, NULL);
	json_t *root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_int_equal(json_object_size(root), 20);
	assert_true(json_is_null(json_object_get(root, "embedding")));
	assert_int_equal(json_integer_value(json_object_get(root, "entries")), 12);
	assert_true(json_is_null(json_object_get(root, "signed_at")));
	assert_true(json_is_null(json_object_get(root, "trouble")));
	assert_true(json_is_true(json_object_get(root, "read_only")));
	assert_string_equal(json_string_value(json_object_get(root, "database")),
	                    "/tmp/caf\xEF\xBF\xBD\n.db");
	assert_string_equal(json_string_value(json_object_get(root, "tokenizer")), "o200k_base");
	json_decref(root);
	buf_clear(&out);
	s.signed_us = 1795168800000000;
	(void)snprintf(s.trouble, sizeof s.trouble, "ROLLBACK: \"x\"");
	const struct embedding_status e = { .model = "a \"model\"", .where = "http://[::1]:8080", .dims = 384,
		.texts = 5, .missing = 3, .failures = 1 };
	render_status(&out, &s, &e);
	root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	const json_t *embedding = json_object_get(root, "embedding");
	assert_string_equal(json_string_value(json_object_get(embedding, "model")), "a \"model\"");
	assert_string_equal(json_string_value(json_object_get(embedding, "endpoint")), "http://[::1]:8080");
	assert_int_equal(json_integer_value(json_object_get(embedding, "dimensions")), 384);
	assert_int_equal(json_integer_value(json_object_get(embedding, "texts")), 5);
	assert_int_equal(json_integer_value(json_object_get(embedding, "missing")), 3);
	assert_int_equal(json_integer_value(json_object_get(embedding, "failures")), 1);
	assert_true(json_is_false(json_object_get(embedding, "up")));
	assert_int_equal(json_object_size(embedding), 7);
	json_decref(root);
	assert_non_null(strstr(out.data, "\n  \"signed_at\": \"2026-11-20T10:00:00.000000Z\",\n"));
	assert_non_null(strstr(out.data, "\n  \"trouble\": \"ROLLBACK: \\\"x\\\"\"\n}\n"));
	buf_release(&out);
}

static void test_readme(void **state)
{
	(void)state;
	static const char *const told[] = { "cat context.md", ">> sessions/current/log.jsonl", "grep -r",
		"thread", "notes/", "memories/", "NAME@2", "/ctl", "/summaries/", "/messages/", "search/",
		"context/", "facts/", "errors.log", "rejected/", ".cinta/verify.sh", "transcript.md", "EPERM",
		"EINVAL", "EFBIG", "dashboard.md", "\n    cinta verify '/a b/it'\\''s.db'\n" };
	struct buf out = BUF_INIT;
	int lines = 0;
	render_readme(&out, "/a b/it's.db");
	for (char *p = out.data, *end; (end = strchr(p, '\n')); p = end + 1, lines++)
		assert_true(end - p <= 100);
	assert_true(lines <= 60);
	for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
		if (!strstr(out.data, told[i]))
			fail_msg("README does not tell of %s", told[i]);
	buf_release(&out);
}

/* ---- verify.sh ---- */

static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	if (system(command) != 0)
		fail_msg("%s", command);
}

static void tape_make(struct fixture *f)
{
	char path[160];
	struct buf script = BUF_INIT;
	fixture_make(f);
	fixture_fill(f, 6, 60);
	fixture_append(f, "s|1", "message", "{\"content\":\"caf\xC3\xA9 | 'x' $(y)\"}");
	fixture_append(f, "s1", "empty", "");
	fixture_sign(f, false);
	fixture_append(f, "s1", "message", "{\"content\":\"not signed yet\"}");
	shell("openssl pkey -in '%s'/*.pem -pubout -out '%s/pub.pem'", f->keys, f->dir);
	(void)snprintf(path, sizeof path, "%s/verify.sh", f->dir);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	render_verify_script(&script);
	assert_int_equal(fwrite(script.data, 1, script.len, file), script.len);
	(void)fclose(file);
	buf_release(&script);
}

/* Runs verify.sh; its exit status and the beginning of what it says must be these. */
static void verdict(struct fixture *f, int status, const char *begins)
{
	char command[512], said[1024];
	(void)snprintf(command, sizeof command, "sh '%s/verify.sh' '%s' '%s/pub.pem' 2>&1", f->dir,
	               f->path, f->dir);
	FILE *p = popen(command, "r");
	assert_non_null(p);
	size_t len = fread(said, 1, sizeof said - 1, p);
	said[len] = '\0';
	int rc = pclose(p);
	if (!WIFEXITED(rc) || WEXITSTATUS(rc) != status ||
	    strncmp(said, begins, strlen(begins)) != 0)
		fail_msg("wanted %d \"%s\", got %d \"%s\"", status, begins, WEXITSTATUS(rc), said);
}

static void test_script_holds(void **state)
{
	(void)state;
	struct fixture f;
	struct verify_report report;
	char expected[128];
	tape_make(&f);
	fixture_verify(&f, &report);
	int n = snprintf(expected, sizeof expected, "OK: 10 entries, 9 of them signed, root ");
	verdict(&f, 0, expected);
	fixture_sign(&f, false);
	fixture_verify(&f, &report);
	n = snprintf(expected, sizeof expected, "OK: 10 entries, 10 of them signed, root ");
	hex_of(report.root, HASH_SIZE, expected + n);
	verdict(&f, 0, expected);
	shell("openssl genpkey -algorithm ed25519 2>/dev/null | "
	      "openssl pkey -pubout -out '%s/pub.pem'",
	      f.dir);
	verdict(&f, 1, "FORK: the newest note is not signed by");
	fixture_free(&f);
}

static void test_script_finds(void **state)
{
	(void)state;
	static const struct {
		const char *sql;
		bool rehash;
		int status;
		const char *begins;
	} cases[] = {
		{ "UPDATE tape SET body = replace(body, 'x', 'y') WHERE seq = 7", false, 1,
		  "CONTENT: entry 7 has another body" },
		{ "UPDATE tape SET body = body || ' ' WHERE seq = 3", false, 1,
		  "CONTENT: entry 3 has a body of another length" },
		{ "UPDATE tape SET author = 'eve:sh' WHERE seq = 4", false, 1,
		  "CONTENT: entry 4 has another header" },
		{ "UPDATE tape SET prev = zeroblob(32) WHERE seq = 8", false, 1,
		  "LINK: entry 8 does not follow" },
		{ "DELETE FROM tape WHERE seq = 5", false, 1, "LINK: entry " },
		{ "DELETE FROM tape WHERE seq >= 8", false, 1,
		  "ROLLBACK: 9 entries were signed, 8 are there" },
		{ "UPDATE tape SET salt = NULL, body = NULL WHERE seq = 2", false, 1,
		  "MISSING: entry 2 has no body" },
		{ "UPDATE tape SET body = replace(body, 'x', 'y') WHERE seq = 7", true, 1,
		  "FORK: the first 9 entries are not those" },
		{ "UPDATE tape_checkpoint SET note = replace(note, 'cinta/', 'CINTA/')", false, 1,
		  "FORK: the newest note is of another tape" },
		{ "DELETE FROM tape_checkpoint", false, 3, "UNVERIFIABLE: 10 entries are sound" },
		{ "DELETE FROM tape", false, 1, "FORMAT: entry 0 is not the genesis" },
		{ "DROP TABLE tape", false, 1, "FORMAT: " },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fixture f;
		tape_make(&f);
		fixture_disarm(&f);
		fixture_exec(&f, "%s", cases[i].sql);
		if (cases[i].rehash)
			fixture_rehash(&f);
		verdict(&f, cases[i].status, cases[i].begins);
		fixture_free(&f);
	}
}

static void test_script_redacted(void **state)
{
	(void)state;
	struct fixture f;
	tape_make(&f);
	fixture_redact(&f, 2, "leaked");
	verdict(&f, 0, "OK: 11 entries, 9 of them signed");
	fixture_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),        cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_session),      cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_status),       cmocka_unit_test(test_readme),
		cmocka_unit_test(test_script_holds), cmocka_unit_test(test_script_finds),
		cmocka_unit_test(test_script_redacted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
