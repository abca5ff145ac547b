/* SPDX-License-Identifier: MIT */
/*
 * Several kernels at once: each thread appends and reads through a mount of its
 * own while further mounts come and go.  Nothing is lost or out of a writer's
 * order; under the thread sanitizer nothing races.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/world.h"

enum { WRITERS = 4, EACH = 60, GUESTS = 2 };

struct shared {
	struct world *w;
	_Atomic int next, writing;
};

static const char *const seen[] = { "sessions/uno/log.jsonl", "sessions/uno/transcript.md",
	"sessions/uno/session.md", "threads/obra/log.jsonl", ".cinta/tape.jsonl", "errors.log",
	".cinta/status.json" };

static void take(void *ctx, const char *name, const struct fuse_dirent *e,
                 const struct fuse_entry_out *plus)
{
	(void)name, (void)e, (void)plus;
	++*(int *)ctx;
}

/* Asks for and reads what a busy reader would; sizes must hold at the moment of each read. */
static void look_around(struct wire *k, uint64_t *seed)
{
	struct fuse_attr attr;
	size_t len;
	int names = 0;
	uint64_t ino = wire_path(k, seen[dice(seed, sizeof seen / sizeof *seen)]);
	if (!ino)
		return; /* the thread is not there yet */
	MUST(wire_getattr(k, ino, &attr) == 0);
	char *data = wire_slurp(k, ino, 4096 + dice(seed, 60000), &len);
	bool fresh = strncmp(data, "{\n", 2) == 0;
	MUST(fresh || len >= attr.size);
	MUST(len == 0 || data[len - 1] == '\n');
	free(data);
	MUST(wire_list(k, wire_path(k, "sessions"), FUSE_READDIRPLUS, 4096, take, &names) == 0);
	MUST(names >= 3);
	wire_forget(k, ino, 1 + dice(seed, 2));
	wire_forget_notices(k);
}

static void *write_lines(void *arg)
{
	struct shared *s = arg;
	struct wire k;
	int me = atomic_fetch_add(&s->next, 1);
	uint64_t seed = (uint64_t)me;
	wire_mount(&k, s->w->fs, false);
	uint64_t log = wire_path(&k, "sessions/uno/log.jsonl");
	for (int i = 0; i < EACH; i++) {
		char line[128];
		(void)snprintf(line, sizeof line, "{\"content\":\"w%d n%d \"%s}\n", me, i,
		               dice(&seed, 2) ? ",\"thread\":\"obra\"" : "");
		MUST(wire_append(&k, log, line) == 0);
		if (i % 20 == 7)
			MUST(wire_append(&k, log, "{\"content\":7}\n") == -EINVAL);
		if (i % 20 == 9) {
			(void)snprintf(line, sizeof line, "s-%d-%d", me, i);
			MUST(wire_mkdir(&k, wire_path(&k, "sessions"), line, NULL) == 0);
		}
		if (i % 20 == 11)
			MUST(wire_fsync(&k, log, 0) == 0);
		look_around(&k, &seed);
	}
	wire_unmount(&k);
	atomic_fetch_sub(&s->writing, 1);
	return NULL;
}

/* Mounts, looks, goes, again and again until the writers are done. */
static void *come_and_go(void *arg)
{
	struct shared *s = arg;
	uint64_t seed = 1000;
	do {
		struct wire k;
		wire_mount(&k, s->w->fs, dice(&seed, 2) == 0);
		for (uint32_t i = dice(&seed, 6); i > 0; i--)
			look_around(&k, &seed);
		(void)wire_path(&k, "sessions/uno/log.jsonl"); /* known when it goes */
		wire_unmount(&k);
	} while (atomic_load(&s->writing) > 0);
	return NULL;
}

static void check_order(const char *data)
{
	int next[WRITERS] = { 0 };
	for (const char *p = data; (p = strstr(p, "\"content\":\"w")); p++) {
		int who, n;
		assert_int_equal(sscanf(p, "\"content\":\"w%d n%d \"", &who, &n), 2);
		assert_in_range(who, 0, WRITERS - 1);
		assert_int_equal(n, next[who]);
		next[who]++;
	}
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(next[i], EACH);
}

static void run(struct world *w)
{
	struct shared s = { .w = w };
	pthread_t writer[WRITERS], guest[GUESTS];
	atomic_store(&s.writing, WRITERS);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&writer[i], NULL, write_lines, &s), 0);
	for (int i = 0; i < GUESTS; i++)
		assert_int_equal(pthread_create(&guest[i], NULL, come_and_go, &s), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(writer[i], NULL), 0);
	for (int i = 0; i < GUESTS; i++)
		assert_int_equal(pthread_join(guest[i], NULL), 0);
	size_t len;
	char *data = wire_slurp(&w->a, w->log, 65536, &len);
	check_order(data);
	free(data);
}

static void test_many(void **state)
{
	run(*state);
}

/* The same with the maintenance thread at work: views catch up, checkpoints are signed. */
static void test_many_with_keeper(void **state)
{
	struct world *w = world_new(STORE_OWNER);
	(void)state;
	run(w);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_many, world_open, world_close),
		cmocka_unit_test(test_many_with_keeper),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
