/* SPDX-License-Identifier: MIT */
/* Editions of a document's inode (fs/kernel/kcache.h), and flock, as the kernel meets them. */
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
#include "fs/kernel/growing.h"
#include "tests/wire/documents.h"

#define ONE "# Uno\n\nla primera\n"
#define TWO "# Uno\n\nla segunda, más larga\n"
#define THREE "# Uno\n"

/* Until a document that was just saved is read by pages. */
static void rest(void)
{
	usleep((GROWING_MS + 100) * 1000);
}

struct look {
	uint64_t node, ino, size;
};

static struct look look(struct wire *k, const char *name)
{
	struct fuse_entry_out e;
	assert_int_equal(wire_lookup(k, wire_path(k, "notes"), name, &e), 0);
	return (struct look){ e.nodeid, e.attr.ino, e.attr.size };
}

struct reader {
	struct wire *k;
	uint64_t node, fh;
	uint32_t flags;
};

static struct reader reader(struct wire *k, uint64_t node)
{
	struct fuse_open_out out;
	assert_int_equal(wire_open(k, node, O_RDONLY, &out), 0);
	return (struct reader){ k, node, out.fh, out.open_flags };
}

static bool by_pages(const struct reader *r)
{
	return (r->flags & FOPEN_KEEP_CACHE) && !(r->flags & FOPEN_DIRECT_IO);
}

/* Who reads past the pages says who he is; who asks for a page, for all that read by it, does not. */
static ssize_t read_some(const struct reader *r, bool page, int64_t off, char *dst, size_t size)
{
	struct fuse_read_in in = { .fh = r->fh, .offset = (uint64_t)off, .size = (uint32_t)size,
		.read_flags = page ? 0 : FUSE_READ_LOCKOWNER, .lock_owner = page ? 0 : 9 };
	struct answer a;
	int err = wire_call(r->k, FUSE_READ, r->node, &in, sizeof in, NULL, 0, &a);
	ssize_t got = err ? err : (ssize_t)a.len;
	if (got > 0)
		memcpy(dst, a.data, a.len);
	free(a.data);
	return got;
}

static void reads_so(const struct reader *r, bool page, const char *text)
{
	char got[256];
	assert_int_equal(read_some(r, page, 0, got, sizeof got), strlen(text));
	assert_memory_equal(got, text, strlen(text));
	assert_int_equal(read_some(r, page, 4, got, 4), strlen(text) < 8 ? 2 : 4);
	assert_memory_equal(got, text + 4, strlen(text) < 8 ? 2 : 4);
	assert_int_equal(read_some(r, page, 4096, got, 4), 0);
}

static void reads(const struct reader *r, const char *text)
{
	reads_so(r, by_pages(r), text);
}

static void ends(const struct reader *r)
{
	assert_int_equal(wire_release(r->k, r->node, r->fh), 0);
}

static uint64_t size_of(struct wire *k, uint64_t node)
{
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(k, node, &attr), 0);
	return attr.size;
}

/* As the kernel does: an open for writing that is to look again does so. */
static uint64_t rewrite(struct wire *k, const char *name, const char *text)
{
	struct pen p;
	struct fuse_open_out out;
	struct look l = look(k, name);
	int err = wire_open(k, l.node, O_WRONLY | O_TRUNC, &out);
	if (err == -ESTALE) {
		l = look(k, name);
		err = wire_open(k, l.node, O_WRONLY | O_TRUNC, &out);
	}
	assert_int_equal(err, 0);
	p = (struct pen){ .k = k, .ino = l.node, .fh = out.fh, .flags = O_WRONLY };
	assert_int_equal(pen_write(&p, text), 0);
	assert_int_equal(pen_close(&p), 0);
	return l.node;
}

static void test_save_beside_readers(void **state)
{
	struct world *w = *state;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	struct look first = look(&w->a, "a.md"), there = look(&w->b, "a.md");
	struct reader early = reader(&w->a, first.node);
	assert_false(by_pages(&early)); /* it was saved just now */
	reads(&early, ONE);
	ends(&early);
	rest();
	struct reader here = reader(&w->a, first.node), far = reader(&w->b, there.node);
	assert_true(by_pages(&here) && by_pages(&far));
	reads(&here, ONE);
	uint64_t second = rewrite(&w->a, "a.md", TWO);
	assert_int_not_equal(second, first.node); /* who writes is not where they read */
	struct look now = look(&w->a, "a.md");
	assert_int_equal(now.node, second);
	assert_int_equal(now.ino, first.ino); /* for programs it is the same file */
	assert_int_equal(now.size, strlen(TWO));
	assert_true(wire_name_gone(&w->b, wire_path(&w->b, "notes")));
	assert_int_equal(look(&w->b, "a.md").size, strlen(TWO));
	/* Who has it open keeps bytes and size; who opens it now has the new ones, by whatever node. */
	reads(&here, ONE);
	reads(&far, ONE);
	assert_int_equal(size_of(&w->a, first.node), strlen(ONE));
	assert_int_equal(size_of(&w->b, there.node), strlen(ONE));
	struct reader late = reader(&w->b, there.node);
	assert_false(by_pages(&late));
	reads(&late, TWO);
	ends(&late);
	ends(&here);
	ends(&far);
	assert_int_equal(size_of(&w->b, there.node), strlen(TWO)); /* a name may lead there still */
	assert_true(doc_is(&w->a, "notes/a.md", TWO) && doc_is(&w->b, "notes/a.md", TWO));
}

/* The kernel gives back the old edition: its number may be another's, and it counts rightly. */
static void test_editions_end(void **state)
{
	struct world *w = *state;
	const char *text[] = { ONE, TWO, THREE };
	struct reader r[3];
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	for (int i = 0; i < 3; i++) {
		rest();
		r[i] = reader(&w->a, look(&w->a, "a.md").node);
		assert_true(by_pages(&r[i]));
		rewrite(&w->a, "a.md", text[(i + 1) % 3]);
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < i; j++)
			assert_int_not_equal(r[i].node, r[j].node);
	for (int i = 0; i < 3; i++)
		reads(&r[i], text[i]);
	ends(&r[0]);
	wire_forget(&w->a, r[0].node, 1000);
	rest();
	struct reader again = reader(&w->a, look(&w->a, "a.md").node);
	assert_true(by_pages(&again));
	reads(&again, ONE);
	for (int i = 1; i < 3; i++) {
		assert_int_not_equal(again.node, r[i].node);
		reads(&r[i], text[i]);
		ends(&r[i]);
	}
	ends(&again);
}

static void test_rename_over_readers(void **state)
{
	struct world *w = *state;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	rest();
	struct reader here = reader(&w->a, look(&w->a, "a.md").node);
	struct reader far = reader(&w->b, look(&w->b, "a.md").node);
	assert_int_equal(doc_save(&w->a, "notes", ".a.md.tmp", TWO), 0);
	assert_int_equal(doc_rename(&w->a, "notes", ".a.md.tmp", "notes", "a.md", 0), 0);
	reads(&here, ONE);
	reads(&far, ONE);
	assert_int_equal(size_of(&w->b, far.node), strlen(ONE));
	assert_true(doc_is(&w->a, "notes/a.md", TWO) && doc_is(&w->b, "notes/a.md", TWO));
	ends(&here);
	ends(&far);
}

/* A truncate by name is no one's handle, and must not move the readers' size either. */
static void test_truncate_beside_readers(void **state)
{
	struct world *w = *state;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	rest();
	struct look l = look(&w->a, "a.md");
	struct reader here = reader(&w->a, l.node);
	const struct fuse_setattr_in in = { .valid = FATTR_SIZE, .size = 6 };
	assert_int_equal(wire_call(&w->a, FUSE_SETATTR, l.node, &in, sizeof in, NULL, 0, NULL), -ESTALE);
	struct look again = look(&w->a, "a.md");
	assert_int_not_equal(again.node, l.node);
	assert_int_equal(wire_call(&w->a, FUSE_SETATTR, again.node, &in, sizeof in, NULL, 0, NULL), 0);
	reads(&here, ONE);
	assert_int_equal(size_of(&w->a, here.node), strlen(ONE));
	assert_true(doc_is(&w->a, "notes/a.md", THREE));
	ends(&here);
}

/* Who opens to write and saves nothing leaves nothing behind that keeps readers from the pages. */
static void test_nothing_saved(void **state)
{
	struct world *w = *state;
	struct fuse_open_out out;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	struct look l = look(&w->a, "a.md");
	assert_int_equal(wire_open(&w->a, l.node, O_RDWR, &out), 0);
	(void)size_of(&w->a, l.node);
	struct reader beside = reader(&w->a, l.node);
	assert_false(by_pages(&beside));
	ends(&beside);
	assert_int_equal(wire_flush(&w->a, l.node, out.fh), 0);
	assert_int_equal(wire_release(&w->a, l.node, out.fh), 0);
	rest();
	beside = reader(&w->a, l.node); /* finds that all must be told anew */
	ends(&beside);
	rest();
	beside = reader(&w->a, l.node);
	assert_true(by_pages(&beside));
	reads(&beside, ONE);
	ends(&beside);
}

/* A private mapping of a file read past the pages takes its pages from where all have them. */
static void test_private_mapping(void **state)
{
	struct world *w = *state;
	struct fuse_open_out out;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	rest();
	struct look l = look(&w->a, "a.md");
	struct reader early = reader(&w->a, l.node);
	assert_true(by_pages(&early));
	rewrite(&w->b, "a.md", TWO);
	struct reader late = reader(&w->a, l.node); /* by /proc/self/fd of the other */
	assert_false(by_pages(&late));
	reads(&late, TWO);
	reads_so(&late, true, ONE);
	ends(&early);
	reads_so(&late, true, TWO);
	ends(&late);
	/* A writer's: what it has staged is taken back from the pages when another saves. */
	l = look(&w->a, "a.md");
	assert_int_equal(wire_open(&w->a, l.node, O_RDWR, &out), 0);
	struct reader pen = { &w->a, l.node, out.fh, out.open_flags };
	reads_so(&pen, true, TWO);
	ends(&pen);
	wire_forget_notices(&w->a);
	rewrite(&w->b, "a.md", THREE);
	wire_look(&w->a);
	assert_true(wire_noticed_pages(&w->a, l.node));
}

/* A name is taken back also where who was to look it up again does not: he opens /proc/self/fd. */
static void test_not_looked_again(void **state)
{
	struct world *w = *state;
	struct fuse_open_out out;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	rest();
	struct look l = look(&w->a, "a.md");
	struct reader early = reader(&w->a, l.node);
	assert_true(by_pages(&early));
	wire_forget_notices(&w->a);
	assert_int_equal(wire_open(&w->a, l.node, O_WRONLY | O_TRUNC, &out), -ESTALE);
	assert_true(wire_name_gone(&w->a, wire_path(&w->a, "notes")));
	assert_int_equal(wire_open(&w->a, l.node, O_WRONLY | O_TRUNC, &out), 0);
	struct pen p = { .k = &w->a, .ino = l.node, .fh = out.fh, .flags = O_WRONLY };
	assert_int_equal(pen_write(&p, TWO), 0);
	assert_int_equal(pen_close(&p), 0);
	reads(&early, ONE);
	assert_int_equal(size_of(&w->a, l.node), strlen(ONE));
	assert_int_equal(look(&w->a, "a.md").size, strlen(TWO));
	assert_true(doc_is(&w->a, "notes/a.md", TWO));
	ends(&early);
}

static uint64_t ask_lock(struct wire *k, uint64_t node, uint32_t op, uint64_t owner, uint32_t type)
{
	struct fuse_lk_in in = { .owner = owner, .lk = { .end = INT64_MAX, .type = type },
		.lk_flags = FUSE_LK_FLOCK };
	return wire_send(k, op, node, &in, sizeof in, NULL, 0);
}

static int lock(struct wire *k, uint64_t node, uint64_t owner, uint32_t type)
{
	return wire_wait(k, ask_lock(k, node, FUSE_SETLK, owner, type), NULL);
}

static void unlock_by_close(struct reader *r, uint64_t owner)
{
	struct fuse_release_in in = { .fh = r->fh, .release_flags = FUSE_RELEASE_FLOCK_UNLOCK,
		.lock_owner = owner };
	assert_int_equal(wire_call(r->k, FUSE_RELEASE, r->node, &in, sizeof in, NULL, 0, NULL), 0);
}

static void test_flock(void **state)
{
	struct world *w = *state;
	assert_int_equal(doc_save(&w->a, "notes", "a.md", ONE), 0);
	rest();
	struct reader one = reader(&w->a, look(&w->a, "a.md").node);
	assert_int_equal(lock(&w->a, one.node, 7, F_WRLCK), 0);
	uint64_t second = rewrite(&w->a, "a.md", TWO), there = look(&w->b, "a.md").node;
	assert_int_equal(lock(&w->a, second, 8, F_WRLCK), -EAGAIN);
	assert_int_equal(lock(&w->b, there, 7, F_RDLCK), -EAGAIN); /* another mount's 7 */
	uint64_t first = ask_lock(&w->a, second, FUSE_SETLKW, 8, F_RDLCK);
	uint64_t next = ask_lock(&w->b, there, FUSE_SETLKW, 9, F_RDLCK);
	uint64_t last = ask_lock(&w->a, second, FUSE_SETLKW, 10, F_WRLCK);
	unlock_by_close(&one, 7);
	assert_int_equal(wire_wait(&w->a, first, NULL), 0);
	assert_int_equal(wire_wait(&w->b, next, NULL), 0);
	assert_int_equal(lock(&w->a, second, 11, F_WRLCK), -EAGAIN);
	struct fuse_interrupt_in stop = { .unique = last };
	(void)wire_send(&w->a, FUSE_INTERRUPT, 0, &stop, sizeof stop, NULL, 0);
	assert_int_equal(wire_wait(&w->a, last, NULL), -EINTR);
	assert_int_equal(lock(&w->a, second, 8, F_UNLCK), 0);
	assert_int_equal(lock(&w->b, there, 9, F_WRLCK), 0); /* alone, it may have it whole */
	assert_int_equal(lock(&w->b, there, 9, F_UNLCK), 0);
	assert_int_equal(lock(&w->a, second, 11, F_WRLCK), 0);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_save_beside_readers),
		IN_WORLD(test_editions_end),
		IN_WORLD(test_rename_over_readers),
		IN_WORLD(test_truncate_beside_readers),
		IN_WORLD(test_nothing_saved),
		IN_WORLD(test_private_mapping),
		IN_WORLD(test_not_looked_again),
		IN_WORLD(test_flock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
