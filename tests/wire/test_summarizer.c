/* SPDX-License-Identifier: MIT */
/* The mount's command for summaries: what it is given, what of it is taken, and how one is rid of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/wire/documents.h"

#define CONTEXT "sessions/uno/context.md"
#define ONE "**1\xe2\x80\x93" "3**"
enum { PATIENCE_MS = 60000, STEP_MS = 50, LONG_MS = 60000 };

/* The command finds in $MARK the path of a file of ours. */
static char mark[128];

static struct world *with(const char *command, int limit_ms)
{
	const struct fs_options o = { .owner = "ana", .summarizer = command, .summarizer_ms = limit_ms,
		.summarizer_rest_ms = 100 };
	const char *base = getenv("CINTA_TEST_BASE");
	(void)snprintf(mark, sizeof mark, "%.80s/wire-mark-%ld", base ? base : "/var/tmp", (long)getpid());
	(void)unlink(mark);
	setenv("MARK", mark, 1);
	return world_with(0, &o);
}

static bool says(struct world *w, const char *path, const char *text)
{
	size_t len; /* not doc_text(): the page may change between its bytes and its size */
	uint64_t ino = wire_path(&w->a, path);
	char *page = ino ? wire_slurp(&w->a, ino, 65536, &len) : NULL;
	bool there = page && strstr(page, text);
	free(page);
	return there;
}

static void await(struct world *w, const char *path, const char *text)
{
	for (int ms = 0; ms < PATIENCE_MS && !says(w, path, text); ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_true(says(w, path, text));
}

static void await_not(struct world *w, const char *path, const char *text)
{
	for (int ms = 0; ms < PATIENCE_MS && says(w, path, text); ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_false(says(w, path, text));
}

/* So many turns by turns, each with `more` bytes. */
static void talk(struct world *w, int turns, size_t more)
{
	char *line = calloc(1, more + 128), *fill = calloc(1, more + 1);
	assert_true(line && fill);
	memset(fill, 'x', more);
	for (int i = 1; i <= turns; i++) {
		(void)snprintf(line, more + 128, "{\"role\":\"%s\",\"content\":\"harbour and boats %d %s\"}\n",
		               i % 2 ? "user" : "assistant", i, fill);
		assert_int_equal(wire_append(&w->a, w->log, line), 0);
	}
	free(line);
	free(fill);
}

/* Line n of what the command noted, as a number; 0: it is not there yet. */
static long noted(int n)
{
	char text[64] = "";
	FILE *f = fopen(mark, "re");
	while (f && n-- > 0 && fgets(text, sizeof text, f))
		continue;
	if (f)
		(void)fclose(f);
	return n >= 0 ? 0 : strtol(text, NULL, 10);
}

static long await_noted(int n)
{
	for (int ms = 0; ms < PATIENCE_MS && noted(n) == 0; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_true(noted(n) > 0);
	return noted(n);
}

/* Soon: init has to wait for those that were not our children. */
static void is_gone(long pid)
{
	char path[64], state[256] = "";
	for (int ms = 0; ms < PATIENCE_MS && kill((pid_t)pid, 0) == 0; ms += STEP_MS) {
		(void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
		FILE *f = fopen(path, "re");
		bool zombie = f && fgets(state, sizeof state, f) && strstr(state, ") Z ");
		if (f)
			(void)fclose(f);
		if (zombie) /* of an init that does not wait */
			return;
		usleep(STEP_MS * 1000);
	}
	assert_int_equal(kill((pid_t)pid, 0), -1);
}

static bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

static void end(struct world *w)
{
	world_free(w);
	(void)unlink(mark);
	assert_false(has_children());
}

static int64_t refusals(struct world *w)
{
	struct status s;
	store_status(w->store, &s);
	return s.refusals;
}

/* It is given the messages; what it says stands for them, once, here and after a restart. */
static void test_good(void **state)
{
	const struct fs_options plain = { .owner = "ana" };
	struct context_state c;
	(void)state;
	struct world *w = with("cat >> $MARK; echo topic: said by it", LONG_MS);
	talk(w, 20, 0);
	await(w, CONTEXT, ONE " (by command)\ntopic: said by it\n");
	await_not(w, CONTEXT, "(by rule)"); /* later segments have theirs a little later */
	char line[4096] = "";
	FILE *f = fopen(mark, "re");
	assert_non_null(f);
	while (fgets(line, sizeof line, f) && !strstr(line, "\"first\":1,"))
		continue;
	(void)fclose(f);
	assert_non_null(strstr(line, "{\"session\":\"uno\",\"first\":1,\"last\":3,\"max_tokens\":50,"
	                             "\"messages\":[{\"id\":1,\"role\":\"user\",\"author\":\"ana:"));
	assert_non_null(strstr(line, "\"content\":\"harbour and boats 3 \"}]}\n"));
	assert_null(strstr(line, "boats 4"));
	assert_int_equal(store_context_state(w->store, 1, &c), 0);
	assert_int_equal(c.active, 20); /* nothing went because of it */
	assert_int_equal(c.summaries, 0);
	assert_int_equal(refusals(w), 0);

	struct fs *again;
	struct wire k;
	assert_int_equal(fs_new(w->store, &plain, &again), 0);
	wire_mount(&k, again, false);
	char *page = doc_text(&k, CONTEXT);
	assert_non_null(page);
	assert_non_null(strstr(page, ONE " (by command)\ntopic: said by it\n"));
	free(page);
	wire_unmount(&k);
	fs_free(again);
	end(w);
}

/* What was told of is pruned: the text about it goes with it, and comes back. */
static void test_pruned(void **state)
{
	(void)state;
	struct world *w = with("cat > /dev/null; echo topic: said by it", LONG_MS);
	struct pen p;
	talk(w, 14, 0);
	await(w, CONTEXT, ONE " (by command)");
	static const char *const lines[] = { "prune 2\n", "restore 2\n", "reset\n" };
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pen_rewrite(&p, &w->a, wire_path(&w->a, "sessions/uno/ctl")), 0);
		assert_int_equal(pen_write(&p, lines[i]), 0);
		assert_int_equal(pen_close(&p), 0);
		assert_int_equal(says(w, CONTEXT, ONE " (by rule)"), i == 0);
		assert_int_equal(says(w, CONTEXT, ONE " (by command)"), i != 0);
	}
	end(w);
}

/* Each is told once, whatever the segments, and leaves the summary by rule. */
static void test_bad(void **state)
{
	static const struct {
		const char *command, *told;
	} table[] = {
		{ "echo it went well", " EINVAL summarize " },
		{ "true", " EINVAL summarize " },
		{ "printf 'topic: a\\0b\\n'", " EINVAL summarize " },
		{ "echo '{\"topic\":[1]}'", " EINVAL summarize " },
		{ "yes topic: x", "more than 16 KiB and was killed" },
		{ "echo topic: x; exit 3", "the command failed" },
		{ "echo topic: x; kill -9 $$", "the command failed" },
		{ "/nonexistent/program", "the command failed" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char command[128];
		(void)snprintf(command, sizeof command, "echo 1 >> $MARK; %s", table[i].command);
		struct world *w = with(command, LONG_MS);
		talk(w, 14, 0);
		await(w, "errors.log", table[i].told);
		(void)await_noted(2); /* messages 4-6, and 1-3 */
		usleep(300000);
		assert_int_equal(noted(3), 0); /* neither again */
		assert_int_equal(refusals(w), 1);
		assert_true(says(w, "errors.log", " cinta:summarizer: "));
		assert_true(says(w, CONTEXT, ONE " (by rule)"));
		assert_false(says(w, CONTEXT, "(by command)"));
			end(w);
	}
}

static void test_late(void **state)
{
	(void)state;
	struct world *w = with("echo $$ >> $MARK; sleep 600 & echo $! >> $MARK; echo topic: x; sleep 600", 2000);
	talk(w, 14, 0);
	await(w, "errors.log", "took too long and was killed");
	assert_true(says(w, CONTEXT, "(by rule)"));
	is_gone(noted(1));
	is_gone(noted(2));
	end(w);
}

/* A child that keeps its output open holds nobody up, and goes with it. */
static void test_child(void **state)
{
	(void)state;
	struct world *w = with("sleep 600 & echo $! >> $MARK; echo topic: quick", LONG_MS);
	talk(w, 14, 0);
	await(w, CONTEXT, ONE " (by command)\ntopic: quick\n");
	is_gone(noted(1));
	end(w);
}

/* More than a pipe holds, and nobody reads it. */
static void test_blind(void **state)
{
	static const char *const commands[] = { "echo topic: blind", "exec <&-; sleep 0.2; echo topic: blind",
		"exec < /dev/null; sleep 0.2; echo topic: blind" };
	(void)state;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		struct world *w = with(commands[i], LONG_MS);
		talk(w, 12, 100000);
		await(w, CONTEXT, "(by command)\ntopic: blind\n");
		assert_int_equal(refusals(w), 0);
		end(w);
	}
}

/* The end of the memory is the end of the command. */
static void test_stop(void **state)
{
	(void)state;
	struct world *w = with("trap '' TERM HUP INT; echo $$ >> $MARK; sleep 600 & echo $! >> $MARK; wait", LONG_MS);
	talk(w, 14, 0);
	long shell = await_noted(1), child = await_noted(2);
	int64_t entries = world_entries(w);
	talk(w, 2, 0); /* and nobody waits for it */
	assert_int_equal(world_entries(w), entries + 2);
	assert_int_equal(kill((pid_t)shell, 0), 0);
	end(w);
	assert_int_equal(kill((pid_t)shell, 0), -1);
	is_gone(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_pruned),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_blind),
		cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
