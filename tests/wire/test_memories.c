/* SPDX-License-Identifier: MIT */
/* memories/top.md over the wire: what stands in it and how large it is, what counts as a use, the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/documents.h"

#define TOP "memories/top.md"

static bool says(struct wire *k, const char *path, const char *text)
{
	char *page = doc_text(k, path);
	bool there = page && strstr(page, text);
	free(page);
	return there;
}

static void save(struct world *w, const char *dir, const char *name, const char *text)
{
	assert_int_equal(doc_save(&w->a, dir, name, text), 0);
}

static void test_page(void **state)
{
	struct world *w = *state;
	struct fuse_attr a;
	struct fuse_open_out open;
	size_t len;
	assert_true(says(&w->a, TOP, "No memory is active."));
	save(w, "memories/decision", "deploy.md", "---\nimportance: 0.9\n---\n\n# Deploy on *Fridays*\n\nAlways.\n");
	save(w, "memories/preference", "tables.md", "---\nsummary: Likes tables\n---\nTables.\n");
	save(w, "memories/fact", "gone.md", "---\nstatus: deleted\nimportance: 1\n---\nGone.\n");
	save(w, "memories/fact", "odd `name`.md", "---\nimportance: 0.1\n---\n");
	char *page = doc_text(&w->a, TOP);
	assert_non_null(page);
	assert_non_null(strstr(page, "1. `memories/decision/deploy.md` \xC2\xB7 score 0.560 \xC2\xB7 "));
	assert_non_null(strstr(page, "   0.20 \xC3\x97 recency 1.000 + 0.40 \xC3\x97 importance 0.900 + "
	                       "0.30 \xC3\x97 relevance 0.000 + 0.10 \xC3\x97 frequency 0.000  \n"
	                       "   Deploy on \\*Fridays\\*\n"));
	assert_non_null(strstr(page, "2. `memories/preference/tables.md` \xC2\xB7 score 0.400"));
	assert_non_null(strstr(page, "\n   Likes tables\n"));
	assert_non_null(strstr(page, "3. ``memories/fact/odd `name`.md`` \xC2\xB7 score 0.240"));
	assert_null(strstr(page, "gone"));
	assert_null(strstr(page, "4. "));
	free(page);
	uint64_t ino = wire_path(&w->a, TOP);
	assert_int_equal(wire_getattr(&w->a, ino, &a), 0);
	free(wire_slurp(&w->a, ino, 4096, &len));
	assert_int_equal(a.size, len);
	assert_int_equal(a.mode & 0777, 0400);
	assert_false(doc_listed(&w->a, "memories", "top.md"));
	assert_true(doc_listed(&w->a, "memories", "fact"));
	assert_int_not_equal(wire_open(&w->a, ino, O_WRONLY, &open), 0);
	assert_int_not_equal(doc_unlink(&w->a, "memories", "top.md"), 0);
}

/* A hit is a use, also for a question; a look at the page, or at a memory, is none. */
static void test_uses(void **state)
{
	struct world *w = *state;
	save(w, "memories/fact", "cherry.md", "Cherries ripen in June.\n");
	save(w, "memories/fact", "plum.md", "Plums ripen in August.\n");
	save(w, "notes", "cherry.md", "A cherry tree.\n");
	int64_t entries = world_entries(w);
	for (int i = 0; i < 3; i++) {
		free(doc_text(&w->a, "memories/fact/cherry.md"));
		free(doc_text(&w->b, "search/in:memories.md")); /* the newest: nothing is asked */
		assert_false(says(&w->a, TOP, "\xC2\xB7 used "));
	}
	assert_true(says(&w->a, "search/cherry.md", "memories/fact/cherry.md"));
	assert_true(says(&w->a, TOP, "1. `memories/fact/cherry.md` \xC2\xB7 score 0.500"));
	assert_true(says(&w->b, TOP, "\xC2\xB7 used 1 time, last "));
	assert_true(says(&w->a, "context/when do cherries ripen?.md", "Cherries ripen in June"));
	assert_true(says(&w->a, TOP, "\xC2\xB7 used 2 times, last "));
	assert_true(says(&w->a, TOP, "\xC2\xB7 used 1 time, last ")); /* the plum, by "ripen" */
	doc_restart(w);
	assert_true(says(&w->a, TOP, "\xC2\xB7 used 2 times, last "));
	assert_int_equal(world_entries(w), entries);
}

static void test_clock(void **state)
{
	struct world *w = *state;
	char text[128];
	save(w, "memories/temporal", "sprint.md", "---\nimportance: 0.8\n---\nThe sprint.\n");
	save(w, "memories/preference", "tea.md", "Tea.\n");
	assert_true(says(&w->a, TOP, "1. `memories/temporal/sprint.md` \xC2\xB7 score 0.520"));
	world_ahead(10); /* 0.4 * 0.8 + 0.2 * exp(-5); 0.2 + 0.2 * exp(-0.1) */
	assert_true(says(&w->a, TOP, "1. `memories/preference/tea.md` \xC2\xB7 score 0.381"));
	assert_true(says(&w->b, TOP, "2. `memories/temporal/sprint.md` \xC2\xB7 score 0.321"));
	/* what a memory is replaced by stands for it; of expired ones nothing is left */
	save(w, "memories/preference", "coffee.md", "Coffee.\n");
	save(w, "memories/preference", "tea.md", "---\nsuperseded_by: coffee\n---\nTea.\n");
	assert_true(says(&w->a, TOP, "coffee.md"));
	assert_false(says(&w->a, TOP, "tea.md"));
	(void)snprintf(text, sizeof text, "---\nexpires_at: 2001-01-01\n---\nCoffee.\n");
	save(w, "memories/preference", "coffee.md", text);
	assert_false(says(&w->a, TOP, "coffee.md"));
	assert_true(says(&w->a, TOP, "1. `memories/temporal/sprint.md`"));
	/* the algorithm's numbers */
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "algorithms"), "memory", &(struct fuse_entry_out){ 0 }), 0);
	save(w, "algorithms/memory", "1.0.0.json", "{\"status\":\"active\",\"config\":{\"scoring\":{"
	     "\"weights\":{\"recency\":0.2,\"importance\":0.5,\"relevance\":0.3,\"frequency\":0},"
	     "\"decay_rates\":{\"temporal\":0}}}}");
	assert_true(says(&w->a, TOP, "score 0.600"));
	assert_true(says(&w->a, TOP, "0.50 \xC3\x97 importance 0.800"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_page), TEST(test_uses), TEST(test_clock) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
