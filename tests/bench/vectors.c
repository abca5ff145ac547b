/* SPDX-License-Identifier: MIT */
/*
 * How fast a search by meaning is: `vectors TEXTS DIMENSIONS [DIR]` makes a memory of that many short
 * messages in sessions of a thousand, gives each a random vector, and asks by words alone and by
 * words and meaning, over everything and within a session.  Milliseconds of CPU: least, p50, p90; beside
 * them what one pass over as many vectors in memory takes, without a file and without a ranking.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"
#include "store/vectors/vector_file.h"

enum { BATCH = 512, SESSION = 1000, ASKED = 40 };

struct world {
	struct store *s;
	struct vector_model model;
	struct vector_add add[BATCH];
	float *values;
	size_t added;
	uint64_t seed;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "vectors: %s: %s\n", what, store_strerror(err));
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t text_size(const struct entry *e)
{
	return e->body_len + 1;
}

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

static void random_vector(struct world *w, float *out)
{
	for (int i = 0; i < w->model.dims; i++)
		out[i] = (float)dice(&w->seed, 2001) / 1000 - 1;
}

static void write_all(struct world *w, long count)
{
	struct draft d[BATCH];
	static char body[BATCH][160], stream[BATCH][24];
	for (long i = 0; i < count; i += BATCH) {
		size_t n = 0;
		for (; n < BATCH && i + (long)n < count; n++) {
			long k = i + (long)n;
			int len = snprintf(body[n], sizeof body[n], "{\"role\":\"user\",\"content\":\"note %ld: a%u b%u c%u\"}", k,
			                   dice(&w->seed, 50), dice(&w->seed, 1000), dice(&w->seed, 20000));
			store_session_stream(1 + k / SESSION, stream[n]);
			d[n] = (struct draft){ stream[n], "message", "bench", body[n], (size_t)len, NULL };
		}
		struct append a = { .drafts = d, .count = n, .expect = -1 };
		int err = store_append_wait(w->s, &a);
		if (err)
			die("append", err);
	}
}

static int take(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct world *w = ctx;
	float *to = w->values + w->added * (size_t)w->model.dims;
	(void)text, (void)len;
	random_vector(w, to);
	memcpy(w->add[w->added].hash, hash, VECTOR_HASH);
	w->add[w->added++].values = to;
	return 0;
}

static void embed_all(struct world *w)
{
	int err = 0;
	for (int64_t left = 1; !err && left > 0;) {
		w->added = 0;
		err = store_vectors_missing(w->s, &w->model, BATCH, take, w, &left);
		err = err ? err : store_vectors_add(w->s, &w->model, w->add, w->added);
	}
	if (err)
		die("vectors", err);
}

static int no_hit(void *ctx, const struct search_hit *h)
{
	(void)h;
	++*(size_t *)ctx;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void tell(const char *what, double *ms)
{
	qsort(ms, ASKED, sizeof *ms, by_time);
	printf("%-34s %8.2f %8.2f %8.2f\n", what, ms[0], ms[ASKED / 2], ms[ASKED * 9 / 10]);
}

static void ask(struct world *w, const char *what, long sessions, bool scoped, bool meaning)
{
	float *vector = malloc((size_t)w->model.dims * sizeof *vector);
	double ms[ASKED];
	for (int i = -2; vector && i < ASKED; i++) { /* two to warm up */
		char words[64];
		size_t hits = 0;
		(void)snprintf(words, sizeof words, "b%u c%u", dice(&w->seed, 1000), dice(&w->seed, 20000));
		random_vector(w, vector);
		const struct search_query q = { .words = words, .vector = meaning ? vector : NULL, .model = &w->model,
			.session = scoped ? 1 + (int64_t)dice(&w->seed, (uint32_t)sessions) : 0 };
		double from = now();
		int err = store_search(w->s, &q, no_hit, &hits);
		if (err)
			die("search", err);
		if (i >= 0)
			ms[i] = now() - from;
	}
	free(vector);
	tell(what, ms);
}

static void pass_in_memory(struct world *w, long count)
{
	size_t dims = (size_t)w->model.dims, all = (size_t)count;
	float *values = malloc(all * dims * sizeof *values), sum = 0;
	double ms[ASKED];
	for (size_t i = 0; values && i < all * dims; i++)
		values[i] = (float)(i % 1000);
	for (int k = 0; values && k < ASKED; k++) {
		double from = now();
		for (size_t i = 0; i < all; i++)
			sum += vector_dot(values, values + i * dims, dims);
		ms[k] = now() - from;
	}
	if (values && sum < 1e38f) /* so that it is computed */
		tell("the vectors, in memory", ms);
	free(values);
}

int main(int argc, char **argv)
{
	struct world w = { .seed = 1, .model = { "bench", argc > 2 ? atoi(argv[2]) : 0 } };
	long count = argc > 1 ? atol(argv[1]) : 0, sessions = (count + SESSION - 1) / SESSION;
	char dir[256], path[300], keys[300], file[320], command[400];
	struct why why = { 0 };
	struct stat st = { 0 };
	(void)snprintf(dir, sizeof dir, "%.200s/vectors-XXXXXX", argc > 3 ? argv[3] : "/var/tmp");
	if (count < 1 || w.model.dims < 1 || !mkdtemp(dir)) {
		fprintf(stderr, "usage: vectors TEXTS DIMENSIONS [DIR]\n");
		return 2;
	}
	(void)snprintf(path, sizeof path, "%s/memory.db", dir);
	(void)snprintf(keys, sizeof keys, "%s/keys", dir);
	(void)snprintf(file, sizeof file, "%s.vectors", path);
	(void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
	struct store_config config = { .flags = STORE_CREATE | STORE_OWNER, .origin = "cinta/bench", .key_dir = keys,
		.text_size = text_size };
	w.values = malloc(BATCH * (size_t)w.model.dims * sizeof *w.values);
	if (!w.values || store_open(path, &config, &w.s, &why))
		die(why.text, STORE_ENOMEM);
	write_all(&w, count);
	double from = now();
	embed_all(&w);
	double took = now() - from;
	stat(file, &st);
	printf("%ld texts of %d dimensions: kept in %.1f s of CPU, %.0f MB\n", count, w.model.dims, took / 1e3,
	       (double)st.st_size / 1e6);
	printf("%-34s %8s %8s %8s\n", "ms", "least", "p50", "p90");
	ask(&w, "words", sessions, false, false);
	ask(&w, "words and meaning", sessions, false, true);
	ask(&w, "words, a session", sessions, true, false);
	ask(&w, "words and meaning, a session", sessions, true, true);
	pass_in_memory(&w, count);
	store_close(w.s);
	free(w.values);
	return system(command) ? 1 : 0;
}
