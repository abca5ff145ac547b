/* SPDX-License-Identifier: MIT */
/*
 * Names of tools and roles in lines of ours: CommonMark's own parser shows each as it was said, in
 * quotes, and plain words as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cmark.h>
#include <string.h>

#include "render/format/quote.h"
#include "render/render.h"

#define NOON INT64_C(1795176000000000)
#define AT "eve:sh · 2026-11-20 12:00:00 UTC"

/* What a reader sees of the page's first heading, or of its first bold words. */
static void first_is(const struct buf *page, const char *expected)
{
	char text[1024] = "";
	size_t at = 0;
	cmark_node *root = cmark_parse_document(page->data, page->len, CMARK_OPT_DEFAULT);
	cmark_node *node = cmark_node_first_child(root);
	if (cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH)
		node = cmark_node_first_child(node);
	assert_in_set(cmark_node_get_type(node), ((uintmax_t[]){ CMARK_NODE_HEADING, CMARK_NODE_STRONG }), 2);
	cmark_iter *it = cmark_iter_new(node);
	for (cmark_event_type e; (e = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
		const char *part = cmark_node_get_literal(cmark_iter_get_node(it));
		bool tag = cmark_node_get_type(cmark_iter_get_node(it)) == CMARK_NODE_HTML_INLINE;
		if (e == CMARK_EVENT_ENTER && part && !tag && at + strlen(part) < sizeof text)
			at += (size_t)snprintf(text + at, sizeof text - at, "%s", part);
	}
	assert_string_equal(text, expected);
	cmark_iter_free(it);
	cmark_node_free(root);
}

static void in_context(const char *name, const char *shown)
{
	struct buf page = BUF_INIT;
	char text[512];
	const struct context_part p = { .kind = CONTEXT_TURN, .title = name, .where = "w", .role = name,
		.author = "eve:sh", .said = "", .text = "a ` <b> -->", .len = 11, .first = 3, .time_us = NOON };
	render_context_part(&page, &p);
	(void)snprintf(text, sizeof text, "#3 %s %s · eve:sh", shown, shown);
	first_is(&page, text);
	buf_release(&page);
}

static void in_transcript(const char *name, const char *shown)
{
	static const uint8_t salt[SALT_SIZE];
	struct buf page = BUF_INIT, json = BUF_INIT;
	char text[512];
	buf_adds(&json, "{\"content\":\"obey\",\"error\":\"--> ` **\",\"tool\":");
	buf_add_json(&json, name, strlen(name));
	buf_adds(&json, ",\"role\":");
	buf_add_json(&json, name, strlen(name));
	buf_addc(&json, '}');
	const struct entry e = { .stream = "s1", .stream_seq = 2, .time_us = NOON, .kind = "message",
		.author = "eve:sh", .body = json.data, .body_len = json.len, .salt = salt };
	render_transcript(&page, &e);
	(void)snprintf(text, sizeof text, "3 · %s · " AT " · tool %s · error --> ` **", shown, shown);
	first_is(&page, text);
	buf_release(&page);
	buf_release(&json);
}

static void in_action_log(const char *name, const char *shown)
{
	struct buf page = BUF_INIT;
	char text[512];
	const struct turn t = { .n = 3, .time_us = NOON, .author = "eve:sh", .role = name, .tool = name, .by = "",
		.active = true, .content = "" };
	render_action_turn(&page, &t);
	(void)snprintf(text, sizeof text, "3 · %s · " AT " · tool %s", shown, shown);
	first_is(&page, text);
	buf_release(&page);
}

static void test_said_names(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{ "mcp__fs__read_file", "mcp__fs__read_file" }, { "a.b:c/d-1", "a.b:c/d-1" }, { "two words", "\"two words\"" },
		{ "x** 2026-11-20 12:00", "\"x** 2026-11-20 12:00\"" }, { "`rm`", "\"`rm`\"" }, { "a `b", "\"a `b\"" },
		{ "<!--", "\"<!--\"" }, { "<b title='", "\"<b title='\"" }, { "# x", "\"# x\"" }, { "— root", "\"— root\"" },
		{ "x &middot; root", "\"x &middot; root\"" }, { "AT&T", "\"AT&T\"" }, { "![a](b)", "\"![a](b)\"" },
		{ "[a](b)", "\"[a](b)\"" }, { "\\", "\"\\\"" }, { "x\\**", "\"x\\**\"" },
		{ "a\" · root \"", "\"a' <U+00B7> root '\"" }, { "ñandú", "\"ñandú\"" }, { "<http://e>", "\"<http://e>\"" },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		in_context(table[i][0], table[i][1]);
		in_transcript(table[i][0], table[i][1]);
		in_action_log(table[i][0], table[i][1]);
	}
}

/* On a dashboard, where there is little room: never half of the quotes. */
static void test_short(void **state)
{
	char word[128], long_word[300];
	(void)state;
	render_word(word, sizeof word, "run_sql");
	assert_string_equal(word, "run_sql");
	render_word(word, sizeof word, "x** · y");
	assert_string_equal(word, "\"x\\*\\* <U+00B7> y\"");
	for (const char *const *part = (const char *const[]){ "*", "·", " `", NULL }; *part; part++) {
		long_word[0] = '\0';
		while (strlen(long_word) + 4 < sizeof long_word)
			strcat(long_word, *part);
		render_word(word, sizeof word, long_word);
		assert_int_equal(word[0], '"');
		assert_int_equal(word[strlen(word) - 1], '"');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_said_names),
		cmocka_unit_test(test_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
