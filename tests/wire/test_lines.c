/* SPDX-License-Identifier: MIT */
/* Bytes written become lines: any split gives the same log; a refusal stores nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/world.h"

enum { LINES = 120, ROUNDS = 12, APPEND = O_WRONLY | O_APPEND };

static uint64_t open_log(struct world *w)
{
	struct fuse_open_out o;
	assert_int_equal(wire_open(&w->a, w->log, APPEND, &o), 0);
	return o.fh;
}

static ssize_t put(struct world *w, uint64_t fh, const char *data, size_t len)
{
	return wire_write(&w->a, w->log, fh, 0, APPEND, data, len);
}

static int64_t log_size(struct world *w)
{
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->a, w->log, &attr), 0);
	return (int64_t)attr.size;
}

static void close_log(struct world *w, uint64_t fh)
{
	assert_int_equal(wire_release(&w->a, w->log, fh), 0);
}

/* The lines of a log hold marker 0, 1, 2, … and nothing else, in this order. */
static void expect_lines(struct world *w, int count)
{
	size_t len;
	char *data = wire_slurp(&w->a, w->log, 65536, &len), *line = data;
	for (int i = 0; i < count; i++) {
		char want[64];
		char *end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		(void)snprintf(want, sizeof want, "{\"id\":%d,\"timestamp\":", i + 1);
		assert_memory_equal(line, want, strlen(want));
		(void)snprintf(want, sizeof want, "\"content\":\"m%d ", i);
		if (!strstr(line, want))
			fail_msg("line %d is %.200s", i, line);
		line = end + 1;
	}
	assert_int_equal(line - data, (ptrdiff_t)len);
	free(data);
}

static char *make_stream(uint64_t *seed, size_t *len)
{
	char *stream = malloc(LINES * 2200);
	assert_non_null(stream);
	*len = 0;
	for (int i = 0; i < LINES; i++) {
		int pad = (int)dice(seed, dice(seed, 8) ? 60 : 2000);
		*len += (size_t)sprintf(stream + *len, "{\"role\":\"user\",\"content\":\"m%d %*s\"}\n", i,
		                        pad, "");
	}
	return stream;
}

/* Property: whatever the sizes of the writes, the log is the stream's lines in order. */
static void test_any_split(void **state)
{
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t seed = 20260 + round;
		struct world *w = round ? world_new(0) : *state;
		size_t len, at = 0;
		char *stream = make_stream(&seed, &len);
		uint64_t fh = open_log(w);
		uint32_t most = round == 0 ? 1 : round % 3 == 0 ? 7 : round % 3 == 1 ? 300 : 20000;
		if (round == 0)
			len = 3000; /* byte by byte is slow; a tail is left for the FLUSH */
		while (at < len) {
			size_t n = 1 + dice(&seed, most);
			n = n < len - at ? n : len - at;
			assert_int_equal(put(w, fh, stream + at, n), n);
			at += n;
		}
		bool tail = stream[len - 1] != '\n';
		int64_t before = world_entries(w);
		int flushed = wire_flush(&w->a, w->log, fh);
		assert_int_equal(flushed, tail ? -EINVAL : 0); /* half a line is no JSON */
		assert_int_equal(world_entries(w), before);
		int lines = 0;
		for (size_t i = 0; i < len; i++)
			lines += stream[i] == '\n';
		expect_lines(w, lines);
		close_log(w, fh);
		free(stream);
		if (round)
			world_free(w);
	}
}

static void test_tail_at_flush(void **state)
{
	struct world *w = *state;
	static const char line[] = "{\"content\":\"m0 \"}";
	uint64_t fh = open_log(w);
	int64_t before = world_entries(w);
	assert_int_equal(put(w, fh, line, 5), 5);
	assert_int_equal(put(w, fh, line + 5, sizeof line - 6), sizeof line - 6);
	assert_int_equal(world_entries(w), before);
	assert_int_equal(log_size(w), 0);
	assert_int_equal(wire_flush(&w->a, w->log, fh), 0);
	assert_int_equal(world_entries(w), before + 1);
	assert_int_equal(wire_flush(&w->a, w->log, fh), 0); /* nothing twice */
	assert_int_equal(world_entries(w), before + 1);
	expect_lines(w, 1);
	close_log(w, fh);
}

/* All lines of a write or none; what was held goes with the refused write. */
static void test_refused_write(void **state)
{
	struct world *w = *state;
	static const char good[] = "{\"content\":\"m0 \"}\n";
	static const char mixed[] = "\"content\":\"x\"}\n{\"content\":\"y\"}\n{\"content\":5}\n{\"cont";
	uint64_t fh = open_log(w);
	int64_t before = world_entries(w);
	assert_int_equal(put(w, fh, "{", 1), 1);
	assert_int_equal(put(w, fh, mixed, sizeof mixed - 1), -EINVAL);
	assert_int_equal(world_entries(w), before);
	assert_int_equal(wire_flush(&w->a, w->log, fh), 0); /* nothing is held any more */
	assert_int_equal(put(w, fh, good, sizeof good - 1), sizeof good - 1);
	assert_int_equal(world_entries(w), before + 1);
	expect_lines(w, 1);
	close_log(w, fh);
	/* All that was offered is kept, the held part too. */
	struct rejected kept;
	char bytes[256] = "";
	assert_int_equal(store_rejected_next(w->store, 0, &kept), 0);
	assert_int_equal(kept.size, sizeof mixed);
	assert_int_equal(store_rejected_read(w->store, kept.id, 0, bytes, sizeof bytes), kept.size);
	assert_int_equal(bytes[0], '{');
	assert_string_equal(bytes + 1, mixed);
}

static void test_long_line(void **state)
{
	struct world *w = *state;
	enum { PART = 150000, LIMIT = (1 << 20) + (4 << 10) }; /* of a copied line */
	char *part = malloc(PART);
	assert_non_null(part);
	memset(part, 'x', PART);
	int64_t before = world_entries(w);
	uint64_t fh = open_log(w);
	ssize_t got = 0;
	int writes = 0;
	for (; got >= 0 && writes < 20; writes++)
		got = put(w, fh, part, PART);
	assert_int_equal(got, -EFBIG);
	assert_int_equal(writes, LIMIT / PART + 1);
	assert_int_equal(wire_flush(&w->a, w->log, fh), 0);
	assert_int_equal(world_entries(w), before);
	close_log(w, fh);
	free(part);
}

/* Without O_APPEND a write must go on where the log ends, or after the writer's own bytes. */
static void test_overwrite(void **state)
{
	struct world *w = *state;
	static const char line[] = "{\"content\":\"m0 \"}\n", next[] = "{\"content\":\"m1 \"}\n";
	struct fuse_open_out o;
	assert_int_equal(wire_open(&w->a, w->log, O_WRONLY, &o), 0);
	assert_int_equal(wire_write(&w->a, w->log, o.fh, 0, O_WRONLY, line, sizeof line - 1),
	                 sizeof line - 1);
	assert_int_equal(wire_write(&w->a, w->log, o.fh, sizeof line - 1, O_WRONLY, next,
	                            sizeof next - 1), sizeof next - 1);
	int64_t before = world_entries(w);
	assert_int_equal(wire_write(&w->a, w->log, o.fh, 3, O_WRONLY, line, sizeof line - 1), -EPERM);
	assert_int_equal(wire_write(&w->a, w->log, o.fh, INT64_C(1) << 40, O_WRONLY, line,
	                            sizeof line - 1), -EPERM);
	assert_int_equal(world_entries(w), before);
	expect_lines(w, 2);
	close_log(w, o.fh);
}

/* Lines of two handles never mix, each keeps its own half line. */
static void test_two_writers(void **state)
{
	struct world *w = *state;
	static const char one[] = "{\"content\":\"m1 one\"}\n", two[] = "{\"content\":\"m0 two\"}\n";
	uint64_t a = open_log(w), b = open_log(w);
	assert_int_equal(put(w, a, one, 10), 10);
	assert_int_equal(put(w, b, two, sizeof two - 1), sizeof two - 1);
	assert_int_equal(put(w, a, one + 10, sizeof one - 11), sizeof one - 11);
	expect_lines(w, 2);
	close_log(w, a);
	close_log(w, b);
}

/* Several writes under way at once on one handle: answered once each, in order on the tape. */
static void test_pipelined(void **state)
{
	struct world *w = *state;
	uint64_t fh = open_log(w), unique[8];
	for (int i = 0; i < 64; i++) {
		char line[64];
		int len = snprintf(line, sizeof line, "{\"content\":\"p%d \"}\n", i);
		struct fuse_write_in in = { .fh = fh, .size = (uint32_t)len, .flags = APPEND };
		if (i >= 8)
			assert_int_equal(wire_wait(&w->a, unique[i % 8], NULL), 0);
		unique[i % 8] = wire_send(&w->a, FUSE_WRITE, w->log, &in, sizeof in, line, (size_t)len);
	}
	for (int i = 0; i < 8; i++)
		assert_int_equal(wire_wait(&w->a, unique[i], NULL), 0);
	size_t len;
	char *data = wire_slurp(&w->a, w->log, 4096, &len);
	for (int i = 0; i < 64; i++) {
		char want[32];
		(void)snprintf(want, sizeof want, "\"content\":\"p%d \"", i);
		assert_non_null(strstr(data, want));
	}
	free(data);
	close_log(w, fh);
}

static void test_fsync(void **state)
{
	struct world *w = *state;
	static const char line[] = "{\"content\":\"m0 \"}\n";
	uint64_t fh = open_log(w);
	assert_int_equal(wire_fsync(&w->a, w->log, fh), 0);
	assert_int_equal(put(w, fh, line, sizeof line - 1), sizeof line - 1);
	assert_int_equal(wire_fsync(&w->a, w->log, fh), 0);
	expect_lines(w, 1);
	close_log(w, fh);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_any_split), IN_WORLD(test_tail_at_flush), IN_WORLD(test_refused_write),
		IN_WORLD(test_long_line), IN_WORLD(test_overwrite), IN_WORLD(test_two_writers),
		IN_WORLD(test_pipelined), IN_WORLD(test_fsync),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
