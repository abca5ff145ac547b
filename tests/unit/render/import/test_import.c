/* SPDX-License-Identifier: MIT */
/*
 * Conversations of other programs: whatever pieces a file comes in, the same is understood; what is cut
 * off, repeated or no text at all is told and harms nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"

/* All that was told, a line each. */
static void on_talk(void *ctx, const struct import_talk *t)
{
	buf_addf(ctx, "talk %s %s|%s|%s|%s\n", t->name.agent, t->name.session, t->title, t->cwd, t->branch);
}

static void on_said(void *ctx, const struct import_said *s)
{
	buf_addf(ctx, "%s %s.%d %s%s %.*s\n", s->role, s->id, (int)s->part, s->tool ? s->tool : "",
	         s->error ? "!" : "", (int)s->len, s->text);
	assert_true(s->len > 0 && *s->id);
}

static void on_gone(void *ctx, const char *id)
{
	buf_addf(ctx, "gone %s\n", id);
}

static void on_note(void *ctx, const char *path, const char *bytes, size_t len)
{
	buf_addf(ctx, "note %s %.*s\n", path, (int)len, bytes);
}

static void on_skipped(void *ctx, int64_t at, const char *reason)
{
	(void)reason;
	buf_addf(ctx, "skipped %d\n", (int)at);
}

static int read_in(struct buf *told, const char *text, size_t len, size_t piece)
{
	const struct import_sink sink = { told, on_talk, on_said, on_gone, on_note, on_skipped, NULL, NULL };
	struct import *i = render_import_new("file", IMPORT_TOOLS_NAMES, &sink);
	struct why why = { 0 };
	assert_non_null(i);
	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(render_import_bytes(i, text + at, len - at < piece ? len - at : piece), 0);
	int rc = render_import_end(i, &why);
	assert_true((rc == 0) == !*why.text);
	render_import_free(i);
	buf_adds(told, "");
	return rc;
}

static char *load(const char *name, size_t *len)
{
	char path[512];
	const char *source = getenv("CINTA_SOURCE");
	(void)snprintf(path, sizeof path, "%s/tests/mount/import/%s", source ? source : ".", name);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	char *text = malloc(1 << 20);
	*len = fread(text, 1, 1 << 20, f);
	(void)fclose(f);
	assert_true(*len > 100 && *len < 1 << 20);
	return text;
}

static const char *const files[] = { "claude.jsonl", "claude-back.jsonl", "conversations.json",
	"conversations-edited.json",
	"claude-ai.json", "projects.json", "memories.json", "openai.json", "anthropic.json", "memory.jsonl",
	"rollout-2025-05-06T07-08-00-019a0000-1111-7222-8333-abcdefabcdef.jsonl" };
enum { FILES = sizeof files / sizeof *files };

static void test_pieces(void **state)
{
	static const size_t pieces[] = { 1, 2, 7, 100, 4096 };
	(void)state;
	for (int f = 0; f < FILES; f++) {
		size_t len;
		char *text = load(files[f], &len);
		struct buf whole = BUF_INIT;
		assert_int_equal(read_in(&whole, text, len, len), 0);
		assert_true(whole.len > 40);
		for (size_t n = 0; n < sizeof pieces / sizeof *pieces; n++) {
			struct buf cut = BUF_INIT;
			assert_int_equal(read_in(&cut, text, len, pieces[n]), 0);
			assert_string_equal(cut.data, whole.data);
			buf_release(&cut);
		}
		buf_release(&whole);
		free(text);
	}
}

/* A file that ends anywhere tells what it told before, but for messages not whole yet. */
static void test_cut_off(void **state)
{
	(void)state;
	for (int f = 0; f < FILES; f++) {
		size_t len;
		char *text = load(files[f], &len);
		struct buf whole = BUF_INIT;
		(void)read_in(&whole, text, len, len);
		bool lines = strstr(files[f], ".jsonl");
		for (size_t at = 0; at < len; at += 1 + at / 50) {
			struct buf half = BUF_INIT;
			char *copy = malloc(at + 1); /* so that a read behind it is seen */
			memcpy(copy, text, at);
			int rc = read_in(&half, copy, at, at ? at : 1);
			assert_true(rc == 0 || rc == RENDER_EINVAL);
			assert_true(lines || rc == RENDER_EINVAL || at == 0 || strlen(half.data) == whole.len);
			const char *gone = strstr(half.data, "gone "); /* told at the end, as notes are */
			size_t said = gone && strstr(files[f], "back") ? (size_t)(gone - half.data) : half.len;
			if (strcmp(files[f], "memory.jsonl") != 0)
				assert_memory_equal(half.data, whole.data, said);
			buf_release(&half);
			free(copy);
		}
		buf_release(&whole);
		free(text);
	}
}

static void told(const char *text, const char *expected)
{
	struct buf b = BUF_INIT;
	(void)read_in(&b, text, strlen(text), 3);
	assert_string_equal(b.data, expected);
	buf_release(&b);
}

static void test_hostile(void **state)
{
	(void)state;
	told("\xEF\xBB\xBF{\"role\":\"user\",\"content\":\"b\",\"id\":\"1\",\"session_id\":\"s\"}",
	     "talk messages s|||\nuser 1.0  b\n");
	told("[{\"role\":\"user\",\"content\":\"\\ud83d \\ude00 \\ud83d\\ude00 \\u0000 \xFF \\\\u0000\","
	     "\"id\":\"1\",\"session_id\":\"s\"}]",
	     "talk messages s|||\nuser 1.0  \xEF\xBF\xBD \xEF\xBF\xBD \xF0\x9F\x98\x80 "
	     "\xEF\xBF\xBD \xEF\xBF\xBD \\u0000\n");
	told("[1,\"a]b\",{\"role\":\"user\",\"content\":\"]}\",\"id\":\"1\",\"session_id\":\"s\"},null]",
	     "skipped 1\nskipped 2\ntalk messages s|||\nuser 1.0  ]}\nskipped 4\n");
	told("{\"role\":\"user\",\n\"content\":\"a\",\"id\":\"1\",\"session_id\":\"s\"}\n"
	     "{\"role\":\"user\",\"content\":\"b\",\"id\":\"2\",\"session_id\":\"s\"}",
	     "talk messages s|||\nuser 1.0  a\nuser 2.0  b\n");
	told("{\"role\":\"user\",\"content\":\"a\",\"id\":\"1\",\"session_id\":\"s\"}\n{\"role\":\"user\",\"con",
	     "talk messages s|||\nuser 1.0  a\n");
	told("{\"mapping\":{},\"current_node\":\"x\",\"id\":\"c\"}\n", "talk chatgpt c|||\n");
	told("{\"mapping\":{\"x\":1},\"current_node\":\"x\",\"id\":\"c\"}\n", "talk chatgpt c|||\n");
	told("{\"type\":\"response_item\",\"payload\":{\"type\":\"message\","
	     "\"role\":\"user\",\"content\":[{\"text\":\"hi\"}]}}\n"
	     "{\"type\":\"event_msg\",\"payload\":{\"type\":\"thread_rolled_back\",\"num_turns\":99999999999}}\n",
	     "talk codex file|||\nuser 1.0  hi\ngone 1\n");
	told("{\"uuid\":\"c\",\"chat_messages\":[1,{\"uuid\":\"m\",\"text\":7},{\"sender\":\"human\"}]}",
	     "talk claude-ai c|||\nskipped 1\nskipped 1\n");
	struct buf b = BUF_INIT;
	assert_int_equal(read_in(&b, "", 0, 1), RENDER_EINVAL);
	assert_int_equal(read_in(&b, "[]", 2, 1), 0);
	assert_int_equal(read_in(&b, "[[[[", 4, 1), RENDER_EINVAL);
	assert_int_equal(read_in(&b, "]]}}", 4, 1), RENDER_EINVAL);
	assert_int_equal(read_in(&b, "{\"a\":1}\n", 8, 1), RENDER_EINVAL);
	buf_release(&b);
}

/* What is not what belongs there is told, and what nobody misses is not. */
static void test_told(void **state)
{
	(void)state;
#define LINE(message) "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":" message "}\n"
#define PART(part) LINE("{\"content\":[" part "]}")
	told(LINE("{\"content\":12}") LINE("\"text\"") LINE("{}") LINE("{\"content\":null}"),
	     "talk claude-code s|||\nskipped 1\nskipped 2\nskipped 3\n");
	told(PART("{\"type\":\"text\",\"text\":77}") PART("{\"type\":\"new\",\"text\":\"a\"}") PART("7")
	     PART("{\"type\":\"thinking\",\"thinking\":\"hm\"}") PART("\"a\",{},\"b\""),
	     "talk claude-code s|||\nskipped 1\nskipped 2\nskipped 3\nuser u.0  a\nskipped 5\nuser u.2  b\n");
	told("[{\"role\":\"assistant\",\"session_id\":\"s\",\"id\":\"1\",\"content\":null,"
	     "\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}]}]",
	     "talk messages s|||\nassistant 1.1 f f 1\n");
}

/* What an assistant's message has in place of a content. */
static void test_beside(void **state)
{
	(void)state;
#define SAID(members) "{\"session_id\":\"s\",\"id\":\"1\"," members "}\n"
	told(SAID("\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"f\",\"arguments\":\"1\"}")
	     SAID("\"role\":\"function\",\"name\":\"f\",\"content\":\"2\"")
	     SAID("\"role\":\"assistant\",\"content\":null,\"refusal\":\"No.\"")
	     SAID("\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"Never.\"}]")
	     SAID("\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"custom\","
	          "\"custom\":{\"name\":\"g\",\"input\":\"x y\"}}]"),
	     "talk messages s|||\nassistant 1.1 f f 1\ntool 1.0 f 2\nassistant 1.2  No.\n"
	     "assistant 1.0  Never.\nassistant 1.1 g g x y\n");
	/* of whoever writes about it, and of the program */
	told(SAID("\"role\":\"user\",\"content\":\"# AGENTS.md\\nIs it long?\"")
	     SAID("\"role\":\"user\",\"content\":\"This session is being continued on Monday.\"")
	     SAID("\"role\":\"user\",\"content\":\"# AGENTS.md instructions for /w\\n\""),
	     "talk messages s|||\nuser 1.0  # AGENTS.md\nIs it long?\n"
	     "user 1.0  This session is being continued on Monday.\n");
}

/* A tape's entry whose body is there and no JSON; one that is redacted is no fault. */
static void test_tape_body(void **state)
{
	(void)state;
#define ENTRY(members) "{\"seq\":1,\"stream\":\"s1\",\"kind\":\"message\",\"body_hash\":\"h\",\"hash\":\"x\"," \
	members "}\n"
	told(ENTRY("\"body\":\"{]\"") ENTRY("\"body\":null")
	     ENTRY("\"body\":\"{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"a\\\",\\\"n\\\":123456789012345678901}\""),
	     "skipped 1\ntalk cinta /s1|||\nuser x.0  a\n");
}

/* A line of Claude Code's: `role` user, assistant, "" (a program's), or result (of a tool). */
static void add_line(struct buf *out, const char *role, const char *id, const char *parent)
{
	bool result = strcmp(role, "result") == 0;
	buf_addf(out, "{\"type\":\"%s\",\"uuid\":\"%s\",\"sessionId\":\"s\",\"parentUuid\":",
	         !*role ? "system" : result ? "user" : role, id);
	buf_addf(out, *parent ? "\"%s\"" : "null%s", parent);
	if (*role)
		buf_addf(out, ",\"message\":{\"content\":[{\"type\":\"%s\",\"text\":\"%s\"}]}",
		         result ? "tool_result" : "text", id);
	buf_adds(out, "}\n");
}

/* Lines "role id parent", each ended by a semicolon: which were given up. */
static void given_up(const char *lines, const char *expected)
{
	struct buf text = BUF_INIT, all = BUF_INIT, gone = BUF_INIT;
	char role[16], id[16], parent[16];
	int used = 0;
	for (; sscanf(lines, " %15[^ ;] %15[^ ;] %15[^ ;];%n", role, id, parent, &used) == 3; lines += used)
		add_line(&text, strcmp(role, "-") ? role : "", id, strcmp(parent, "-") ? parent : "");
	assert_string_equal(lines, "");
	(void)read_in(&all, text.data, text.len, text.len);
	for (char *at = all.data; (at = strstr(at, "gone ")); at += 5)
		buf_addf(&gone, "%.*s ", (int)strcspn(at + 5, "\n"), at + 5);
	buf_adds(&gone, "");
	assert_string_equal(gone.data, expected);
	buf_release(&text);
	buf_release(&all);
	buf_release(&gone);
}

#define TALK "user a -;assistant b a;user c b;assistant d c;"

static void test_going_back(void **state)
{
	(void)state;
	given_up(TALK, "");
	given_up(TALK "user e b;", "c d ");
	given_up(TALK "user e b;assistant f e;user g f;user h f;user i b;", "c d e f g h ");
	given_up(TALK "user e b;assistant f e;user g d;", "e f "); /* in the first branch once more */
	given_up(TALK "user e d;user f d;assistant g f;user h b;assistant i h;user j i;user k i;", "c d e f g j ");
	/* by a program's lines, which may come before those that they follow */
	given_up("user a -;- x b;- y x;assistant b a;user c y;assistant d c;- z d;user e b;", "c d ");
	given_up(TALK "- x b;user e x;- y d;", "c d ");
	/* parallel calls, a line that waited for its turn, another beginning, a line again: none */
	given_up("user a -;assistant b a;assistant c b;result d b;result e c;assistant f e;user g f;", "");
	given_up("user a -;assistant b a;assistant c b;result d b;assistant e c;result f e;assistant g f;", "");
	given_up("user a -;assistant b a;user q b;assistant c b;result d c;assistant e d;", "");
	given_up(TALK "user e -;assistant f e;user g x;", "");
	given_up(TALK "user c a;user e d;", "");
	/* circles */
	given_up("user a b;assistant b a;user c b;user d b;user e e;", "c ");
	given_up(TALK "user e b;user x y;user y x;", "c d ");
}

static void test_going_back_twice(void **state)
{
	(void)state;
	struct buf text = BUF_INIT, all = BUF_INIT;
	/* one conversation's end is told before the next one begins, and forks of the next are its own */
	for (const char *line = "ax.ba.ca.xb.yb."; *line; line += 3)
		add_line(&text, "user", (char[]){ line[0], 0 }, (char[]){ line[1], 0 });
	char *other = strstr(text.data, "{\"type\":\"user\",\"uuid\":\"x");
	for (char *at = other; (at = strstr(at, "\"sessionId\":\"s\"")); at++)
		at[13] = 't';
	(void)read_in(&all, text.data, text.len, text.len);
	assert_string_equal(all.data, "talk claude-code s|||\nuser a.0  a\nuser b.0  b\nuser c.0  c\ngone b\n"
	                    "talk claude-code t|||\nuser x.0  x\nuser y.0  y\n");
	buf_release(&text);
	buf_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_tape_body),
		cmocka_unit_test(test_going_back),
		cmocka_unit_test(test_going_back_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
