/* SPDX-License-Identifier: MIT */
/* Names in places: what renames mean, what is refused, old versions, scratch that comes and goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fs/base/base.h"
#include "fs/base/ino.h"
#include "tests/wire/documents.h"

#define BLOCK "---\npriority: 10\n---\nSé breve.\n"

static void folder(struct world *w, const char *dir, const char *name)
{
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, dir), name, NULL), 0);
}

static void save(struct world *w, const char *dir, const char *name, const char *text)
{
	assert_int_equal(doc_save(&w->a, dir, name, text), 0);
}

/* A temporary file with that content. */
static void scratch(struct world *w, const char *dir, const char *name, const char *text)
{
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, wire_path(&w->a, dir), name), 0);
	assert_int_equal(pen_write(&p, text), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_int_equal(ino_kind(p.ino), KIND_SCRATCH);
}

#define RENAME(dir, name, to, new_name) doc_rename(&w->a, dir, name, to, new_name, 0)

static void test_rename_document(void **state)
{
	struct world *w = *state;
	folder(w, "notes", "obra");
	save(w, "notes", "a.md", "uno\n");
	uint64_t doc = wire_path(&w->a, "notes/a.md");
	int64_t entries = world_entries(w);
	assert_int_equal(RENAME("notes", "a.md", "notes/obra", "b.md"), 0);
	assert_int_equal(world_entries(w), entries + 1);
	assert_int_equal(wire_path(&w->b, "notes/a.md"), 0);
	assert_int_equal(wire_path(&w->b, "notes/obra/b.md"), doc);
	assert_true(doc_is(&w->b, "notes/obra/b.md", "uno\n"));
	assert_true(wire_name_gone(&w->b, wire_path(&w->b, "notes")));
	assert_int_equal(doc_versions(&w->a, "notes/obra/b.md"), 1);
	/* From one category of blocks to another; not out of the family. */
	save(w, "blocks/rules", "r1.md", BLOCK);
	assert_int_equal(RENAME("blocks/rules", "r1.md", "blocks/persona", "p1.md"), 0);
	assert_true(doc_is(&w->a, "blocks/persona/p1.md", BLOCK));
	int lines = doc_errors(&w->a, "EPERM rename");
	assert_int_equal(RENAME("blocks/persona", "p1.md", "notes", "p1.md"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "memories/fact", "b.md"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "notes", "b.md~"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "smma/workspace", "b.md"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "sessions/uno", "session.md"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "threads", "b.md"), -EPERM);
	assert_int_equal(RENAME("notes/obra", "b.md", "smma", "session_log.jsonl"), -EPERM);
	assert_int_equal(doc_errors(&w->a, "EPERM rename"), lines + 7);
	assert_true(doc_is(&w->a, "notes/obra/b.md", "uno\n"));
	assert_true(doc_is(&w->a, "blocks/persona/p1.md", BLOCK));
}

static void test_rename_onto(void **state)
{
	struct world *w = *state;
	save(w, "notes", "a.md", "uno\n");
	save(w, "notes", "b.md", "otro\n");
	uint64_t b = wire_path(&w->a, "notes/b.md"), a = wire_path(&w->a, "notes/a.md");
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "b.md", RENAME_NOREPLACE), -EEXIST);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "b.md", RENAME_EXCHANGE), -EINVAL);
	assert_true(doc_is(&w->a, "notes/a.md", "uno\n") && doc_is(&w->a, "notes/b.md", "otro\n"));
	assert_int_equal(RENAME("notes", "a.md", "notes", "b.md"), 0);
	assert_int_equal(wire_path(&w->b, "notes/a.md"), 0);
	assert_int_equal(wire_path(&w->b, "notes/b.md"), b);
	assert_true(doc_is(&w->b, "notes/b.md", "uno\n") && doc_is(&w->b, "notes/b.md@1", "otro\n"));
	assert_int_equal(doc_versions(&w->b, "notes/b.md"), 2);
	/* Who still knows the retired one by its inode reads and writes what has its bytes. */
	size_t len;
	char *text = wire_slurp(&w->b, a, 4096, &len);
	assert_string_equal(text, "uno\n");
	free(text);
	assert_int_equal(wire_append(&w->b, a, "dos\n"), 0);
	assert_true(doc_is(&w->a, "notes/b.md", "uno\ndos\n"));
	/* The name is free again, for another document. */
	save(w, "notes", "a.md", "nueva\n");
	assert_int_equal(doc_versions(&w->a, "notes/a.md"), 1);
	assert_int_not_equal(wire_path(&w->a, "notes/a.md"), a);
	assert_int_equal(doc_rename(&w->a, "notes", "a.md", "notes", "c.md", RENAME_NOREPLACE), 0);
	assert_true(doc_is(&w->b, "notes/c.md", "nueva\n"));
	/* A document that is being written goes where its name goes. */
	struct pen p;
	assert_int_equal(pen_rewrite(&p, &w->a, wire_path(&w->a, "notes/c.md")), 0);
	assert_int_equal(pen_write(&p, "más\n"), 0);
	assert_int_equal(doc_rename(&w->b, "notes", "c.md", "notes", "d.md", 0), 0);
	assert_int_equal(pen_close(&p), 0);
	assert_true(doc_is(&w->b, "notes/d.md", "más\n"));
	assert_int_equal(wire_path(&w->a, "notes/c.md"), 0);
}

static void test_rename_scratch(void **state)
{
	struct world *w = *state;
	scratch(w, "notes", "x.tmp", "borrador\n");
	assert_int_equal(RENAME("notes", "x.tmp", "smma/workspace", "y"), 0);
	assert_true(doc_is(&w->a, "smma/workspace/y", "borrador\n"));
	scratch(w, "smma/workspace", "z", "otro\n");
	assert_int_equal(RENAME("smma/workspace", "y", "smma/workspace", "z"), 0);
	assert_true(doc_is(&w->b, "smma/workspace/z", "borrador\n"));
	assert_int_equal(wire_path(&w->a, "smma/workspace/y"), 0);
	assert_int_equal(RENAME("smma/workspace", "z", "threads", "z"), -EPERM);
	assert_int_equal(RENAME("smma/workspace", "z", "sessions/uno", "log.jsonl"), -EPROTO); /* no lines */
	assert_int_equal(RENAME("smma/workspace", "z", "smma", "identity.md"), -EPERM);
	assert_int_equal(RENAME("smma/workspace", "z", "notes", "z.md"), 0);
	assert_true(doc_is(&w->b, "notes/z.md", "borrador\n"));
	assert_int_equal(doc_versions(&w->b, "notes/z.md"), 1);
	assert_int_equal(doc_symlink(&w->a, "notes", ".liga", "z.md"), 0);
	assert_int_equal(RENAME("notes", ".liga", "notes", "liga.md"), -EPERM);
	scratch(w, "notes", "w.tmp", "w\n");
	assert_int_equal(doc_rename(&w->a, "notes", "w.tmp", "notes", "z.md", RENAME_NOREPLACE), -EEXIST);
	assert_int_equal(doc_rename(&w->a, "notes", "w.tmp", "notes", "z.md", RENAME_EXCHANGE), -EINVAL);
	assert_true(doc_is(&w->a, "notes/w.tmp", "w\n"));
	assert_int_equal(RENAME("notes", "none", "notes", "x.md"), -ENOENT);
}

static void test_folders(void **state)
{
	struct world *w = *state;
	folder(w, "notes", "obra");
	folder(w, "notes/obra", "casa");
	folder(w, "notes", "otra");
	save(w, "notes/obra/casa", "a.md", "uno\n");
	int64_t entries = world_entries(w);
	assert_int_equal(RENAME("notes/obra", "casa", "notes/otra", "piso"), 0);
	assert_int_equal(world_entries(w), entries + 1);
	assert_true(doc_is(&w->b, "notes/otra/piso/a.md", "uno\n"));
	assert_int_equal(wire_path(&w->b, "notes/obra/casa"), 0);
	assert_int_equal(RENAME("notes", "obra", "notes", "otra"), -ENOTEMPTY);
	assert_int_equal(RENAME("notes", "obra", "notes", ".obra"), -EPERM);
	assert_int_equal(RENAME("notes", "obra", "smma/workspace", "obra"), -EPERM);
	assert_int_equal(RENAME("notes", "obra", "blocks/rules", "obra"), -EPERM);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "notes"), "obra"), -EPERM);
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "notes"), "obra", NULL), -EEXIST);
	/* The kernel keeps a directory out of its own children, but each mount knows only its own
	 * moves: what has become a child through the other must be refused here. */
	assert_int_equal(RENAME("notes", "obra", "notes/otra", "obra"), 0);
	assert_int_equal(RENAME("notes", "otra", "notes/otra/obra", "otra"), -EINVAL);
	assert_int_equal(RENAME("notes", "otra", "notes/otra", "otra"), -EINVAL);
	assert_true(doc_is(&w->b, "notes/otra/piso/a.md", "uno\n"));
}

/* Directories that tools make for themselves. */
static void test_scratch_dirs(void **state)
{
	struct world *w = *state;
	uint64_t notes = wire_path(&w->a, "notes");
	folder(w, "notes", "a b"); /* a folder's name, not a document's */
	save(w, "notes/a b", "a.md", "uno\n");
	folder(w, "notes", ".~tmp~");
	folder(w, "notes/.~tmp~", "dentro");
	scratch(w, "notes/.~tmp~/dentro", "a.md", "dos\n"); /* no memory: its place is scratch */
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, notes, ".~tmp~"), -ENOTEMPTY);
	assert_int_equal(RENAME("notes", ".~tmp~", "notes", "a b"), -EPERM);
	assert_true(doc_is(&w->b, "notes/a b/a.md", "uno\n"));
	folder(w, "notes", ".otro");
	assert_int_equal(RENAME("notes", ".otro", "notes", ".~tmp~"), -ENOTEMPTY);
	assert_int_equal(RENAME("notes", ".~tmp~", "notes", ".otro"), 0);
	assert_true(doc_is(&w->b, "notes/.otro/dentro/a.md", "dos\n"));
	folder(w, "notes/.otro/dentro", "hondo"); /* into its own child, as above */
	assert_int_equal(RENAME("notes", ".otro", "notes/.otro/dentro", "hondo"), -EINVAL);
	assert_int_equal(RENAME("notes/.otro/dentro", "a.md", "notes", "b.md"), 0);
	assert_true(doc_is(&w->b, "notes/b.md", "dos\n"));
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "notes/.otro/dentro"), "hondo"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "notes/.otro"), "dentro"), 0);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, notes, ".otro"), 0);
	assert_false(doc_listed(&w->a, "notes", ".otro"));
}

/* Moved to a backup's name and never written again: it comes back. */
static void test_comes_back(void **state)
{
	struct world *w = *state;
	save(w, "notes", "a.md", "uno\n");
	uint64_t doc = wire_path(&w->a, "notes/a.md"), notes = wire_path(&w->b, "notes");
	int64_t entries = world_entries(w);
	assert_int_equal(RENAME("notes", "a.md", "notes", "a.md.bak"), 0);
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md"), -ENOENT);
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md.bak"), 0);
	assert_false(doc_listed(&w->b, "notes", "a.md"));
	wire_forget_notices(&w->b);
	int64_t began = now_ms();
	while (!wire_path(&w->a, "notes/a.md") && now_ms() - began < 30000)
		usleep(100 * 1000);
	assert_in_range(now_ms() - began, 4000, 30000);
	assert_int_equal(wire_path(&w->a, "notes/a.md"), doc);
	for (int n = 0; n < 100 && !wire_noticed(&w->b, notes); n++) {
		usleep(100 * 1000);
		wire_look(&w->b);
	}
	assert_true(wire_noticed(&w->b, notes)); /* its listing is another */
	assert_true(doc_is(&w->b, "notes/a.md", "uno\n") && doc_listed(&w->b, "notes", "a.md"));
	assert_int_equal(world_entries(w), entries);
}

static void test_refused(void **state)
{
	struct world *w = *state;
	save(w, "notes", "a.md", "uno\n");
	struct fuse_link_in link = { .oldnodeid = wire_path(&w->a, "notes/a.md") };
	struct fuse_open_out o;
	uint64_t notes = wire_path(&w->a, "notes");
	int64_t entries = world_entries(w);
	int lines = doc_errors(&w->a, "Z EPERM ");
	assert_int_equal(doc_unlink(&w->a, "notes", "a.md"), -EPERM);
	assert_int_equal(wire_call(&w->a, FUSE_LINK, notes, &link, sizeof link, "b.md", 5, NULL), -EPERM);
	assert_int_equal(doc_mknod(&w->a, "notes", "b.md", S_IFREG | 0600), -EPERM);
	assert_int_equal(doc_mknod(&w->a, "notes", "x.tmp", S_IFIFO | 0600), -EPERM);
	assert_int_equal(doc_symlink(&w->a, "notes", "b.md", "a.md"), -EPERM);
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "blocks/rules"), "más", NULL), -EPERM);
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "blocks"), "más", NULL), -EPERM);
	assert_int_equal(wire_remove(&w->a, FUSE_RMDIR, wire_path(&w->a, "blocks"), "rules"), -EPERM);
	assert_int_equal(doc_save(&w->a, "blocks", "r1.md", "x"), -EPERM);
	assert_int_equal(doc_save(&w->a, "smma", "identity.md", "x"), -EPERM);
	assert_int_equal(wire_open(&w->a, wire_path(&w->a, "notes/a.md@1"), O_WRONLY, &o), -EPERM);
	assert_int_equal(wire_open(&w->a, wire_path(&w->a, "notes/a.md@log"), O_RDWR, &o), -EPERM);
	assert_int_equal(wire_truncate(&w->a, wire_path(&w->a, "notes/a.md@1"), 0), -EPERM);
	assert_int_equal(doc_errors(&w->a, "Z EPERM "), lines + 13);
	assert_int_equal(doc_mknod(&w->a, "notes", "x.tmp", S_IFREG | 0600), 0);
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "notes/x.tmp"), "y"), 0);
	assert_true(doc_is(&w->b, "notes/x.tmp", "y"));
	assert_true(doc_is(&w->b, "notes/a.md", "uno\n"));
	assert_int_equal(world_entries(w), entries);
}

static void test_versions(void **state)
{
	struct world *w = *state;
	char name[64], now[32];
	time_t t = time(NULL);
	struct tm tm;
	save(w, "notes", "a.md", "uno\n");
	save(w, "notes", "a.md", "dos\n");
	save(w, "notes", "b@c.md", "con arroba\n");
	assert_true(doc_is(&w->a, "notes/a.md@1", "uno\n") && doc_is(&w->a, "notes/a.md@2", "dos\n"));
	assert_true(doc_is(&w->a, "notes/b@c.md", "con arroba\n"));
	assert_true(doc_is(&w->a, "notes/b@c.md@1", "con arroba\n"));
	assert_int_equal(doc_versions(&w->a, "notes/b@c.md"), 1);
	(void)strftime(now, sizeof now, "%Y-%m-%d", gmtime_r(&t, &tm));
	(void)snprintf(name, sizeof name, "notes/a.md@%s", now);
	assert_true(doc_is(&w->a, name, "dos\n"));
	assert_true(doc_is(&w->a, "notes/a.md@2999-01-01T10:00:00.5Z", "dos\n"));
	static const char *const none[] = { "a.md@", "a.md@0", "a.md@3", "a.md@-1", "a.md@01", "a.md@1x",
		"a.md@99999999999999999999", "a.md@2001-01-01", "a.md@2026-13-45", "a.md@logs", "@1", "@log",
		"a.md@1@1", "z.md@1", "a.md@2026-01-01T", "a.md@ 1", "a.md@+1" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (wire_lookup(&w->a, wire_path(&w->a, "notes"), none[i], NULL) != -ENOENT)
			fail_msg("%s is there", none[i]);
	assert_false(doc_listed(&w->a, "notes", "a.md@log") || doc_listed(&w->a, "notes", "a.md@1"));
}

static void test_long_names(void **state)
{
	struct world *w = *state;
	struct pen p;
	char name[300];
	uint64_t notes = wire_path(&w->a, "notes");
	memset(name, 'n', sizeof name);
	(void)strcpy(name + 253, ".md");
	assert_int_equal(strlen(name), 256);
	assert_int_equal(pen_create(&p, &w->a, notes, name), -ENAMETOOLONG);
	assert_int_equal(wire_mkdir(&w->a, notes, name, NULL), -ENAMETOOLONG);
	assert_int_equal(wire_lookup(&w->a, notes, name, NULL), -ENAMETOOLONG);
	assert_int_equal(doc_mknod(&w->a, "notes", name, S_IFREG | 0600), -ENAMETOOLONG);
	assert_int_equal(doc_symlink(&w->a, "notes", name, "x"), -ENAMETOOLONG);
	save(w, "notes", "a.md", "uno\n");
	assert_int_equal(RENAME("notes", "a.md", "notes", name), -ENAMETOOLONG);
	(void)strcpy(name + 252, ".md");
	save(w, "notes", name, "larga\n");
	assert_true(doc_listed(&w->b, "notes", name));
	assert_int_equal(RENAME("notes", "a.md", "notes", name), 0);
	name[254] = '\0'; /* .m: 254 bytes, and a scratch name of 255 */
	(void)strcat(name, "~");
	scratch(w, "notes", name, "x");
	assert_int_equal(doc_unlink(&w->a, "notes", name), 0);
}

/* Scratch outlives the daemon, out of sight does not. */
static void test_restart(void **state)
{
	struct world *w = *state;
	struct fuse_entry_out e;
	scratch(w, "notes", ".a.md.swp", "b0VIM");
	scratch(w, "smma/workspace", "datos.csv", "1,2\n");
	scratch(w, "sessions/uno", "x.tmp", "x\n");
	scratch(w, "notes", "gone.tmp", "y");
	assert_int_equal(doc_unlink(&w->a, "notes", "gone.tmp"), 0);
	folder(w, "notes", "obra");
	save(w, "notes/obra", "a.md", "uno\n");
	assert_int_equal(RENAME("notes/obra", "a.md", "notes/obra", "a.md~"), 0);
	uint64_t swap = wire_path(&w->a, "notes/.a.md.swp");
	doc_restart(w);
	assert_int_equal(wire_path(&w->a, "notes/.a.md.swp"), swap);
	assert_true(doc_is(&w->a, "notes/.a.md.swp", "b0VIM"));
	assert_true(doc_is(&w->b, "smma/workspace/datos.csv", "1,2\n"));
	assert_true(doc_is(&w->b, "sessions/uno/x.tmp", "x\n"));
	assert_true(doc_is(&w->b, "notes/obra/a.md", "uno\n")); /* nothing hides it any more */
	assert_true(doc_is(&w->b, "notes/obra/a.md~", "uno\n"));
	assert_int_equal(wire_path(&w->a, "notes/gone.tmp"), 0);
	assert_int_equal(wire_lookup(&w->a, wire_path(&w->a, "notes"), ".a.md.swp", &e), 0);
	assert_int_equal(e.attr.mode, S_IFREG | 0644);
	scratch(w, "notes", "new.tmp", "z");
	assert_true(wire_path(&w->a, "notes/new.tmp") > swap);
}

struct seen {
	char name[128][32];
	uint64_t off[128];
	int count;
};

static void see(void *ctx, const char *name, const struct fuse_dirent *e,
                const struct fuse_entry_out *plus)
{
	struct seen *s = ctx;
	(void)plus;
	assert_true(s->count < 128);
	(void)snprintf(s->name[s->count], sizeof *s->name, "%.31s", name);
	s->off[s->count++] = e->off;
}

/* Offsets stay those of their names while others come and go. */
static void test_offsets(void **state)
{
	struct world *w = *state;
	struct seen before = { .count = 0 }, after = { .count = 0 };
	char name[32];
	uint64_t notes = wire_path(&w->a, "notes");
	for (int i = 0; i < 12; i++) {
		(void)snprintf(name, sizeof name, "d%d.md", i);
		save(w, "notes", name, "x\n");
		(void)snprintf(name, sizeof name, "s%d.tmp", i);
		scratch(w, "notes", name, "y\n");
	}
	assert_int_equal(wire_list(&w->a, notes, FUSE_READDIR, 4096, see, &before), 0);
	assert_int_equal(before.count, 2 + 24);
	for (int i = 0; i < 12; i += 2) {
		(void)snprintf(name, sizeof name, "s%d.tmp", i);
		assert_int_equal(doc_unlink(&w->b, "notes", name), 0);
	}
	scratch(w, "notes", "late.tmp", "z\n");
	save(w, "notes", "late.md", "z\n");
	assert_int_equal(wire_list(&w->a, notes, FUSE_READDIR, 200, see, &after), 0);
	assert_int_equal(after.count, 2 + 24 - 6 + 2);
	for (int i = 0; i < after.count; i++)
		for (int b = 0; b < before.count; b++)
			if (strcmp(after.name[i], before.name[b]) == 0)
				assert_int_equal(after.off[i], before.off[b]);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_rename_document), IN_WORLD(test_rename_onto), IN_WORLD(test_rename_scratch),
		IN_WORLD(test_folders), IN_WORLD(test_scratch_dirs), IN_WORLD(test_comes_back),
		IN_WORLD(test_refused), IN_WORLD(test_versions), IN_WORLD(test_long_names),
		IN_WORLD(test_restart), IN_WORLD(test_offsets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
