/* SPDX-License-Identifier: MIT */
/* Commands of ctl: what each line means, what is refused and with which words; names and texts of summaries; pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/unit/exact.h"

static struct why why;

static int read_exact(const char *text, size_t len, struct ctl *out)
{
	char *exact = exact_copy(text, len);
	memset(&why, 0, sizeof why);
	int rc = render_ctl_in(exact, len, out, &why);
	free(exact);
	return rc;
}

/* "prune 3 7-9;window 6;" */
static void tell(const struct ctl *c, char *dst, size_t size)
{
	static const char *const names[] = { "prune", "restore", "pin", "unpin", "summarize", "reset", "window",
		                                 "digest", "refer" };
	struct buf out = BUF_INIT;
	for (size_t i = 0; i < c->count; i++) {
		const struct context_op *op = &c->op[i];
		buf_adds(&out, names[op->verb]);
		for (size_t k = 0; k < op->count; k++)
			buf_addf(&out, op->range[k].last > op->range[k].first ? " %lld-%lld" : " %lld",
			         (long long)op->range[k].first, (long long)op->range[k].last);
		if (op->verb == CONTEXT_WINDOW)
			buf_addf(&out, " %d", op->window);
		if (op->len)
			buf_addf(&out, " <%.*s>", (int)op->len, op->text);
		buf_addf(&out, "@%d;", op->line);
	}
	(void)snprintf(dst, size, "%s", out.data ? out.data : "");
	buf_release(&out);
}

static void test_taken(void **state)
{
	static const char *const table[][2] = {
		{ "prune 3", "prune 3@1;" },
		{ "prune 3\n", "prune 3@1;" },
		{ "prune 3 4 7-9\n", "prune 3-4 7-9@1;" },
		{ "  prune\t9 1-2   4\r\n", "prune 1-2 4 9@1;" },
		{ "prune 5-9 1-6 2 2", "prune 1-9@1;" },
		{ "prune 000003", "prune 3@1;" },
		{ "prune 999999999999999", "prune 999999999999999@1;" },
		{ "prune 3,5, 7", "prune 3 5 7@1;" },
		{ "restore 7-9", "restore 7-9@1;" },
		{ "pin 1\nunpin 1\n", "pin 1@1;unpin 1@2;" },
		{ "reset", "reset@1;" },
		{ "reset ", "reset@1;" },
		{ "window 6", "window 6@1;" },
		{ "window 64", "window 64@1;" },
		{ "window 1", "window 1@1;" },
		{ "window auto", "window 0@1;" },
		{ "refer 12 context:3", "refer 12 <[{\"type\":\"context\",\"ref\":3}]>@1;" },
		{ "refer 12  accountant:03\tsecretary:a/\"b", "refer 12 <[{\"type\":\"accountant\",\"ref\":\"03\"},"
		  "{\"type\":\"secretary\",\"ref\":\"a/\\\"b\"}]>@1;" },
		{ "summarize 3-9 topic: build", "summarize 3-9 <topic: build\n>@1;" },
		{ "summarize 3-9   a  b ", "summarize 3-9 <a  b\n>@1;" },
		{ "summarize 3-3 x", "summarize 3 <x\n>@1;" },
		{ "summarize 3-9 4 apples", "summarize 3-9 <4 apples\n>@1;" },
		{ "summarize 3-9 año ñandú 漢", "summarize 3-9 <año ñandú 漢\n>@1;" },
		{ "prune_messages [1, 2]", "prune 1-2@1;" },
		{ "prune_messages([4,2])", "prune 2 4@1;" },
		{ "prune_messages 1 3", "prune 1 3@1;" },
		{ "summarize_range 3 9 the text", "summarize 3-9 <the text\n>@1;" },
		{ "summarize_range 3, 9, the text", "summarize 3-9 <the text\n>@1;" },
		{ "summarize_range(3, 9, (a), b)", "summarize 3-9 <(a), b)\n>@1;" },
		{ "summarize_range 3 9 (draft) we agreed", "summarize 3-9 <(draft) we agreed\n>@1;" },
		{ "summarize_range 3-9 ,(draft), at last", "summarize 3-9 <(draft), at last\n>@1;" },
		{ "summarize 3-9 , at last", "summarize 3-9 <, at last\n>@1;" },
		{ "summarize_range 3-9 the text", "summarize 3-9 <the text\n>@1;" },
		{ "summarize_range 3-9 4 apples", "summarize 3-9 <4 apples\n>@1;" },
		{ "\n\n# a remark\nreset\n\n", "reset@4;" },
		{ "prune 1\nsummarize 2-3 x\nprune 4-5 7\nsummarize 8-9 y",
		  "prune 1@1;summarize 2-3 <x\n>@2;prune 4-5 7@3;summarize 8-9 <y\n>@4;" },
		{ "", "" },
		{ "\n \t\n#", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ctl c;
		char got[512];
		if (read_exact(table[i][0], strlen(table[i][0]), &c))
			fail_msg("refused: %s: %s", table[i][0], why.text);
		tell(&c, got, sizeof got);
		assert_string_equal(got, table[i][1]);
		ctl_release(&c);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		int line;
		const char *says, *todo;
	} table[] = {
		{ "prun 3", 1, "`prun` is no command", "prune restore pin unpin summarize window reset" },
		{ "Prune 3", 1, "`Prune` is no command", "cat ctl" },
		{ "\x01\xff", 1, "`??` is no command", "cat ctl" },
		{ "3", 1, "`3` is no command", "cat ctl" },
		{ "prune", 1, "prune: no message is named", "prune 3 4 7-9" },
		{ "prune []", 1, "prune: no message is named", "prune 3 4 7-9" },
		{ "reset\n\nprune x", 3, "prune: not a message's number, nor a range as 7-9: `x`", "prune 3 4 7-9" },
		{ "prune 0", 1, "`0`", "prune" },
		{ "prune -3", 1, "`-3`", "prune" },
		{ "prune 3-", 1, "`3-`", "prune" },
		{ "prune 9-3", 1, "`9-3`", "prune" },
		{ "prune 3-4-5", 1, "`3-4-5`", "prune" },
		{ "prune 1.5", 1, "`1.5`", "prune" },
		{ "prune 1000000000000000", 1, "`1000000000000000`", "prune" },
		{ "prune 18446744073709551617", 1, "`18446744073709551617`", "prune" },
		{ "pin all", 1, "pin: not a message's number", "pin 3 4 7-9" },
		{ "summarize", 1, "summarize: not a range", "summarize 10-20 TEXT" },
		{ "summarize 3 text", 1, "summarize: not a range of messages: `3`", "summarize 10-20 TEXT" },
		{ "summarize 9-3 text", 1, "not a range", "summarize" },
		{ "summarize 3-9", 1, "a summary cannot be empty", "say what" },
		{ "summarize 3-9 \t ", 1, "a summary cannot be empty", "say what" },
		{ "summarize 3-9 \xff", 1, "UTF-8 without NUL; byte 1", "write text" },
		{ "summarize_range 3 9", 1, "a summary cannot be empty", "say what" },
		{ "summarize_range 9 3 x", 1, "not a range", "summarize_range 10 20 TEXT" },
		{ "summarize_range 3 x", 1, "not a range of messages: `x`", "summarize_range 10 20 TEXT" },
		{ "reset now", 1, "reset: takes nothing more: `now`", "reset" },
		{ "window", 1, "window: takes a number of turns", "window 6, or window auto" },
		{ "refer", 1, "refer: not a message's number", "refer 12 context:3" },
		{ "refer 1-2 context:1", 1, "refer: not a message's number: `1-2`", "refer 12 context:3" },
		{ "refer 1", 1, "refer: it takes 1 to 64", "refer 12 context:3" },
		{ "refer 1 context", 1, "refer: not a type and what it refers to: `context`", "refer 12" },
		{ "refer 1 contex:1", 1, "`contex:1`", "refer 12" },
		{ "refer 1 context:", 1, "`context:`", "refer 12" },
		{ "refer 1 secretary:a\x01", 1, "`secretary:a?`", "refer 12" },
		{ "refer 1 secretary:a\xff\xfe", 1, "`secretary:a??`", "refer 12" },
		{ "window 0", 1, "`0`", "window 6" },
		{ "window 65", 1, "`65`", "window 6" },
		{ "window 6x", 1, "`6x`", "window 6" },
		{ "window 6 7", 1, "window: takes", "window 6" },
		{ "window -1", 1, "`-1`", "window 6" },
		{ "window 99999999999999999999", 1, "`99999999999999999999`", "window 6" },
		{ "recall_original 3", 1, "recall_original is done with files here", "cat messages/000003.md" },
		{ "save_to_disk notes.md x", 1, "save_to_disk is done with files here", "write the file" },
		{ "load_from_disk x", 1, "load_from_disk is done with files here", "cat smma/NAME.md" },
		{ "edit_section notes x", 1, "edit_section is done with files here", "smma/user_profile.md" },
		{ "commit_to_ltm k v", 1, "commit_to_ltm is done with files here", "memories/TYPE/KEY.md" },
		{ "search_ltm(q)", 1, "search_ltm is done with files here", "cat search/QUERY.md" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ctl c;
		if (read_exact(table[i].text, strlen(table[i].text), &c) != RENDER_EINVAL)
			fail_msg("not refused: %s", table[i].text);
		if (why.line != table[i].line || !strstr(why.text, table[i].says) || !strstr(why.todo, table[i].todo))
			fail_msg("%s: line %d: %s; %s", table[i].text, why.line, why.text, why.todo);
		ctl_release(&c);
	}
}

/* Of a secret not even the beginning is repeated.  These open nothing, and are in two parts each. */
static void test_secret_words(void **state)
{
	static const char *const secrets[] = {
		"sk-" "proj-aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOp",
		"eyJ" "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
		"ghp" "_16C7e42F292c6912E7710c838347Ae178B4a",
		"aws_secret_access_key=\"" "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzKK12aBcD",
		"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABBCCDDEEFFGGHHIIJJKKLLMM",
	};
	static const struct {
		const char *before, *after, *says;
	} table[] = {
		{ "", "", "is no command" }, { "", "\nprune 3\n", "is no command" },
		{ "pin 1\n \tkey=", " x", "is no command" },
		{ "prune 1 ", "", "prune: not a message's number, nor a range as 7-9: `***" },
		{ "reset ", "", "reset: takes nothing more: `***" }, { "window ", "", "window: takes a number of turns" },
		{ "summarize ", " text", "summarize: not a range" }, { "refer 1 ", "", "refer: not a type" },
		{ "summarize 1-2 ", "\nprune x", "" }, { "# ", "\nno 3", "`" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
			char text[512], part[8];
			struct ctl c;
			(void)snprintf(text, sizeof text, "%s%s%s", table[k].before, secrets[i], table[k].after);
			assert_int_equal(read_exact(text, strlen(text), &c), RENDER_EINVAL);
			ctl_release(&c);
			if (!strstr(why.text, table[k].says))
				fail_msg("%s: %s", text, why.text);
			for (size_t at = 0; at + 7 <= strlen(secrets[i]); at++) {
				(void)snprintf(part, sizeof part, "%.7s", secrets[i] + at);
				if (strstr(why.text, part))
					fail_msg("%s: %s", text, why.text);
			}
		}
}

static void test_limits(void **state)
{
	struct buf text = BUF_INIT;
	struct ctl c;
	(void)state;
	buf_adds(&text, "prune 1");
	for (int n = 3; n < 2 * CONTEXT_RANGES_MOST; n += 2)
		buf_addf(&text, " %d", n);
	assert_int_equal(read_exact(text.data, text.len, &c), 0);
	assert_int_equal(c.op[0].count, CONTEXT_RANGES_MOST);
	ctl_release(&c);
	buf_adds(&text, " 1");
	assert_int_equal(read_exact(text.data, text.len, &c), RENDER_EINVAL);
	assert_non_null(strstr(why.text, "too many numbers"));
	ctl_release(&c);

	buf_clear(&text);
	for (int i = 0; i < CONTEXT_OPS_MOST; i++)
		buf_adds(&text, "reset\n");
	assert_int_equal(read_exact(text.data, text.len, &c), 0);
	assert_int_equal(c.count, CONTEXT_OPS_MOST);
	ctl_release(&c);
	buf_adds(&text, "reset\n");
	assert_int_equal(read_exact(text.data, text.len, &c), RENDER_EINVAL);
	assert_int_equal(why.line, CONTEXT_OPS_MOST + 1);
	ctl_release(&c);

	buf_clear(&text);
	buf_adds(&text, "summarize 1-2 ");
	for (int i = 0; i < CONTEXT_TEXT_MOST - 1; i++)
		buf_addc(&text, 'x');
	assert_int_equal(read_exact(text.data, text.len, &c), 0);
	assert_int_equal(c.op[0].len, CONTEXT_TEXT_MOST);
	ctl_release(&c);
	buf_addc(&text, 'x');
	assert_int_equal(read_exact(text.data, text.len, &c), RENDER_EFBIG);
	ctl_release(&c);
	while (text.len <= CTL_LINE_LIMIT)
		buf_addc(&text, 'x');
	assert_int_equal(read_exact(text.data, text.len, &c), RENDER_EFBIG);
	assert_non_null(strstr(why.text, "longer than 16384"));
	ctl_release(&c);
	buf_release(&text);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool is;
		int64_t first, last;
	} table[] = {
		{ "3-9.md", true, 3, 9 }, { "3-3.md", true, 3, 3 }, { "000003-000009.md", true, 3, 9 },
		{ "007-9.md", true, 7, 9 }, { "9-3.md", true, 0, 0 }, { "0-3.md", true, 0, 0 },
		{ "1-9999999999999999.md", true, 0, 0 }, { "1-999999999999999.md", true, 1, 999999999999999 },
		{ "3.md", false, 0, 0 }, { "-9.md", false, 0, 0 }, { "3-.md", false, 0, 0 }, { "3-9", false, 0, 0 },
		{ ".3-9.md", false, 0, 0 }, { "3-9.md~", false, 0, 0 }, { "3-9.md.tmp", false, 0, 0 },
		{ "3-9.mdx", false, 0, 0 }, { "3-4-5.md", false, 0, 0 }, { "a-9.md", false, 0, 0 },
		{ "3 -9.md", false, 0, 0 }, { "", false, 0, 0 }, { ".md", false, 0, 0 }, { "-.md", false, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct context_range r;
		assert_int_equal(render_summary_name(table[i].name, &r), table[i].is);
		assert_int_equal(r.first, table[i].first);
		assert_int_equal(r.last, table[i].last);
	}
}

static void test_texts(void **state)
{
	(void)state;
	assert_int_equal(render_summary_in("a\n\nb\n", 5, &why), 0);
	assert_int_equal(render_summary_in("", 0, &why), RENDER_EINVAL);
	assert_int_equal(render_summary_in("\n \t\r\n", 5, &why), RENDER_EINVAL);
	assert_int_equal(render_summary_in("a\0b", 3, &why), RENDER_EINVAL);
	assert_int_equal(render_summary_in("a\xc3", 2, &why), RENDER_EINVAL);
	assert_int_equal(render_summary_in("\xed\xa0\x80", 3, &why), RENDER_EINVAL);
}

static void test_page(void **state)
{
	struct ctl_page p = { .session = "work", .state = { .messages = 20, .active = 11, .pruned = 2, .pinned = 1,
		.summaries = 1, .summarized = 7, .last_us = INT64_C(1795000000000000) } };
	struct buf out = BUF_INIT;
	(void)state;
	assert_true(ctl_ranges_add(&p.pruned, (struct context_range){ 11, 12 }));
	assert_true(ctl_ranges_add(&p.pinned, (struct context_range){ 1, 1 }));
	bool more = true;
	for (int i = 0; more && i < 100; i++)
		more = ctl_ranges_add(&p.summaries, (struct context_range){ 3, 9 });
	assert_int_equal(p.summaries.count, 40);
	render_ctl_page(&out, &p);
	assert_int_equal(strncmp(out.data, "# The window of session work\n\nmessages    20\nactive      11\n"
	                                   "pruned      2: 11-12\npinned      1: 1\nsummaries   1: 3-9 3-9", 99), 0);
	assert_non_null(strstr(out.data, " 3-9 …\nsummarized  7\nwindow      auto\nchanged     2026-11-18T"));
	assert_non_null(strstr(out.data, "    prune 3 4 7-9 "));
	buf_clear(&out);
	p.state = (struct context_state){ .window = 6 };
	buf_release(&p.pruned.text);
	buf_release(&p.pinned.text);
	buf_release(&p.summaries.text);
	render_ctl_page(&out, &p);
	assert_non_null(strstr(out.data, "pinned      0\nsummaries   0\nsummarized  0\nwindow      6\n\nWrite"));
	buf_release(&out);
}

static void test_action_log(void **state)
{
	char text[6000];
	memset(text, 'x', sizeof text);
	memcpy(text + 4095, "ñ", 2);
	struct turn t = { .n = 12, .author = "agent:sh", .by = "", .role = "tool", .tool = "bash\n# x", .error = true,
		.pinned = true, .content = "two\nlines", .len = 9, .time_us = INT64_C(1795000000000000) };
	struct summary y = { .first = 3, .last = 9, .author = "ana:vim", .text = "topic: x\n", .len = 9 };
	struct context_state s = { .messages = 20, .active = 11, .pruned = 2, .summaries = 1, .summarized = 7 };
	struct buf out = BUF_INIT;
	(void)state;
	render_action_head(&out, "work", &s, 3);
	render_action_summary(&out, &y);
	render_action_turn(&out, &t);
	assert_string_equal(out.data,
		"# Action log\n\nSession work: 11 of 20 messages are active, 2 pruned, 7 summarized.\n"
		"Left out here: all before message 3; see sessions/work/transcript.md.\n\n"
		"## 3-9 · summary · ana:vim · 1970-01-01 00:00:00 UTC\n\ntopic: x\n\n"
		"## 12 · tool · agent:sh · 2026-11-18 11:06:40 UTC · tool \"bash # x\" · error · pinned\n\ntwo\nlines\n\n");
	buf_clear(&out);
	t = (struct turn){ .n = 1, .author = "a", .by = "", .role = "", .tool = "", .content = text, .len = sizeof text };
	render_action_turn(&out, &t);
	assert_non_null(strstr(out.data, "## 1 · message · a · "));
	assert_non_null(strstr(out.data, "x\n*(4095 of 6000 bytes: messages/000001.md has all)*\n\n"));
	buf_clear(&out);
	render_action_head(&out, NULL, &s, 0);
	assert_string_equal(out.data, "# Action log\n\nThere is no session yet.\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken), cmocka_unit_test(test_refused), cmocka_unit_test(test_secret_words),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_names), cmocka_unit_test(test_texts), cmocka_unit_test(test_page),
		cmocka_unit_test(test_action_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
