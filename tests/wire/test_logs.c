/* SPDX-License-Identifier: MIT */
/* logs/: discardable files, their day, their room, their border with memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/base/ino.h"
#include "tests/wire/documents.h"

enum { HOUR = 60, TICK_US = 50000, TICKS_MOST = 100, MIB = 1 << 20 };

static void put(struct world *w, const char *dir, const char *name, const char *text)
{
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, dir), name), 0);
	assert_int_equal(pen_write(&p, text), 0);
	assert_int_equal(pen_close(&p), 0);
}

/* Waits for the thread that tidies. */
static bool goes(struct world *w, const char *path)
{
	for (int i = 0; i < TICKS_MOST && wire_path(&w->b, path); i++)
		(void)usleep(TICK_US);
	return !wire_path(&w->b, path);
}

/* rsync puts a session's log back: what is done after its lines takes none of the locks that those
   hold who wait for this commit (store/lock.h ends the program that does). */
static void test_put_back(void **state)
{
	struct world *w = *state;
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "sessions"), "back", NULL), 0);
	put(w, "sessions/back", ".log.jsonl.a8f0Zx", "{\"content\":\"uno\"}\n{\"content\":\"dos\"}\n");
	uint64_t back = wire_path(&w->a, "sessions/back");
	assert_int_equal(wire_rename(&w->a, back, ".log.jsonl.a8f0Zx", back, "log.jsonl"), 0);
	assert_false(doc_listed(&w->b, "sessions/back", ".log.jsonl.a8f0Zx"));
	size_t len;
	char *log = wire_slurp(&w->b, wire_path(&w->b, "sessions/back/log.jsonl"), 65536, &len);
	assert_non_null(strstr(log, "\"content\":\"uno\""));
	assert_non_null(strstr(log, "\"content\":\"dos\""));
	free(log);
	put(w, "sessions/back", ".log.jsonl.b8f0Zx", "{\"content\":\"tres\"}\n");
	assert_int_equal(wire_rename(&w->a, back, ".log.jsonl.b8f0Zx", back, "log.jsonl"), -EPERM);
}

static void test_day(void **state)
{
	struct world *w = *state;
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "logs"), "build", NULL), 0);
	put(w, "logs/build", "out.1", "uno\n");
	put(w, "logs", "old.log", "viejo\n");
	put(w, "smma/workspace", "kept", "queda\n");
	int64_t entries = world_entries(w);
	world_ahead_minutes(23 * HOUR);
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "logs/build/out.1"), "dos\n"), 0);
	doc_restart(w); /* its day goes on */
	assert_true(doc_is(&w->b, "logs/build/out.1", "uno\ndos\n"));
	assert_true(doc_is(&w->b, "logs/old.log", "viejo\n"));
	world_ahead_minutes(24 * HOUR + 1);
	assert_true(goes(w, "logs/old.log"));
	assert_false(doc_listed(&w->b, "logs", "old.log"));
	assert_true(doc_is(&w->b, "logs/build/out.1", "uno\ndos\n"));
	world_ahead_minutes(47 * HOUR + 2);
	assert_true(goes(w, "logs/build/out.1"));
	assert_true(wire_path(&w->b, "logs/build") != 0); /* something went there just now */
	world_ahead_minutes(72 * HOUR);
	assert_true(goes(w, "logs/build"));
	assert_true(doc_is(&w->b, "smma/workspace/kept", "queda\n"));
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(doc_errors(&w->a, "logs/"), 0);
}

/* A log that somebody has open stays, whatever its age. */
static void test_open(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, "logs"), "long"), 0);
	assert_int_equal(pen_write(&p, "a\n"), 0);
	put(w, "logs", "short", "b\n");
	world_ahead_minutes(25 * HOUR);
	assert_true(goes(w, "logs/short"));
	assert_true(doc_is(&w->b, "logs/long", "a\n"));
	assert_int_equal(pen_close(&p), 0);
	assert_true(goes(w, "logs/long"));
}

static void test_room(void **state)
{
	struct world *w = *state;
	char name[32];
	/* One file, however it is made large. */
	put(w, "logs", "one", "");
	uint64_t one = wire_path(&w->a, "logs/one");
	assert_int_equal(wire_truncate(&w->a, one, 16 * MIB), 0);
	assert_int_equal(wire_truncate(&w->a, one, 16 * MIB + 1), -EFBIG);
	assert_int_equal(wire_append(&w->a, one, "x"), -EFBIG);
	assert_int_equal(doc_errors(&w->a, "EFBIG write logs/one"), 1);
	assert_int_equal(wire_append(&w->a, one, "x"), -EFBIG);
	assert_int_equal(doc_errors(&w->a, "EFBIG write logs/one"), 1); /* once a file */
	/* All of them. */
	for (int i = 2; i <= 8; i++) {
		(void)snprintf(name, sizeof name, "f%d", i);
		put(w, "logs", name, "");
		(void)snprintf(name, sizeof name, "logs/f%d", i);
		assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, name), 16 * MIB), 0);
	}
	put(w, "logs", "full", "");
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "logs/full"), "x"), -ENOSPC);
	assert_int_equal(doc_errors(&w->a, "ENOSPC write logs/full"), 1);
	/* Editors still have room, and so has a memory. */
	put(w, "smma/workspace", "draft", "borrador\n");
	assert_int_equal(doc_save(&w->a, "notes", "a.md", "nota\n"), 0);
	assert_int_equal(doc_rename(&w->a, "smma/workspace", "draft", "logs", "draft", 0), -ENOSPC);
	/* What goes makes room. */
	assert_int_equal(doc_unlink(&w->a, "logs", "f2"), 0);
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "logs/full"), "x"), 0);
	assert_int_equal(doc_rename(&w->a, "logs", "f3", "smma/workspace", "f3", 0), 0);
	assert_int_equal(doc_rename(&w->a, "smma/workspace", "draft", "logs", "draft", 0), 0);
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "smma/workspace/f3"), 17 * MIB), 0);
	assert_int_equal(doc_rename(&w->a, "smma/workspace", "f3", "logs", "f3", 0), -EFBIG);
	assert_int_equal(doc_errors(&w->a, "EFBIG rename"), 1);
	/* What became memory is no log any more. */
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "logs/f4"), 10), 0);
	assert_int_equal(doc_rename(&w->a, "logs", "f4", "notes", "f4.md", 0), 0);
	doc_restart(w);
	put(w, "logs", "after", "");
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "logs/after"), 16 * MIB), 0);
	put(w, "logs", "g", "");
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "logs/g"), 16 * MIB), 0);
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "logs/full"), 15 * MIB), 0);
	put(w, "logs", "i", "");
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "logs/i"), 2 * MIB), -ENOSPC);
}

static void test_count(void **state)
{
	struct world *w = *state;
	char name[32];
	uint64_t logs = wire_path(&w->a, "logs");
	for (int i = 0; i < 4096; i++) {
		(void)snprintf(name, sizeof name, "d%d", i);
		assert_int_equal(wire_mkdir(&w->a, logs, name, NULL), 0);
	}
	struct pen p;
	assert_int_equal(wire_mkdir(&w->a, logs, "more", NULL), -ENOSPC);
	assert_int_equal(pen_create(&p, &w->a, logs, "more"), -ENOSPC);
	assert_int_equal(doc_errors(&w->a, "ENOSPC create logs/more"), 2);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, logs, "d7"), 0);
	assert_int_equal(wire_mkdir(&w->a, logs, "more", NULL), 0);
	assert_int_equal(wire_mkdir(&w->a, logs, "again", NULL), -ENOSPC);
}

static void test_border(void **state)
{
	struct world *w = *state;
	put(w, "logs", "user_profile.md", "de un programa\n"); /* any name: nothing of it is memory */
	put(w, "logs", "identity.md", "x\n");
	put(w, "logs", "log.jsonl", "no json\n");
	assert_int_equal(wire_path(&w->a, "logs/user_profile.md@log"), 0);
	int64_t entries = world_entries(w);
	assert_int_equal(doc_rename(&w->a, "logs", "log.jsonl", "logs", "log 2.jsonl", 0), 0);
	assert_int_equal(doc_rename(&w->a, "logs", "identity.md", "smma", "identity.md", 0), -EPERM);
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(doc_rename(&w->a, "logs", "log 2.jsonl", "notes", "a.md", 0), 0);
	assert_true(doc_is(&w->b, "notes/a.md", "no json\n"));
	assert_int_equal(doc_versions(&w->b, "notes/a.md"), 1);
	assert_int_equal(wire_path(&w->b, "logs/log 2.jsonl"), 0);
	/* Memory does not leave, and nothing gets out of the way of a delete. */
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "logs", "a.md", 0), -EPERM);
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "notes"), "obra", NULL), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "obra", "logs", "obra", 0), -EPERM);
	/* Directories are copied by mv. */
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "logs"), "d", NULL), 0);
	put(w, "logs/d", "x", "x\n");
	assert_int_equal(doc_rename(&w->a, "logs", "d", "smma/workspace", "d", 0), -EXDEV);
	assert_int_equal(doc_rename(&w->a, "logs", "d", "logs", "e", 0), 0);
	assert_true(doc_is(&w->b, "logs/e/x", "x\n"));
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "logs"), "e"), -ENOTEMPTY);
	assert_int_equal(doc_unlink(&w->a, "logs/e", "x"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "logs"), "e"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, ""), "logs"), -EPERM);
	assert_int_equal(doc_rename(&w->a, "", "logs", "smma/workspace", "logs", 0), -EPERM);
	/* In the past there are none. */
	assert_true(wire_path(&w->a, ".cinta/at/2099-01-01/logs") != 0);
	assert_int_equal(wire_path(&w->a, ".cinta/at/2099-01-01/logs/user_profile.md"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_put_back, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_day, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_open, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_room, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_count, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_border, world_open, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
