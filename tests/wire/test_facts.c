/* SPDX-License-Identifier: MIT */
/* Lists of facts over the wire, and what the passing of days does to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/documents.h"

#define WORK "facts/work.md"

/* In place, as a shell does it. */
static int save(struct world *w, const char *text)
{
	struct pen p;
	int err = pen_rewrite(&p, &w->a, wire_path(&w->a, WORK));
	return err ? err : pen_write(&p, text) || pen_close(&p);
}

static void is(struct world *w, const char *path, const char *text)
{
	char *got = doc_text(&w->a, path);
	if (!got || strcmp(got, text) != 0)
		fail_msg("%s: %s", path, got ? got : "(nothing)");
	free(got);
}

static void take_kind(void *ctx, const struct entry *e)
{
	(void)snprintf(ctx, 64, "%s", e->kind);
}

/* The kinds of the entries from `seq` on, apart by a blank. */
static void kinds(struct world *w, int64_t seq, const char *expected)
{
	char all[1024] = "", kind[64];
	for (; store_entry(w->store, seq, take_kind, kind) == 0; seq++)
		(void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", kind);
	assert_string_equal(all, expected);
}

static void test_aging(void **state)
{
	struct world *w = *state;
	assert_int_equal(save(w, "- sure\n- perhaps *(medium)*\n- hardly *(low)*\n"), 0);
	world_ahead(179);
	is(w, WORK, "# Work\n\n- sure\n- perhaps *(medium)*\n- hardly *(low)*\n");
	is(w, "facts/stale.md", "");
	world_ahead(181);
	is(w, WORK, "# Work\n\n## Stale\n\n- sure\n- perhaps *(medium)*\n- hardly *(low)*\n");
	is(w, "facts/stale.md", "# Work\n\n- sure\n- perhaps *(medium)*\n- hardly *(low)*\n");
	is(w, WORK "@1", "# Work\n\n- sure\n- perhaps *(medium)*\n- hardly *(low)*\n");
}

/* One line changed, one deleted, one added, one moved up from Stale: these entries and no others. */
static void test_edit(void **state)
{
	struct world *w = *state;
	assert_int_equal(save(w, "- old but true\n- old and gone\n"), 0);
	world_ahead(181);
	assert_int_equal(save(w, "- team of five\n- to be deleted\n- stays\n\n## Stale\n\n- old but true\n"
	                         "- old and gone\n"), 0);
	int64_t seq = world_entries(w);
	assert_int_equal(save(w, "# Work\n\n- old but true\n- team of six\n- stays\n- brand new\n\n## Stale\n\n"
	                         "- old and gone\n"), 0);
	kinds(w, seq, "fact.confirm fact.retract fact.add fact.add fact.retract ");
	is(w, WORK, "# Work\n\n- old but true\n- team of six\n- stays\n- brand new\n\n## Stale\n\n- old and gone\n");
	seq = world_entries(w);
	assert_int_equal(save(w, "# Work\n\n- old but true\n- team of six\n- stays\n- brand new\n\n## Stale\n\n"
	                         "- old and gone\n"), 0);
	kinds(w, seq, "");
}

/* Who appends has said nothing of what became stale since the list was saved. */
static void test_append(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(save(w, "- one\n- two\n"), 0);
	world_ahead(181);
	int64_t seq = world_entries(w);
	assert_int_equal(pen_open(&p, &w->a, wire_path(&w->a, WORK), O_WRONLY | O_APPEND), 0);
	assert_int_equal(pen_write(&p, "- three\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	kinds(w, seq, "fact.add ");
	is(w, WORK, "# Work\n\n- three\n\n## Stale\n\n- one\n- two\n");
}

/* Stale facts that are left where they are stay as they are; confidence can be weighed there too. */
static void test_stale_stays(void **state)
{
	struct world *w = *state;
	assert_int_equal(save(w, "- one\n- two\n"), 0);
	world_ahead(200);
	int64_t seq = world_entries(w);
	assert_int_equal(save(w, "# Work\n\n- three\n\n## Stale\n\n- one\n- two *(low)*\n"), 0);
	kinds(w, seq, "fact.weigh fact.add ");
	is(w, "facts/stale.md", "# Work\n\n- one\n- two *(low)*\n");
}

/* By the process that saves; doc_text() is somebody else. */
static void look(struct world *w, const char *path)
{
	struct pen p;
	assert_int_equal(pen_open(&p, &w->a, wire_path(&w->a, path), O_RDONLY), 0);
	pen_release(&p);
}

/* What became stale since its editor read the list, or on the way back to an old version, stays stale. */
static void test_stale_since(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(save(w, "- one\n- two\n"), 0);
	world_ahead(179);
	look(w, WORK);
	assert_int_equal(pen_open(&p, &w->a, wire_path(&w->a, WORK), O_RDWR), 0);
	world_ahead(181);
	int64_t seq = world_entries(w);
	assert_int_equal(save(w, "# Work\n\n- one\n- two\n- three\n"), 0);
	kinds(w, seq, "fact.add ");
	is(w, WORK, "# Work\n\n- three\n\n## Stale\n\n- one\n- two\n");
	/* in a file that was open before it, too */
	assert_int_equal(pen_write(&p, "# Work\n\n- one\n- two\n- three\n- four\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	/* and who has read the list as it is now, and moves one up, confirms that */
	is(w, WORK, "# Work\n\n- three\n- four\n\n## Stale\n\n- one\n- two\n");
	look(w, WORK);
	seq = world_entries(w);
	assert_int_equal(save(w, "# Work\n\n- two\n- three\n- four\n\n## Stale\n\n- one\n"), 0);
	kinds(w, seq, "fact.confirm ");
	seq = world_entries(w);
	is(w, WORK "@1", "# Work\n\n- one\n- two\n");
	look(w, WORK "@1");
	assert_int_equal(save(w, "# Work\n\n- one\n- two\n"), 0);
	kinds(w, seq, "fact.retract fact.retract ");
	is(w, WORK, "# Work\n\n- two\n\n## Stale\n\n- one\n");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_aging), IN_WORLD(test_edit), IN_WORLD(test_append), IN_WORLD(test_stale_stays),
		IN_WORLD(test_stale_since),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
