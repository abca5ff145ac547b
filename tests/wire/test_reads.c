/* SPDX-License-Identifier: MIT */
/* Sizes are true: the bytes read are st_size, and the same at any chunking and offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/world.h"

static const char *const files[] = {
	"README.md", "errors.log", "sessions/uno/log.jsonl", "sessions/uno/transcript.md",
	"sessions/uno/session.md", "sessions/uno/refs.jsonl", "sessions/uno/messages/000001.md",
	"sessions/uno/messages/000033.md", "threads/obra/log.jsonl", "threads/obra/transcript.md",
	"threads/casa/log.jsonl", ".cinta/tape.jsonl", ".cinta/pubkey", ".cinta/verify.sh",
};

/* 150 messages of very different sizes, some in two threads, references, refusals. */
static void fill(struct world *w)
{
	uint64_t seed = 7;
	char *line = malloc(40000);
	assert_non_null(line);
	for (int i = 0; i < 150; i++) {
		static const char *const extra[] = { "", ",\"thread\":\"obra\"", ",\"thread\":\"casa\"",
			",\"refs\":[{\"type\":\"context\",\"ref\":1}]", ",\"hashtags\":[\"a\",\"b\"]" };
		int pad = (int)dice(&seed, i % 40 == 7 ? 30000 : 400);
		(void)snprintf(line, 40000, "{\"role\":\"%s\",\"content\":\"%d a\xC3\xB1o\\n\\n# x%*s\"%s}\n",
		               i % 2 ? "user" : "assistant", i, pad, "", extra[i % 5]);
		assert_int_equal(wire_append(&w->a, w->log, line), 0);
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(wire_append(&w->a, w->log, "{\"content\":1}\n"), -EINVAL);
	free(line);
}

static void check_chunks(struct wire *k, uint64_t ino, const char *whole, size_t len)
{
	static const size_t chunks[] = { 1, 7, 4096, 1 << 20 };
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
		size_t chunk = chunks[i] < k->most - 4096 ? chunks[i] : k->most - 4096, got;
		if (chunk == 1 && len > 4000)
			continue; /* the log by 7 bytes is walk enough */
		if (chunk == 7 && len > 20000)
			chunk = 77;
		char *data = wire_slurp(k, ino, chunk, &got);
		assert_int_equal(got, len);
		assert_memory_equal(data, whole, len);
		free(data);
	}
}

static void check_offsets(struct wire *k, uint64_t ino, const char *whole, size_t len)
{
	uint64_t seed = ino;
	struct fuse_open_out o = { 0 };
	char *part = malloc(70000);
	int err = wire_open(k, ino, 0, &o);
	assert_true(part && (err == 0 || err == -ENOSYS));
	for (int i = 0; i < 80; i++) {
		size_t at = dice(&seed, (uint32_t)len + 2), size = 1 + dice(&seed, i % 2 ? 100 : 65536);
		size_t left = at < len ? len - at : 0, want = left < size ? left : size;
		assert_int_equal(wire_read(k, ino, o.fh, (int64_t)at, part, size), want);
		assert_memory_equal(part, whole + (at < len ? at : len), want);
	}
	assert_int_equal(wire_read(k, ino, o.fh, INT64_C(1) << 40, part, 100), 0);
	if (!err)
		assert_int_equal(wire_release(k, ino, o.fh), 0);
	free(part);
}

static void check_files(struct wire *k)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct fuse_attr attr;
		size_t len;
		uint64_t ino = wire_path(k, files[i]);
		assert_true(ino != 0);
		assert_int_equal(wire_getattr(k, ino, &attr), 0);
		char *whole = wire_slurp(k, ino, 65536, &len);
		if (attr.size != len || len == 0)
			fail_msg("%s: size %lld, %zu bytes read", files[i], (long long)attr.size, len);
		check_chunks(k, ino, whole, len);
		check_offsets(k, ino, whole, len);
		free(whole);
	}
}

static void test_chunks(void **state)
{
	struct world *w = *state;
	fill(w);
	check_files(&w->a);
}

static void test_chunks_profile_r(void **state)
{
	struct world *w = *state;
	struct wire r;
	fill(w);
	wire_mount(&r, w->fs, true);
	check_files(&r);
	wire_unmount(&r);
}

/* A fresh file is a snapshot of its opening, whatever happens meanwhile. */
static void test_snapshot(void **state)
{
	struct world *w = *state;
	char first[2048], again[2048];
	struct fuse_open_out o;
	uint64_t ino = wire_path(&w->a, ".cinta/status.json");
	assert_int_equal(wire_open(&w->a, ino, 0, &o), 0);
	assert_true(o.open_flags & FOPEN_DIRECT_IO);
	ssize_t len = wire_read(&w->a, ino, o.fh, 0, first, sizeof first);
	assert_true(len > 100 && first[len - 1] == '\n');
	assert_int_equal(wire_append(&w->a, w->log, "{\"content\":\"more\"}\n"), 0);
	assert_int_equal(wire_read(&w->a, ino, o.fh, 0, again, sizeof again), len);
	assert_memory_equal(again, first, (size_t)len);
	assert_int_equal(wire_release(&w->a, ino, o.fh), 0);
	assert_int_equal(wire_open(&w->a, ino, 0, &o), 0);
	len = wire_read(&w->a, ino, o.fh, 0, again, sizeof again);
	assert_true(len > 0 && memcmp(again, first, (size_t)len) != 0);
	assert_int_equal(wire_release(&w->a, ino, o.fh), 0);
}

/* Every prefix stays: what was read once is read again, longer. */
static void test_growth(void **state)
{
	struct world *w = *state;
	static const char *const growing[] = { "sessions/uno/log.jsonl", "sessions/uno/transcript.md",
		".cinta/tape.jsonl" };
	char *before[3] = { NULL, NULL, NULL };
	size_t size[3] = { 0, 0, 0 };
	for (int i = 0; i < 30; i++) {
		assert_int_equal(wire_append(i % 2 ? &w->a : &w->b, w->log, "{\"content\":\"x y\"}\n"), 0);
		for (int f = 0; f < 3; f++) {
			size_t len;
			struct fuse_attr attr;
			struct wire *k = i % 3 ? &w->a : &w->b;
			uint64_t ino = wire_path(k, growing[f]);
			char *data = wire_slurp(k, ino, 4096, &len);
			assert_true(len > size[f]);
			assert_int_equal(wire_getattr(k, ino, &attr), 0);
			assert_int_equal(attr.size, len);
			if (before[f])
				assert_memory_equal(data, before[f], size[f]);
			free(before[f]);
			before[f] = data;
			size[f] = len;
		}
	}
	for (int f = 0; f < 3; f++)
		free(before[f]);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_chunks), IN_WORLD(test_chunks_profile_r), IN_WORLD(test_snapshot),
		IN_WORLD(test_growth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
