/* SPDX-License-Identifier: MIT */
/* The hashes of tape/1 against the worked vectors of docs/format.md, restated here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/proof/merkle.h"
#include "store/proof/note.h"

#define ORIGIN "tape.example/5f3c9a1e7b2d4c60"

struct vector {
	const char *stream;
	int64_t stream_seq, time_us;
	const char *kind, *author, *body;
	uint8_t salt; /* sixteen times */
	const char *body_hash, *leaf_hash;
};

static const struct vector vectors[] = {
	{ "tape", 0, 1790000000000000, "tape.genesis", "tape", "{\"format\":\"tape/1\"}", 0,
	  "7176140998a63a061c9a40694c5de728bc7f3a9aa2ad8fab2c7b4656c234d6a0",
	  "6deb6327ed8db7168f33cc5bd8b5ad87e6f173daa57fbd086b2a21db472ed37a" },
	{ "s0", 0, 1790000000000001, "fs.write", "agent:planner",
	  "{\"path\":\"/a\",\"text\":\"h\xC3\xA9llo\"}", 1,
	  "43a9d8cbdd4fdd56bae81ac330cfafef0d86768258d54733dec52c75b47b201a",
	  "39b597edb250a07c956a883b1a951d0386a6b5de0309231362fa962a795c31bd" },
	{ "s0", 1, 1790000000000002, "fs.write", "agent:planner", "", 2,
	  "292afde3b64e6636d68f1120d9242f1f85e38ef7bf306e4407c2303eb63791ef",
	  "4672711e7bd3fed292d73d7fe79dff02bd7141114accbd4606c0ded599f07368" },
};

static struct hasher h;

static void expect_hex(const uint8_t hash[HASH_SIZE], const char *hex)
{
	char text[HEX_SIZE];
	hex_of(hash, HASH_SIZE, text);
	assert_string_equal(text, hex);
}

static void test_vectors(void **state)
{
	uint8_t last[HASH_SIZE] = { 0 }, root[HASH_SIZE];
	struct merkle m;
	(void)state;
	merkle_init(&m);
	for (int i = 0; i < 3; i++) {
		const struct vector *v = &vectors[i];
		uint8_t salt[SALT_SIZE];
		char text[LEAF_TEXT_MAX];
		struct entry e = { .seq = i, .stream = v->stream, .stream_seq = v->stream_seq,
			               .time_us = v->time_us, .kind = v->kind, .author = v->author,
			               .body = v->body, .body_len = strlen(v->body) };
		memset(salt, v->salt, sizeof salt);
		if (v->stream_seq > 0)
			memcpy(e.prev, last, HASH_SIZE);
		hasher_body(&h, salt, e.body, e.body_len, e.body_hash);
		expect_hex(e.body_hash, v->body_hash);
		hasher_leaf(&h, text, leaf_text(text, ORIGIN, &e), e.leaf_hash);
		expect_hex(e.leaf_hash, v->leaf_hash);
		memcpy(last, e.leaf_hash, HASH_SIZE);
		merkle_push(&m, &h, 0, e.leaf_hash);
	}
	merkle_top(&m, &h, root);
	expect_hex(root, "37b14f518aa35edb7b9905e3d475460f1a6ed9b7565b35974ba32b49124f4918");
}

/* The eleven lines, to the byte. */
static void test_leaf_text(void **state)
{
	char text[LEAF_TEXT_MAX];
	struct entry e = { .seq = 0, .stream = "s17", .stream_seq = INT64_MAX, .time_us = 0,
		               .kind = "k", .author = "a", .body_len = 10 };
	(void)state;
	memset(e.prev, 0xAB, HASH_SIZE);
	size_t len = leaf_text(text, "o", &e);
	static const char want[] =
		"tape/1\no\n0\ns17\n9223372036854775807\n"
		"abababababababababababababababababababababababababababababababab\n0\nk\na\n10\n"
		"0000000000000000000000000000000000000000000000000000000000000000\n";
	assert_int_equal(len, sizeof want - 1);
	assert_memory_equal(text, want, len);
}

/* The longest header fits its buffer. */
static void test_longest(void **state)
{
	char field[FIELD_MAX + 1], kind[KIND_MAX + 1], text[LEAF_TEXT_MAX];
	(void)state;
	memset(field, '~', FIELD_MAX);
	memset(kind, '!', KIND_MAX);
	field[FIELD_MAX] = kind[KIND_MAX] = '\0';
	struct entry e = { .seq = INT64_MAX, .stream = field, .stream_seq = INT64_MAX,
		               .time_us = INT64_MAX, .kind = kind, .author = field,
		               .body_len = INT64_MAX };
	assert_true(leaf_text(text, field, &e) <= sizeof text);
}

static void test_fields(void **state)
{
	char big[FIELD_MAX + 2];
	(void)state;
	memset(big, 'a', sizeof big);
	assert_true(field_ok("a", 1, FIELD_MAX));
	assert_true(field_ok("!~", 2, FIELD_MAX));
	assert_true(field_ok(big, FIELD_MAX, FIELD_MAX));
	assert_false(field_ok(big, FIELD_MAX + 1, FIELD_MAX));
	assert_false(field_ok("", 0, FIELD_MAX));
	assert_false(field_ok("a b", 3, FIELD_MAX));
	assert_false(field_ok("a\n", 2, FIELD_MAX));
	assert_false(field_ok("a\0b", 3, FIELD_MAX));
	assert_false(field_ok("\x7F", 1, FIELD_MAX));
	assert_false(field_ok("\xC3\xA9", 2, FIELD_MAX));
}

/* The same characters cut into fields in another way are another leaf. */
static void test_injective(void **state)
{
	static const char all[] = "abcdef";
	uint8_t seen[64][HASH_SIZE];
	size_t count = 0;
	(void)state;
	for (size_t i = 1; i < 5; i++)
		for (size_t k = i + 1; k < 6; k++) {
			char a[8] = "", b[8] = "", c[8] = "", text[LEAF_TEXT_MAX];
			memcpy(a, all, i);
			memcpy(b, all + i, k - i);
			memcpy(c, all + k, 6 - k);
			struct entry e = { .stream = a, .kind = b, .author = c };
			hasher_leaf(&h, text, leaf_text(text, ORIGIN, &e), seen[count]);
			for (size_t n = 0; n < count; n++)
				assert_memory_not_equal(seen[n], seen[count], HASH_SIZE);
			count++;
		}
	assert_int_equal(count, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors), cmocka_unit_test(test_leaf_text),
		cmocka_unit_test(test_longest), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_injective),
	};
	if (hasher_init(&h) != 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	hasher_release(&h);
	return failed;
}
