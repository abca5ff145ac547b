/* SPDX-License-Identifier: MIT */
/* What is refused: the documented errno, a line in errors.log, nothing changed, nothing crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "fs/base/ino.h"
#include "tests/wire/world.h"

#define LINE "{\"content\":\"hola\"}\n"

static int error_lines(struct world *w, char **last)
{
	size_t len;
	char *data = wire_slurp(&w->a, wire_path(&w->a, "errors.log"), 65536, &len);
	int lines = 0;
	const char *start = data;
	for (char *p = data; *p; p++) {
		if (*p != '\n')
			continue;
		lines++;
		if (p[1])
			start = p + 1;
	}
	*last = strdup(start);
	assert_non_null(*last);
	free(data);
	return lines;
}

/* The request was refused with `want` and one line more says so. */
static void expect_line(struct world *w, int got, int want, int *lines, const char *word)
{
	char *last;
	assert_int_equal(got, want);
	int now = error_lines(w, &last);
	assert_int_equal(now, *lines + 1);
	*lines = now;
	if (!strstr(last, word) || !strstr(last, want == -EPERM ? "EPERM" : "EINVAL"))
		fail_msg("no %s in %s", word, last);
	free(last);
}

static void test_refused_names(void **state)
{
	struct world *w = *state;
	struct fuse_mknod_in node = { .mode = 0100644 }, pipe = { .mode = 0010644 };
	struct fuse_create_in create = { .flags = O_WRONLY | O_CREAT, .mode = 0100644 };
	struct fuse_link_in link = { .oldnodeid = w->log };
	struct wire *k = &w->a;
	assert_int_equal(wire_append(k, w->log, LINE), 0);
	int64_t entries = world_entries(w);
	int lines = 0;
	uint64_t sessions = wire_path(k, "sessions"), threads = wire_path(k, "threads");
	expect_line(w, wire_remove(k, FUSE_UNLINK, w->uno, "log.jsonl"), -EPERM, &lines, "unlink");
	expect_line(w, wire_remove(k, FUSE_UNLINK, 1, "README.md"), -EPERM, &lines, "README.md");
	expect_line(w, wire_remove(k, FUSE_RMDIR, sessions, "uno"), -EPERM, &lines, "sessions/uno");
	expect_line(w, wire_rename(k, sessions, "uno", sessions, "dos"), -EPERM, &lines, "rename");
	expect_line(w, wire_rename(k, w->uno, "log.jsonl", 1, "x"), -EPERM, &lines, "rename");
	expect_line(w, wire_mkdir(k, 1, "x", NULL), -EPERM, &lines, "mkdir");
	expect_line(w, wire_mkdir(k, threads, "x", NULL), -EPERM, &lines, "threads/x");
	expect_line(w, wire_mkdir(k, sessions, "current", NULL), -EINVAL, &lines, "mkdir");
	expect_line(w, wire_mkdir(k, sessions, "a\nb", NULL), -EINVAL, &lines, "mkdir");
	expect_line(w, wire_mkdir(k, sessions, ".x", NULL), -EINVAL, &lines, "mkdir");
	expect_line(w, wire_mkdir(k, sessions, "\xFF", NULL), -EINVAL, &lines, "mkdir");
	expect_line(w, wire_call(k, FUSE_MKNOD, 1, &node, sizeof node, "x", 2, NULL), -EPERM, &lines,
	            "mknod");
	expect_line(w, wire_call(k, FUSE_MKNOD, w->uno, &pipe, sizeof pipe, "x", 2, NULL), -EPERM,
	            &lines, "sessions/uno/x");
	expect_line(w, wire_call(k, FUSE_CREATE, 1, &create, sizeof create, "x", 2, NULL), -EPERM,
	            &lines, "create");
	expect_line(w, wire_call(k, FUSE_SYMLINK, 1, "x", 2, "to", 3, NULL), -EPERM, &lines, "symlink");
	expect_line(w, wire_call(k, FUSE_LINK, 1, &link, sizeof link, "x", 2, NULL), -EPERM, &lines,
	            "link");
	/* Nothing there: the plain errno, and no line. */
	assert_int_equal(wire_remove(k, FUSE_UNLINK, 1, "x"), -ENOENT);
	assert_int_equal(wire_remove(k, FUSE_RMDIR, sessions, "x"), -ENOENT);
	assert_int_equal(wire_rename(k, sessions, "x", sessions, "y"), -ENOENT);
	char *last;
	assert_int_equal(error_lines(w, &last), lines);
	free(last);
	assert_int_equal(world_entries(w), entries);
}

static void test_refused_files(void **state)
{
	struct world *w = *state;
	struct wire *k = &w->a;
	struct fuse_open_out o;
	struct fuse_attr attr;
	assert_int_equal(wire_append(k, w->log, LINE), 0);
	assert_int_equal(wire_getattr(k, w->log, &attr), 0);
	int lines = 0;
	expect_line(w, wire_truncate(k, w->log, 0), -EPERM, &lines, "truncate");
	expect_line(w, wire_truncate(k, w->log, attr.size + 1), -EPERM, &lines, "truncate");
	assert_int_equal(wire_truncate(k, w->log, attr.size), 0);
	uint64_t readme = wire_path(k, "README.md"), tape = wire_path(k, ".cinta/tape.jsonl");
	expect_line(w, wire_open(k, readme, O_WRONLY, &o), -EPERM, &lines, "README.md");
	expect_line(w, wire_open(k, tape, O_RDWR, &o), -EPERM, &lines, ".cinta/tape.jsonl");
	expect_line(w, wire_truncate(k, readme, 0), -EPERM, &lines, "truncate");
	expect_line(w, wire_append(k, w->log, "x\n"), -EINVAL, &lines, "write");
	/* chmod and utimens do nothing and succeed. */
	struct fuse_setattr_in in = { .valid = FATTR_MODE | FATTR_MTIME, .mode = 0100777 };
	assert_int_equal(wire_call(k, FUSE_SETATTR, w->log, &in, sizeof in, NULL, 0, NULL), 0);
	struct fuse_attr after;
	assert_int_equal(wire_getattr(k, w->log, &after), 0);
	assert_true(after.size == attr.size && after.mode == attr.mode && after.mtime == attr.mtime);
	struct fuse_getxattr_in x = { .size = 100 };
	assert_int_equal(wire_call(k, FUSE_GETXATTR, w->log, &x, sizeof x, "user.a", 7, NULL), -ENOSYS);
}

struct found {
	char name[256], why[256];
	int count;
};

static void take(void *ctx, const char *name, const struct fuse_dirent *e,
                 const struct fuse_entry_out *plus)
{
	struct found *f = ctx;
	(void)e, (void)plus;
	if (name[0] == '.')
		return;
	size_t len = strlen(name);
	(void)strcpy(len > 4 && strcmp(name + len - 4, ".why") == 0 ? f->why : f->name, name);
	f->count++;
}

/* What was offered is in rejected/, with its reason beside it, and can be removed. */
static void test_rejected(void **state)
{
	struct world *w = *state;
	struct found f = { .count = 0 };
	struct fuse_entry_out e;
	size_t len;
	uint64_t rejected = wire_path(&w->a, "rejected");
	assert_int_equal(wire_append(&w->a, w->log, LINE "{\"secret\":1}\n"), -EINVAL);
	assert_int_equal(wire_list(&w->a, rejected, FUSE_READDIRPLUS, 4096, take, &f), 0);
	assert_int_equal(f.count, 2);
	assert_int_equal(wire_lookup(&w->a, rejected, f.name, &e), 0);
	assert_int_equal(e.attr.size, strlen(LINE "{\"secret\":1}\n"));
	char *data = wire_slurp(&w->a, e.nodeid, 7, &len);
	assert_string_equal(data, LINE "{\"secret\":1}\n");
	free(data);
	assert_int_equal(wire_lookup(&w->a, rejected, f.why, &e), 0);
	data = wire_slurp(&w->a, e.nodeid, 4096, &len);
	assert_int_equal(e.attr.size, len);
	assert_non_null(strstr(data, "line 2"));
	free(data);
	assert_int_equal(wire_remove(&w->a, FUSE_UNLINK, rejected, f.why), -EPERM);
	assert_int_equal(wire_remove(&w->a, FUSE_UNLINK, rejected, f.name), 0);
	assert_int_equal(wire_lookup(&w->a, rejected, f.name, NULL), -ENOENT);
	assert_int_equal(wire_lookup(&w->a, rejected, f.why, NULL), -ENOENT);
}

/* Sends an op to an inode with zeros for arguments and a name: any one answer will do. */
static void prod(struct wire *k, uint32_t op, uint64_t ino)
{
	char zeros[256] = { 0 };
	if (op == FUSE_FORGET || op == FUSE_BATCH_FORGET || op == FUSE_INTERRUPT ||
	    op == FUSE_INIT || op == FUSE_DESTROY || op == FUSE_NOTIFY_REPLY)
		return;
	struct answer a;
	int err = wire_call(k, op, ino, zeros, sizeof zeros, NULL, 0, &a);
	if (!err && (op == FUSE_OPEN || op == FUSE_CREATE)) { /* released, as a kernel does */
		struct fuse_open_out out;
		struct fuse_entry_out entry = { .nodeid = ino };
		if (op == FUSE_CREATE)
			memcpy(&entry, a.data, sizeof entry);
		memcpy(&out, a.data + (op == FUSE_CREATE ? sizeof entry : 0), sizeof out);
		assert_int_equal(wire_release(k, entry.nodeid, out.fh), 0);
	}
	free(a.data);
}

/* Inodes of known kinds with ids that do not exist; every op, those we do not know too. */
static void test_unknown_ids(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	for (uint32_t op = 0; op < 64; op++) {
		for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
			prod(&w->a, op, ino_make(kind, 999999));
			prod(&w->a, op, ino_make(kind, 0));
		}
	}
	prod(&w->a, 4095, 1);
	prod(&w->a, UINT32_MAX, 1);
	assert_int_equal(wire_getattr(&w->a, 1, &attr), 0);
	assert_int_equal(wire_append(&w->a, w->log, LINE), 0);
}

/* Inodes that no kind has. */
static void test_unknown_kinds(void **state)
{
	static const uint64_t inodes[] = { UINT64_MAX, UINT64_MAX >> 1, UINT64_C(1) << 53,
		(uint64_t)KIND_COUNT << INO_ID_BITS, (uint64_t)KIND_COUNT << INO_ID_BITS | 7,
		(uint64_t)127 << INO_ID_BITS };
	struct world *w = *state;
	struct fuse_attr attr;
	for (uint32_t op = 0; op < 64; op++)
		for (size_t i = 0; i < sizeof inodes / sizeof *inodes; i++)
			prod(&w->a, op, inodes[i]);
	for (size_t i = 0; i < sizeof inodes / sizeof *inodes; i++)
		assert_true(wire_getattr(&w->a, inodes[i], &attr) < 0);
	assert_int_equal(wire_append(&w->a, w->log, LINE), 0);
}

/* Sizes and offsets at their ends. */
static void test_extremes(void **state)
{
	static const struct {
		uint64_t off;
		uint32_t size;
	} cases[] = { { 0, 0 }, { INT64_MAX - 4096, 4096 }, { INT64_MAX - 200, 200 }, { 1, 0 },
		{ UINT64_C(1) << 62, 65536 }, { 0, 1 << 20 } };
	struct world *w = *state;
	assert_int_equal(wire_append(&w->a, w->log, LINE), 0);
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			struct fuse_read_in in = { .offset = cases[i].off, .size = cases[i].size };
			uint32_t op[] = { FUSE_READ, FUSE_READDIR, FUSE_READDIRPLUS };
			for (int o = 0; o < 3; o++) {
				struct answer a;
				int err = wire_call(&w->a, op[o], kind ? ino_make(kind, 1) : 1, &in, sizeof in,
				                    NULL, 0, &a);
				assert_true(err || a.len <= cases[i].size);
				free(a.data);
			}
		}
	}
	assert_int_equal(wire_write(&w->a, w->log, 0, 0, O_APPEND, LINE, strlen(LINE)), -EBADF);
	assert_int_equal(wire_flush(&w->a, w->log, 0), 0);
	assert_int_equal(wire_release(&w->a, w->log, 0), 0);
}

/* A message shorter than a header ends that mount, not the process nor the others. */
static void test_short_header(void **state)
{
	struct world *w = *state;
	struct wire bad;
	struct fuse_attr attr;
	wire_mount(&bad, w->fs, false);
	assert_int_equal(wire_getattr(&bad, 1, &attr), 0);
	assert_int_equal(send(bad.fd, "short", 5, MSG_NOSIGNAL), 5);
	wire_unmount(&bad);
	assert_int_equal(wire_getattr(&w->a, 1, &attr), 0);
	assert_int_equal(wire_append(&w->a, w->log, LINE), 0);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_refused_names), IN_WORLD(test_refused_files), IN_WORLD(test_rejected),
		IN_WORLD(test_unknown_ids),   IN_WORLD(test_unknown_kinds), IN_WORLD(test_extremes),
		IN_WORLD(test_short_header),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
