/* SPDX-License-Identifier: MIT */
/* What a save spares: requests the kernel need not make, notices it need not be sent. */
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

#include "fs/base/base.h"
#include "fs/base/ino.h"
#include "fs/scratch/scratch.h"
#include "tests/wire/documents.h"

#define ONE "# Uno\n\nprimera\n"
#define TWO "# Uno\n\nsegunda, y más\n"

static uint64_t file_of(struct world *w, const char *path)
{
	uint64_t ino = wire_path(&w->a, path);
	assert_true(ino != 0);
	return ino;
}

static void expect(struct world *w, const char *path, const char *text, int versions)
{
	assert_true(doc_is(&w->a, path, text) && doc_is(&w->b, path, text));
	assert_int_equal(doc_versions(&w->a, path), versions);
}

/* O_TRUNC comes with OPEN: what cannot be cut cannot be opened so. */
static void test_open_truncate(void **state)
{
	struct world *w = *state;
	struct fuse_open_out out;
	struct fuse_attr attr;
	struct pen p;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	uint64_t doc = file_of(w, "notes/a.md"), log = file_of(w, "sessions/uno/log.jsonl");
	assert_int_equal(wire_open(&w->a, log, O_WRONLY | O_TRUNC, &out), 0); /* nothing is there yet */
	assert_int_equal(wire_release(&w->a, log, out.fh), 0);
	assert_int_equal(wire_append(&w->a, log, "{\"role\":\"user\",\"content\":\"hola\"}\n"), 0);
	int refused = doc_errors(&w->a, "truncate");
	assert_int_equal(wire_open(&w->a, log, O_WRONLY | O_TRUNC, &out), -EPERM);
	assert_int_equal(wire_open(&w->a, log, O_RDONLY | O_TRUNC, &out), -EPERM);
	assert_int_equal(doc_errors(&w->a, "truncate"), refused + 2);
	assert_int_equal(wire_getattr(&w->a, log, &attr), 0);
	assert_true(attr.size > 0);
	uint64_t ctl = file_of(w, "sessions/uno/ctl");
	assert_int_equal(wire_open(&w->a, ctl, O_WRONLY | O_TRUNC, &out), 0);
	assert_int_equal(wire_release(&w->a, ctl, out.fh), 0);
	/* A scratch file is empty at once; a document when it is closed. */
	assert_int_equal(pen_create(&p, &w->a, file_of(w, "notes"), ".t"), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "notes/.t")), 0);
	assert_true(doc_is(&w->a, "notes/.t", ""));
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_open(&p, &w->a, doc, O_RDONLY | O_TRUNC), 0);
	expect(w, "notes/a.md", ONE, 1);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "notes/a.md", "", 2);
}

/* Both kernels keep the listing of a directory. */
static void listing_goes(struct world *w, uint64_t dir)
{
	(void)doc_listed(&w->a, "notes", "-");
	(void)doc_listed(&w->b, "notes", "-");
	wire_look(&w->a);
	wire_look(&w->b);
	wire_forget_notices(&w->a);
	wire_forget_notices(&w->b);
	assert_int_equal(wire_path(&w->a, "notes"), dir);
}

/* Neither does any more; and they do again. */
static void listing_gone(struct world *w, uint64_t dir)
{
	wire_look(&w->a);
	wire_look(&w->b);
	assert_true(wire_noticed(&w->a, dir) && wire_noticed(&w->b, dir));
	listing_goes(w, dir);
}

/* The kernel is told what it cannot know by itself, and no more. */
static void test_told(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	struct pen p;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	uint64_t notes = file_of(w, "notes"), doc = file_of(w, "notes/a.md");
	assert_int_equal(wire_getattr(&w->a, notes, &attr), 0);
	assert_int_equal(wire_getattr(&w->b, doc, &attr), 0);
	wire_forget_notices(&w->a);
	wire_forget_notices(&w->b);
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	wire_look(&w->a);
	wire_look(&w->b);
	assert_false(wire_noticed(&w->a, notes)); /* it is as it was */
	assert_false(wire_noticed(&w->a, doc)); /* the WRITE did it */
	assert_true(wire_noticed(&w->b, doc));
	/* Asked between WRITE and FLUSH, it has the size of before. */
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(wire_getattr(&w->a, doc, &attr), 0);
	assert_int_equal(pen_close(&p), 0);
	wire_look(&w->a);
	assert_true(wire_noticed(&w->a, doc));
	/* Emptied without a WRITE, too. */
	assert_int_equal(wire_getattr(&w->a, doc, &attr), 0);
	wire_forget_notices(&w->a);
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	assert_int_equal(pen_close(&p), 0);
	wire_look(&w->a);
	assert_true(wire_noticed(&w->a, doc));
	/* A new name is in the listings that kernels keep; the own one's attributes it drops itself. */
	wire_forget_notices(&w->a);
	assert_int_equal(wire_getattr(&w->a, notes, &attr), 0);
	assert_false(doc_listed(&w->b, "notes", "b.md.tmp"));
	wire_look(&w->b);
	wire_forget_notices(&w->b);
	assert_int_equal(pen_create(&p, &w->a, notes, "b.md.tmp"), 0);
	wire_look(&w->a);
	wire_look(&w->b);
	assert_false(wire_noticed(&w->a, notes));
	assert_true(wire_noticed(&w->b, notes));
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_close(&p), 0);
	listing_goes(w, notes);
	assert_int_equal(doc_rename(&w->a, "notes", "b.md.tmp", "notes", "b.md", 0), 0);
	listing_gone(w, notes);
	/* vim's: it is moved away, made anew, and the copy removed. */
	assert_int_equal(doc_rename(&w->a, "notes", "b.md", "notes", "b.md~", 0), 0);
	listing_gone(w, notes);
	assert_int_equal(pen_create(&p, &w->a, notes, "b.md"), 0);
	listing_gone(w, notes);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	listing_gone(w, notes);
	assert_int_equal(doc_unlink(&w->a, "notes", "b.md~"), 0);
	listing_gone(w, notes);
	expect(w, "notes/b.md", TWO, 2);
}

/*
 * A mount alone: its kernel trusts what it was told of a temporary file for a moment, but not its
 * name, which becomes a document's.  What is asked of the scratch file then is the document's.
 */
static void test_moment(void **state)
{
	struct world *w = *state;
	struct wire *k = &w->a;
	struct fuse_attr attr;
	struct fuse_create_in in = { .flags = O_WRONLY | O_CREAT, .mode = 0100644 };
	struct answer a;
	struct fuse_entry_out e;
	struct pen p;
	char name[32];
	uint64_t notes = file_of(w, "notes");
	wire_unmount(&w->b);
	assert_int_equal(wire_call(k, FUSE_CREATE, notes, &in, sizeof in, "a.md.tmp", 9, &a), 0);
	memcpy(&e, a.data, sizeof e);
	struct fuse_open_out open;
	memcpy(&open, a.data + sizeof e, sizeof open);
	free(a.data);
	assert_int_equal(e.entry_valid + e.attr_valid, 0);
	assert_int_equal(e.entry_valid_nsec, 0); /* it becomes a document's */
	assert_int_equal(e.attr_valid_nsec, 100000000);
	p = (struct pen){ .k = k, .ino = e.nodeid, .fh = open.fh, .flags = O_WRONLY };
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(k, "notes", "a.md.tmp", "notes", "a.md", 0), 0);
	assert_int_equal(wire_getattr(k, e.nodeid, &attr), 0);
	assert_int_equal(attr.size, strlen(ONE));
	assert_int_equal(attr.ino, e.attr.ino); /* whatever it has become */
	assert_int_equal(wire_getattr(k, file_of(w, "notes/a.md"), &attr), 0);
	assert_int_equal(attr.ino, e.attr.ino);
	assert_int_equal(pen_rewrite(&p, k, file_of(w, "notes/a.md")), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_true(doc_is(k, "notes/a.md", TWO));
	assert_int_equal(doc_versions(k, "notes/a.md"), 2);
	assert_int_equal(wire_getattr(k, e.nodeid, &attr), 0);
	assert_int_equal(attr.size, strlen(TWO));
	/* After many more it is not known any longer: the kernel looks the name up again. */
	for (int i = 0; i < 80; i++) {
		(void)snprintf(name, sizeof name, "b%d.md", i);
		assert_int_equal(pen_create(&p, k, notes, ".t"), 0);
		assert_int_equal(pen_write(&p, name), 0);
		assert_int_equal(pen_close(&p), 0);
		assert_int_equal(doc_rename(k, "notes", ".t", "notes", name, 0), 0);
	}
	assert_int_equal(wire_getattr(k, e.nodeid, &attr), -ESTALE);
	assert_int_equal(wire_open(k, e.nodeid, O_WRONLY, &open), -ESTALE);
	/* What shall be a document has no such name. */
	assert_int_equal(pen_create(&p, k, notes, "c.md"), 0);
	assert_int_equal(pen_close(&p), 0);
	wire_mount(&w->b, w->fs, false);
}

/* Two make one document, the second in a handle of its own: it is told the size it has staged. */
static void test_second_size(void **state)
{
	struct world *w = *state;
	struct fuse_getattr_in in = { .getattr_flags = FUSE_GETATTR_FH };
	struct fuse_attr_out out;
	struct answer a;
	struct pen one, two;
	uint64_t notes = file_of(w, "notes");
	assert_int_equal(pen_create(&one, &w->a, notes, "a.md"), 0);
	assert_int_equal(pen_write(&one, ONE), 0);
	assert_int_equal(pen_open(&two, &w->a, one.ino, O_WRONLY), 0);
	assert_int_equal(pen_write(&two, TWO TWO), 0);
	for (int i = 0; i < 2; i++) {
		in.fh = i ? one.fh : two.fh;
		assert_int_equal(wire_call(&w->a, FUSE_GETATTR, one.ino, &in, sizeof in, NULL, 0, &a), 0);
		memcpy(&out, a.data, sizeof out);
		free(a.data);
		assert_int_equal(out.attr.size, i ? strlen(ONE) : strlen(TWO TWO));
	}
	assert_int_equal(pen_close(&two), 0);
	assert_int_equal(pen_close(&one), 0);
	expect(w, "notes/a.md", ONE, 2);
}

/* Waits that no test machine is too slow for. */
enum { SENT_MS = 1500, BACK_MS = 60000 };

/* Who opens the document must look again, once; false: its name was told so long ago that not. */
static bool opened_stale(struct wire *k, uint64_t doc, int64_t moved_ms)
{
	struct fuse_open_out out;
	int err = wire_open(k, doc, O_WRONLY | O_TRUNC, &out);
	if (err == 0) {
		assert_true(now_ms() - moved_ms >= SENT_MS);
		assert_int_equal(wire_release(k, doc, out.fh), 0);
		return false;
	}
	assert_int_equal(err, -ESTALE);
	assert_int_equal(wire_open(k, doc, O_RDONLY, &out), 0);
	assert_int_equal(wire_release(k, doc, out.fh), 0);
	usleep((SENT_MS + 100) * 1000); /* then nobody must look again */
	return true;
}

/* A backup made of NAME in `a`, twice, and a renaming seen by `b`; false: too slow to be judged. */
static bool backups(struct world *w, const char *name)
{
	char path[64], tilde[64], moved[64];
	(void)snprintf(path, sizeof path, "notes/%s", name);
	(void)snprintf(tilde, sizeof tilde, "notes/%s~", name);
	(void)snprintf(moved, sizeof moved, "notes/moved-%s", name);
	assert_int_equal(doc_save(&w->a, "notes", name, ONE), 0);
	uint64_t doc = file_of(w, path);
	for (int i = 0; i < 2; i++) {
		int64_t began = now_ms();
		assert_int_equal(doc_rename(&w->a, "notes", name, "notes", tilde + 6, 0), 0);
		assert_int_equal(doc_save(&w->a, "notes", name, TWO), 0);
		if (!opened_stale(&w->a, doc, began))
			return false;
		expect(w, path, TWO, 2);
		assert_true(doc_is(&w->a, tilde, i ? TWO : ONE));
		assert_int_equal(doc_unlink(&w->a, "notes", tilde + 6), 0);
	}
	int64_t began = now_ms(); /* the other mount has the old name yet */
	assert_int_equal(doc_rename(&w->a, "notes", name, "notes", moved + 6, 0), 0);
	if (!opened_stale(&w->b, doc, began))
		return false;
	expect(w, moved, TWO, 2);
	return true;
}

/* NAME, which `a` has just given to a document, made in `b`; false: too slow to be judged. */
static bool made_late(struct world *w, const char *name)
{
	char path[64];
	struct fuse_open_out out;
	struct pen p;
	(void)snprintf(path, sizeof path, "notes/%s", name);
	assert_int_equal(doc_save(&w->a, "notes", "old.md", ONE), 0);
	uint64_t notes = file_of(w, "notes");
	int64_t began = now_ms();
	assert_int_equal(doc_rename(&w->a, "notes", "old.md", "notes", name, 0), 0);
	assert_int_equal(pen_create(&p, &w->b, notes, name), -ESTALE);
	uint64_t doc = wire_path(&w->b, path);
	int err = wire_open(&w->b, doc, O_WRONLY | O_TRUNC, &out);
	bool judged = now_ms() - began < SENT_MS;
	assert_int_equal(err, 0);
	assert_int_equal(wire_release(&w->b, doc, out.fh), 0);
	return judged;
}

/* Who makes what was just made elsewhere must look again, and then opens it: not once more. */
static void test_make_late(void **state)
{
	char name[32];
	bool judged = false;
	for (int i = 0; i < 20 && !judged; i++) {
		(void)snprintf(name, sizeof name, "late%d.md", i);
		judged = made_late(*state, name);
	}
	assert_true(judged);
}

static int open_slow(void **state)
{
	const struct fs_options o = { .owner = "ana", .name_sent_ms = SENT_MS,
		.name_back_ms = BACK_MS };
	*state = world_with(0, &o);
	return 0;
}

/*
 * Moved away and saved anew: until the kernel has forgotten that the backup's name leads to the
 * document, who opens or cuts the document must look again.
 */
static void test_backup(void **state)
{
	char name[32];
	bool judged = false;
	for (int i = 0; i < 20 && !judged; i++) {
		(void)snprintf(name, sizeof name, "a%d.md", i);
		judged = backups(*state, name);
	}
	assert_true(judged);
}

#define PART "the first half, "

/* A write of it that is too far off is refused: so is all that stands before it. */
static void tear(struct pen *p)
{
	int64_t at = p->at;
	p->at = SCRATCH_FILE_MOST;
	assert_int_equal(pen_write(p, "."), -EFBIG);
	p->at = at;
}

static void test_torn(void **state)
{
	struct world *w = *state;
	struct pen p;
	uint64_t notes = file_of(w, "notes");
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	uint64_t doc = file_of(w, "notes/a.md");
	int64_t entries = world_entries(w);
	/* a document, written or only cut, and appended to */
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	assert_int_equal(pen_write(&p, PART), 0);
	tear(&p);
	assert_int_equal(pen_fsync(&p), -EFBIG);
	assert_int_equal(doc_rejected(&w->a, PART), 1);
	assert_int_equal(pen_close(&p), 0); /* nothing has come since */
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	tear(&p);
	(void)pen_close(&p);
	expect(w, "notes/a.md", ONE, 1);
	/* a new one, with and without bytes; and a temporary file */
	assert_int_equal(pen_create(&p, &w->a, notes, "b.md"), 0);
	assert_int_equal(pen_write(&p, PART), 0);
	tear(&p);
	assert_int_equal(pen_close(&p), -EFBIG);
	assert_int_equal(wire_path(&w->a, "notes/b.md"), 0);
	assert_int_equal(pen_create(&p, &w->a, notes, "c.md"), 0);
	tear(&p);
	(void)pen_close(&p);
	assert_int_equal(wire_path(&w->a, "notes/c.md"), 0);
	assert_int_equal(pen_create(&p, &w->a, notes, "a.md.tmp"), 0);
	assert_int_equal(pen_write(&p, PART), 0);
	tear(&p);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md.tmp", "notes", "a.md", 0), -EFBIG);
	expect(w, "notes/a.md", ONE, 1);
	assert_int_equal(world_entries(w), entries);
	/* who begins anew, or makes up for it, saves */
	assert_int_equal(pen_rewrite(&p, &w->a, doc), 0);
	tear(&p);
	assert_int_equal(pen_cut(&p, 0), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "notes/a.md", TWO, 2);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "notes/a.md.tmp")), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md.tmp", "notes", "a.md", 0), 0);
	expect(w, "notes/a.md", ONE, 3);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_open_truncate), IN_WORLD(test_told), IN_WORLD(test_moment),
		IN_WORLD(test_second_size), IN_WORLD(test_torn),
		cmocka_unit_test_setup_teardown(test_backup, open_slow, world_close),
		cmocka_unit_test_setup_teardown(test_make_late, open_slow, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
