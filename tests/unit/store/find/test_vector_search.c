/* SPDX-License-Identifier: MIT */
/* Search by meaning: what it finds, what filters keep out, and the same sums made in another way. */
#include "tests/unit/vector_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/find/hybrid.h"

struct seen {
	char line[4096];
	int64_t seqs[4096];
	double scores[4096];
	int count;
};

static int see(void *ctx, const struct search_hit *h)
{
	struct seen *s = ctx;
	size_t at = strlen(s->line);
	assert_in_range(s->count, 0, 4095);
	assert_true(isfinite(h->score));
	assert_true(s->count == 0 || h->score <= s->scores[s->count - 1]);
	s->seqs[s->count] = h->seq;
	s->scores[s->count++] = h->score;
	(void)snprintf(s->line + at, sizeof s->line - at, "%.*s|", (int)strcspn(h->text, "\n"), h->text);
	return 0;
}

static struct seen *ask(struct store *s, struct search_query q, const char *meaning)
{
	struct seen *seen = calloc(1, sizeof *seen);
	float v[FAKE_DIMS];
	assert_non_null(seen);
	fake_vector(meaning, v);
	q.words = q.words ? q.words : meaning;
	q.vector = *meaning ? v : NULL;
	q.model = &fake_model;
	assert_int_equal(store_search(s, &q, see, seen), 0);
	return seen;
}

static void finds(struct store *s, struct search_query q, const char *meaning, const char *expected)
{
	struct seen *seen = ask(s, q, meaning);
	assert_string_equal(seen->line, expected);
	free(seen);
}

static void by_meaning(void **state)
{
	struct memory *m = *state;
	tell(m->s, 1, "ana", "user", "my automobile");
	tell(m->s, 2, "ana", "user", "a dwelling in town");
	tell(m->s, 3, "ana", "user", "cheerful people");
	tell(m->s, 4, "ana", "user", "the car of red");
	finds(m->s, (struct search_query){ 0 }, "car", "the car of red|"); /* no vectors yet */
	assert_int_equal(fake_embed(m->s), 4);
	finds(m->s, (struct search_query){ 0 }, "car", "the car of red|my automobile|");
	finds(m->s, (struct search_query){ .limit = 1 }, "car", "the car of red|");
	finds(m->s, (struct search_query){ .limit = 1 }, "vehicle", "my automobile|"); /* no word is known */
	finds(m->s, (struct search_query){ .words = "vehicle" }, "", "");
	finds(m->s, (struct search_query){ .words = "?!", .limit = 1 }, "home", "a dwelling in town|");
	finds(m->s, (struct search_query){ .words = "?!" }, "", "");
	finds(m->s, (struct search_query){ .words = " ", .limit = 1 }, "home", "the car of red|"); /* the newest */
	const float nothing[FAKE_DIMS] = { 0 }, broken[FAKE_DIMS] = { NAN };
	struct search_query q = { .words = "car", .vector = nothing, .model = &fake_model };
	struct seen seen = { 0 };
	assert_int_equal(store_search(m->s, &q, see, &seen), 0);
	assert_string_equal(seen.line, "the car of red|");
	q.vector = broken;
	assert_int_equal(store_search(m->s, &q, see, &seen), 0);
	const struct vector_model other = { "other", FAKE_DIMS };
	q.model = &other;
	assert_int_equal(store_search(m->s, &q, see, &seen), 0);
	assert_string_equal(seen.line, "the car of red|the car of red|the car of red|");
}

/* Without a question, all that pass are listed: no hit is another. */
static void only_what_passes(struct store *s, struct search_query q)
{
	q.limit = SEARCH_LIMIT_MOST;
	q.words = "car far";
	struct seen *mixed = ask(s, q, "car");
	q.words = "";
	struct seen *all = ask(s, q, "");
	for (int i = 0; i < mixed->count; i++) {
		bool passes = false;
		for (int k = 0; k < all->count; k++)
			passes = passes || all->seqs[k] == mixed->seqs[i];
		assert_true(passes);
	}
	free(mixed);
	free(all);
}

static void filters(void **state)
{
	struct memory *m = *state;
	const char *const red[] = { "red" }, *const mine[] = { "my" };
	int64_t id;
	clock_set(T(0));
	make_session(m->s, "one");
	make_session(m->s, "two");
	tell(m->s, 1, "ana:vim", "user", "my automobile");
	clock_set(T(1000000));
	tell(m->s, 2, "bob:sh", "assistant", "truck of red");
	clock_set(T(2000000));
	assert_int_equal(put(m->s, "s2", "message",
	                     "{\"role\":\"tool\",\"content\":\"an old vehicle\",\"thread\":\"blue\"}"), 0);
	clock_set(T(3000000));
	assert_int_equal(doc_make(m->s, "memories/decision", "automobile.md", "truck", &id), 0);
	clock_set(T(4000000));
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("vehicle of Ana")), 0);
	for (int i = 0; i < 12; i++) { /* of every kind, what is far */
		char text[32];
		(void)snprintf(text, sizeof text, "far x%d", i);
		tell(m->s, 1 + i % 2, i % 3 ? "ana:vim" : "bob:sh", i % 4 ? "user" : "assistant", text);
		(void)snprintf(text, sizeof text, "far%d.md", i);
		assert_int_equal(doc_make(m->s, "memories/decision", text, "far y", &id), 0);
	}
	assert_int_equal(put(m->s, "s2", "message", "{\"role\":\"tool\",\"content\":\"far\",\"thread\":\"blue\"}"), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("far fact")), 0);
	(void)fake_embed(m->s);
	const struct {
		struct search_query q;
		const char *expected;
	} rows[] = {
		{ { .limit = 5 }, "automobile|my automobile|vehicle of Ana|an old vehicle|truck of red|" },
		{ { .session = 1, .limit = 1 }, "my automobile|" },
		{ { .session = 2, .limit = 2 }, "an old vehicle|truck of red|" },
		{ { .thread = "blue" }, "an old vehicle|" },
		{ { .thread = "green" }, "" },
		{ { .by = "bob", .limit = 1 }, "truck of red|" },
		{ { .by = "ana:vim", .in = SEARCH_MESSAGES, .limit = 1 }, "my automobile|" },
		{ { .role = "assistant", .limit = 1 }, "truck of red|" },
		{ { .role = "tool", .limit = 1 }, "an old vehicle|" },
		{ { .role = "nobody" }, "" },
		{ { .type = "decision", .limit = 1 }, "automobile|" },
		{ { .type = "work", .limit = 1 }, "vehicle of Ana|" },
		{ { .in = SEARCH_FACTS, .limit = 1 }, "vehicle of Ana|" },
		{ { .in = SEARCH_DOCUMENTS, .limit = 1 }, "automobile|" },
		{ { .in = SEARCH_MESSAGES, .limit = 3 }, "my automobile|an old vehicle|truck of red|" },
		{ { .in = SEARCH_DOCUMENTS | SEARCH_FACTS, .limit = 2 }, "automobile|vehicle of Ana|" },
		{ { .after_us = T(1000000), .before_us = T(2000000) }, "" }, /* one alone is neither near nor far */
		{ { .before_us = T(2000000), .without = red, .without_count = 1 }, "" },
		{ { .after_us = T(1), .limit = 1, .in = SEARCH_MESSAGES }, "an old vehicle|" },
		{ { .phrases = red, .phrase_count = 1 }, "truck of red|" },
		{ { .without = red, .without_count = 1, .in = SEARCH_MESSAGES, .limit = 2 }, "my automobile|an old vehicle|" },
		{ { .without = mine, .without_count = 1, .session = 1, .limit = 20 }, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct search_query q = rows[i].q;
		q.words = q.phrase_count ? "" : "sedan"; /* a word nobody said */
		struct seen *seen = ask(m->s, q, "car");
		if (strcmp(seen->line, rows[i].expected) != 0)
			fail_msg("row %zu: %s, not %s", i, seen->line, rows[i].expected);
		free(seen);
		only_what_passes(m->s, rows[i].q);
	}
}

/* What is not there any more is no hit, whatever its vector says. */
static void gone(void **state)
{
	struct memory *m = *state;
	int64_t id, fact;
	for (int i = 0; i < 8; i++)
		tell(m->s, i + 1, "ana", "user", i % 2 ? "far away" : "far off");
	assert_int_equal(doc_make(m->s, "notes", "n.md", "truck", &id), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("a vehicle")), 0);
	fact = entries_of(m->s) - 1;
	(void)fake_embed(m->s);
	const struct search_query q = { .words = "sedan", .limit = 2 };
	finds(m->s, q, "car", "a vehicle|n|");
	assert_int_equal(doc_save(m->s, id, "joyful", -1), 0);
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, fact)), 0);
	finds(m->s, q, "car", "");
	finds(m->s, q, "glad", "");
	(void)fake_embed(m->s);
	finds(m->s, q, "car", "");
	finds(m->s, (struct search_query){ .words = "sedan", .limit = 1 }, "glad", "n|");
	memory_reopen(m, 0);
	finds(m->s, q, "car", "");
	assert_int_equal(doc_save(m->s, id, "truck", -1), 0); /* as it was: its vector is here still */
	finds(m->s, (struct search_query){ .words = "sedan", .limit = 1 }, "car", "n|");
	redact(m, entries_of(m->s) - 1);
	finds(m->s, q, "car", "");
}

static void same_as_by_words(struct store *s, const char *words)
{
	struct seen *mixed = ask(s, (struct search_query){ 0 }, words);
	struct seen *plain = ask(s, (struct search_query){ .words = words }, "");
	assert_string_equal(mixed->line, plain->line);
	for (int i = 0; i < plain->count; i++)
		assert_true(fabs(mixed->scores[i] - plain->scores[i]) < 1e-12);
	free(mixed);
	free(plain);
}

static void by_words_if_few_or_alike(void **state)
{
	struct memory *m = *state;
	float v[FAKE_DIMS];
	for (int i = 0; i < 9; i++)
		tell(m->s, i + 1, "ana", "user", i < 2 ? "same" : i < 4 ? "other" : i < 6 ? "car x" : "truck");
	assert_int_equal(fake_put(m->s, &fake_model, "a question", (fake_vector("car", v), v)), 0);
	same_as_by_words(m->s, "car");
	assert_int_equal(fake_put(m->s, &fake_model, "same", (fake_vector("house", v), v)), 0);
	assert_int_equal(fake_put(m->s, &fake_model, "other", (fake_vector("car", v), v)), 0);
	same_as_by_words(m->s, "car"); /* 4 of 9 */
	assert_int_equal(fake_put(m->s, &fake_model, "other", (fake_vector("house", v), v)), 0);
	assert_int_equal(fake_put(m->s, &fake_model, "truck", v), 0);
	same_as_by_words(m->s, "car"); /* 7 of 9, all alike */
	assert_int_equal(fake_put(m->s, &fake_model, "truck", (fake_vector("car", v), v)), 0);
	struct seen *seen = ask(m->s, (struct search_query){ 0 }, "car");
	assert_int_equal(seen->count, 5); /* words: both without a vector, as they were */
	struct seen *plain = ask(m->s, (struct search_query){ .words = "car" }, "");
	assert_int_equal(plain->count, 2);
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 2; k++)
			assert_true(seen->seqs[i] != plain->seqs[k] ||
			            fabs(seen->scores[i] - plain->scores[k]) < 1e-12);
	free(seen);
	free(plain);
}

/* Who cannot write the vectors does not know of new texts: they count as those without one. */
static void behind(void **state)
{
	struct memory *m = *state;
	for (int i = 0; i < 4; i++)
		tell(m->s, 1, "ana", "user", i % 2 ? "an automobile" : "home");
	(void)fake_embed(m->s);
	struct store *r = memory_store(m, STORE_READONLY);
	const struct search_query all = { .words = "sedan", .limit = 1 };
	const struct search_query session = { .words = "sedan", .limit = 1, .session = 1 };
	finds(r, all, "car", "an automobile|");
	finds(r, session, "car", "an automobile|");
	for (int i = 0; i < 5; i++)
		tell(m->s, 1, "ana", "user", "river");
	finds(m->s, (struct search_query){ .words = "river", .limit = 1 }, "", "river|"); /* the index knows */
	finds(r, all, "car", "");
	finds(r, session, "car", "");
	finds(m->s, all, "car", ""); /* 4 of 9 */
	(void)fake_embed(m->s);
	finds(r, all, "car", "an automobile|");
	finds(r, session, "car", "an automobile|");
	store_close(r);
}

static void ties(void **state)
{
	struct memory *m = *state;
	for (int i = 0; i < 6; i++)
		tell(m->s, i + 1, "ana", "user", i % 2 ? "truck" : "house");
	(void)fake_embed(m->s);
	for (int again = 0; again < 3; again++) {
		struct seen *seen = ask(m->s, (struct search_query){ .words = "sedan" }, "car");
		assert_string_equal(seen->line, "truck|truck|truck|");
		assert_true(seen->seqs[0] > seen->seqs[1] && seen->seqs[1] > seen->seqs[2]); /* newest first */
		free(seen);
		memory_reopen(m, 0);
	}
}

/* ---- the same, naively --------------------------------------------------- */

enum { NAIVE_MOST = 4096 };
struct naive {
	int64_t seq[NAIVE_MOST];
	char text[NAIVE_MOST][64];
	int session[NAIVE_MOST];
	bool vector[NAIVE_MOST];
	double score[NAIVE_MOST];
	bool hit[NAIVE_MOST];
	int count;
};

static void write_texts(struct memory *m, struct naive *n, int count, uint64_t *seed)
{
	static const char *const words[] = { "car", "truck", "doctor", "glad", "home", "residence", "blue", "river",
		"stone", "paper", "music", "winter", "garden", "bread", "silver", "letter" };
	for (n->count = 0; n->count < count; n->count++) {
		char *text = n->text[n->count];
		size_t at = (size_t)snprintf(text, 64, "n%d", n->count);
		for (uint32_t left = 1 + dice(seed, 4); left > 0; left--)
			at += (size_t)snprintf(text + at, 64 - at, " %s", words[dice(seed, 16)]);
		n->session[n->count] = 1 + (int)dice(seed, 5);
		tell(m->s, n->session[n->count], "ana", "user", text);
		n->seq[n->count] = entries_of(m->s) - 1;
	}
}

static int embed_most(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct memory *m = ctx;
	struct vector_add add;
	float v[FAKE_DIMS];
	(void)len;
	fake_vector(text, v);
	memcpy(add.hash, hash, VECTOR_HASH);
	add.values = text[1] == '7' ? NULL : v; /* n7, n70…: will have none */
	return store_vectors_add(m->s, &fake_model, &add, 1);
}

static double cosine(const float *a, const float *b)
{
	double ab = 0, aa = 0, bb = 0;
	for (int i = 0; i < FAKE_DIMS; i++) {
		ab += (double)a[i] * (double)b[i];
		aa += (double)a[i] * (double)a[i];
		bb += (double)b[i] * (double)b[i];
	}
	return ab / sqrt(aa * bb);
}

struct moments {
	double n, sum, squares;
};

static void add_to(struct moments *s, double x)
{
	s->n++;
	s->sum += x;
	s->squares += x * x;
}

static double mean_of(const struct moments *s)
{
	return s->sum / s->n;
}

static double deviation_of(const struct moments *s)
{
	return sqrt(s->squares / s->n - mean_of(s) * mean_of(s));
}

/* z(words) + MEANING z(cosine) of all texts of a session, 0: of all there are. */
static void naive_scores(struct memory *m, struct naive *n, const char *question, int session)
{
	struct seen *plain = ask(m->s, (struct search_query){ .words = question, .session = session,
	                         .limit = SEARCH_LIMIT_MOST }, "");
	struct moments words = { 0 }, meaning = { 0 };
	static double by_word[NAIVE_MOST], by_cosine[NAIVE_MOST];
	float q[FAKE_DIMS], v[FAKE_DIMS];
	assert_true(plain->count < SEARCH_LIMIT_MOST);
	fake_vector(question, q);
	for (int i = 0; i < n->count; i++) {
		n->hit[i] = false;
		if (session && n->session[i] != session)
			continue;
		by_word[i] = 0;
		for (int k = 0; k < plain->count; k++)
			by_word[i] += plain->seqs[k] == n->seq[i] ? plain->scores[k] : 0;
		fake_vector(n->text[i], v);
		by_cosine[i] = n->vector[i] ? cosine(q, v) : 0;
		add_to(&words, by_word[i]);
		if (n->vector[i])
			add_to(&meaning, by_cosine[i]);
	}
	for (int i = 0; i < n->count; i++) {
		if (session && n->session[i] != session)
			continue;
		double z = n->vector[i] ? (by_cosine[i] - mean_of(&meaning)) / deviation_of(&meaning) : 0;
		n->hit[i] = by_word[i] > 0 || z > 1e-5;
		/* In units of the scores by words, as they are handed out; without words, the cosine's z. */
		n->score[i] = plain->count ? by_word[i] + MEANING * deviation_of(&words) * z : z;
	}
	free(plain);
}

static void as_naive(struct memory *m, struct naive *n, const char *question, int session, int limit)
{
	naive_scores(m, n, question, session);
	struct seen *mixed = ask(m->s, (struct search_query){ .session = session, .limit = limit }, question);
	int hits = 0;
	for (int i = 0; i < n->count; i++)
		hits += n->hit[i];
	assert_int_equal(mixed->count, hits < limit ? hits : limit);
	assert_true(mixed->count > 0);
	for (int k = 0; k < mixed->count; k++) {
		int better = 0;
		for (int i = 0; i < n->count; i++) {
			if (n->seq[i] == mixed->seqs[k]) {
				assert_true(n->hit[i]);
				if (!(fabs(n->score[i] - mixed->scores[k]) < 1e-4))
					fail_msg("%s, %d: %s: %f, not %f", question, session, n->text[i], mixed->scores[k], n->score[i]);
			}
			better += n->hit[i] && n->score[i] > mixed->scores[k] + 1e-4;
		}
		assert_in_range(better, 0, k); /* nobody who is better stands behind */
	}
	free(mixed);
}

static void embed_naive(struct memory *m, struct naive *n)
{
	for (int64_t left = 1; left > 0;)
		assert_int_equal(store_vectors_missing(m->s, &fake_model, 1000, embed_most, m, &left), 0);
	for (int i = 0; i < n->count; i++)
		n->vector[i] = n->text[i][1] != '7';
}

static void as_computed_naively(void **state)
{
	struct memory *m = *state;
	struct naive *n = calloc(1, sizeof *n);
	uint64_t seed = 7;
	assert_non_null(n);
	write_texts(m, n, 400, &seed);
	embed_naive(m, n);
	static const char *const questions[] = { "car", "automobile", "glad doctor", "blue river house", "n17 medic",
		"cheerful residence winter", "vehicle dwelling joyful physician" };
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		as_naive(m, n, questions[i], 0, 20);
		as_naive(m, n, questions[i], 0, 1000);
		as_naive(m, n, questions[i], 2, 20);
		as_naive(m, n, questions[i], 3, 1);
	}
	free(n);
}

/* So many that not all are looked at: the lists must be long enough by themselves. */
static void as_naively_of_many(void **state)
{
	struct memory *m = *state;
	struct naive *n = calloc(1, sizeof *n);
	uint64_t seed = 11;
	assert_non_null(n);
	write_texts(m, n, 2600, &seed);
	embed_naive(m, n);
	static const char *const questions[] = { "automobile", "n170 n1700 vehicle", "n55 n1234 n2000 surgeon joyful",
		"medic dwelling cheerful" };
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		as_naive(m, n, questions[i], 0, 20);
		as_naive(m, n, questions[i], 0, 5);
		as_naive(m, n, questions[i], 4, 20);
	}
	free(n);
}

/* The best by the sum is 451st by words and by meaning: the first lists do not hold it. */
static void best_of_both(void **state)
{
	struct memory *m = *state;
	for (int i = 0; i < 2500; i++)
		tell(m->s, i + 1, "ana", "user", i == 1200 ? "river river car truck vehicle car" :
		     i % 5 == 0 ? "river river river" : i % 5 == 1 ? "automobile" : "stone");
	(void)fake_embed(m->s);
	finds(m->s, (struct search_query){ .words = "river", .limit = 1 }, "car", "river river car truck vehicle car|");
	finds(m->s, (struct search_query){ .words = "river", .limit = 2 }, "car",
	      "river river car truck vehicle car|river river river|");
}

/* More texts with a word than get a window: who is near in meaning does, all the same. */
static void among_many(void **state)
{
	struct memory *m = *state;
	uint64_t seed = 3;
	for (int i = 0; i < 4600; i++) {
		char text[48];
		(void)snprintf(text, sizeof text, "note %u u%u", dice(&seed, 9), dice(&seed, 40));
		if (i == 700)
			(void)snprintf(text, sizeof text, "note in a vehicle");
		tell(m->s, 1 + i % 90, "ana", "user", text);
		if (i == 1000)
			tell(m->s, 99, "ana", "user", "an automobile and truck");
		if (i == 1500)
			tell(m->s, 98, "ana", "user", "the note of my car");
	}
	(void)fake_embed(m->s);
	struct seen *mixed = ask(m->s, (struct search_query){ .words = "note car", .limit = 3 }, "car");
	assert_string_equal(mixed->line, "the note of my car|an automobile and truck|note in a vehicle|");
	struct seen *plain = ask(m->s, (struct search_query){ .words = "note car", .limit = 1000 }, "");
	for (int i = 0; i < plain->count; i++) /* by words it is one of thousands, or none */
		assert_true(plain->seqs[i] != mixed->seqs[1]);
	free(plain);
	free(mixed);
	mixed = ask(m->s, (struct search_query){ .words = "note car", .limit = 2, .session = 71 }, "vehicle");
	assert_true(strncmp(mixed->line, "note in a vehicle|", 18) == 0);
	free(mixed);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(by_meaning), CASE(filters), CASE(gone), CASE(by_words_if_few_or_alike), CASE(behind), CASE(ties),
		CASE(as_computed_naively), CASE(as_naively_of_many),
		CASE(best_of_both), CASE(among_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
