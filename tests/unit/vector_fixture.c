/* SPDX-License-Identifier: MIT */
/* The tests' model and their ways around the store; see vector_fixture.h. */
#include "tests/unit/vector_fixture.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

const struct vector_model fake_model = { "fake", FAKE_DIMS };

static const char *const alike[][4] = {
	{ "car", "automobile", "vehicle", "truck" }, { "doctor", "physician", "medic", "surgeon" },
	{ "happy", "glad", "joyful", "cheerful" }, { "house", "home", "dwelling", "residence" },
};

static unsigned direction(const char *word, size_t len)
{
	unsigned h = 2166136261u;
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		for (size_t k = 0; k < 4; k++)
			if (strlen(alike[i][k]) == len && memcmp(alike[i][k], word, len) == 0)
				return (unsigned)i;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)word[i]) * 16777619u;
	return (unsigned)(sizeof alike / sizeof *alike) + h % (FAKE_DIMS - (unsigned)(sizeof alike / sizeof *alike));
}

void fake_vector(const char *text, float out[FAKE_DIMS])
{
	memset(out, 0, FAKE_DIMS * sizeof *out);
	for (size_t len; *text; text += len) {
		for (len = 0; isalnum((unsigned char)text[len]); len++)
			;
		if (len > 0)
			out[direction(text, len)] += 3; /* the store makes it unit length */
		len += len == 0;
	}
}

struct batch {
	struct vector_add add[64];
	float values[64][FAKE_DIMS];
	size_t count;
};

static int embed_one(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct batch *b = ctx;
	assert_int_equal(strlen(text), len);
	assert_in_range(b->count, 0, 63);
	memcpy(b->add[b->count].hash, hash, VECTOR_HASH);
	fake_vector(text, b->values[b->count]);
	b->add[b->count].values = b->values[b->count];
	b->count++;
	return 0;
}

size_t fake_embed(struct store *s)
{
	struct batch *b = calloc(1, sizeof *b);
	size_t total = 0;
	int64_t left = 1;
	assert_non_null(b);
	while (left > 0) {
		b->count = 0;
		assert_int_equal(store_vectors_missing(s, &fake_model, 64, embed_one, b, &left), 0);
		assert_int_equal(store_vectors_add(s, &fake_model, b->add, b->count), 0);
		left -= (int64_t)b->count;
		total += b->count;
	}
	free(b);
	return total;
}

struct listing {
	char *dst;
	size_t most;
};

static int list_one(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct listing *l = ctx;
	size_t at = strlen(l->dst);
	unsigned char again[VECTOR_HASH];
	assert_in_range(l->most--, 1, 100000);
	(void)snprintf(l->dst + at, 1024 - at, "%.*s|", (int)strcspn(text, "\n"), text);
	store_vector_hash(text, &len, again);
	assert_memory_equal(hash, again, VECTOR_HASH);
	return 0;
}

const char *fake_missing(struct store *s, size_t most, int64_t *left, char dst[1024])
{
	struct listing l = { dst, most };
	dst[0] = '\0';
	assert_int_equal(store_vectors_missing(s, &fake_model, most, list_one, &l, left), 0);
	return dst;
}

int fake_get(struct store *s, const struct vector_model *m, const char *text, float *out)
{
	unsigned char hash[VECTOR_HASH];
	size_t len = strlen(text);
	store_vector_hash(text, &len, hash);
	return store_vector(s, m, hash, out);
}

int fake_put(struct store *s, const struct vector_model *m, const char *text, const float *values)
{
	struct vector_add add = { .values = values };
	size_t len = strlen(text);
	store_vector_hash(text, &len, add.hash);
	return store_vectors_add(s, m, &add, 1);
}

int64_t sql_number(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

void tell(struct store *s, int session, const char *author, const char *role, const char *text)
{
	char stream[24], body[12000];
	store_session_stream(session, stream);
	int len = snprintf(body, sizeof body, "{\"role\":\"%s\",\"content\":\"%s\"}", role, text);
	assert_in_range(len, 1, sizeof body - 1);
	struct draft d = { stream, "message", author, body, (size_t)len, NULL };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	assert_int_equal(store_append_wait(s, &a), 0);
}

void redact(const struct memory *m, int64_t seq)
{
	char sql[128], body[64];
	(void)snprintf(sql, sizeof sql, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = %lld", (long long)seq);
	sql_in(m->path, sql);
	(void)snprintf(body, sizeof body, "{\"seq\":%lld,\"reason\":\"a secret\"}", (long long)seq);
	assert_int_equal(put(m->s, "tape", "tape.redact", body), 0);
}
