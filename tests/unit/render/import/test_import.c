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
	const struct import_sink sink = { told, on_talk, on_said, on_gone, on_note, on_skipped };
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

static const char *const files[] = { "claude.jsonl", "conversations.json", "conversations-edited.json",
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
			if (strcmp(files[f], "memory.jsonl") != 0) /* tells its notes at the end */
				assert_memory_equal(half.data, whole.data, half.len);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
