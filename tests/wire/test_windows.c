/* SPDX-License-Identifier: MIT */
/* ctl, summaries/ and the action log over the wire: pieces of lines, late writers, who is told before the answer. */
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

#define LINE "{\"role\":\"user\",\"content\":\"hola\"}\n"
#define CTL "sessions/uno/ctl"
#define SUMMARIES "sessions/uno/summaries"

static struct context_state state_of(struct world *w)
{
	struct context_state s;
	assert_int_equal(store_context_state(w->store, 1, &s), 0);
	return s;
}

static void say(struct world *w, int lines)
{
	while (lines-- > 0)
		assert_int_equal(wire_append(&w->a, w->log, LINE), 0);
}

/* One write; the error of the write or else of the close. */
static int run(struct wire *k, const char *line)
{
	struct pen p;
	int err = pen_rewrite(&p, k, wire_path(k, CTL));
	if (!err)
		err = pen_write(&p, line);
	return err ? (pen_release(&p), err) : pen_close(&p);
}

static void test_pieces(void **state)
{
	struct world *w = *state;
	struct pen p;
	say(w, 9);
	assert_int_equal(pen_rewrite(&p, &w->a, wire_path(&w->a, CTL)), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(pen_write(&p, "pru"), 0);
	assert_int_equal(pen_write(&p, "ne 3\nprune"), 0);
	assert_int_equal(state_of(w).pruned, 1);
	assert_int_equal(pen_write(&p, " 4"), 0);
	assert_int_equal(state_of(w).pruned, 1);
	assert_int_equal(pen_flush(&p), 0); /* what is held is a command too */
	assert_int_equal(state_of(w).pruned, 2);
	assert_int_equal(pen_write(&p, "prune 5\nprune 99\nprune 6"), -EINVAL);
	assert_int_equal(state_of(w).pruned, 2);
	assert_int_equal(pen_flush(&p), 0); /* nothing is held after a refusal */
	assert_int_equal(doc_rejected(&w->a, "prune 5\nprune 99\nprune 6"), 1);
	char *much = calloc(1, CTL_LINE_LIMIT + 2);
	assert_non_null(much);
	memset(much, '3', CTL_LINE_LIMIT + 1);
	assert_int_equal(pen_write(&p, much), -EFBIG);
	free(much);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(state_of(w).pruned, 2);
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, CTL), 0), 0);
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, CTL), 5), -EPERM);
	assert_int_equal(doc_errors(&w->a, "ctl has no size to be set"), 1);
	assert_int_equal(wire_remove(&w->a, FUSE_UNLINK, w->uno, "ctl"), -EPERM);
	assert_int_equal(doc_rename(&w->a, "sessions/uno", "ctl", "sessions/uno", "other", 0), -EPERM);
}

/* The same bytes in a handle for reading and writing. */
static void test_read_write(void **state)
{
	struct world *w = *state;
	struct pen p;
	char page[4096];
	say(w, 3);
	assert_int_equal(pen_open(&p, &w->a, wire_path(&w->a, CTL), O_RDWR), 0);
	ssize_t got = wire_read(&w->a, p.ino, p.fh, 0, page, sizeof page - 1);
	assert_in_range(got, 100, sizeof page - 1);
	page[got] = '\0';
	assert_true(doc_is(&w->a, CTL, page));
	assert_int_equal(pen_write(&p, "prune 1\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(state_of(w).pruned, 1);
	assert_false(doc_is(&w->a, CTL, page));
}

static void test_summary(void **state)
{
	struct world *w = *state;
	struct pen p, late;
	struct fuse_attr attr;
	say(w, 20);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "3-9.md", "three to nine\n"), 0);
	assert_true(doc_is(&w->b, SUMMARIES "/003-009.md", "three to nine\n"));
	assert_true(doc_listed(&w->a, SUMMARIES, "3-9.md"));
	assert_int_equal(wire_getattr(&w->a, wire_path(&w->a, SUMMARIES "/3-9.md"), &attr), 0);
	assert_int_equal(attr.size, 14);
	assert_int_equal(attr.mode & 0777, 0400);

	/* Two who make the same one: the first to close has it, the other is told. */
	uint64_t dir = wire_path(&w->a, SUMMARIES);
	assert_int_equal(pen_create(&p, &w->a, dir, "10-12.md"), 0);
	assert_int_equal(pen_open(&late, &w->a, p.ino, O_WRONLY), 0);
	assert_int_equal(pen_write(&p, "first"), 0);
	assert_int_equal(pen_write(&late, "second"), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_close(&late), -EEXIST);
	assert_int_equal(doc_rejected(&w->a, "second"), 1);
	assert_true(doc_is(&w->a, SUMMARIES "/10-12.md", "first"));
	/* The inode of the file it was made from: no way to write it again. */
	assert_int_equal(pen_open(&late, &w->a, p.ino, O_WRONLY), -EPERM);
	assert_int_equal(wire_truncate(&w->a, p.ino, 0), -EPERM);
	assert_int_equal(wire_getattr(&w->a, p.ino, &attr), 0);
	assert_int_equal(attr.size, 5);

	/* One handle that goes on after its fsync. */
	assert_int_equal(pen_create(&p, &w->a, dir, "13-14.md"), 0);
	assert_int_equal(pen_write(&p, "one"), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_write(&p, " more"), 0);
	assert_int_equal(pen_close(&p), -EEXIST);
	assert_true(doc_is(&w->a, SUMMARIES "/13-14.md", "one"));

	/* What became of a range while it was being written. */
	assert_int_equal(pen_create(&p, &w->a, dir, "15-16.md"), 0);
	assert_int_equal(pen_write(&p, "late"), 0);
	assert_int_equal(run(&w->b, "pin 16\n"), 0);
	assert_int_equal(pen_close(&p), -EPERM);
	assert_false(doc_listed(&w->a, SUMMARIES, "15-16.md"));
	assert_int_equal(state_of(w).summaries, 3);
	assert_int_equal(run(&w->a, "reset\n"), 0);
	assert_int_equal(wire_path(&w->a, SUMMARIES "/3-9.md"), 0);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "3-9.md", "again\n"), 0);
	assert_true(doc_is(&w->a, SUMMARIES "/3-9.md", "again\n"));
}

static void test_no_other_way(void **state)
{
	struct world *w = *state;
	say(w, 9);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "3-4.md", "x"), 0);
	assert_int_equal(doc_save(&w->a, "notes", "a.md", "a note"), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", SUMMARIES, "5-6.md", 0), -EPERM);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", SUMMARIES, "3-4.md", 0), -EPERM);
	assert_int_equal(doc_rename(&w->a, SUMMARIES, "3-4.md", SUMMARIES, "7-8.md", 0), -EPERM);
	assert_int_equal(doc_unlink(&w->a, SUMMARIES, "3-4.md"), -EPERM);
	assert_int_equal(doc_symlink(&w->a, SUMMARIES, "5-6.md", "a.md"), -EPERM);
	assert_int_equal(doc_mknod(&w->a, SUMMARIES, "5-6.md", 0100600), -EPERM);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "5-60.md", "x"), -EINVAL);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "6-5.md", "x"), -EINVAL);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "scratch", "x"), 0);
	assert_int_equal(doc_rename(&w->a, SUMMARIES, "scratch", SUMMARIES, "3-4.md", 0), 0); /* the same bytes */
	assert_int_equal(state_of(w).summaries, 1);
	assert_true(doc_is(&w->a, "notes/a.md", "a note"));
}

/* A scratch file that became a list of facts or a summary: its time is nobody's. */
static void test_times(void **state)
{
	struct world *w = *state;
	struct fuse_setattr_in in = { .valid = FATTR_MTIME, .mtime = 1000 };
	struct pen p;
	struct answer out;
	say(w, 9);
	const char *const dirs[] = { "facts", SUMMARIES }, *const names[] = { "work.md", "3-4.md" };
	for (int i = 0; i < 2; i++) {
		uint64_t dir = wire_path(&w->a, dirs[i]);
		assert_int_equal(pen_create(&p, &w->a, dir, "tmp"), 0);
		assert_int_equal(pen_write(&p, "- a fact\n"), 0);
		assert_int_equal(pen_close(&p), 0);
		assert_int_equal(doc_rename(&w->a, dirs[i], "tmp", dirs[i], names[i], 0), 0);
		int err = wire_call(&w->a, FUSE_SETATTR, p.ino, &in, sizeof in, NULL, 0, &out);
		assert_int_equal(err, 0);
		free(out.data);
	}
	assert_int_equal(run(&w->a, "prune 1\n"), 0);
}

/* Readers in another mount are told before the writer is answered. */
static void test_told(void **state)
{
	struct world *w = *state;
	struct wire ro;
	struct fuse_entry_out out;
	size_t len;
	say(w, 9);
	wire_mount(&ro, w->fs, true);
	uint64_t ctl = wire_path(&ro, CTL), dir = wire_path(&ro, SUMMARIES), log = wire_path(&ro, "smma/action_log.md");
	free(wire_slurp(&ro, ctl, 4096, &len));
	free(wire_slurp(&ro, log, 4096, &len));
	wire_forget_notices(&ro);
	assert_int_equal(run(&w->a, "prune 1\n"), 0);
	wire_look(&ro);
	assert_true(wire_noticed(&ro, ctl) && wire_noticed(&ro, dir) && wire_noticed(&ro, log));
	free(wire_slurp(&ro, ctl, 4096, &len));
	free(wire_slurp(&ro, log, 4096, &len));
	assert_int_equal(wire_lookup(&ro, dir, "x", &out), -ENOENT);
	wire_forget_notices(&ro);
	say(w, 1);
	wire_look(&ro);
	assert_true(wire_noticed(&ro, ctl) && wire_noticed(&ro, log));
	assert_int_equal(wire_getattr(&ro, dir, &out.attr), 0);
	wire_forget_notices(&ro);
	assert_int_equal(doc_save(&w->a, SUMMARIES, "3-4.md", "x"), 0);
	wire_look(&ro);
	assert_true(wire_noticed(&ro, dir));
	wire_unmount(&ro);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pieces, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_read_write, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_summary, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_no_other_way, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_times, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_told, world_open, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
