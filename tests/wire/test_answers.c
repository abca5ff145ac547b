/* SPDX-License-Identifier: MIT */
/* answers/: one name a question, a day (an hour for tools), much the same question, and its traps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fs/base/ino.h"
#include "tests/wire/documents.h"

enum { HOUR = 60, TICK_US = 50000, TICKS_MOST = 100 };

#define LINE "[Retrieved from an earlier conversation]\n"
#define ASKED "Which colours does Ana like best in spring?"
#define KEY "which colours does ana like best in spring"
#define ALIKE "Which colours does Ana like the best in spring?"

static void save(struct world *w, const char *dir, const char *name, const char *text)
{
	assert_int_equal(doc_save(&w->a, dir, name, text), 0);
}

static bool there(struct world *w, const char *path)
{
	return wire_path(&w->b, path) != 0;
}

static void test_one_name(void **state)
{
	struct world *w = *state;
	assert_false(there(w, "answers/" ASKED ".md"));
	int64_t entries = world_entries(w);
	save(w, "answers", ASKED ".md", "Blue.\n");
	assert_int_equal(world_entries(w), entries + 2);
	uint64_t doc = wire_path(&w->a, "answers/" KEY ".md");
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Blue.\n"));
	assert_int_equal(wire_path(&w->a, "answers/" ASKED ".md"), doc);
	assert_int_equal(wire_path(&w->a, "answers/WHICH  colours, does Ana LIKE best in spring.md"), doc);
	assert_int_equal(wire_path(&w->a, "answers/¿Which colours does Ána like best in spring?!.md"), doc);
	assert_true(doc_listed(&w->b, "answers", KEY ".md"));
	assert_false(doc_listed(&w->b, "answers", ASKED ".md"));
	assert_true(doc_listed(&w->b, "answers", "tools"));
	/* Saved again, by any spelling: a version. */
	save(w, "answers", "which colours does Ana like best, in spring.md", "Green.\n");
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Green.\n"));
	assert_true(doc_is(&w->b, "answers/" ASKED ".md@1", "Blue.\n"));
	assert_int_equal(doc_versions(&w->b, "answers/" KEY ".md"), 2);
	assert_int_equal(wire_path(&w->a, "answers/" KEY ".md"), doc);
	/* By a temporary file and a rename, as by an editor's backup. */
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "answers"), ".x.tmp"), 0);
	assert_int_equal(pen_write(&p, "Red.\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "answers", ".x.tmp", "answers", ASKED ".md", 0), 0);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Red.\n"));
	assert_int_equal(doc_rename(&w->a, "answers", ASKED ".md", "answers", ASKED ".md~", 0), 0);
	assert_false(there(w, "answers/" KEY ".md"));
	assert_false(there(w, "answers/" ALIKE ".md"));
	save(w, "answers", ASKED ".md", "Gold.\n");
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Gold.\n"));
	assert_int_equal(doc_versions(&w->b, "answers/" KEY ".md"), 4);
	assert_int_equal(doc_unlink(&w->a, "answers", ASKED ".md~"), 0);
	/* Append, truncate by path. */
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "answers/" ASKED ".md"), "Or so.\n"), 0);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Gold.\nOr so.\n"));
	assert_int_equal(wire_truncate(&w->a, doc, 6), 0);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Gold.\n"));
	doc_restart(w);
	assert_true(doc_is(&w->b, "answers/" ASKED ".md", "Gold.\n"));
}

/* Waits until it is in no listing: the kernel must be told. */
static bool unlisted(struct world *w, const char *dir, const char *name)
{
	for (int i = 0; i < TICKS_MOST; i++) {
		wire_look(&w->b);
		if (wire_noticed(&w->b, wire_path(&w->b, dir)))
			return !doc_listed(&w->b, dir, name);
		(void)usleep(TICK_US);
	}
	return false;
}

static void test_day(void **state)
{
	struct world *w = *state;
	save(w, "answers", ASKED ".md", "Blue.\n");
	world_ahead_minutes(24 * HOUR - 1);
	assert_true(doc_listed(&w->b, "answers", KEY ".md"));
	assert_true(doc_is(&w->b, "answers/" ASKED ".md", "Blue.\n"));
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Blue.\n"));
	(void)usleep(1200000); /* a look at what is due next */
	wire_look(&w->b);
	wire_forget_notices(&w->b);
	assert_true(doc_listed(&w->b, "answers", KEY ".md"));
	world_ahead_minutes(24 * HOUR + 1);
	assert_false(there(w, "answers/" ASKED ".md"));
	assert_false(there(w, "answers/" ALIKE ".md"));
	assert_true(unlisted(w, "answers", KEY ".md"));
	/* What it said is on the tape, and in its history. */
	assert_true(doc_is(&w->b, "answers/" ASKED ".md@1", "Blue.\n"));
	/* The same answer, given again, holds for a day more. */
	save(w, "answers", ASKED ".md", "Blue.\n");
	assert_int_equal(doc_versions(&w->b, "answers/" KEY ".md"), 2);
	world_ahead_minutes(48 * HOUR - 1);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Blue.\n"));
	assert_true(doc_listed(&w->b, "answers", KEY ".md"));
	doc_restart(w);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "Blue.\n"));
	world_ahead_minutes(48 * HOUR + 2);
	assert_false(there(w, "answers/" KEY ".md"));
	assert_false(doc_listed(&w->b, "answers", KEY ".md"));
}

static void test_tools(void **state)
{
	struct world *w = *state;
	save(w, "answers/tools", "grep -I Foo.md", "1\n");
	/* Every byte of a call counts. */
	assert_true(doc_is(&w->b, "answers/tools/grep -I Foo.md", "1\n"));
	assert_false(there(w, "answers/tools/grep -i Foo.md"));
	assert_false(there(w, "answers/tools/grep -I foo.md"));
	assert_false(there(w, "answers/tools/grep -I Foo .md"));
	assert_false(there(w, "answers/grep -I Foo.md"));
	world_ahead_minutes(HOUR - 1);
	assert_true(doc_is(&w->b, "answers/tools/grep -I Foo.md", "1\n"));
	save(w, "answers/tools", "grep -I Foo.md", "1\n");
	world_ahead_minutes(HOUR + 1);
	assert_true(doc_is(&w->b, "answers/tools/grep -I Foo.md", "1\n"));
	world_ahead_minutes(2 * HOUR);
	assert_false(there(w, "answers/tools/grep -I Foo.md"));
	assert_int_equal(doc_versions(&w->b, "answers/tools/grep -I Foo.md"), 2);
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "answers/tools"), "grep", NULL), -EPERM);
}

static void test_moment(void **state)
{
	struct world *w = *state;
	static const char *const name[] = { "what time is it now.md", "¿Qué hago hoy?.md", "???.md", "-- !.md" };
	struct pen p;
	int64_t entries = world_entries(w);
	uint64_t dir = wire_path(&w->a, "answers");
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pen_create(&p, &w->a, dir, name[i]), -EINVAL);
		assert_int_equal(doc_errors(&w->a, "EINVAL create answers/"), i + 1);
		assert_int_equal(pen_create(&p, &w->a, dir, ".new"), 0);
		assert_int_equal(pen_write(&p, "at noon\n"), 0);
		assert_int_equal(pen_close(&p), 0);
		assert_int_equal(doc_rename(&w->a, "answers", ".new", "answers", name[i], 0), -EPROTO);
		assert_int_equal(doc_unlink(&w->a, "answers", ".new"), 0);
		assert_int_equal(doc_rejected(&w->a, "at noon\n"), i + 1);
		assert_int_equal(wire_lookup(&w->a, dir, name[i], &(struct fuse_entry_out){ 0 }), -ENOENT);
	}
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "answers/tools"), "date now.md"), -EINVAL);
	/* The rules of documents. */
	char *large = calloc(1, (1 << 20) + 2);
	assert_non_null(large);
	memset(large, 'a', (1 << 20) + 1);
	assert_int_equal(doc_save(&w->a, "answers", ASKED ".md", large), -EFBIG);
	free(large);
	assert_int_equal(doc_save(&w->a, "answers", ASKED ".md", "\xff\n"), -EINVAL);
	assert_false(there(w, "answers/" ASKED ".md"));
	assert_int_equal(world_entries(w), entries);
	save(w, "answers", ASKED ".md", "---\nsource: the survey\n---\nBlue.\n");
	assert_int_equal(doc_unlink(&w->a, "answers", ASKED ".md"), -EPERM);
	assert_int_equal(doc_unlink(&w->a, "answers", ALIKE ".md"), -EPERM);
	assert_int_equal(doc_rename(&w->a, "answers", KEY ".md", "answers", "Other.md", 0), -EPERM);
	assert_int_equal(doc_rename(&w->a, "answers", KEY ".md", "notes", "Other.md", 0), -EPERM);
	assert_int_equal(doc_rename(&w->a, "answers", KEY ".md", "logs", "Other", 0), -EPERM);
	assert_int_equal(doc_rename(&w->a, "answers", ALIKE ".md", "answers", "Other.md", 0), -EPERM);
	assert_true(doc_is(&w->b, "answers/" KEY ".md", "---\nsource: the survey\n---\nBlue.\n"));
}

/* Another wording: the answer after a line that says so, and its own answer when it gets one. */
static void test_retrieved(void **state)
{
	struct world *w = *state;
	save(w, "answers", ASKED ".md", "Blue.\n");
	int64_t entries = world_entries(w);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Blue.\n"));
	uint64_t face = wire_path(&w->b, "answers/" ALIKE ".md");
	assert_int_equal(ino_kind(face), KIND_RETRIEVED);
	assert_int_equal(wire_path(&w->b, "answers/" ALIKE ".md"), face);
	assert_false(doc_listed(&w->b, "answers", ALIKE ".md"));
	assert_int_equal(world_entries(w), entries);
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->b, face, &attr), 0);
	assert_int_equal(attr.size, strlen(LINE "Blue.\n"));
	/* A new version is another file: who has the old one open reads what it was. */
	save(w, "answers", ASKED ".md", "Green.\n");
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Green.\n"));
	assert_int_not_equal(wire_path(&w->b, "answers/" ALIKE ".md"), face);
	size_t len;
	char *text = wire_slurp(&w->b, face, 4096, &len);
	assert_string_equal(text, LINE "Blue.\n");
	free(text);
	/* Its own answer; the other one stays. */
	save(w, "answers", ALIKE ".md", "Yellow.\n");
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", "Yellow.\n"));
	assert_true(doc_is(&w->b, "answers/" ASKED ".md", "Green.\n"));
	assert_int_equal(doc_versions(&w->b, "answers/" ALIKE ".md"), 1);
	assert_true(doc_listed(&w->b, "answers", "which colours does ana like the best in spring.md"));
}

/* What looks the same and is another question. */
static void test_traps(void **state)
{
	struct world *w = *state;
	static const char *const trap[] = {
		"Which colours does Ana not like best in spring?", "Which colours does Eva like best in spring?",
		"Which 2 colours does Ana like best in spring?", "Which colours does Ana never like best in spring?",
		"Which colours does Ana like least in spring?", "Which colours does Ana like best in autumn?",
		"Which colours does Ana's mother like best in spring?", "Which colours did Ana like best in spring 1999?",
		"Which colours doesn't Ana like best in spring?", "Does Ana like spring?" };
	static const char *const numbered[] = { "How much is 3 times 12?", "How much is 3 times 13?",
		"How much is 13 times 2?", "¿Puerto de la base 5432?", "¿Puerto de la base 5433?",
		"¿El puerto de la base no es 5432?" };
	char path[300];
	save(w, "answers", ASKED ".md", "Blue.\n");
	save(w, "answers", "How much is 2 times 12?.md", "24\n");
	save(w, "answers", "¿El puerto de la base es 5432?.md", "Sí.\n");
	assert_true(doc_is(&w->b, "answers/In spring, which colours does Ana like best?.md", LINE "Blue.\n"));
	for (size_t i = 0; i < sizeof trap / sizeof *trap; i++) {
		(void)snprintf(path, sizeof path, "answers/%s.md", trap[i]);
		if (there(w, path))
			print_message("# found: %s\n", path);
		assert_false(there(w, path));
	}
	for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
		(void)snprintf(path, sizeof path, "answers/%s.md", numbered[i]);
		if (there(w, path) && i != 3)
			print_message("# found: %s\n", path);
		assert_true(i == 3 || !there(w, path)); /* the fourth is a wording of one that is there */
	}
	/* The newest of two that are alike. */
	world_ahead_minutes(1);
	save(w, "answers", ALIKE ".md", "Red.\n");
	assert_true(doc_is(&w->b, "answers/Which colours does Ana like best in the spring?.md", LINE "Red.\n"));
}

/* Through the name that retrieves: append, editors' ways, and what an open file then reads. */
static void test_retrieved_saved(void **state)
{
	struct world *w = *state;
	struct pen p;
	save(w, "answers", ASKED ".md", "Blue.\n");
	uint64_t face = wire_path(&w->a, "answers/" ALIKE ".md");
	assert_int_equal(wire_append(&w->a, face, "Still.\n"), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Blue.\nStill.\n"));
	assert_int_equal(ino_kind(wire_path(&w->b, "answers/" ALIKE ".md")), KIND_DOC);
	world_ahead_minutes(25 * HOUR); /* both are over */
	save(w, "answers", ASKED ".md", "Red.\n");
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Red.\n"));
	/* What the name had once is over: nothing is appended to that. */
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "answers/" ALIKE ".md"), "Yes.\n"), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Red.\nYes.\n"));
	assert_int_equal(doc_versions(&w->b, "answers/" ALIKE ".md"), 2);
	world_ahead_minutes(50 * HOUR);
	save(w, "answers", ASKED ".md", "Pink.\n");
	face = wire_path(&w->a, "answers/" ALIKE ".md");
	/* vim: a backup by rename, the file anew, the backup away. */
	assert_int_equal(doc_rename(&w->a, "answers", ALIKE ".md", "answers", ALIKE ".md~", 0), 0);
	assert_true(doc_is(&w->a, "answers/" ALIKE ".md~", LINE "Pink.\n"));
	save(w, "answers", ALIKE ".md", "Mine.\n");
	assert_int_equal(doc_unlink(&w->a, "answers", ALIKE ".md~"), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", "Mine.\n"));
	assert_true(doc_is(&w->b, "answers/" ASKED ".md", "Pink.\n"));
	world_ahead_minutes(75 * HOUR);
	save(w, "answers", ASKED ".md", "Grey.\n");
	/* One file descriptor: write, fsync, write again. */
	face = wire_path(&w->a, "answers/" ALIKE ".md");
	assert_int_equal(pen_rewrite(&p, &w->a, face), 0);
	assert_int_equal(pen_write(&p, "one\n"), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", "one\n"));
	assert_int_equal(pen_write(&p, "two\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", "one\ntwo\n"));
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->a, face, &attr), 0);
	assert_int_equal(attr.size, 8);
	/* By rename, over what is retrieved. */
	world_ahead_minutes(100 * HOUR);
	save(w, "answers", ASKED ".md", "Black.\n");
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", LINE "Black.\n"));
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "answers"), ".n"), 0);
	assert_int_equal(pen_write(&p, "White.\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "answers", ".n", "answers", ALIKE ".md", 0), 0);
	assert_true(doc_is(&w->b, "answers/" ALIKE ".md", "White.\n"));
}

/* More wordings than are remembered: the first are forgotten, and found again. */
static void test_many_retrieved(void **state)
{
	struct world *w = *state;
	char path[300];
	save(w, "answers", ASKED ".md", "Blue.\n");
	uint64_t first = wire_path(&w->a, "answers/" ALIKE ".md");
	for (int i = 0; i < 1100; i++) {
		(void)snprintf(path, sizeof path, "answers/%*s%s.md", i % 150 + 10, "", ALIKE);
		for (int j = 0; j < i / 150; j++)
			path[8 + j] = '?';
		assert_true(wire_path(&w->a, path) != 0);
	}
	assert_int_equal(wire_getattr(&w->a, first, &(struct fuse_attr){ 0 }), -ESTALE);
	assert_true(doc_is(&w->a, "answers/" ALIKE ".md", LINE "Blue.\n"));
}

static void test_past(void **state)
{
	struct world *w = *state;
	char then[64], path[256];
	save(w, "answers", ASKED ".md", "Blue.\n");
	world_ahead_minutes(12 * HOUR);
	save(w, "notes", "a.md", "a\n");
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->a, wire_path(&w->a, "notes/a.md"), &attr), 0);
	time_t t = (time_t)attr.mtime + 1;
	struct tm tm;
	gmtime_r(&t, &tm);
	strftime(then, sizeof then, "%Y-%m-%dT%H:%M:%SZ", &tm);
	world_ahead_minutes(30 * HOUR);
	save(w, "answers", ASKED ".md", "Green.\n");
	(void)snprintf(path, sizeof path, ".cinta/at/%s/answers", then);
	assert_true(doc_listed(&w->a, path, KEY ".md"));
	(void)snprintf(path, sizeof path, ".cinta/at/%s/answers/" ASKED ".md", then);
	assert_true(doc_is(&w->a, path, "Blue.\n"));
	(void)snprintf(path, sizeof path, ".cinta/at/%s/answers/" ALIKE ".md", then);
	assert_int_equal(wire_path(&w->a, path), 0); /* only what was saved */
	t += 13 * 3600; /* then it was over */
	gmtime_r(&t, &tm);
	strftime(then, sizeof then, "%Y-%m-%dT%H:%M:%SZ", &tm);
	(void)snprintf(path, sizeof path, ".cinta/at/%s/answers/" ASKED ".md", then);
	assert_int_equal(wire_path(&w->a, path), 0);
	(void)snprintf(path, sizeof path, ".cinta/at/%s/answers", then);
	assert_false(doc_listed(&w->a, path, KEY ".md"));
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = { EACH(test_one_name), EACH(test_day), EACH(test_tools), EACH(test_moment),
		EACH(test_retrieved), EACH(test_traps),
		EACH(test_retrieved_saved), EACH(test_many_retrieved), EACH(test_past) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
