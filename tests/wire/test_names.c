/* SPDX-License-Identifier: MIT */
/* Names in places: which are never given to a file, which are refused with a reason, which stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/base/ino.h"
#include "store/store.h"
#include "tests/wire/documents.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void folder(struct world *w, const char *dir, const char *name)
{
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, dir), name, NULL), 0);
}

static void save(struct world *w, const char *dir, const char *name, const char *text)
{
	assert_int_equal(doc_save(&w->a, dir, name, text), 0);
}

/* A document of each family: where, its name, its first bytes. */
static const struct {
	const char *dir, *name, *text;
} family[] = {
	{ "smma", "user_profile.md", "- uno\n" },
	{ "notes", "plan.md", "uno\n" },
	{ "notes/obra", "README", "uno\n" },
	{ "facts", "work.md", "# Work\n\n- uno\n" },
	{ "sessions/uno", "session.md", "---\ntitle: uno\n---\n" },
	{ "blocks/rules", "house.md", "---\npriority: 10\n---\nuno\n" },
	{ "memories/fact", "tea.md", "uno\n" },
	{ "components/plu", "ana.md", "uno\n" },
	{ "answers", "what is x.md", "uno\n" },
};

static const char *const past[] = { "1", "2", "9", "007", "log", "2026-11-20", "2026-11-20T10:30" };

/* By no op can a name DOC@… be had. */
static void nobody_has(struct world *w, const char *dir, const char *name)
{
	struct pen p;
	uint64_t at = wire_path(&w->a, dir);
	int lines = doc_errors(&w->a, "EPERM ");
	assert_int_equal(pen_create(&p, &w->a, at, name), -EPERM);
	assert_int_equal(wire_mkdir(&w->a, at, name, NULL), -EPERM);
	assert_int_equal(doc_symlink(&w->a, dir, name, "x"), -EPERM);
	assert_int_equal(doc_mknod(&w->a, dir, name, S_IFREG | 0644), -EPERM);
	assert_int_equal(doc_rename(&w->a, "smma/workspace", "forged", dir, name, 0), -EPERM);
	assert_int_equal(doc_errors(&w->a, "EPERM "), lines + 5);
	assert_false(doc_listed(&w->b, dir, name));
}

static void test_versions_to_come(void **state)
{
	struct world *w = *state;
	folder(w, "notes", "obra");
	save(w, "smma/workspace", "forged", "FORGED\n");
	for (size_t i = 0; i < COUNT(family); i++) {
		for (size_t j = 0; j < COUNT(past); j++) {
			char name[64];
			(void)snprintf(name, sizeof name, "%s@%s", family[i].name, past[j]);
			nobody_has(w, family[i].dir, name);
		}
	}
	for (size_t i = 0; i < COUNT(family); i++) { /* and once it is there */
		char name[64], path[96];
		save(w, family[i].dir, family[i].name, family[i].text);
		(void)snprintf(name, sizeof name, "%s@7", family[i].name);
		nobody_has(w, family[i].dir, name);
		(void)snprintf(path, sizeof path, "%s/%s@1", family[i].dir, family[i].name);
		assert_int_not_equal(wire_path(&w->b, path), 0);
	}
	/* Where no document can be, an @ is a letter. */
	save(w, "smma/workspace", "a.md@1", "uno\n");
	assert_true(doc_is(&w->b, "smma/workspace/a.md@1", "uno\n"));
	folder(w, "notes", "react@home");
	save(w, "notes", "memory@2.md", "dos\n");
}

/* What an earlier daemon let stand there goes when it is read again; its bytes are kept. */
static void test_planted_before(void **state)
{
	struct world *w = *state;
	struct scratch_row row = { .id = 900, .dir = wire_path(&w->a, "notes"), .name = "a.md@2",
		.mode = S_IFREG | 0644, .changed_us = 1, .touched_us = 1, .bytes = "FORGED\n", .len = 7 };
	struct scratch_row history = { .id = 901, .dir = wire_path(&w->a, "smma"),
		.name = "user_profile.md@log", .mode = S_IFREG | 0644, .bytes = "NONE\n", .len = 5 };
	struct scratch_row fair = { .id = 902, .dir = wire_path(&w->a, "notes"), .name = ".a.md.swp",
		.mode = S_IFREG | 0644, .bytes = "b0VIM", .len = 5 };
	save(w, "notes", "a.md", "uno\n");
	assert_int_equal(store_scratch_put(w->store, &row, 1), 0);
	assert_int_equal(store_scratch_put(w->store, &history, 1), 0);
	assert_int_equal(store_scratch_put(w->store, &fair, 1), 0);
	doc_restart(w);
	assert_int_equal(wire_path(&w->a, "notes/a.md@2"), 0);
	assert_int_equal(wire_path(&w->a, "smma/user_profile.md@log"), 0);
	assert_true(doc_is(&w->a, "notes/.a.md.swp", "b0VIM"));
	assert_int_equal(doc_errors(&w->a, "EPERM load notes/a.md@2"), 1);
	assert_int_equal(doc_rejected(&w->a, "FORGED\n"), 1);
	assert_int_equal(doc_rejected(&w->a, "NONE\n"), 1);
	save(w, "notes", "a.md", "dos\n");
	assert_true(doc_is(&w->a, "notes/a.md@2", "dos\n"));
	doc_restart(w);
	assert_int_equal(doc_rejected(&w->a, "FORGED\n"), 1);
}

/* What people and agents write where it has no place: refused at once, with the names that have. */
static void test_meant(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *dir, *name, *todo;
	} no[] = {
		{ "facts", "food.md", "add a line to work.md" }, { "facts", "todo.txt", "work.md" },
		{ "facts", "work.json", "work.md" },
		{ "smma", "todo.txt", "NAME.md" }, { "smma", "state.json", "smma/workspace/" },
		{ "sessions/uno", "decisions.md", "append to log.jsonl" },
		{ "sessions/uno", "notes.txt", "session.md" }, { "sessions/uno", "more.jsonl", "log.jsonl" },
		{ "sessions/uno/summaries", "today.md", "3-9.md" },
		{ "blocks/rules", "two words.md", "CODE.md" }, { "blocks/persona", "me.txt", "CODE.md" },
		{ "memories/preference", "tea.txt", "KEY.md" }, { "memories/fact", "tea.json", "KEY.md" },
		{ "components/plu", "ana.json", "CODE.md" }, { "algorithms", "foo.json", "CODE/VERSION.json" },
		{ "algorithms/pick", "readme.md", "VERSION.json" }, { "answers", "q.txt", "QUESTION.md" },
	};
	static const char *const tools[] = { ".work.md.swp", "4913", "work.md~", "#work.md#", "sedS6hEX4",
		"XXl0JhSI", "work.md.3830540380", "work.md.tmp-0123456789abcdef", ".goutputstream-A8F0ZX",
		"tmpk_3j2h4g", "work.md.bak", "work.md.save.1", "work_md.swp", "000000", "CuJzyEj3" };
	struct pen p;
	folder(w, "algorithms", "pick");
	int64_t entries = world_entries(w);
	for (size_t i = 0; i < COUNT(no); i++) {
		int lines = doc_errors(&w->a, no[i].todo);
		uint64_t dir = wire_path(&w->a, no[i].dir);
		assert_int_equal(pen_create(&p, &w->a, dir, no[i].name), -EPERM);
		assert_int_equal(doc_symlink(&w->a, no[i].dir, no[i].name, "x"), -EPERM);
		assert_int_equal(doc_mknod(&w->a, no[i].dir, no[i].name, S_IFREG | 0644), -EPERM);
		save(w, no[i].dir, ".x.tmp", "x\n");
		assert_int_equal(doc_rename(&w->a, no[i].dir, ".x.tmp", no[i].dir, no[i].name, 0), -EPERM);
		assert_int_equal(doc_unlink(&w->a, no[i].dir, ".x.tmp"), 0);
		assert_true(doc_errors(&w->a, no[i].todo) >= lines + 4);
		assert_false(doc_listed(&w->b, no[i].dir, no[i].name));
		for (size_t t = 0; t < COUNT(tools); t++) {
			save(w, no[i].dir, tools[t], "x\n");
			assert_int_equal(doc_unlink(&w->a, no[i].dir, tools[t]), 0);
		}
	}
	assert_int_equal(world_entries(w), entries);
}

/* Each NAME.md in smma/ is a section of its own, with a limit. */
static void test_sections(void **state)
{
	struct world *w = *state;
	struct pen p;
	int64_t entries = world_entries(w);
	save(w, "smma", "lessons.md", "- ask first\n");
	save(w, "smma", "user preferences.md", "- tea\n");
	assert_true(world_entries(w) >= entries + 2);
	assert_int_equal(doc_versions(&w->b, "smma/lessons.md"), 1);
	assert_true(doc_is(&w->b, "smma/user preferences.md@1", "- tea\n"));
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "smma"), "identity.md"), -EPERM);
	char *long_text = calloc(1, 40001);
	for (int i = 0; i < 10000; i++)
		memcpy(long_text + i * 4, "abc ", 4);
	assert_int_equal(doc_save(&w->a, "smma", "lessons.md", long_text), -EFBIG);
	free(long_text);
	assert_true(doc_is(&w->b, "smma/lessons.md", "- ask first\n"));
	doc_restart(w);
	assert_true(doc_is(&w->b, "smma/lessons.md", "- ask first\n"));
}

/* Programs that lock by making a directory do so beside any file. */
static void test_lock_directories(void **state)
{
	struct world *w = *state;
	static const char *const dir[] = { "notes", "smma", "facts", "sessions/uno", "blocks/rules",
		"memories/fact", "components/plu", "answers" };
	for (size_t i = 0; i < COUNT(dir); i++) {
		uint64_t at = wire_path(&w->a, dir[i]);
		folder(w, dir[i], "work.md.lock");
		assert_int_equal(wire_mkdir(&w->a, at, "work.md.lock", NULL), -EEXIST);
		assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, at, "work.md.lock"), 0);
		folder(w, dir[i], "d.tmp");
		assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, at, "d.tmp"), 0);
		assert_false(doc_listed(&w->b, dir[i], "d.tmp"));
	}
}

static const char *const natural[] = { "My plan", "2026", "v1.2", "notes-2026.11.22", "deadbeef",
	"config.production", "cinta.1", "sedentary", "000000", "-dash", "foo.7z" };

/* Names that look like no document's: the file is one when it has rested, or at the end. */
static void test_rests(void **state)
{
	struct world *w = *state;
	char path[64];
	folder(w, "notes", "obra");
	int64_t entries = world_entries(w);
	for (size_t i = 0; i < COUNT(natural); i++)
		save(w, i % 2 ? "notes/obra" : "notes", natural[i], "uno\n");
	/* What tools make so and rename or remove at once never was there. */
	save(w, "notes", "4913", "");
	assert_int_equal(doc_unlink(&w->a, "notes", "4913"), 0);
	save(w, "notes", "00o4kPq", "dos\n");
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(doc_rename(&w->a, "notes", "00o4kPq", "notes", "a.md", 0), 0);
	world_ahead_minutes(2);
	for (size_t i = 0; i < COUNT(natural); i++) {
		(void)snprintf(path, sizeof path, "notes/%s%s@1", i % 2 ? "obra/" : "", natural[i]);
		for (int n = 0; n < 300 && !wire_path(&w->b, path); n++)
			usleep(100 * 1000);
		assert_true(doc_is(&w->b, path, "uno\n"));
	}
	assert_int_equal(world_entries(w), entries + 2 + 2 * (int64_t)COUNT(natural));
	/* From then on it is a document like any other. */
	assert_int_equal(doc_unlink(&w->a, "notes", "My plan"), -EPERM);
	save(w, "notes", "My plan", "dos\n");
	assert_true(doc_is(&w->b, "notes/My plan@2", "dos\n"));
	assert_int_equal(doc_rename(&w->a, "notes", "My plan", "notes", "My plan~", 0), 0);
	save(w, "notes", "My plan", "tres\n");
	assert_true(doc_is(&w->b, "notes/My plan@3", "tres\n"));
	save(w, "notes", "x.tmp", "cuatro\n");
	assert_int_equal(doc_rename(&w->a, "notes", "x.tmp", "notes", "My plan", 0), 0);
	assert_true(doc_is(&w->b, "notes/My plan@4", "cuatro\n"));
	assert_int_equal(doc_rename(&w->a, "notes", "My plan", "notes", "Our plan", 0), 0);
	assert_true(doc_is(&w->b, "notes/Our plan@4", "cuatro\n"));
	save(w, "smma/workspace", "forged", "FORGED\n");
	nobody_has(w, "notes", "Our plan@9");
}

static void test_rests_at_the_end(void **state)
{
	struct world *w = *state;
	save(w, "notes", "My plan", "uno\n");
	save(w, "notes", ".env", "A=1\n");
	assert_int_equal(wire_path(&w->b, "notes/My plan@1"), 0);
	doc_restart(w);
	assert_true(doc_is(&w->b, "notes/My plan@1", "uno\n"));
	assert_true(doc_is(&w->b, "notes/.env", "A=1\n"));
	assert_int_equal(wire_path(&w->b, "notes/.env@1"), 0);
	/* One that is larger than a document can be stays as it is, and errors.log says so. */
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "notes"), "a video"), 0);
	assert_int_equal(pen_cut(&p, 3 << 20), 0);
	assert_int_equal(pen_close(&p), 0);
	doc_restart(w);
	assert_int_equal(doc_errors(&w->a, "EFBIG save"), 1);
	assert_true(doc_listed(&w->a, "notes", "a video"));
}

/* Dot names and their trees are files until somebody removes them; temporary ones go in a day. */
static void test_what_lasts(void **state)
{
	struct world *w = *state;
	static const char *const trees[] = { ".git", ".obsidian", ".claude" };
	for (size_t i = 0; i < COUNT(trees); i++) {
		char dir[64];
		folder(w, "notes", trees[i]);
		(void)snprintf(dir, sizeof dir, "notes/%s", trees[i]);
		folder(w, dir, "sub");
		(void)snprintf(dir, sizeof dir, "notes/%s/sub", trees[i]);
		save(w, dir, "HEAD.lock", "uno\n");
	}
	save(w, "notes", ".gitignore", "*.o\n");
	save(w, "blocks/rules", "odd.rst", "uno\n");
	save(w, "notes", ".a.md.swp", "b0VIM\n");
	save(w, "smma", "x.tmp", "x\n");
	folder(w, "notes", "x.md.lock");
	folder(w, "notes", ".~tmp~");
	save(w, "notes/.~tmp~", "HEAD", "uno\n");
	world_ahead_minutes(25 * 60);
	for (int n = 0; n < 300 && (doc_listed(&w->a, "notes", ".a.md.swp") ||
	                            wire_path(&w->a, "notes/.~tmp~/HEAD") ||
	                            doc_listed(&w->a, "smma", "x.tmp") ||
	                            doc_listed(&w->a, "notes", "x.md.lock")); n++)
		usleep(100 * 1000);
	sleep(1); /* what stays has had its turn, too */
	assert_false(doc_listed(&w->a, "notes", ".a.md.swp"));
	assert_false(doc_listed(&w->a, "smma", "x.tmp"));
	assert_false(doc_listed(&w->a, "notes", "x.md.lock"));
	assert_int_equal(wire_path(&w->a, "notes/.~tmp~/HEAD"), 0);
	assert_true(doc_is(&w->b, "notes/.git/sub/HEAD.lock", "uno\n"));
	assert_true(doc_is(&w->b, "notes/.claude/sub/HEAD.lock", "uno\n"));
	assert_true(doc_is(&w->b, "notes/.gitignore", "*.o\n"));
	assert_true(doc_is(&w->b, "blocks/rules/odd.rst", "uno\n"));
	assert_int_equal(doc_unlink(&w->a, "notes/.git/sub", "HEAD.lock"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "notes/.git"), "sub"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "notes"), ".git"), 0);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_versions_to_come), IN_WORLD(test_planted_before),
		IN_WORLD(test_meant), IN_WORLD(test_sections), IN_WORLD(test_lock_directories),
		IN_WORLD(test_rests), IN_WORLD(test_rests_at_the_end), IN_WORLD(test_what_lasts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
