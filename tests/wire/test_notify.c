/* SPDX-License-Identifier: MIT */
/*
 * Invalidation: whatever a mount may hold of what a write changes is taken from
 * it before the write is answered; what it cannot hold costs no message.
 */
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
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "fs/kernel/growing.h"
#include "tests/wire/world.h"

#define LINE "{\"content\":\"hola\"}\n"
#define THREAD_LINE "{\"content\":\"hola\",\"thread\":\"obra\"}\n"

/* One WRITE to an open log. */
static void write_open(struct world *w, struct wire *k, uint64_t fh, const char *line)
{
	wire_forget_notices(&w->a);
	wire_forget_notices(&w->b);
	assert_int_equal(wire_write(k, w->log, fh, 0, O_WRONLY | O_APPEND, line, strlen(line)),
	                 strlen(line));
	/* The reply is here: whatever was to come before it must have arrived, now. */
	wire_look(&w->a);
	wire_look(&w->b);
}

/* The same between an open and a release, which must not matter. */
static void write_line(struct world *w, struct wire *k, const char *line)
{
	struct fuse_open_out o;
	assert_int_equal(wire_open(k, w->log, O_WRONLY | O_APPEND, &o), 0);
	write_open(w, k, o.fh, line);
	size_t a = w->a.notices, b = w->b.notices;
	assert_int_equal(wire_release(k, w->log, o.fh), 0);
	assert_int_equal(w->a.notices + w->b.notices, a + b);
}

/* Everything one can know of a session, looked up and read. */
static void know_all(struct wire *k, uint64_t ino[8])
{
	static const char *const paths[8] = { "sessions/uno/log.jsonl", "sessions/uno/transcript.md",
		"sessions/uno/session.md", "sessions/uno/refs.jsonl", "sessions/uno/messages",
		".cinta/tape.jsonl", "threads/obra/log.jsonl", "threads/obra/transcript.md" };
	char byte[64];
	for (int i = 0; i < 8; i++) {
		ino[i] = wire_path(k, paths[i]);
		assert_true(ino[i] != 0);
		if (i != 4) {
			assert_true(wire_read(k, ino[i], 0, 0, byte, sizeof byte) >= 0);
		}
	}
}

static void test_nothing_known(void **state)
{
	struct world *w = *state;
	wire_forget(&w->a, w->log, 1); /* one reference goes, none is left */
	usleep(200 * 1000);            /* it has no answer: the other worker could be faster */
	for (int i = 0; i < 5; i++) {
		write_line(w, &w->b, LINE);
		/* The first write makes uno current: nobody has asked for that link either. */
		assert_int_equal(w->a.notices, 0);
		assert_int_equal(w->b.notices, 0);
	}
}

static void test_before_reply(void **state)
{
	struct world *w = *state;
	uint64_t ino[8];
	write_line(w, &w->a, THREAD_LINE);
	for (int round = 0; round < 20; round++) {
		struct wire *reader = round % 2 ? &w->a : &w->b, *writer = round % 2 ? &w->b : &w->a;
		know_all(reader, ino);
		write_line(w, writer, THREAD_LINE);
		for (int i = 0; i < 8; i++)
			if (!wire_noticed(reader, ino[i]))
				fail_msg("round %d: inode %d of the list was not invalidated", round, i);
		assert_int_equal(reader->notices, 8);
		write_line(w, writer, THREAD_LINE); /* told once: nothing is known any more */
		assert_int_equal(reader->notices, 0);
	}
}

/* The writer's own mount drops attributes by itself, but its data and other files are told. */
static void test_own_mount(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	struct fuse_open_out o;
	char byte[16];
	write_line(w, &w->a, LINE);
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY | O_APPEND, &o), 0);
	assert_int_equal(wire_getattr(&w->a, w->log, &attr), 0);
	write_open(w, &w->a, o.fh, LINE);
	assert_false(wire_noticed(&w->a, w->log));
	assert_true(wire_read(&w->a, w->log, 0, 0, byte, sizeof byte) > 0);
	uint64_t transcript = wire_path(&w->a, "sessions/uno/transcript.md");
	write_open(w, &w->a, o.fh, LINE);
	assert_true(wire_noticed(&w->a, w->log));
	assert_true(wire_noticed(&w->a, transcript));
	assert_int_equal(wire_release(&w->a, w->log, o.fh), 0);
}

static uint64_t seconds_valid(struct wire *k, uint64_t ino)
{
	struct fuse_getattr_in in = { 0 };
	struct answer a;
	assert_int_equal(wire_call(k, FUSE_GETATTR, ino, &in, sizeof in, NULL, 0, &a), 0);
	assert_int_equal(a.len, sizeof(struct fuse_attr_out));
	uint64_t seconds = ((const struct fuse_attr_out *)a.data)->attr_valid;
	free(a.data);
	return seconds;
}

/* While a log is open for appending its own mount has no attributes to trust (fs/kernel/growing.h). */
static void test_open_for_appending(void **state)
{
	struct world *w = *state;
	struct fuse_open_out one, two;
	write_line(w, &w->a, LINE);
	assert_int_equal(seconds_valid(&w->a, w->log), 0); /* it grows just now: */
	wire_forget_notices(&w->a);
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY | O_APPEND, &one), 0);
	wire_look(&w->a);
	assert_int_equal(w->a.notices, 0); /* nothing to take back */
	assert_int_equal(wire_release(&w->a, w->log, one.fh), 0);
	usleep((GROWING_MS + 100) * 1000);
	assert_true(seconds_valid(&w->a, w->log) > 0);
	wire_forget_notices(&w->a);
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY | O_APPEND, &one), 0);
	wire_look(&w->a); /* what it had been given is taken back before the answer */
	assert_true(wire_noticed(&w->a, w->log));
	assert_int_equal(seconds_valid(&w->a, w->log), 0);
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY | O_APPEND, &two), 0);
	assert_int_equal(wire_release(&w->a, w->log, one.fh), 0);
	assert_int_equal(seconds_valid(&w->a, w->log), 0);
	assert_int_equal(wire_release(&w->a, w->log, two.fh), 0);
	assert_true(seconds_valid(&w->a, w->log) > 0);
}

static void test_thread_only(void **state)
{
	struct world *w = *state;
	write_line(w, &w->a, THREAD_LINE);
	uint64_t thread = wire_path(&w->b, "threads/obra/log.jsonl");
	write_line(w, &w->a, LINE);
	assert_false(wire_noticed(&w->b, thread));
	write_line(w, &w->a, THREAD_LINE);
	assert_true(wire_noticed(&w->b, thread));
}

static void test_forgotten(void **state)
{
	struct world *w = *state;
	uint64_t log = wire_path(&w->b, "sessions/uno/log.jsonl");
	assert_int_equal(wire_path(&w->b, "sessions/uno/log.jsonl"), log); /* two references */
	wire_forget(&w->b, log, 1);
	write_line(w, &w->a, LINE);
	assert_true(wire_noticed(&w->b, log));
	assert_int_equal(wire_path(&w->b, "sessions/uno/log.jsonl"), log);
	struct fuse_batch_forget_in in = { .count = 1 };
	struct fuse_forget_one one = { .nodeid = log, .nlookup = 2 };
	(void)wire_send(&w->b, FUSE_BATCH_FORGET, 0, &in, sizeof in, &one, sizeof one);
	/* FORGET has no reply: a request after it, by each worker, says it is done. */
	struct fuse_kstatfs st;
	for (int i = 0; i < 8; i++)
		assert_int_equal(wire_statfs(&w->b, &st), 0);
	write_line(w, &w->a, LINE);
	assert_false(wire_noticed(&w->b, log));
}

/* A new name: the directory's listing; a line in it: the link to the current session. */
static void test_names(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	char target[32];
	uint64_t sessions = wire_path(&w->b, "sessions"), link = wire_path(&w->b, "sessions/current");
	write_line(w, &w->a, LINE);
	assert_int_equal(wire_readlink(&w->b, link, target, sizeof target), 0);
	assert_string_equal(target, "uno");
	wire_forget_notices(&w->b);
	assert_int_equal(wire_mkdir(&w->a, sessions, "dos", NULL), 0);
	wire_look(&w->b);
	assert_true(wire_noticed(&w->b, sessions));
	assert_int_equal(wire_readlink(&w->b, link, target, sizeof target), 0);
	assert_string_equal(target, "uno"); /* nobody has written to dos */
	wire_forget_notices(&w->b);
	assert_int_equal(wire_append(&w->a, wire_path(&w->a, "sessions/dos/log.jsonl"), LINE), 0);
	wire_look(&w->b);
	assert_true(wire_noticed(&w->b, link));
	assert_int_equal(wire_readlink(&w->b, link, target, sizeof target), 0);
	assert_string_equal(target, "dos");
	write_line(w, &w->a, LINE);
	assert_true(wire_noticed(&w->b, link));
	assert_int_equal(wire_readlink(&w->b, link, target, sizeof target), 0);
	assert_string_equal(target, "uno");
	/* The first message of a thread changes the list of threads. */
	uint64_t threads = wire_path(&w->b, "threads");
	assert_int_equal(wire_getattr(&w->b, threads, &attr), 0);
	write_line(w, &w->a, THREAD_LINE);
	assert_true(wire_noticed(&w->b, threads));
}

static void test_refusals(void **state)
{
	struct world *w = *state;
	uint64_t errors = wire_path(&w->b, "errors.log"), rejected = wire_path(&w->b, "rejected");
	wire_forget_notices(&w->b);
	assert_int_equal(wire_append(&w->a, w->log, "no json\n"), -EINVAL);
	wire_look(&w->b);
	assert_true(wire_noticed(&w->b, errors));
	assert_true(wire_noticed(&w->b, rejected));
}

/* A reader that takes what it is told and reads again never lacks a line that was answered. */
static void test_reread(void **state)
{
	struct world *w = *state;
	char *cache = NULL;
	size_t len = 0;
	uint64_t log = wire_path(&w->b, "sessions/uno/log.jsonl");
	for (int i = 0; i < 200; i++) {
		char line[64], want[64];
		(void)snprintf(line, sizeof line, "{\"content\":\"n%d\"}\n", i);
		(void)snprintf(want, sizeof want, "\"content\":\"n%d\"", i);
		write_line(w, &w->a, line);
		if (!cache || wire_noticed(&w->b, log)) {
			free(cache);
			cache = wire_slurp(&w->b, log, 65536, &len);
		}
		if (!strstr(cache, want))
			fail_msg("line %d was answered and is not seen", i);
	}
	free(cache);
}

/* The kernel has the size before anybody is told it, and the old pages have gone before that. */
static void test_size_first(void **state)
{
	static const int grows[] = { 0, 1, 5, 6, 7 }; /* of know_all()'s list */
	struct world *w = *state;
	struct wire ro;
	struct fuse_attr attr;
	uint64_t ino[8];
	write_line(w, &w->a, THREAD_LINE);
	wire_mount(&ro, w->fs, true);
	for (int round = 0; round < 20; round++) {
		know_all(&ro, ino);
		wire_forget_notices(&ro);
		write_line(w, &w->a, THREAD_LINE);
		wire_look(&ro);
		for (size_t i = 0; i < sizeof grows / sizeof *grows; i++) {
			const struct store_notice *s = wire_stored(&ro, ino[grows[i]]);
			assert_non_null(s);
			assert_int_equal(s->last, '\n');
			assert_true(s->after > 0 && ro.notice[s->after - 1] == ino[grows[i]]);
			assert_int_equal(wire_getattr(&ro, ino[grows[i]], &attr), 0);
			assert_int_equal(attr.size, s->end);
		}
		/* Nobody was told of these lines: asking makes the kernel have their size first. */
		write_line(w, &w->a, LINE);
		write_line(w, &w->a, LINE);
		wire_forget_notices(&ro);
		assert_int_equal(wire_getattr(&ro, ino[0], &attr), 0);
		const struct store_notice *s = wire_stored(&ro, ino[0]);
		assert_true(s && s->end == attr.size && s->after == 1 && ro.notice[0] == ino[0]);
		wire_forget_notices(&ro);
		assert_int_equal(wire_getattr(&ro, ino[0], &attr), 0); /* else it would never be cached */
		assert_int_equal(ro.notices + ro.stores, 0);
	}
	wire_unmount(&ro);
}

enum { UNHEARD = 24 };

enum { FILLED = 16384 }; /* bytes of a full socket that the sizes of its messages leave out, at most */

/* What its server sends fills the socket, so that a notice to it waits until hear(). */
static void deafen(struct wire *k, uint64_t ino, uint64_t unheard[UNHEARD])
{
	struct fuse_read_in in = { .size = k->most > 1 << 20 ? 1 << 20 : (uint32_t)k->most - 4096 };
	for (int i = 0; i < UNHEARD; i++)
		unheard[i] = wire_send(k, FUSE_READ, ino, &in, sizeof in, NULL, 0);
	for (int waiting = 0; (size_t)waiting < 2 * k->most - FILLED; usleep(1000))
		MUST(ioctl(k->fd, FIONREAD, &waiting) == 0);
}

static void hear(struct wire *k, const uint64_t unheard[UNHEARD])
{
	for (int i = 0; i < UNHEARD; i++)
		assert_int_equal(wire_wait(k, unheard[i], NULL), 0);
}

static bool is_answered(struct wire *k, uint64_t unique)
{
	bool open = false;
	wire_look(k);
	for (size_t i = 0; i < k->open_count; i++)
		open |= k->open[i] == unique;
	return !open;
}

/* One append while b hears nothing.  False: b still had room for the notice. */
static bool read_behind(struct world *w, uint64_t fh, char *data, size_t room)
{
	struct fuse_write_in in = { .fh = fh, .size = sizeof LINE - 1, .flags = O_WRONLY | O_APPEND };
	struct fuse_open_out reader;
	struct fuse_attr attr;
	uint64_t unheard[UNHEARD];
	int64_t entries = world_entries(w);
	char byte;
	assert_int_equal(wire_read(&w->b, w->log, 0, 0, &byte, 1), 1);
	assert_int_equal(wire_getattr(&w->a, w->log, &attr), 0);
	int64_t before = (int64_t)attr.size;
	deafen(&w->b, w->log, unheard);
	uint64_t write = wire_send(&w->a, FUSE_WRITE, w->log, &in, sizeof in, LINE, sizeof LINE - 1);
	while (world_entries(w) == entries)
		usleep(1000);
	assert_int_equal(wire_open(&w->a, w->log, O_RDONLY, &reader), 0);
	assert_true(reader.open_flags & FOPEN_DIRECT_IO);
	ssize_t behind = wire_read(&w->a, w->log, reader.fh, before, data, room);
	assert_true(behind >= 0);
	assert_int_equal(wire_getattr(&w->a, w->log, &attr), 0);
	bool waited = !is_answered(&w->a, write);
	assert_true((int64_t)attr.size >= before + behind);
	hear(&w->b, unheard);
	assert_int_equal(wire_wait(&w->a, write, NULL), 0);
	assert_true(wire_read(&w->a, w->log, reader.fh, before, data, room) > 0);
	assert_int_equal(wire_release(&w->a, w->log, reader.fh), 0);
	return waited;
}

/* Who reads past the page cache to the end of a log is not told a smaller size after it. */
static void test_told_what_was_read(void **state)
{
	struct world *w = *state;
	struct fuse_open_out o;
	char *line = calloc(1, 60100);
	bool waited = false;
	(void)snprintf(line, 60100, "{\"content\":\"%60000s\"}\n", "");
	for (int i = 0; i < 20; i++) /* enough to fill a socket with */
		assert_int_equal(wire_append(&w->a, w->log, line), 0);
	assert_int_equal(wire_path(&w->b, "sessions/uno/log.jsonl"), w->log);
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY | O_APPEND, &o), 0);
	for (int i = 0; i < 50 && !waited; i++)
		waited = read_behind(w, o.fh, line, 60100);
	assert_true(waited);
	assert_int_equal(wire_release(&w->a, w->log, o.fh), 0);
	free(line);
}

/* The entry of an inode that the kernel has is told in turn, a listing leaves its size out. */
static void count_sizes(void *ctx, const char *name, const struct fuse_dirent *entry,
                        const struct fuse_entry_out *plus)
{
	(void)name, (void)entry;
	*(int *)ctx += plus && plus->nodeid != 0 && S_ISREG(plus->attr.mode);
}

static void test_entries_in_turn(void **state)
{
	struct world *w = *state;
	struct wire ro;
	struct fuse_entry_out out;
	int sizes = 0;
	wire_mount(&ro, w->fs, true);
	uint64_t dir = wire_path(&ro, "sessions/uno");
	assert_int_equal(wire_list(&ro, dir, FUSE_READDIRPLUS, 4096, count_sizes, &sizes), 0);
	assert_int_equal(sizes, 3);
	assert_int_equal(wire_lookup(&ro, dir, "log.jsonl", &out), 0);
	wire_forget_notices(&ro);
	write_line(w, &w->a, LINE);
	wire_look(&ro);
	const struct store_notice *s = wire_stored(&ro, out.nodeid);
	assert_non_null(s);
	write_line(w, &w->a, LINE);
	assert_int_equal(wire_lookup(&ro, dir, "log.jsonl", &out), 0);
	s = wire_stored(&ro, out.nodeid);
	assert_true(s && s->end == out.attr.size);
	sizes = 0;
	assert_int_equal(wire_list(&ro, dir, FUSE_READDIRPLUS, 4096, count_sizes, &sizes), 0);
	assert_int_equal(sizes, 1); /* session.md, which does not grow */
	wire_unmount(&ro);
}

/* Another process's rows: everything that was handed out is taken back. */
static void test_foreign(void **state)
{
	struct world *w = *state;
	uint64_t ino[8];
	write_line(w, &w->a, THREAD_LINE);
	know_all(&w->a, ino);
	know_all(&w->b, ino);
	wire_forget_notices(&w->a);
	wire_forget_notices(&w->b);
	fs_on_foreign(w->fs, -1);
	for (int i = 0; i < 8; i++) {
		uint64_t seen = 0;
		while (!wire_noticed(&w->a, ino[i]) || !wire_noticed(&w->b, ino[i])) {
			struct fuse_kstatfs st;
			assert_true(seen++ < 100000);
			assert_int_equal(wire_statfs(&w->a, &st), 0);
			wire_look(&w->a);
			wire_look(&w->b);
		}
	}
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_nothing_known), IN_WORLD(test_before_reply), IN_WORLD(test_own_mount),
		IN_WORLD(test_open_for_appending),
		IN_WORLD(test_thread_only),   IN_WORLD(test_forgotten),    IN_WORLD(test_names),
		IN_WORLD(test_refusals),      IN_WORLD(test_reread),       IN_WORLD(test_foreign),
		IN_WORLD(test_size_first),    IN_WORLD(test_entries_in_turn),
		IN_WORLD(test_told_what_was_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
