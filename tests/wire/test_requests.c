/* SPDX-License-Identifier: MIT */
/* The tree as a kernel sees it: negotiation, names, attributes, listings, profile R. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/kernel/growing.h"
#include "tests/wire/documents.h"

#define HELLO "{\"role\":\"user\",\"content\":\"hola\",\"thread\":\"obra\"}\n"

static const char *const paths[] = {
	"README.md", "AGENTS.md", "errors.log", "smma", "smma/session_log.jsonl", "sessions",
	"sessions/current", "sessions/uno", "sessions/uno/log.jsonl", "sessions/uno/transcript.md",
	"sessions/uno/session.md", "sessions/uno/refs.jsonl", "sessions/uno/messages",
	"sessions/uno/messages/000001.md", "threads", "threads/obra", "threads/obra/log.jsonl",
	"threads/obra/transcript.md", "rejected", ".cinta", ".cinta/tape.jsonl", ".cinta/status.json",
	".cinta/checkpoint", ".cinta/pubkey", ".cinta/verify.sh",
};
enum { PATHS = sizeof paths / sizeof *paths };

static bool is_unlisted(const char *path)
{
	return strncmp(path, ".cinta", 6) == 0 || strstr(path, "messages") || strstr(path, "refs.jsonl");
}

static void test_init(void **state)
{
	struct world *w = *state;
	const struct fuse_init_out *o = &w->a.init;
	assert_int_equal(o->major, FUSE_KERNEL_VERSION);
	assert_int_equal(o->max_write, 1 << 20);
	assert_int_equal(o->max_pages, 256);
	assert_true(o->flags & FUSE_DO_READDIRPLUS);
	assert_true(o->flags & FUSE_CACHE_SYMLINKS);
	/* What was measured to show old or missing bytes, or hides what we must see. */
	assert_false(o->flags & (FUSE_AUTO_INVAL_DATA | FUSE_EXPLICIT_INVAL_DATA));
	assert_false(o->flags & (FUSE_WRITEBACK_CACHE | FUSE_READDIRPLUS_AUTO));
	/* Only where OPEN is answered: else the truncate would be lost. */
	struct wire r;
	assert_true(o->flags & FUSE_ATOMIC_O_TRUNC);
	wire_mount(&r, w->fs, true);
	assert_false(r.init.flags & FUSE_ATOMIC_O_TRUNC);
	wire_unmount(&r);
}

struct names {
	char name[64][256];
	uint64_t ino[64];
	size_t count;
};

static void take_name(void *ctx, const char *name, const struct fuse_dirent *e,
                      const struct fuse_entry_out *plus)
{
	struct names *n = ctx;
	assert_true(n->count < 64);
	(void)strcpy(n->name[n->count], name);
	n->ino[n->count++] = e->ino;
	bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
	if (plus && plus->nodeid != 0) {
		assert_false(dots);
		assert_int_equal(plus->nodeid, e->ino);
		assert_int_equal(plus->attr.ino, e->ino);
		assert_int_equal(plus->attr.mode >> 12, e->type);
	} else if (plus) {
		/* No reference is counted for dots, nor for a file whose size is told in turn. */
		assert_true(dots || e->type == S_IFREG >> 12);
	}
}

static bool has_name(const struct names *n, const char *name, uint64_t ino)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->name[i], name) == 0)
			return n->ino[i] == ino;
	return false;
}

/* Each row of the tree by name, and in its parent's listing exactly if it is listed. */
static void test_tree(void **state)
{
	struct world *w = *state;
	assert_int_equal(wire_append(&w->a, w->log, HELLO), 0);
	for (size_t i = 0; i < PATHS; i++) {
		struct names plain = { .count = 0 }, plus = { .count = 0 };
		char dir[256];
		uint64_t ino = wire_path(&w->a, paths[i]);
		if (!ino)
			fail_msg("%s is not there", paths[i]);
		(void)strcpy(dir, paths[i]);
		char *slash = strrchr(dir, '/');
		const char *name = slash ? slash + 1 : dir;
		if (slash)
			*slash = '\0';
		uint64_t parent = slash ? wire_path(&w->a, dir) : FUSE_ROOT_ID;
		assert_int_equal(wire_list(&w->a, parent, FUSE_READDIR, 4096, take_name, &plain), 0);
		assert_int_equal(wire_list(&w->a, parent, FUSE_READDIRPLUS, 4096, take_name, &plus), 0);
		assert_int_equal(plain.count, plus.count);
		bool listed = !is_unlisted(name) && strcmp(name, ".cinta") != 0;
		assert_int_equal(has_name(&plain, name, ino), listed);
		assert_int_equal(has_name(&plus, name, ino), listed);
		assert_true(has_name(&plain, ".", parent) && plain.count > 2);
	}
}

static void test_listing_offsets(void **state)
{
	struct world *w = *state;
	uint64_t sessions = wire_path(&w->a, "sessions");
	struct names whole = { .count = 0 };
	for (int i = 0; i < 40; i++) {
		char name[16];
		(void)snprintf(name, sizeof name, "s-%d", i);
		assert_int_equal(wire_mkdir(&w->a, sessions, name, NULL), 0);
	}
	assert_int_equal(wire_list(&w->a, sessions, FUSE_READDIR, 65536, take_name, &whole), 0);
	assert_int_equal(whole.count, 2 + 1 + 1 + 40); /* dots, current, uno */
	for (uint32_t size = 200; size < 1000; size += 97) {
		struct names parts = { .count = 0 };
		uint32_t op = size % 2 ? FUSE_READDIRPLUS : FUSE_READDIR;
		assert_int_equal(wire_list(&w->a, sessions, op, size, take_name, &parts), 0);
		assert_int_equal(parts.count, whole.count);
		for (size_t i = 0; i < parts.count; i++) {
			assert_string_equal(parts.name[i], whole.name[i]);
			assert_int_equal(parts.ino[i], whole.ino[i]);
		}
	}
	assert_int_equal(wire_list(&w->a, w->log, FUSE_READDIR, 4096, take_name, &whole), -ENOTDIR);
}

static void test_inodes_survive(void **state)
{
	struct world *w = *state;
	uint64_t before[PATHS];
	struct fs_options o = { .owner = "ana" };
	struct store_config config = { .flags = 0, .key_dir = w->keys, .text_size = fs_text_size };
	struct why why = { 0 };
	assert_int_equal(wire_append(&w->a, w->log, HELLO), 0);
	for (size_t i = 0; i < PATHS; i++)
		before[i] = wire_path(i % 2 ? &w->a : &w->b, paths[i]);
	wire_unmount(&w->a);
	wire_unmount(&w->b);
	fs_free(w->fs);
	store_close(w->store);
	assert_int_equal(store_remake(w->path, &config, &(struct rebuild_options){ 0 },
	                              &(struct rebuild_report){ 0 }, &why), 0);
	assert_int_equal(store_open(w->path, &config, &w->store, &why), 0);
	assert_int_equal(fs_new(w->store, &o, &w->fs), 0);
	wire_mount(&w->a, w->fs, false);
	wire_mount(&w->b, w->fs, true);
	for (size_t i = 0; i < PATHS; i++)
		if (wire_path(i % 2 ? &w->b : &w->a, paths[i]) != before[i])
			fail_msg("%s has another inode", paths[i]);
}

static void test_attributes(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	struct fuse_entry_out e;
	uint32_t flags = 0;
	char target[64];
	assert_int_equal(wire_append(&w->a, w->log, HELLO), 0);
	assert_int_equal(wire_getattr(&w->a, w->log, &attr), 0);
	assert_int_equal(attr.mode, S_IFREG | 0600);
	assert_true(attr.size > strlen(HELLO));
	assert_int_equal(wire_ioctl(&w->a, w->log, FS_IOC_GETFLAGS, &flags), 0);
	assert_int_equal(flags, FS_APPEND_FL);
	uint64_t readme = wire_path(&w->a, "README.md");
	assert_int_equal(wire_getattr(&w->a, readme, &attr), 0);
	assert_int_equal(attr.mode, S_IFREG | 0400);
	assert_int_equal(wire_ioctl(&w->a, readme, FS_IOC_GETFLAGS, &flags), 0);
	assert_int_equal(flags, FS_IMMUTABLE_FL);
	assert_int_equal(wire_ioctl(&w->a, readme, FS_IOC_SETFLAGS, &flags), -EPERM);
	assert_int_equal(wire_ioctl(&w->a, readme, 0x5401, &flags), -ENOTTY);
	assert_int_equal(wire_readlink(&w->a, wire_path(&w->a, "sessions/current"), target,
	                               sizeof target), 0);
	assert_string_equal(target, "uno");
	assert_int_equal(wire_readlink(&w->a, w->log, target, sizeof target), -EINVAL);
	/* The few files that change by themselves are never remembered, nor what a log that
	   grows just now is like; all others are. */
	uint64_t cinta = wire_path(&w->a, ".cinta");
	assert_int_equal(wire_lookup(&w->a, cinta, "status.json", &e), 0);
	assert_int_equal(e.attr_valid + e.attr_valid_nsec, 0);
	assert_int_equal(wire_lookup(&w->a, w->uno, "log.jsonl", &e), 0);
	assert_true(e.attr_valid == 0 && e.entry_valid > 3600);
	usleep((GROWING_MS + 100) * 1000);
	assert_int_equal(wire_lookup(&w->a, w->uno, "log.jsonl", &e), 0);
	assert_true(e.attr_valid > 3600 && e.entry_valid > 3600);
}

/* access(2) is answered by the owner's permissions, whoever asks: the kernel asks where it does not know. */
static void test_access(void **state)
{
	struct world *w = *state;
	const struct { const char *path; uint32_t mask; int error; } asked[] = {
		{ ".cinta/pubkey", 4, 0 }, { ".cinta/pubkey", 2, -EACCES }, { ".cinta/pubkey", 6, -EACCES },
		{ ".cinta/pubkey", 1, -EACCES }, { ".cinta/pubkey", 0, 0 }, { "notes", 7, 0 },
		{ "sessions/uno/log.jsonl", 6, 0 }, { "sessions/uno/transcript.md", 2, -EACCES },
		{ ".cinta/verify.sh", 4, 0 },
	};
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		struct fuse_access_in in = { .mask = asked[i].mask };
		uint64_t ino = wire_path(&w->a, asked[i].path);
		assert_true(ino != 0);
		assert_int_equal(wire_call(&w->a, FUSE_ACCESS, ino, &in, sizeof in, NULL, 0, NULL),
		                 asked[i].error);
	}
	assert_int_equal(doc_errors(&w->a, "EACCES"), 0);
}

static void test_statfs(void **state)
{
	struct world *w = *state;
	struct fuse_kstatfs st;
	assert_int_equal(wire_statfs(&w->a, &st), 0);
	assert_int_equal(st.namelen, 255);
	assert_true(st.blocks > 0 && st.bsize > 0);
	assert_int_equal(st.files - st.ffree, (uint64_t)world_entries(w)); /* what df -i calls used */
}

static void test_missing(void **state)
{
	struct world *w = *state;
	char name[300];
	uint64_t sessions = wire_path(&w->a, "sessions");
	assert_int_equal(wire_lookup(&w->a, FUSE_ROOT_ID, "nothing", NULL), -ENOENT);
	assert_int_equal(wire_lookup(&w->a, sessions, "dos", NULL), -ENOENT);
	assert_int_equal(wire_mkdir(&w->b, sessions, "dos", NULL), 0);
	assert_int_equal(wire_lookup(&w->a, sessions, "dos", NULL), 0);
	assert_int_equal(wire_mkdir(&w->a, sessions, "dos", NULL), -EEXIST);
	memset(name, 'n', sizeof name);
	name[256] = '\0';
	assert_int_equal(wire_lookup(&w->a, sessions, name, NULL), -ENAMETOOLONG);
	assert_int_equal(wire_mkdir(&w->a, sessions, name, NULL), -ENAMETOOLONG);
	name[255] = '\0';
	assert_int_equal(wire_lookup(&w->a, sessions, name, NULL), -ENOENT);
	assert_int_equal(wire_mkdir(&w->a, sessions, name, NULL), 0);
	assert_int_equal(wire_lookup(&w->b, sessions, name, NULL), 0);
}

/* In profile R the kernel opens by itself: OPEN, OPENDIR and FLUSH answer ENOSYS. */
static void test_profile_r(void **state)
{
	struct world *w = *state;
	struct wire r;
	struct fuse_open_out o;
	struct fuse_open_in in = { .flags = O_RDONLY };
	struct fuse_attr attr;
	size_t len;
	assert_int_equal(wire_append(&w->a, w->log, HELLO), 0);
	wire_mount(&r, w->fs, true);
	uint64_t log = wire_path(&r, "sessions/uno/log.jsonl");
	assert_int_equal(wire_open(&r, log, O_RDONLY, &o), -ENOSYS);
	assert_int_equal(wire_flush(&r, log, 0), -ENOSYS);
	assert_int_equal(wire_call(&r, FUSE_OPENDIR, FUSE_ROOT_ID, &in, sizeof in, NULL, 0, NULL), -ENOSYS);
	assert_int_equal(wire_getattr(&r, log, &attr), 0);
	char *data = wire_slurp(&r, log, 4096, &len);
	assert_int_equal(len, attr.size);
	assert_non_null(strstr(data, "\"content\":\"hola\""));
	free(data);
	assert_int_equal(wire_write(&r, log, 0, 0, O_WRONLY | O_APPEND, HELLO, strlen(HELLO)), -EBADF);
	wire_unmount(&r);
	/* In profile E directories alone are opened by the kernel. */
	assert_int_equal(wire_call(&w->a, FUSE_OPENDIR, FUSE_ROOT_ID, &in, sizeof in, NULL, 0, NULL),
	                 -ENOSYS);
	uint64_t transcript = wire_path(&w->a, "sessions/uno/transcript.md");
	/* What has grown just now is read directly, what is at rest from the cache. */
	assert_int_equal(wire_open(&w->a, transcript, O_RDONLY, &o), 0);
	assert_true(o.open_flags & FOPEN_DIRECT_IO && o.open_flags & FOPEN_NOFLUSH);
	assert_int_equal(wire_open(&w->a, log, O_RDONLY, &o), 0);
	assert_true(o.open_flags & FOPEN_DIRECT_IO && o.open_flags & FOPEN_NOFLUSH);
	usleep(2100 * 1000);
	assert_int_equal(wire_open(&w->a, transcript, O_RDONLY, &o), 0);
	assert_true(o.open_flags & FOPEN_KEEP_CACHE && o.open_flags & FOPEN_NOFLUSH);
	assert_int_equal(wire_open(&w->a, log, O_RDONLY, &o), 0);
	assert_true(o.open_flags & FOPEN_KEEP_CACHE && !(o.open_flags & FOPEN_DIRECT_IO));
	assert_int_equal(wire_open(&w->a, log, O_WRONLY, &o), 0);
	assert_true(o.open_flags & FOPEN_DIRECT_IO && !(o.open_flags & FOPEN_NOFLUSH));
	assert_int_equal(wire_release(&w->a, log, o.fh), 0);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_init), IN_WORLD(test_tree), IN_WORLD(test_listing_offsets),
		IN_WORLD(test_inodes_survive), IN_WORLD(test_attributes), IN_WORLD(test_access), IN_WORLD(test_statfs),
		IN_WORLD(test_missing), IN_WORLD(test_profile_r),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
