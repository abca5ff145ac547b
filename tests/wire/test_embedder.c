/* SPDX-License-Identifier: MIT */
/*
 * The embedder against a server that misbehaves in each way it can (tests/mount/embedding_server.py):
 * texts get their vectors all the same, once, and questions their answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/meaning/embedder.h"
#include "fs/internal.h"
#include "tests/place.h"
#include "tests/wire/documents.h"

enum { PATIENCE_MS = 60000, STEP_MS = 20, REST_MS = 50 };
#define SERVER "tests/mount/embedding_server.py"

struct server {
	char dir[64], url[64];
	pid_t pid;
};

static FILE *file_of(const struct server *s, const char *name, const char *how)
{
	char path[128];
	(void)snprintf(path, sizeof path, "%s/%s", s->dir, name);
	return fopen(path, how);
}

/* How the server is to behave from its next request on. */
static void set_mode(const struct server *s, const char *mode)
{
	char from[128], to[128];
	FILE *f = file_of(s, "mode.new", "we");
	assert_non_null(f);
	(void)fprintf(f, "%s\n", mode);
	assert_int_equal(fclose(f), 0);
	(void)snprintf(from, sizeof from, "%s/mode.new", s->dir);
	(void)snprintf(to, sizeof to, "%s/mode", s->dir);
	assert_int_equal(rename(from, to), 0);
}

static int server_open(void **state)
{
	struct server *s = calloc(1, sizeof *s);
	char python[] = "python3", script[] = SERVER;
	int port = 0;
	if (!s)
		return -1;
	if (!place_make(s->dir, sizeof s->dir))
		return -1;
	char *const argv[] = { python, script, s->dir, NULL };
	if (posix_spawnp(&s->pid, "python3", NULL, NULL, argv, environ))
		return -1;
	for (int ms = 0; ms < PATIENCE_MS && port == 0; ms += STEP_MS) {
		FILE *f = file_of(s, "port", "re");
		if (f && fscanf(f, "%d", &port) != 1)
			port = 0;
		if (f)
			(void)fclose(f);
		usleep(STEP_MS * 1000);
	}
	(void)snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", port);
	*state = s;
	return port ? 0 : -1;
}

static int server_close(void **state)
{
	struct server *s = *state;
	char command[128];
	(void)kill(s->pid, SIGKILL);
	(void)waitpid(s->pid, NULL, 0);
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", s->dir);
	int rc = system(command);
	free(s);
	return rc;
}

/* Requests that hold this text among their inputs; "" : all. */
static int requests(const struct server *s, const char *text)
{
	FILE *f = file_of(s, "requests", "re");
	char *line = NULL, quoted[256];
	size_t room = 0;
	int n = 0;
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", text);
	while (f && getline(&line, &room, f) > 0)
		n += !*text || strstr(line, quoted);
	free(line);
	if (f)
		(void)fclose(f);
	return n;
}

static void forget_requests(const struct server *s)
{
	FILE *f = file_of(s, "requests", "we");
	assert_non_null(f);
	(void)fclose(f);
}

static struct fs_options options_for(const struct server *s)
{
	return (struct fs_options){ .owner = "ana", .embedding = s->url, .embedding_key = "sk-secret",
		.embedding_model = "toy", .embedding_rest_ms = REST_MS };
}

static struct world *begin(const struct server *s, const char *mode)
{
	const struct fs_options o = options_for(s);
	set_mode(s, mode);
	forget_requests(s);
	return world_with(0, &o);
}

static void say(struct world *w, const char *text)
{
	char line[8192];
	(void)snprintf(line, sizeof line, "{\"role\":\"user\",\"content\":\"%s\"}\n", text);
	assert_int_equal(wire_append(&w->a, w->log, line), 0);
}

static struct embedding_status status_of(struct world *w)
{
	struct embedding_status e;
	assert_true(embedder_status(w->fs, &e));
	return e;
}

/* Until so many texts have a vector, and none is left without. */
static void await_texts(struct world *w, int64_t texts)
{
	struct embedding_status e = status_of(w);
	for (int ms = 0; ms < PATIENCE_MS && (e.texts < texts || e.missing); ms += STEP_MS) {
		usleep(STEP_MS * 1000);
		e = status_of(w);
	}
	assert_int_equal(e.texts, texts);
	assert_int_equal(e.missing, 0);
	assert_true(e.up);
}

static bool says(struct world *w, const char *path, const char *text)
{
	size_t len;
	uint64_t ino = wire_path(&w->a, path);
	char *page = ino ? wire_slurp(&w->a, ino, 65536, &len) : NULL;
	bool there = page && strstr(page, text);
	free(page);
	return there;
}

static void await(struct world *w, const char *path, const char *text, bool there)
{
	for (int ms = 0; ms < PATIENCE_MS && says(w, path, text) != there; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_int_equal(says(w, path, text), there);
}

#define BY_WORDS "By words alone: the embedding endpoint did not answer."
#define ALERT "- ALERT: searches go by words alone: the embedding endpoint http://127.0.0.1:"

/* Vectors are made in batches, found by meaning, and none twice: neither now nor by the next process. */
static void test_made(void **state)
{
	const struct server *s = *state;
	char text[64];
	struct world *w = begin(s, "500"); /* so that all are there when it begins */
	for (int i = 0; i < 150; i++) {
		(void)snprintf(text, sizeof text, i == 77 ? "we sold our automobile" : "harbour number %d", i);
		say(w, text);
	}
	await(w, "smma/dashboard.md", ALERT, true);
	forget_requests(s);
	set_mode(s, "ok");
	await_texts(w, 150);
	assert_true(requests(s, "") < 8); /* words to try it with, and batches of 64 */
	assert_int_equal(requests(s, "we sold our automobile"), 1);
	assert_int_equal(requests(s, "harbour number 149"), 1);
	assert_true(says(w, "search/car.md", "sessions/uno/messages/000078.md"));
	assert_true(says(w, "search/car in:messages -nothing.md", "sessions/uno/messages/000078.md"));
	assert_false(says(w, "search/car.md", BY_WORDS));
	assert_int_equal(requests(s, "car"), 1);
	assert_true(says(w, "search/role:user.md", "The first 20 hits, the newest first"));
	int before = requests(s, "");

	const struct fs_options o = options_for(s);
	struct fs *again;
	struct wire k;
	assert_int_equal(fs_new(w->store, &o, &again), 0);
	wire_mount(&k, again, false);
	char *page = doc_text(&k, "search/car.md");
	assert_non_null(page);
	assert_non_null(strstr(page, "sessions/uno/messages/000078.md"));
	free(page);
	usleep(REST_MS * 4000);
	wire_unmount(&k);
	fs_free(again);
	assert_int_equal(requests(s, ""), before);
	world_free(w);
}

/* Answers that are none: said once, shown while they last, and made up for afterwards. */
static void test_trouble(void **state)
{
	static const struct {
		const char *mode, *told;
	} table[] = {
		{ "500", "EREMOTEIO embed search cinta:embedder: the embedding endpoint http://127.0.0.1:" },
		{ "429", " answers 429: refused: Bearer ***;" },
		{ "401", "EACCES embed search cinta:embedder: " },
		{ "404", " answers 404: refused: " },
		{ "redirect", " answers 302;" },
		{ "notjson", " is not understood: the answer is not JSON" },
		{ "nan", "EPROTO embed search cinta:embedder: " },
		{ "count", " is not understood: the answer has 2 vectors for 1 texts" },
		{ "index", " is not understood: the answer is no list of vectors: an index" },
		{ "huge", " answers with far too much" },
		{ "400", "EACCES embed search cinta:embedder: " },
	};
	const struct server *s = *state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		print_message("# %s\n", table[i].mode);
		struct world *w = begin(s, table[i].mode);
		say(w, "our vehicle is blue");
		say(w, "the second one");
		await(w, "smma/dashboard.md", ALERT, true);
		await(w, "errors.log", table[i].told, true);
		assert_true(says(w, "search/blue.md", "sessions/uno/messages/000001.md"));
		assert_true(says(w, "search/blue.md", BY_WORDS));
		assert_false(says(w, "search/car.md", "messages/000001.md"));
		assert_false(says(w, "search/role:user.md", BY_WORDS)); /* nothing to be understood */
		assert_int_equal(status_of(w).texts, 0);
		assert_true(says(w, ".cinta/metrics", "\ncinta_embedding_up 0\n"));
		assert_false(says(w, "errors.log", "sk-secret"));
		assert_false(says(w, "smma/dashboard.md", "sk-secret"));
		set_mode(s, "ok");
		await_texts(w, 2);
		assert_false(says(w, "smma/dashboard.md", "ALERT"));
		say(w, "and a third"); /* else what was answered counts for a second */
		assert_true(says(w, "search/car.md", "messages/000001.md"));
		assert_false(says(w, "search/blue.md", BY_WORDS));
		assert_int_equal(doc_errors(&w->a, "embed search"), 1);
		world_free(w);
	}
}

/* In any order, as base64 no more than a number: it is the index that counts. */
static void test_order(void **state)
{
	const struct server *s = *state;
	struct world *w = begin(s, "order");
	say(w, "our vehicle is blue");
	say(w, "my physician called");
	await_texts(w, 2);
	assert_true(says(w, "search/car.md", "1. `sessions/uno/messages/000001.md`"));
	assert_true(says(w, "search/doctor.md", "1. `sessions/uno/messages/000002.md`"));
	world_free(w);
}

/* Some texts it will not have: all others get theirs, and it is told. */
static void test_poison(void **state)
{
	static const char *const modes[] = { "poison 400", "poison 422", "poison 500" };
	const struct server *s = *state;
	char text[64];
	for (int m = 0; m < 3; m++) {
		struct world *w = begin(s, modes[m]);
		for (int i = 0; i < 40; i++) {
			(void)snprintf(text, sizeof text, "%s number %d", i == 7 || i == 20 ? "poison" : "harbour", i);
			say(w, text);
		}
		await_texts(w, 38);
		await(w, "errors.log", "a text gets no vector: the embedding endpoint http://127.0.0.1:", true);
		assert_false(says(w, "smma/dashboard.md", "ALERT"));
		assert_true(says(w, "search/poison.md", "messages/000008.md"));
		int before = requests(s, "poison number 7");
		say(w, "one more");
		await_texts(w, 39);
		assert_int_equal(requests(s, "poison number 7"), before); /* it is never offered again */
		world_free(w);
	}
}

/* A model that takes little is given the beginning, whole characters of it. */
static void test_long(void **state)
{
	const struct server *s = *state;
	struct buf text = BUF_INIT;
	struct world *w = begin(s, "long 1000");
	buf_adds(&text, "our vehicle x");
	for (int i = 0; i < 1200; i++)
		buf_adds(&text, "\xc3\xb1");
	say(w, "short");
	say(w, text.data);
	say(w, "short, too");
	await_texts(w, 3);
	assert_true(says(w, "search/car in:messages.md", "sessions/uno/messages/000002.md"));
	assert_false(says(w, "errors.log", "a text gets no vector"));
	buf_release(&text);
	world_free(w);
}

struct asking {
	struct fs *fs;
	const char *text;
	float *vector;
	struct vector_model model;
	int err;
};

static void *ask(void *arg)
{
	struct asking *a = arg;
	a->err = embedder_question(a->fs, a->text, strlen(a->text), a->vector, &a->model);
	return NULL;
}

/* Many at once: one question is sent once, four are on their way, and who is too many hears so. */
static void test_questions(void **state)
{
	static const char *const texts[] = { "same", "same", "same", "same", "one", "two", "three", "four", "five",
		"six" };
	enum { MANY = sizeof texts / sizeof *texts };
	const struct server *s = *state;
	struct asking of[MANY];
	pthread_t thread[MANY];
	struct world *w = begin(s, "slow 0.4");
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			const char *text = round ? texts[i] : "same";
			of[i] = (struct asking){ .fs = w->fs, .text = text, .vector = calloc(VECTOR_DIMS_MOST, 4) };
			assert_non_null(of[i].vector);
			assert_int_equal(pthread_create(&thread[i], NULL, ask, &of[i]), 0);
		}
		int good = 0, busy = 0;
		for (int i = 0; i < MANY; i++) {
			pthread_join(thread[i], NULL);
			good += of[i].err == 0 && of[i].model.dims == 256 && strcmp(of[i].model.name, "toy") == 0;
			busy += of[i].err == -EAGAIN;
			free(of[i].vector);
		}
		assert_int_equal(good + busy, MANY);
		assert_true(good >= (round ? 4 + ASKERS : ASKERS)); /* "same" is kept by then */
	}
	assert_int_equal(requests(s, "same"), 1);
	float *none = calloc(VECTOR_DIMS_MOST, sizeof *none);
	struct vector_model m;
	assert_int_equal(embedder_question(w->fs, "", 0, none, &m), -ENOENT);
	free(none);
	world_free(w);
}

static int64_t ms_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void hangs(const struct server *s, const char *mode)
{
	struct world *w = begin(s, "ok");
	say(w, "our vehicle is blue");
	await_texts(w, 1);
	set_mode(s, mode);
	say(w, "the second");
	for (int ms = 0; ms < PATIENCE_MS && requests(s, "the second") == 0; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_true(says(w, "search/blue.md", "messages/000001.md"));
	assert_true(says(w, "search/blue.md", BY_WORDS));
	assert_true(says(w, "errors.log", "ETIMEDOUT embed search cinta:embedder: "));
	int64_t start = ms_now(); /* the next ones do not wait at all */
	for (int i = 0; i < 20; i++) {
		char path[64];
		(void)snprintf(path, sizeof path, "search/blue %d.md", i);
		assert_true(says(w, path, BY_WORDS));
	}
	say(w, "and the third");
	assert_true(ms_now() - start < 20 * 1500);
	assert_int_equal(requests(s, "the second"), 1);
	start = ms_now();
	world_free(w);
	assert_true(ms_now() - start < 10000); /* not the minute that a batch may take */
	set_mode(s, "ok");
}

/*
 * It takes the request and says nothing, or a byte now and then: searches and writes go on, and
 * the end does not wait.
 */
static void test_hangs(void **state)
{
	hangs(*state, "hang");
	hangs(*state, "dribble");
}

/* Others are asked for than it gives; and others than it gave before. */
static void test_dimensions(void **state)
{
	const struct server *s = *state;
	struct vector_model m;
	struct world *w = begin(s, "dims 32");
	say(w, "our vehicle is blue");
	await_texts(w, 1);
	assert_true(embedder_model(w->fs, &m));
	assert_int_equal(m.dims, 32);
	set_mode(s, "dims 64");
	assert_false(says(w, "search/something else.md", BY_WORDS));
	assert_int_equal(status_of(w).dims, 64); /* what asks first finds it out */
	await_texts(w, 2);
	set_mode(s, "dims 48");
	say(w, "the second");
	for (int ms = 0; ms < PATIENCE_MS && status_of(w).dims != 48; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	await_texts(w, 4);
	world_free(w);

	struct fs_options o = options_for(s);
	o.embedding_dims = 16;
	set_mode(s, "ok");
	w = world_with(0, &o);
	say(w, "our vehicle is blue");
	await_texts(w, 1);
	assert_true(embedder_model(w->fs, &m));
	assert_int_equal(m.dims, 16);
	world_free(w);
}

/* What is no endpoint is none from the start; and where there is none, nothing is told of one. */
static void test_options(void **state)
{
	static const struct fs_options bad[] = {
		{ .embedding = "127.0.0.1:8080", .embedding_model = "m" },
		{ .embedding = "ftp://127.0.0.1/", .embedding_model = "m" },
		{ .embedding = "http://me:secret@127.0.0.1/", .embedding_model = "m" },
		{ .embedding = "", .embedding_model = "m" },
		{ .embedding = "http://127.0.0.1/" },
		{ .embedding = "http://127.0.0.1/", .embedding_model = "" },
		{ .embedding = "http://127.0.0.1/", .embedding_model = "m", .embedding_dims = 8193 },
	};
	struct vector_model m;
	float none;
	(void)state;
	struct world *w = world_new(0);
	assert_false(embedder_model(w->fs, &m));
	assert_int_equal(embedder_question(w->fs, "a", 1, &none, &m), -ENOENT);
	assert_false(says(w, ".cinta/metrics", "embedding"));
	assert_true(says(w, ".cinta/status.json", "\"embedding\": null"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fs *fs = NULL;
		assert_int_equal(fs_new(w->store, &bad[i], &fs), -EINVAL);
	}
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made), cmocka_unit_test(test_trouble), cmocka_unit_test(test_order),
		cmocka_unit_test(test_poison), cmocka_unit_test(test_long), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_hangs), cmocka_unit_test(test_dimensions), cmocka_unit_test(test_options),
	};
	return cmocka_run_group_tests(tests, server_open, server_close);
}
