/* SPDX-License-Identifier: MIT */
/* Vectors are kept, once a text and model; which texts lack one; what is damaged, redacted, read-only. */
#include "tests/unit/vector_fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/vectors/vector_file.h"

static const char *file_of(const struct memory *m, char path[256])
{
	(void)snprintf(path, 256, "%s.vectors", m->path);
	return path;
}

static void is_unit(const float *v, int dims)
{
	double sum = 0;
	for (int i = 0; i < dims; i++)
		sum += (double)v[i] * (double)v[i];
	assert_true(fabs(sum - 1) < 1e-6);
}

static void kept_as_unit_vectors(void **state)
{
	struct memory *m = *state;
	const float three[3] = { 3, 0, 4 }, huge[3] = { 1e30f, 0, 0 }, tiny[3] = { 0, 1e-20f, 0 };
	const struct vector_model model = { "a", 3 }, other = { "b", 3 }, wide = { "a", 4 };
	float out[4];
	assert_int_equal(fake_put(m->s, &model, "text", three), 0);
	assert_int_equal(fake_get(m->s, &model, "text", out), 0);
	assert_true(fabsf(out[0] - 0.6f) < 1e-6f && fabsf(out[1]) < 1e-6f && fabsf(out[2] - 0.8f) < 1e-6f);
	assert_int_equal(fake_get(m->s, &model, "tex", out), STORE_ENOENT);
	assert_int_equal(fake_get(m->s, &other, "text", out), STORE_ENOENT);
	assert_int_equal(fake_get(m->s, &wide, "text", out), STORE_ENOENT); /* another model */
	assert_int_equal(fake_put(m->s, &other, "text", huge), 0);
	assert_int_equal(fake_put(m->s, &model, "tiny", tiny), 0);
	memory_reopen(m, 0);
	assert_int_equal(fake_get(m->s, &other, "text", out), 0);
	assert_true(out[0] > 0.999f);
	assert_int_equal(fake_get(m->s, &model, "tiny", out), 0);
	assert_true(out[1] > 0.999f);
	assert_int_equal(fake_put(m->s, &model, "text", huge), 0); /* who comes later is right */
	assert_int_equal(fake_get(m->s, &model, "text", out), 0);
	assert_true(out[0] > 0.999f && fabsf(out[2]) < 1e-6f);
}

static void refused(void **state)
{
	struct memory *m = *state;
	char name[VECTOR_MODEL_MOST + 2];
	const float v[3] = { 1, 2, 3 };
	float out[3];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	const struct vector_model bad[] = { { "", 3 }, { name, 3 }, { "a", 0 }, { "a", -1 },
		{ "a", VECTOR_DIMS_MOST + 1 }, { NULL, 3 } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t left;
		assert_int_equal(fake_put(m->s, &bad[i], "text", v), STORE_EINVAL);
		assert_int_equal(fake_get(m->s, &bad[i], "text", out), STORE_EINVAL);
		assert_int_equal(store_vectors_missing(m->s, &bad[i], 1, NULL, NULL, &left), STORE_EINVAL);
		const struct search_query q = { .words = "x", .vector = v, .model = &bad[i] };
		assert_int_equal(store_search(m->s, &q, NULL, NULL), STORE_EINVAL);
	}
	const struct search_query q = { .words = "x", .vector = v };
	assert_int_equal(store_search(m->s, &q, NULL, NULL), STORE_EINVAL);
}

static int no_hit(void *ctx, const struct search_hit *h)
{
	(void)h;
	++*(int *)ctx;
	return 0;
}

/* Who embeds nothing never has the file. */
static void made_when_needed(void **state)
{
	struct memory *m = *state;
	char path[256];
	struct stat st;
	float v[FAKE_DIMS] = { 1 };
	int hits = 0;
	tell(m->s, 1, "ana", "user", "alpha");
	const struct search_query q = { .words = "omega", .vector = v, .model = &fake_model };
	assert_int_equal(store_search(m->s, &q, no_hit, &hits), 0);
	assert_int_equal(hits, 0);
	assert_int_equal(fake_get(m->s, &fake_model, "alpha", v), STORE_ENOENT);
	memory_reopen(m, STORE_OWNER);
	assert_int_not_equal(access(file_of(m, path), F_OK), 0);
	assert_int_equal(fake_embed(m->s), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	memory_reopen(m, STORE_OWNER);
	assert_int_equal(fake_get(m->s, &fake_model, "alpha", v), 0);
}

static void many_packs(void **state)
{
	struct memory *m = *state;
	char text[32];
	float v[FAKE_DIMS], out[FAKE_DIMS], *all = NULL;
	for (int i = 0; i < 200; i++) {
		(void)snprintf(text, sizeof text, "text %d of w%d", i, i * i);
		tell(m->s, 1 + i % 3, "ana", "user", text);
	}
	assert_int_equal(fake_embed(m->s), 200);
	assert_int_equal(fake_embed(m->s), 0);
	memory_reopen(m, 0);
	assert_int_equal(fake_embed(m->s), 0);
	for (int i = 0; i < 200; i++) {
		(void)snprintf(text, sizeof text, "text %d of w%d", i, i * i);
		fake_vector(text, v);
		assert_int_equal(fake_get(m->s, &fake_model, text, out), 0);
		is_unit(out, FAKE_DIMS);
		assert_true(vector_unit(v, FAKE_DIMS, v));
		assert_true(fabsf(vector_dot(v, out, FAKE_DIMS) - 1) < 1e-6f);
	}
	struct vectors *f = NULL;
	assert_int_equal(vectors_open(m->path, false, true, &f), 0);
	assert_int_equal(vectors_load(f, &fake_model), 0);
	assert_int_equal(f->pack_count, 4);
	all = malloc(PACK * f->pack_count * sizeof *all);
	const uint64_t want[4] = { 3, 0, UINT64_MAX, 1 };
	assert_int_equal(vectors_cosines(f, v, want, all), 0);
	int there = 0;
	for (int i = 0; i < 256; i++)
		there += !isnan(all[i]);
	assert_int_equal(there, 1 + 64 + 1); /* numbers begin with 1 */
	free(all);
	vectors_close(f);
}

/* What has no direction is asked for once. */
static void nothing_to_keep(void **state)
{
	struct memory *m = *state;
	char line[1024];
	int64_t left;
	float v[FAKE_DIMS] = { 0 }, out[FAKE_DIMS];
	tell(m->s, 1, "ana", "user", "zeros");
	tell(m->s, 1, "ana", "user", "nan");
	tell(m->s, 1, "ana", "user", "infinite");
	tell(m->s, 1, "ana", "user", "none");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "zeros|nan|infinite|none|");
	assert_int_equal(fake_put(m->s, &fake_model, "zeros", v), 0);
	v[3] = NAN;
	assert_int_equal(fake_put(m->s, &fake_model, "nan", v), 0);
	v[3] = INFINITY;
	assert_int_equal(fake_put(m->s, &fake_model, "infinite", v), 0);
	assert_int_equal(fake_put(m->s, &fake_model, "none", NULL), 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "");
	assert_int_equal(left, 0);
	assert_int_equal(fake_get(m->s, &fake_model, "nan", out), STORE_ENOENT);
	memory_reopen(m, 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "");
	v[3] = 1;
	assert_int_equal(fake_put(m->s, &fake_model, "none", v), 0); /* after all */
	assert_int_equal(fake_get(m->s, &fake_model, "none", out), 0);
}

static int stop_now(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	(void)hash, (void)text, (void)len;
	return ++*(int *)ctx;
}

static void missing_in_order(void **state)
{
	struct memory *m = *state;
	char line[1024];
	int64_t left, id;
	int calls = 0;
	tell(m->s, 2, "ana", "user", "one");
	tell(m->s, 1, "ana", "user", "two");
	tell(m->s, 1, "bob", "assistant", "one"); /* equal texts once */
	assert_int_equal(doc_make(m->s, "notes", "n.md", "three", &id), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("four")), 0);
	tell(m->s, 1, "bob", "tool", "five");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "one|two|n|four|five|");
	assert_int_equal(left, 5);
	assert_string_equal(fake_missing(m->s, 2, &left, line), "one|two|");
	assert_int_equal(left, 5);
	assert_string_equal(fake_missing(m->s, 0, &left, line), "");
	assert_int_equal(left, 5);
	assert_int_equal(store_vectors_missing(m->s, &fake_model, 9, stop_now, &calls, &left), 0);
	assert_int_equal(calls, 1);
	float v[FAKE_DIMS] = { 1 };
	assert_int_equal(fake_put(m->s, &fake_model, "two", v), 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "one|n|four|five|");
	const struct vector_model other = { "other", FAKE_DIMS };
	assert_int_equal(fake_put(m->s, &other, "one", v), 0);
	assert_string_equal(fake_missing(m->s, 1, &left, line), "one|");
	assert_int_equal(left, 4);
}

/* What no search finds goes to no endpoint. */
static void only_what_can_be_found(void **state)
{
	struct memory *m = *state;
	char line[1024];
	int64_t left, id, fact;
	assert_int_equal(doc_make(m->s, "notes", "n.md", "old", &id), 0);
	assert_int_equal(doc_save(m->s, id, "new", -1), 0);
	assert_int_equal(doc_make(m->s, "algorithms", "a.yaml", "limit: 1", &id), 0);
	assert_int_equal(doc_make(m->s, "notes", "empty.md", "", &id), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("a fact")), 0);
	fact = entries_of(m->s) - 1;
	assert_int_equal(put(m->s, "s1", "message", "{\"role\":\"user\",\"content\":\"\"}"), 0);
	assert_int_equal(put(m->s, "s1", "message", "{\"role\":\"user\",\"content\":7}"), 0);
	assert_int_equal(put(m->s, "s1", "message", "no json"), 0);
	tell(m->s, 1, "ana", "user", "said");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "n|a fact|said|");
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, fact)), 0);
	char body[64]; /* another program's entry retracts what is no fact */
	(void)snprintf(body, sizeof body, "{\"save\":3,\"fact\":%lld}", (long long)entries_of(m->s) - 2);
	assert_int_equal(put(m->s, "f1", "fact.retract", body), 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "n|said|");
	assert_int_equal(doc_move(m->s, doc_id_at(m->s, "notes", "n.md"), "notes", "other.md"), 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "other|said|"); /* the name is part of it */
	assert_int_equal(left, 2);
	memory_reopen(m, 0);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "other|said|");
	char path[256]; /* nor a text that is not the one its number was given for */
	sql_in(file_of(m, path), "UPDATE hash SET hash = randomblob(32) WHERE id = (SELECT max(id) FROM hash)");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "said|");
	assert_int_equal(left, 1);
}

static void cut_between_characters(void **state)
{
	struct memory *m = *state;
	static char text[9000];
	unsigned char a[VECTOR_HASH], b[VECTOR_HASH];
	for (int before = 0; before < 5; before++) {
		memset(text, 'x', sizeof text);
		memcpy(text + VECTOR_TEXT_MOST - before, "\xF0\x9F\x8C\x8D", 4);
		text[VECTOR_TEXT_MOST + 100] = '\0';
		size_t len = strlen(text), again;
		store_vector_hash(text, &len, a);
		assert_int_equal(len, before == 0 || before == 4 ? VECTOR_TEXT_MOST : VECTOR_TEXT_MOST - before);
		again = len;
		store_vector_hash(text, &again, b);
		assert_int_equal(again, len);
		assert_memory_equal(a, b, VECTOR_HASH);
	}
	size_t len = VECTOR_TEXT_MOST + 9;
	memset(text, 0x80, sizeof text); /* no character begins anywhere: then three bytes at most */
	store_vector_hash(text, &len, a);
	assert_int_equal(len, VECTOR_TEXT_MOST - 3);
	memset(text, 'y', 8500);
	text[8500] = '\0';
	tell(m->s, 1, "ana", "user", text);
	assert_int_equal(fake_embed(m->s), 1);
	float out[FAKE_DIMS];
	assert_int_equal(fake_get(m->s, &fake_model, text, out), 0);
	text[8000] = '\0'; /* the rest does not count */
	assert_int_equal(fake_get(m->s, &fake_model, text, out), 0);
}

static void damaged(void **state)
{
	static const char *const harm[] = {
		"UPDATE state SET version = 99", "UPDATE state SET one = x'3f800001'", "DROP TABLE pack", "DELETE FROM state",
		"UPDATE state SET leaf = zeroblob(32)", "UPDATE data SET vectors = zeroblob(10)", "DELETE FROM data",
		"UPDATE text SET id = -5", "UPDATE hash SET id = 1 << 40", "UPDATE hash SET id = 1 << 31",
		"UPDATE text SET id = 1 << 31", "UPDATE data SET vectors = randomblob(length(vectors))",
	};
	struct memory *m = *state;
	char path[256];
	float out[FAKE_DIMS], v[FAKE_DIMS];
	fake_vector("alpha", v);
	tell(m->s, 1, "ana", "user", "alpha");
	file_of(m, path);
	for (size_t i = 0; i <= sizeof harm / sizeof *harm; i++) {
		assert_true(fake_embed(m->s) <= 1);
		assert_int_equal(fake_get(m->s, &fake_model, "alpha", out), 0);
		store_close(m->s);
		if (i == 0)
			assert_int_equal(truncate(path, 20000), 0);
		else
			sql_in(path, harm[i - 1]);
		m->s = memory_store(m, 0);
		for (int again = 0; again < 2; again++) { /* the first meets it */
			const struct search_query q = { .words = "alpha", .vector = v, .model = &fake_model };
			int hits = 0;
			assert_int_equal(store_search(m->s, &q, no_hit, &hits), 0);
			assert_int_equal(hits, 1);
			(void)fake_get(m->s, &fake_model, "alpha", out);
		}
	}
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 3000; i++)
		(void)fputs("rubbish", f);
	(void)fclose(f);
	memory_reopen(m, 0);
	assert_int_equal(fake_embed(m->s), 1);
	assert_int_equal(fake_get(m->s, &fake_model, "alpha", out), 0);
}

static void reading_only(void **state)
{
	struct memory *m = *state;
	char path[256];
	int64_t left;
	float v[FAKE_DIMS], out[FAKE_DIMS];
	fake_vector("glad", v);
	tell(m->s, 1, "ana", "user", "cheerful");
	tell(m->s, 1, "ana", "user", "nothing of it");
	store_catch_up(m->s);
	struct store *r = memory_store(m, STORE_READONLY);
	int hits = 0;
	const struct search_query q = { .words = "glad", .vector = v, .model = &fake_model };
	assert_int_equal(store_search(r, &q, no_hit, &hits), 0);
	assert_int_equal(hits, 0);
	assert_int_equal(store_vectors_missing(r, &fake_model, 9, stop_now, &hits, &left), STORE_EROFS);
	assert_int_equal(fake_put(r, &fake_model, "glad", v), STORE_EROFS);
	assert_int_not_equal(access(file_of(m, path), F_OK), 0);
	store_close(r);
	assert_int_equal(fake_embed(m->s), 2);
	r = memory_store(m, STORE_READONLY);
	assert_int_equal(fake_get(r, &fake_model, "cheerful", out), 0);
	assert_int_equal(store_search(r, &q, no_hit, &hits), 0);
	assert_int_equal(hits, 1);
	assert_int_equal(fake_put(r, &fake_model, "glad", v), STORE_EROFS);
	sql_in(path, "DELETE FROM state"); /* damaged, and still not touched */
	hits = 0;
	assert_int_equal(store_search(r, &q, no_hit, &hits), 0);
	assert_int_equal(hits, 0);
	assert_int_equal(access(path, F_OK), 0);
	store_close(r);
}

static void two_processes(void **state)
{
	struct memory *m = *state;
	char line[1024];
	int64_t left;
	float out[FAKE_DIMS];
	struct store *other = memory_store(m, 0);
	tell(m->s, 1, "ana", "user", "one");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "one|");
	assert_int_equal(fake_embed(other), 1);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "");
	assert_int_equal(fake_get(m->s, &fake_model, "one", out), 0);
	tell(other, 1, "ana", "user", "two");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "two|");
	assert_int_equal(fake_embed(m->s), 1);
	assert_int_equal(fake_embed(other), 0);
	assert_int_equal(fake_get(other, &fake_model, "two", out), 0);
	store_close(other);
}

static void *embed_on(void *arg)
{
	struct memory *m = arg;
	float v[FAKE_DIMS];
	char text[32];
	for (int i = 0; i < 60; i++) {
		(void)snprintf(text, sizeof text, "w%d", i);
		fake_vector(text, v);
		const struct search_query q = { .words = text, .vector = v, .model = &fake_model, .limit = 3 };
		int hits = 0;
		if (fake_put(m->s, &fake_model, text, v) || store_search(m->s, &q, no_hit, &hits))
			return "failed";
	}
	return NULL;
}

static void many_at_once(void **state)
{
	struct memory *m = *state;
	pthread_t threads[2];
	char text[32];
	memory_reopen(m, STORE_OWNER);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, embed_on, m), 0);
	struct store *other = memory_store(m, 0);
	for (int i = 0; i < 120; i++) {
		(void)snprintf(text, sizeof text, "grow w%d", i);
		tell(i % 2 ? other : m->s, 1, "ana", "user", text);
		if (i % 20 == 0)
			(void)fake_embed(other);
	}
	for (int i = 0; i < 2; i++) {
		void *failed;
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	(void)fake_embed(other);
	store_close(other);
	assert_int_equal(fake_embed(m->s), 0);
}

/* True if the file holds these floats. */
static bool file_holds(const char *path, const float *v)
{
	FILE *f = fopen(path, "r");
	char *all = malloc(16 << 20);
	assert_true(f && all);
	size_t got = fread(all, 1, 16 << 20, f);
	bool found = memmem(all, got, v, FAKE_DIMS * sizeof *v) != NULL;
	(void)fclose(f);
	free(all);
	return found;
}

static void redacted(void **state)
{
	struct memory *m = *state;
	char path[256], line[1024];
	int64_t left, doc;
	float secret[FAKE_DIMS], twice[FAKE_DIMS], old[FAKE_DIMS], out[FAKE_DIMS];
	file_of(m, path);
	tell(m->s, 1, "ana", "user", "a secret");
	int64_t seq = entries_of(m->s) - 1;
	tell(m->s, 1, "ana", "user", "said twice");
	int64_t first = entries_of(m->s) - 1;
	tell(m->s, 2, "bob", "user", "said twice");
	assert_int_equal(doc_make(m->s, "notes", "n.md", "old words", &doc), 0);
	int64_t version = entries_of(m->s) - 1;
	assert_int_equal(fake_embed(m->s), 3);
	assert_int_equal(doc_save(m->s, doc, "new words", -1), 0);
	assert_int_equal(fake_embed(m->s), 1);
	assert_int_equal(fake_get(m->s, &fake_model, "a secret", secret), 0);
	assert_int_equal(fake_get(m->s, &fake_model, "said twice", twice), 0);
	assert_int_equal(fake_get(m->s, &fake_model, "n\nold words\n", old), 0); /* the cache keeps it */
	memory_reopen(m, 0);
	assert_true(file_holds(path, secret) && file_holds(path, old));
	redact(m, seq);
	redact(m, first);
	redact(m, version);
	assert_string_equal(fake_missing(m->s, 9, &left, line), "");
	assert_int_equal(fake_get(m->s, &fake_model, "a secret", out), STORE_ENOENT);
	assert_int_equal(fake_get(m->s, &fake_model, "n\nold words\n", out), STORE_ENOENT);
	assert_int_equal(fake_get(m->s, &fake_model, "said twice", out), 0); /* another says it still */
	memory_reopen(m, 0);
	assert_false(file_holds(path, secret));
	assert_false(file_holds(path, old));
	assert_true(file_holds(path, twice));
	assert_int_equal(sql_number(path, "SELECT count(*) FROM hash"), 2);
}

/* The endpoint answers after the text has gone. */
static void redacted_while_away(void **state)
{
	struct memory *m = *state;
	char path[256], line[1024];
	int64_t left;
	float v[FAKE_DIMS] = { 1 };
	tell(m->s, 1, "ana", "user", "harmless");
	tell(m->s, 1, "ana", "user", "a secret");
	assert_string_equal(fake_missing(m->s, 9, &left, line), "harmless|a secret|");
	redact(m, entries_of(m->s) - 1);
	assert_int_equal(fake_put(m->s, &fake_model, "a secret", v), 0);
	assert_int_equal(fake_put(m->s, &fake_model, "harmless", v), 0);
	assert_int_equal(fake_put(m->s, &fake_model, "a question", v), 0);
	assert_int_equal(fake_get(m->s, &fake_model, "a secret", v), STORE_ENOENT);
	assert_int_equal(fake_get(m->s, &fake_model, "harmless", v), 0);
	assert_int_equal(fake_get(m->s, &fake_model, "a question", v), 0);
	assert_int_equal(sql_number(file_of(m, path), "SELECT count(*) FROM hash"), 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(kept_as_unit_vectors), CASE(refused), CASE(made_when_needed), CASE(many_packs), CASE(nothing_to_keep),
		CASE(missing_in_order), CASE(only_what_can_be_found), CASE(cut_between_characters), CASE(damaged),
		CASE(reading_only), CASE(two_processes), CASE(many_at_once), CASE(redacted), CASE(redacted_while_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
