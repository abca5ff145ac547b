/* SPDX-License-Identifier: MIT */
/* context.md and the dashboard over the wire: the clock, what one reader keeps, whose references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/wire/documents.h"

#define CONTEXT "sessions/uno/context.md"
#define DASHBOARD "smma/dashboard.md"
#define LINE(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}\n"

static bool says(struct wire *k, const char *path, const char *text)
{
	char *page = doc_text(k, path);
	bool there = page && strstr(page, text);
	free(page);
	return there;
}

/* How many messages of the log have references. */
static int referring(struct world *w)
{
	int n = 0;
	char *log = doc_text(&w->a, "sessions/uno/log.jsonl");
	assert_non_null(log);
	for (const char *at = log; (at = strstr(at, "\"refs\":[{\"type\":\"context\"")); at++)
		n++;
	free(log);
	return n;
}

/* As facts grow old; nothing is written meanwhile, so only the clock can tell. */
static void test_aging(void **state)
{
	static const struct {
		int days;
		bool sure, perhaps, hardly;
		const char *facts, *alert;
	} table[] = {
		{ 1, true, true, true, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 29, true, true, true, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 31, true, true, false, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 89, true, true, false, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 91, true, false, false, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 172, true, false, false, "- Facts: 3 live, 0 stale, 0 about to be\n", NULL },
		{ 174, true, false, false, "- Facts: 3 live, 0 stale, 3 about to be\n",
		  "- ALERT: 3 facts will be stale within a week\n" },
		{ 181, false, false, false, "- Facts: 3 live, 3 stale, 0 about to be\n",
		  "- ALERT: 3 facts are stale: confirm or remove them in facts/\n" },
	};
	struct world *w = *state;
	assert_int_equal(wire_append(&w->a, w->log, LINE("user", "hola")), 0);
	assert_int_equal(doc_save(&w->a, "facts", "work.md", "- sure\n- perhaps *(medium)*\n- hardly *(low)*\n"), 0);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		world_ahead(table[i].days);
		assert_int_equal(says(&w->a, CONTEXT, "- sure"), table[i].sure);
		assert_int_equal(says(&w->a, CONTEXT, "- perhaps"), table[i].perhaps);
		assert_int_equal(says(&w->b, CONTEXT, "- hardly"), table[i].hardly);
		assert_true(says(&w->b, DASHBOARD, table[i].facts));
		assert_true(says(&w->a, DASHBOARD, table[i].alert ? table[i].alert : "- Alerts: none\n"));
	}
	assert_true(says(&w->a, CONTEXT, "3 facts (0 said just now, 3 stale)"));
	/* what is said again is young again, and the alert is for the others */
	assert_int_equal(doc_save(&w->a, "facts", "work.md", "- sure\n\n## Stale\n\n- perhaps *(medium)*\n"
	                          "- hardly *(low)*\n"), 0);
	assert_true(says(&w->a, CONTEXT, "- sure"));
	assert_true(says(&w->a, DASHBOARD, "- ALERT: 2 facts are stale"));
}

/* A silence of four hours ends a topic: the summary by rule ends there too. */
static void test_gap(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 7; i++)
		assert_int_equal(wire_append(&w->a, w->log, LINE("user", "the same words again")), 0);
	world_ahead(1);
	for (int i = 0; i < 13; i++)
		assert_int_equal(wire_append(&w->a, w->log, LINE("user", "the same words again")), 0);
	assert_true(says(&w->a, CONTEXT, "**4–6** (by rule)"));
	assert_true(says(&w->a, CONTEXT, "**7–7** (by rule)"));
	assert_true(says(&w->a, CONTEXT, "**8–9** (by rule)"));
	assert_true(says(&w->a, CONTEXT, "**10–12** (by rule)"));
	assert_false(says(&w->a, CONTEXT, "**1–3** (by rule)"));
}

/* A reader keeps the page it opened; the next one sees what is new, in each mount. */
static void test_reader(void **state)
{
	struct world *w = *state;
	struct fuse_open_out open;
	char page[4096];
	assert_int_equal(wire_append(&w->a, w->log, LINE("user", "first")), 0);
	uint64_t ino = wire_path(&w->a, CONTEXT);
	assert_int_equal(wire_open(&w->a, ino, O_RDONLY, &open), 0);
	assert_int_equal(wire_append(&w->a, w->log, LINE("user", "second")), 0);
	ssize_t got = wire_read(&w->a, ino, open.fh, 0, page, sizeof page - 1);
	assert_in_range(got, 20, sizeof page - 1);
	page[got] = '\0';
	assert_non_null(strstr(page, "first"));
	assert_null(strstr(page, "second"));
	assert_int_equal(wire_read(&w->a, ino, open.fh, got, page, sizeof page - 1), 0);
	assert_int_equal(wire_release(&w->a, ino, open.fh), 0);
	assert_true(says(&w->b, CONTEXT, "second"));
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->a, ino, &attr), 0);
	char *now = doc_text(&w->a, CONTEXT);
	assert_int_equal(attr.size, strlen(now));
	free(now);
	assert_int_equal(wire_open(&w->a, ino, O_WRONLY, &open) != 0, true);
	assert_int_equal(wire_truncate(&w->a, ino, 0) != 0, true);
	assert_false(doc_listed(&w->a, "sessions/uno", "context.md"));
}

/* What was shown waits for the first answer that is stored, whoever writes it. */
static void test_references(void **state)
{
	struct world *w = *state;
	struct pen p, q;
	assert_int_equal(wire_append(&w->a, w->log, LINE("user", "hola")), 0);
	assert_true(says(&w->a, CONTEXT, "hola"));
	/* refused with an answer in it, held, written by another mount */
	assert_int_equal(wire_append(&w->a, w->log, LINE("assistant", "yes") "{\"role\":7}\n"), -EINVAL);
	assert_int_equal(pen_open(&p, &w->a, w->log, O_WRONLY | O_APPEND), 0);
	assert_int_equal(pen_write(&p, "{\"role\":\"assistant\",\"con"), 0);
	assert_int_equal(referring(w), 0);
	assert_int_equal(pen_open(&q, &w->b, wire_path(&w->b, "sessions/uno/log.jsonl"), O_WRONLY | O_APPEND), 0);
	assert_int_equal(pen_write(&q, LINE("user", "more")), 0);
	assert_int_equal(pen_write(&q, LINE("assistant", "b is first")), 0);
	assert_int_equal(referring(w), 1);
	assert_int_equal(pen_write(&p, "tent\":\"held\"}"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(referring(w), 1);
	/* shown again in between: the newer one is what waits */
	assert_true(says(&w->a, CONTEXT, "held"));
	assert_true(says(&w->b, CONTEXT, "held"));
	assert_int_equal(pen_write(&q, LINE("assistant", "one")), 0);
	assert_int_equal(pen_write(&q, LINE("assistant", "two")), 0);
	assert_int_equal(pen_close(&q), 0);
	assert_int_equal(referring(w), 2);
	/* another session's answer is no answer */
	struct fuse_entry_out dos;
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "sessions"), "dos", &dos), 0);
	assert_true(says(&w->a, CONTEXT, "two"));
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "sessions/dos/log.jsonl"), LINE("assistant", "x")), 0);
	assert_false(says(&w->a, "sessions/dos/log.jsonl", "refs"));
	assert_int_equal(wire_append(&w->a, w->log, LINE("assistant", "three")), 0);
	assert_int_equal(referring(w), 3);
	/* the role may come from the session */
	assert_int_equal(doc_save(&w->a, "sessions/uno", "session.md", "---\nrole: assistant\n---\n"), 0);
	assert_true(says(&w->a, CONTEXT, "three"));
	assert_int_equal(wire_append(&w->a, w->log, "{\"content\":\"by default\"}\n"), 0);
	assert_int_equal(referring(w), 4);
	assert_true(says(&w->a, CONTEXT, "by default"));
	doc_restart(w);
	assert_int_equal(wire_append(&w->a, w->log, LINE("assistant", "forgotten")), 0);
	assert_int_equal(referring(w), 4);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = { IN_WORLD(test_aging), IN_WORLD(test_gap), IN_WORLD(test_reader),
		IN_WORLD(test_references) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
