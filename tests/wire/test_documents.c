/* SPDX-License-Identifier: MIT */
/* Saves, request for request as tools make them: one version each, or a refusal that is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "fs/base/ino.h"
#include "tests/wire/documents.h"

#define ONE "# Uno\n\nprimera\n"
#define TWO "# Uno\n\nsegunda, y más\n"
#define BAD "---\npriority: [\n---\nx\n" /* front matter that does not parse */

static uint64_t file_of(struct world *w, const char *path)
{
	uint64_t ino = wire_path(&w->a, path);
	assert_true(ino != 0);
	return ino;
}

static void expect(struct world *w, const char *path, const char *text, int versions)
{
	if (!doc_is(&w->a, path, text) || !doc_is(&w->b, path, text)) {
		char *have = doc_text(&w->a, path);
		fail_msg("%s: %s", path, have ? have : "not there");
	}
	assert_int_equal(doc_versions(&w->a, path), versions);
	assert_int_equal(doc_versions(&w->b, path), versions);
}

/* bash: > and >>, with dup2's FLUSH before the first WRITE. */
static void test_shell(void **state)
{
	struct world *w = *state;
	struct pen p;
	int64_t entries = world_entries(w);
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	assert_int_equal(world_entries(w), entries + 2); /* made, and its first version */
	expect(w, "notes/a.md", ONE, 1);
	assert_int_equal(ino_kind(file_of(w, "notes/a.md")), KIND_DOC);
	uint64_t ino = file_of(w, "notes/a.md");
	assert_int_equal(pen_rewrite(&p, &w->a, ino), 0);
	assert_int_equal(pen_flush(&p), 0);
	expect(w, "notes/a.md", ONE, 1); /* the emptied page is nowhere to be seen */
	assert_int_equal(pen_write(&p, TWO), 0);
	expect(w, "notes/a.md", ONE, 1);
	wire_forget_notices(&w->b);
	assert_int_equal(pen_flush(&p), 0);
	wire_look(&w->b);
	assert_true(wire_noticed(&w->b, ino));
	expect(w, "notes/a.md", TWO, 2);
	pen_release(&p);
	expect(w, "notes/a.md", TWO, 2);
	assert_int_equal(wire_append(&w->b, ino, "tercera\n"), 0);
	expect(w, "notes/a.md", TWO "tercera\n", 3);
	assert_int_equal(world_entries(w), entries + 4);
}

/* vim, as it comes: the document goes to M~ and is made anew. */
static void test_vim(void **state)
{
	struct world *w = *state;
	struct pen p, swap;
	uint64_t notes = file_of(w, "notes");
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	uint64_t doc = file_of(w, "notes/a.md");
	int64_t entries = world_entries(w);
	assert_int_equal(pen_create(&swap, &w->a, notes, ".a.md.swp"), 0);
	assert_int_equal(pen_write(&swap, "b0VIM"), 0);
	assert_int_equal(pen_create(&p, &w->a, notes, "4913"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_unlink(&w->a, "notes", "4913"), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "a.md~", 0), 0);
	assert_int_equal(wire_path(&w->a, "notes/a.md"), 0);
	assert_true(doc_listed(&w->a, "notes", "a.md~") && !doc_listed(&w->a, "notes", "a.md"));
	assert_true(doc_is(&w->a, "notes/a.md~", ONE));
	assert_true(wire_name_gone(&w->a, notes));
	assert_int_equal(pen_create(&p, &w->a, notes, "a.md"), 0);
	assert_int_equal(pen_write(&p, "# Uno\n"), 0);
	assert_int_equal(pen_write(&p, "\nsegunda, y más\n"), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(world_entries(w), entries + 1);
	assert_int_equal(pen_close(&p), 0);
	struct fuse_setattr_in in = { .valid = FATTR_MODE, .mode = 0100600 };
	assert_int_equal(wire_call(&w->a, FUSE_SETATTR, p.ino, &in, sizeof in, NULL, 0, NULL), 0);
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md~"), 0);
	assert_int_equal(pen_close(&swap), 0);
	assert_int_equal(doc_unlink(&w->a, "notes", ".a.md.swp"), 0);
	assert_int_equal(world_entries(w), entries + 1);
	assert_int_equal(file_of(w, "notes/a.md"), doc); /* its history goes on */
	expect(w, "notes/a.md", TWO, 2);
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md~"), -ENOENT);
}

/* vim with backupcopy=yes: a copy beside it, then in place; and back by rename when it failed. */
static void test_vim_copy(void **state)
{
	struct world *w = *state;
	struct pen p;
	uint64_t notes = file_of(w, "notes");
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	assert_int_equal(pen_create(&p, &w->a, notes, "a.md~"), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "notes/a.md")), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md~"), 0);
	expect(w, "notes/a.md", TWO, 2);
	/* Away and back again: nothing has happened. */
	int64_t entries = world_entries(w);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "a.md~", 0), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md~", "notes", "a.md", 0), 0);
	expect(w, "notes/a.md", TWO, 2);
	assert_false(doc_listed(&w->a, "notes", "a.md~"));
	assert_int_equal(world_entries(w), entries);
}

/* A temporary file renamed onto the document; its RELEASE comes late, or a write after it. */
static void test_rename_save(void **state)
{
	struct world *w = *state;
	struct pen p;
	uint64_t rules = file_of(w, "blocks/rules");
	assert_int_equal(pen_create(&p, &w->a, rules, "r1.md.38305403"), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(wire_path(&w->a, "blocks/rules/r1.md"), 0);
	assert_int_equal(doc_rename(&w->a, "blocks/rules", "r1.md.38305403", "blocks/rules", "r1.md", 0),
	                 0);
	expect(w, "blocks/rules/r1.md", ONE, 1);
	pen_release(&p);
	expect(w, "blocks/rules/r1.md", ONE, 1);
	assert_int_equal(wire_path(&w->a, "blocks/rules/r1.md.38305403"), 0);
	/* Again, over what is there; the writer goes on writing to what it has open. */
	assert_int_equal(pen_create(&p, &w->a, rules, "sedAb3dEf"), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(doc_rename(&w->a, "blocks/rules", "sedAb3dEf", "blocks/rules", "r1.md", 0), 0);
	expect(w, "blocks/rules/r1.md", TWO, 2);
	assert_int_equal(pen_write(&p, "tercera\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "blocks/rules/r1.md", TWO "tercera\n", 3);
}

/* nano: in place, FSYNC and FLUSH; emacs: a lock, the old one to M~, later in place. */
static void test_nano_emacs(void **state)
{
	struct world *w = *state;
	struct pen p;
	char target[64];
	uint64_t facts = file_of(w, "memories/fact");
	assert_int_equal(doc_save(&w->a, "memories/fact", "casa.md", ONE), 0);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "memories/fact/casa.md")), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_fsync(&p), 0);
	expect(w, "memories/fact/casa.md", TWO, 2);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "memories/fact/casa.md", TWO, 2);
	assert_int_equal(doc_symlink(&w->a, "memories/fact", ".#casa.md", "ana@casa.77:1"), 0);
	assert_int_equal(wire_readlink(&w->a, file_of(w, "memories/fact/.#casa.md"), target,
	                               sizeof target), 0);
	assert_string_equal(target, "ana@casa.77:1");
	assert_int_equal(doc_symlink(&w->a, "memories/fact", ".#casa.md", "otro"), -EEXIST);
	assert_int_equal(doc_rename(&w->a, "memories/fact", "casa.md", "memories/fact", "casa.md~", 0),
	                 0);
	assert_int_equal(pen_create(&p, &w->a, facts, "casa.md"), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_unlink(&w->a, "memories/fact", ".#casa.md"), 0);
	assert_true(doc_is(&w->b, "memories/fact/casa.md~", TWO)); /* the backup stays */
	expect(w, "memories/fact/casa.md", ONE, 3);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "memories/fact/casa.md")), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "memories/fact/casa.md", TWO, 4);
}

/* Who only appends appends to the newest, through whichever mount. */
static void test_appends(void **state)
{
	struct world *w = *state;
	struct pen p, q;
	assert_int_equal(doc_save(&w->a, "smma", "agent_notes.md", "uno\n"), 0);
	uint64_t ino = file_of(w, "smma/agent_notes.md");
	assert_int_equal(pen_open(&p, &w->a, ino, O_WRONLY | O_APPEND), 0);
	assert_int_equal(pen_open(&q, &w->b, ino, O_WRONLY | O_APPEND), 0);
	assert_int_equal(pen_write(&p, "dos\n"), 0);
	assert_int_equal(pen_write(&q, "tres\n"), 0);
	assert_int_equal(pen_flush(&q), 0);
	assert_int_equal(pen_flush(&p), 0);
	expect(w, "smma/agent_notes.md", "uno\ntres\ndos\n", 3);
	assert_int_equal(pen_write(&q, "cuatro\n"), 0);
	assert_int_equal(pen_flush(&q), 0);
	assert_int_equal(pen_write(&p, "cinco\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_close(&q), 0);
	expect(w, "smma/agent_notes.md", "uno\ntres\ndos\ncuatro\ncinco\n", 5);
	assert_int_equal(doc_errors(&w->a, "CONFLICT"), 0);
}

/* Two editors: the second to close wins, the first is in the history, errors.log tells. */
static void test_conflict(void **state)
{
	struct world *w = *state;
	struct pen p, q;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", "uno\n"), 0);
	uint64_t ino = file_of(w, "notes/a.md"), errors = file_of(w, "errors.log");
	assert_int_equal(pen_rewrite(&p, &w->a, ino), 0);
	assert_int_equal(pen_rewrite(&q, &w->b, ino), 0);
	assert_int_equal(pen_write(&p, "dos\n"), 0);
	assert_int_equal(pen_write(&q, "tres\n"), 0);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "notes/a.md", "dos\n", 2);
	assert_int_equal(doc_errors(&w->a, "CONFLICT"), 0);
	wire_forget_notices(&w->a);
	assert_int_equal(pen_close(&q), 0);
	wire_look(&w->a);
	assert_true(wire_noticed(&w->a, ino));
	assert_true(wire_noticed(&w->a, errors)); /* what it showed is old */
	expect(w, "notes/a.md", "tres\n", 3);
	assert_true(doc_is(&w->a, "notes/a.md@2", "dos\n"));
	assert_int_equal(doc_errors(&w->a, "CONFLICT"), 1);
	assert_int_equal(doc_errors(&w->a, "version 2, made from version 1"), 1);
}

static void test_truncate(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	uint64_t ino = file_of(w, "notes/a.md");
	assert_int_equal(pen_rewrite(&p, &w->a, ino), 0); /* `: > M` */
	assert_int_equal(pen_flush(&p), 0);
	expect(w, "notes/a.md", ONE, 1);
	pen_release(&p);
	expect(w, "notes/a.md", "", 2);
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	assert_int_equal(pen_open(&p, &w->a, ino, O_RDWR), 0); /* truncate -s 5 */
	assert_int_equal(pen_cut(&p, 5), 0);
	assert_int_equal(pen_flush(&p), 0);
	pen_release(&p);
	expect(w, "notes/a.md", "# Uno", 4);
	assert_int_equal(wire_truncate(&w->a, ino, 3), 0); /* truncate(2) */
	expect(w, "notes/a.md", "# U", 5);
	assert_int_equal(wire_truncate(&w->a, ino, 3), 0);
	expect(w, "notes/a.md", "# U", 5);
	assert_int_equal(pen_open(&p, &w->a, ino, O_RDWR), 0); /* ftruncate, then a write */
	assert_int_equal(pen_cut(&p, 1), 0);
	p.at = 1;
	assert_int_equal(pen_write(&p, "bc"), 0);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "notes/a.md", "#bc", 6);
}

/* What is not right never gets the name; the bytes are in rejected/, the line in errors.log. */
static void test_refused_newborn(void **state)
{
	struct world *w = *state;
	struct pen p, q;
	uint64_t rules = file_of(w, "blocks/rules");
	int64_t entries = world_entries(w);
	assert_int_equal(pen_create(&p, &w->a, rules, "r1.md"), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(pen_write(&p, BAD), 0);
	assert_int_equal(pen_flush(&p), -EINVAL);
	assert_int_equal(pen_flush(&p), 0); /* told once */
	assert_int_equal(wire_release(&w->a, p.ino, p.fh), 0);
	assert_int_equal(wire_path(&w->a, "blocks/rules/r1.md"), 0);
	assert_false(doc_listed(&w->a, "blocks/rules", "r1.md"));
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(doc_rejected(&w->a, BAD), 1);
	assert_int_equal(doc_errors(&w->a, "EINVAL flush blocks/rules/r1.md"), 1);
	/* Mended before it is closed: it is saved. */
	assert_int_equal(pen_create(&p, &w->a, rules, "r1.md"), 0);
	assert_int_equal(pen_open(&q, &w->a, p.ino, O_WRONLY), 0); /* a second handle shares the bytes */
	assert_int_equal(pen_write(&p, BAD), 0);
	assert_int_equal(pen_fsync(&p), -EINVAL);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(pen_cut(&q, 0), 0);
	assert_int_equal(pen_write(&q, ONE), 0);
	assert_int_equal(pen_close(&q), 0);
	expect(w, "blocks/rules/r1.md", ONE, 1);
	assert_int_equal(doc_rejected(&w->a, BAD), 2);
	/* A temporary file that is not right stays where it is. */
	assert_int_equal(pen_create(&p, &w->a, rules, "r2.md.tmp"), 0);
	assert_int_equal(pen_write(&p, BAD), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "blocks/rules", "r2.md.tmp", "blocks/rules", "r2.md", 0),
	                 -EPROTO); /* mv takes EINVAL for something else */
	assert_int_equal(doc_rename(&w->a, "blocks/rules", "r2.md.tmp", "blocks/rules", "r1.md", 0),
	                 -EPROTO);
	assert_true(doc_is(&w->a, "blocks/rules/r2.md.tmp", BAD));
	assert_int_equal(wire_path(&w->a, "blocks/rules/r2.md"), 0);
	expect(w, "blocks/rules/r1.md", ONE, 1);
}

/* What is there stays as it was. */
static void test_refused_rewrite(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(doc_save(&w->a, "blocks/rules", "r1.md", ONE), 0);
	uint64_t ino = file_of(w, "blocks/rules/r1.md");
	assert_int_equal(pen_rewrite(&p, &w->a, ino), 0);
	assert_int_equal(pen_write(&p, BAD), 0);
	assert_int_equal(pen_close(&p), -EINVAL);
	expect(w, "blocks/rules/r1.md", ONE, 1);
	assert_int_equal(doc_rejected(&w->a, BAD), 1);
	assert_int_equal(doc_errors(&w->a, "EINVAL"), 1);
	assert_int_equal(doc_save(&w->a, "blocks/rules", "r1.md", TWO), 0);
	expect(w, "blocks/rules/r1.md", TWO, 2);
}

static void test_too_big(void **state)
{
	enum { MIB = 1 << 20, BIG = MIB + 10 };
	struct world *w = *state;
	struct pen p;
	char *big = malloc(BIG + 1);
	assert_non_null(big);
	memset(big, 'x', BIG);
	big[BIG] = '\0';
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "notes/a.md")), 0);
	for (int i = 0; i < 3; i++) {
		p.at = i * (MIB / 2);
		assert_int_equal(wire_write(&w->a, p.ino, p.fh, p.at, p.flags, big, MIB / 2), MIB / 2);
	}
	assert_int_equal(pen_close(&p), -EFBIG);
	expect(w, "notes/a.md", ONE, 1);
	assert_int_equal(doc_errors(&w->a, "EFBIG flush notes/a.md"), 1);
	assert_int_equal(pen_open(&p, &w->a, file_of(w, "notes/a.md"), O_WRONLY), 0);
	p.at = INT64_C(1) << 40;
	assert_int_equal(pen_write(&p, "x"), -EFBIG);
	assert_int_equal(pen_cut(&p, UINT64_C(1) << 40), -EFBIG);
	assert_int_equal(pen_close(&p), 0);
	expect(w, "notes/a.md", ONE, 1);
	/* Just at the limit; one more is too many. */
	assert_int_equal(pen_create(&p, &w->a, file_of(w, "notes"), "b.txt"), 0);
	big[MIB / 2] = '\0';
	assert_int_equal(pen_write(&p, big), 0);
	assert_int_equal(pen_write(&p, big), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(pen_write(&p, "x"), 0);
	assert_int_equal(pen_close(&p), -EFBIG);
	assert_int_equal(doc_versions(&w->a, "notes/b.txt"), 1);
	free(big);
}

/* Nothing written, or the same again: nothing on the tape. */
static void test_nothing_new(void **state)
{
	struct world *w = *state;
	struct pen p;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	int64_t entries = world_entries(w);
	uint64_t ino = file_of(w, "notes/a.md");
	assert_int_equal(pen_open(&p, &w->a, ino, O_RDWR), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_int_equal(pen_fsync(&p), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "a.md", 0), 0);
	assert_int_equal(pen_create(&p, &w->a, file_of(w, "notes"), "a.md.tmp"), 0);
	assert_int_equal(pen_write(&p, ONE), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md.tmp", "notes", "a.md", 0), 0);
	assert_int_equal(world_entries(w), entries);
	expect(w, "notes/a.md", ONE, 1);
	/* touch of a new name makes an empty document. */
	assert_int_equal(pen_create(&p, &w->a, file_of(w, "notes"), "b.md"), 0);
	assert_int_equal(pen_flush(&p), 0);
	assert_true(doc_is(&w->a, "notes/b.md", "") && doc_versions(&w->a, "notes/b.md") == -1);
	pen_release(&p);
	expect(w, "notes/b.md", "", 1);
}

/* Who writes is told what it has staged, all others what is saved. */
static void test_sizes(void **state)
{
	struct world *w = *state;
	struct wire *k = &w->a;
	struct fuse_attr attr;
	struct pen p;
	char text[64];
	assert_int_equal(doc_save(k, "notes", "a.md", ONE), 0);
	uint64_t ino = file_of(w, "notes/a.md");
	k->pid = 4000001;
	assert_int_equal(pen_open(&p, k, ino, O_RDWR), 0);
	assert_int_equal(wire_truncate(k, ino, 0), 0);
	assert_int_equal(wire_getattr(k, ino, &attr), 0);
	assert_int_equal(attr.size, 0);
	assert_int_equal(pen_write(&p, "ab"), 0);
	assert_int_equal(wire_getattr(k, ino, &attr), 0);
	assert_int_equal(attr.size, 2);
	assert_int_equal(wire_read(k, ino, p.fh, 0, text, sizeof text), 2);
	k->pid = 4000002;
	assert_int_equal(wire_getattr(k, ino, &attr), 0);
	assert_int_equal(attr.size, strlen(ONE));
	assert_true(doc_is(k, "notes/a.md", ONE));
	/* A truncate of another thread's is not meant for that handle. */
	assert_int_equal(wire_truncate(k, ino, 4), 0);
	expect(w, "notes/a.md", "# Un", 2);
	k->pid = 4000001;
	assert_int_equal(pen_close(&p), 0);
	k->pid = 0;
	expect(w, "notes/a.md", "ab", 3);
	assert_int_equal(wire_getattr(&w->b, ino, &attr), 0);
	assert_int_equal(attr.size, 2);
	assert_int_equal(attr.mode, S_IFREG | 0600);
}

/* The disk takes no more: FLUSH says so, the old version stays; room again, and it is saved. */
static void test_full_disk(void **state)
{
	struct world *w = *state;
	struct rlimit old, none;
	struct pen p, q;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	int64_t entries = world_entries(w);
	assert_int_equal(pen_rewrite(&p, &w->a, file_of(w, "notes/a.md")), 0);
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_create(&q, &w->a, file_of(w, "notes"), "b.md.tmp"), 0);
	assert_int_equal(pen_write(&q, TWO), 0);
	assert_int_equal(pen_flush(&q), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	int flushed = pen_flush(&p);
	int renamed = doc_rename(&w->a, "notes", "b.md.tmp", "notes", "b.md", 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(flushed == -EIO || flushed == -ENOSPC);
	assert_true(renamed == -EIO || renamed == -ENOSPC);
	pen_release(&p);
	pen_release(&q);
	expect(w, "notes/a.md", ONE, 1);
	assert_int_equal(wire_path(&w->a, "notes/b.md"), 0);
	assert_true(doc_is(&w->a, "notes/b.md.tmp", TWO));
	assert_int_equal(world_entries(w), entries);
	assert_int_equal(doc_save(&w->a, "notes", "a.md", TWO), 0);
	expect(w, "notes/a.md", TWO, 2);
	assert_int_equal(doc_rename(&w->a, "notes", "b.md.tmp", "notes", "b.md", 0), 0);
	expect(w, "notes/b.md", TWO, 1);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_shell), IN_WORLD(test_vim), IN_WORLD(test_vim_copy),
		IN_WORLD(test_rename_save), IN_WORLD(test_nano_emacs), IN_WORLD(test_appends),
		IN_WORLD(test_conflict), IN_WORLD(test_truncate), IN_WORLD(test_refused_newborn),
		IN_WORLD(test_refused_rewrite), IN_WORLD(test_too_big), IN_WORLD(test_nothing_new),
		IN_WORLD(test_sizes), IN_WORLD(test_full_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
