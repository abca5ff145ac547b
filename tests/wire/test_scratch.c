/* SPDX-License-Identifier: MIT */
/*
 * Scratch by the thousand, as a node_modules in the workspace: found, listed and moved as a model
 * of it says, at a cost that does not grow; and what a refusal keeps of much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fs/base/ino.h"
#include "tests/wire/documents.h"

enum { DIRS = 4, NAMES = 64, STEPS = 3000 };

static const char *const dirs[DIRS] = { "smma/workspace", "smma/workspace/a", "smma/workspace/a/b",
	"logs" };

struct model {
	struct world *w;
	uint64_t ino[DIRS];
	int there[DIRS][NAMES]; /* what is written in it; 0: there is none */
	int listed;
	int dir;
	bool wrong;
};

static void name_of(int n, char out[16])
{
	(void)snprintf(out, 16, "f%d", n);
}

static void see(void *ctx, const char *name, const struct fuse_dirent *entry,
                const struct fuse_entry_out *plus)
{
	struct model *m = ctx;
	int n = name[0] == 'f' ? atoi(name + 1) : -1;
	(void)entry, (void)plus;
	if (n < 0)
		return;
	m->listed++;
	m->wrong = m->wrong || n >= NAMES || !m->there[m->dir][n];
}

/* The listing of each directory is what the model has, in small pieces too. */
static void compare(struct model *m)
{
	for (m->dir = 0; m->dir < DIRS; m->dir++) {
		int expected = 0;
		for (int n = 0; n < NAMES; n++)
			expected += m->there[m->dir][n] != 0;
		m->listed = 0;
		assert_int_equal(wire_list(&m->w->a, m->ino[m->dir], FUSE_READDIR, 512, see, m), 0);
		assert_false(m->wrong);
		assert_int_equal(m->listed, expected);
	}
}

static void make(struct model *m, int dir, int n, int text)
{
	char name[16], bytes[16];
	struct pen p;
	name_of(n, name);
	(void)snprintf(bytes, sizeof bytes, "%d", text);
	if (m->there[dir][n])
		assert_int_equal(doc_unlink(&m->w->a, dirs[dir], name), 0);
	assert_int_equal(pen_create(&p, &m->w->a, m->ino[dir], name), 0);
	assert_int_equal(pen_write(&p, bytes), 0);
	assert_int_equal(pen_close(&p), 0);
	m->there[dir][n] = text;
}

static void drop(struct model *m, int dir, int n)
{
	char name[16];
	name_of(n, name);
	assert_int_equal(doc_unlink(&m->w->a, dirs[dir], name), m->there[dir][n] ? 0 : -2);
	m->there[dir][n] = 0;
}

static void move(struct model *m, int dir, int n, int to, int new_n)
{
	char name[16], new_name[16];
	name_of(n, name);
	name_of(new_n, new_name);
	int err = doc_rename(&m->w->a, dirs[dir], name, dirs[to], new_name, 0);
	assert_int_equal(err, m->there[dir][n] ? 0 : -2);
	if (err || (dir == to && n == new_n))
		return;
	m->there[to][new_n] = m->there[dir][n];
	m->there[dir][n] = 0;
}

static void test_model(void **state)
{
	static struct model m;
	uint64_t seed = 16;
	char path[64], name[16], text[16];
	memset(&m, 0, sizeof m);
	m.w = *state;
	assert_int_equal(wire_mkdir(&m.w->a, wire_path(&m.w->a, dirs[0]), "a", NULL), 0);
	assert_int_equal(wire_mkdir(&m.w->a, wire_path(&m.w->a, dirs[1]), "b", NULL), 0);
	for (int i = 0; i < DIRS; i++)
		m.ino[i] = wire_path(&m.w->a, dirs[i]);
	for (int step = 1; step <= STEPS; step++) {
		int dir = (int)dice(&seed, DIRS), n = (int)dice(&seed, NAMES);
		switch (dice(&seed, 5)) {
		case 0: drop(&m, dir, n); break;
		case 1: move(&m, dir, n, (int)dice(&seed, DIRS), (int)dice(&seed, NAMES)); break;
		default: make(&m, dir, n, step);
		}
		if (step % 300 == 0)
			compare(&m);
		if (step == STEPS / 2)
			doc_restart(m.w);
		for (int i = 0; step == STEPS / 2 && i < DIRS; i++)
			m.ino[i] = wire_path(&m.w->a, dirs[i]);
	}
	for (int dir = 0; dir < DIRS; dir++) {
		for (int n = 0; n < NAMES; n++) {
			name_of(n, name);
			(void)snprintf(path, sizeof path, "%s/%s", dirs[dir], name);
			(void)snprintf(text, sizeof text, "%d", m.there[dir][n]);
			assert_true(m.there[dir][n] ? doc_is(&m.w->a, path, text) :
			            wire_path(&m.w->a, path) == 0);
		}
	}
}

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Makes that many, and looks each up; CPU time of both sides, milliseconds. */
static double fill(struct world *w, uint64_t dir, int from, int count)
{
	char name[16];
	struct fuse_entry_out e;
	double began = cpu_ms();
	for (int i = from; i < from + count; i++) {
		name_of(i, name);
		const struct fuse_mknod_in in = { .mode = S_IFREG | 0600 };
		assert_int_equal(wire_call(&w->a, FUSE_MKNOD, dir, &in, sizeof in, name, strlen(name) + 1,
		                           NULL), 0);
		assert_int_equal(wire_lookup(&w->a, dir, name, &e), 0);
	}
	return cpu_ms() - began;
}

/* A list would take twenty times as long for each at the end as at the beginning. */
static void test_many(void **state)
{
	struct world *w = *state;
	enum { MANY = 6000, PART = 300 };
	assert_int_equal(wire_mkdir(&w->a, wire_path(&w->a, "smma/workspace"), "a", NULL), 0);
	uint64_t dir = wire_path(&w->a, "smma/workspace/a");
	double first = fill(w, dir, 0, PART), last = 0;
	for (int from = PART; from < MANY; from += PART)
		last = fill(w, dir, from, PART);
	assert_true(last < first * 5 + 20);
}

static int touch(struct wire *k, uint64_t ino, uint32_t mode, int64_t second, uint32_t nsec)
{
	const struct fuse_setattr_in in = { .valid = FATTR_MODE | FATTR_MTIME, .mode = mode,
		.mtime = (uint64_t)second, .mtimensec = nsec };
	return wire_call(k, FUSE_SETATTR, ino, &in, sizeof in, NULL, 0, NULL);
}

/* Times of before 1970 too; and what is touched when it is stored already is stored anew. */
static void test_attributes_stay(void **state)
{
	struct world *w = *state;
	static const struct { int64_t second; uint32_t nsec; } time[] = {
		{ -5, 250000000 }, { -1, 999999000 }, { 5, 250000000 }, { -100, 0 },
	};
	struct fuse_attr a;
	assert_int_equal(doc_save(&w->a, "smma/workspace", "run.sh", "x"), 0);
	uint64_t ino = wire_path(&w->a, "smma/workspace/run.sh");
	for (size_t i = 0; i < sizeof time / sizeof time[0]; i++) {
		assert_int_equal(touch(&w->a, ino, S_IFREG | 0700, time[i].second, time[i].nsec), 0);
		doc_restart(w);
		ino = wire_path(&w->a, "smma/workspace/run.sh");
		assert_int_equal(wire_getattr(&w->a, ino, &a), 0);
		assert_int_equal(a.mode, S_IFREG | 0700);
		assert_int_equal((int64_t)a.mtime, time[i].second);
		assert_int_equal(a.mtimensec, time[i].nsec);
	}
	assert_int_equal(touch(&w->a, ino, S_IFREG | 0500, 0, 0), 0);
	doc_restart(w);
	assert_int_equal(wire_getattr(&w->a, wire_path(&w->a, "smma/workspace/run.sh"), &a), 0);
	assert_int_equal(a.mtime, 0);
	assert_int_equal(a.mode, S_IFREG | 0500);
}

/* What is moved stands deep: whether it goes into itself is seen from its very root. */
static void test_deep(void **state)
{
	struct world *w = *state;
	enum { DEEP = 700 };
	struct fuse_entry_out e, first;
	uint64_t top = wire_path(&w->a, "smma/workspace"), at = top;
	for (int i = 0; i < DEEP; i++) {
		assert_int_equal(wire_mkdir(&w->a, at, "d.tmp", &e), 0);
		first = i ? first : e;
		at = e.nodeid;
	}
	assert_int_equal(wire_mkdir(&w->a, at, "a", &e), 0);
	assert_int_equal(wire_rename(&w->a, at, "a", at, "b"), 0);
	assert_int_equal(wire_rename(&w->a, at, "b", first.nodeid, "c"), 0);
	assert_int_equal(wire_rename(&w->a, first.nodeid, "c", at, "a"), 0);
	assert_int_equal(wire_rename(&w->a, top, "d.tmp", at, "a"), -EINVAL);
	/* In the workspace what has a temporary name stays, too. */
	struct pen p;
	assert_int_equal(pen_create(&p, &w->a, at, "x"), 0);
	assert_int_equal(pen_write(&p, "x"), 0);
	assert_int_equal(pen_close(&p), 0);
	world_ahead(2);
	usleep(1500 * 1000);
	assert_int_equal(wire_lookup(&w->a, at, "x", &e), 0);
}

/* Directories that stand in each other, as only a damaged side database has them, hold nothing up. */
static void test_circle(void **state)
{
	struct world *w = *state;
	struct scratch_row row[3];
	for (int i = 0; i < 3; i++)
		row[i] = (struct scratch_row){ .id = 900 + i, .dir = ino_make(KIND_SCRATCH, 900 + (i + 1) % 3),
			.name = "d.tmp", .mode = S_IFDIR | 0700, .bytes = "" };
	assert_int_equal(store_scratch_put(w->store, row, 3), 0);
	doc_restart(w);
	assert_int_equal(doc_save(&w->a, "smma/workspace", "a", "x"), 0);
	world_ahead(2);
	usleep(1500 * 1000);
	assert_true(doc_is(&w->a, "smma/workspace/a", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_model, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_many, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_attributes_stay, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_deep, world_open, world_close),
		cmocka_unit_test_setup_teardown(test_circle, world_open, world_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
