/* SPDX-License-Identifier: MIT */
/*
 * Tokens.  The estimate: known answers by hand, and what holds for every text.  The
 * exact ones: tiktoken's answers (tokens.tsv), a plain merge as a model, any bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/tokens/tokens.h"
#include "store/tokens/token_bpe.h"
#include "store/tokens/token_split.h"

static void test_kcache(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t tokens;
	} cases[] = {
		{ "", 0 },
		{ " ", 1 },
		{ "hi", 1 },
		{ "hello world", 2 },
		{ "Hello, world!", 4 },
		{ "deployment", 2 },                   /* 1 + 4 × .14 */
		{ "internationalization", 3 },         /* 1 + 14 × .14 */
		{ "recordá", 2 },                      /* 1 + 1 × .14 + .45 */
		{ "123", 1 },
		{ "1234567", 3 },
		{ "a\n\n\nb", 3 },
		{ "!!!!", 3 },                         /* 1 + 3 × .35 */
		{ "\xE6\x97\xA5\xE6\x9C\xAC", 3 },     /* two ideographs */
		{ "\xF0\x9F\x98\x80", 2 },             /* an emoji */
		{ "int main(void) { return 0; }", 10 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t got = store_token_count(cases[i].text, strlen(cases[i].text));
		if (got != cases[i].tokens)
			fail_msg("\"%s\": %lld, not %lld", cases[i].text, (long long)got,
			         (long long)cases[i].tokens);
	}
}

/* Any bytes: at least one token, at most a bit over one a byte; more ASCII is never fewer. */
static void test_any_bytes(void **state)
{
	(void)state;
	char text[400];
	uint32_t x = 88172645;
	for (int round = 0; round < 3000; round++) {
		for (size_t i = 0; i < sizeof text; i++) {
			x = x * 1664525 + 1013904223;
			text[i] = (char)(x >> (round % 2 ? 24 : 25));
		}
		int64_t before = 0;
		for (size_t len = 1; len < sizeof text; len += 1 + len / 4) {
			int64_t n = store_token_count(text, len);
			assert_true(n >= 1 && n <= (int64_t)(2 * len));
			assert_true(round % 2 || n >= before);
			before = n;
		}
	}
}

/* ---- exact ------------------------------------------------------------ */

enum { TEXT_MOST = 4096 };
static const enum tokenizer tokenizer_of[] = { [O200K] = TOKENS_O200K, [CL100K] = TOKENS_CL100K };

static uint32_t random_next(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static void ids_are(enum vocabulary v, const char *text, size_t len, const uint32_t *wanted, int64_t count)
{
	uint32_t ids[TEXT_MOST];
	int64_t got = bpe_encode(v, text, len, ids, TEXT_MOST);
	if (got != count || memcmp(ids, wanted, (size_t)count * sizeof *ids) != 0)
		fail_msg("%s \"%.*s\": %lld tokens, not %lld, or other ones",
		         store_tokenizer_name(tokenizer_of[v]), (int)len, text, (long long)got, (long long)count);
	assert_int_equal(store_counter(tokenizer_of[v])(text, len), count);
}

static int64_t read_ids(const char *field, uint32_t *ids)
{
	int64_t n = 0;
	for (char *end; *field; field = end + (*end == ' '))
		ids[n++] = (uint32_t)strtoul(field, &end, 10);
	return n;
}

static size_t read_hex(const char *field, char *text)
{
	size_t n = 0;
	for (unsigned byte; sscanf(field + 2 * n, "%2x", &byte) == 1; n++)
		text[n] = (char)byte;
	return n;
}

static void test_as_tiktoken(void **state)
{
	(void)state;
	static char line[4 * TEXT_MOST];
	uint32_t ids[TEXT_MOST];
	char text[TEXT_MOST];
	int lines = 0;
	FILE *f = fopen("tests/unit/tokens.tsv", "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char *rest = line, *field[3];
		if (*line == '#')
			continue;
		for (int i = 0; i < 3; i++)
			assert_non_null(field[i] = strsep(&rest, "\t\n"));
		size_t len = read_hex(field[2], text);
		assert_int_equal(2 * len, strlen(field[2]));
		for (enum vocabulary v = O200K; v <= CL100K; v++)
			ids_are(v, text, len, ids, read_ids(field[v], ids));
		lines++;
	}
	fclose(f);
	assert_true(lines > 350);
}

/* All pairs looked at for each merge, however long the piece. */
static int64_t merge_plainly(enum vocabulary v, const uint8_t *s, size_t n, uint32_t *ids)
{
	size_t at[TEXT_MOST + 1], parts = n;
	for (size_t i = 0; i <= n; i++)
		at[i] = i;
	for (;;) {
		uint32_t least = RANK_NONE;
		size_t best = 0;
		for (size_t i = 0; i + 1 < parts; i++) {
			uint32_t rank = rank_of(v, s + at[i], at[i + 2] - at[i]);
			if (rank < least) {
				least = rank;
				best = i;
			}
		}
		if (least == RANK_NONE)
			break;
		for (size_t i = best + 1; i < parts; i++)
			at[i] = at[i + 1];
		parts--;
	}
	for (size_t i = 0; i < parts; i++)
		ids[i] = rank_of(v, s + at[i], at[i + 1] - at[i]);
	return (int64_t)parts;
}

static void test_long_pieces(void **state)
{
	(void)state;
	uint32_t ids[TEXT_MOST], x = 7;
	uint8_t s[800];
	for (int round = 0; round < 12; round++) {
		size_t len = 90 + random_next(&x) % (round < 6 ? 12 : sizeof s - 90);
		for (size_t i = 0; i < len; i++)
			s[i] = (uint8_t)('a' + random_next(&x) % (round % 3 == 0 ? 2 : round % 3 == 1 ? 5 : 26));
		for (enum vocabulary v = O200K; v <= CL100K; v++) {
			assert_int_equal(token_split(v, s, s + len), len);
			ids_are(v, (const char *)s, len, ids, merge_plainly(v, s, len, ids));
		}
	}
}

static void test_very_long(void **state)
{
	(void)state;
	size_t len = 1 << 20;
	char *text = malloc(len);
	assert_non_null(text);
	memset(text, 'a', len);
	assert_int_equal(store_counter(TOKENS_O200K)(text, len), 1 << 17); /* by eight */
	assert_int_equal(store_counter(TOKENS_CL100K)(text, len), 1 << 17);
	free(text);
}

/* Fills token[rank] for all ranks; each token is found by its bytes. */
static size_t tokens_of(enum vocabulary v, const uint32_t **token)
{
	size_t known = 0;
	for (size_t i = 0; i < sizeof token_ranks.slot / sizeof token_ranks.slot[0]; i++) {
		uint32_t slot = token_ranks.slot[i];
		const uint32_t *e = token_ranks.entry + (slot & ((1 << OFFSET_BITS) - 1));
		if (slot == 0 || (e[v] & RANK_NONE) == RANK_NONE)
			continue;
		uint32_t rank = e[v] & RANK_NONE;
		assert_true(rank < 200000 && !token[rank]);
		assert_int_equal(rank_of(v, (const uint8_t *)(e + 2), e[0] >> 24), rank);
		token[rank] = e;
		known++;
	}
	return known;
}

static void check_joined(const uint32_t *const *token, const uint32_t *ids, int64_t n, const char *text, size_t len)
{
	size_t at = 0;
	for (int64_t i = 0; i < n; i++) {
		size_t part = token[ids[i]][0] >> 24;
		assert_true(at + part <= len);
		assert_memory_equal(token[ids[i]] + 2, text + at, part);
		at += part;
	}
	assert_int_equal(at, len);
}

/* The tokens of any bytes, put after one another, are those bytes. */
static void test_any_bytes_exact(void **state)
{
	(void)state;
	const uint32_t **token = malloc(200000 * sizeof *token);
	uint32_t ids[400], x = 3;
	char text[400];
	assert_non_null(token);
	for (enum vocabulary v = O200K; v <= CL100K; v++) {
		memset(token, 0, 200000 * sizeof *token);
		assert_int_equal(tokens_of(v, token), v == O200K ? 199998 : 100256);
		for (int round = 0; round < 2000; round++) {
			size_t len = random_next(&x) % sizeof text + 1;
			for (size_t i = 0; i < len; i++)
				text[i] = (char)(random_next(&x) % (round % 2 ? 256 : 200));
			int64_t n = bpe_encode(v, text, len, ids, 400);
			assert_in_range(n, 1, len);
			check_joined(token, ids, n, text, len);
		}
	}
	free(token);
}

/* What is not UTF-8 is cut like U+FFFD, byte by byte. */
static void test_bad_bytes_cut(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "a\xFF" "b", "a\uFFFD" "b" },          { "1\xC3", "1\uFFFD" },
		{ " \xE4\xB8", " \uFFFD\uFFFD" },        { "\xC0\x80x", "\uFFFD\uFFFDx" },
		{ "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD" }, { "\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD" },
		{ "\x80\n\ny", "\uFFFD\n\ny" },         { "\xF0\x9F\x98" "A", "\uFFFD\uFFFD\uFFFD" "A" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (enum vocabulary v = O200K; v <= CL100K; v++) {
			const uint8_t *bad = (const uint8_t *)cases[i][0], *good = (const uint8_t *)cases[i][1];
			const uint8_t *bad_end = bad + strlen(cases[i][0]), *good_end = good + strlen(cases[i][1]);
			while (bad < bad_end && good < good_end) {
				size_t cut = token_split(v, bad, bad_end), good_cut = token_split(v, good, good_end);
				size_t swapped = 0;
				for (size_t j = 0; j + 2 < good_cut; j++)
					swapped += memcmp(good + j, "\uFFFD", 3) == 0;
				assert_int_equal(cut, good_cut - 2 * swapped);
				bad += cut;
				good += good_cut;
			}
			assert_true(bad == bad_end && good == good_end);
		}
	}
}

/* More tokens than there is room for are counted, not written. */
static void test_room(void **state)
{
	(void)state;
	uint32_t ids[4] = { 1, 2, 3, 4 };
	assert_int_equal(bpe_encode(CL100K, "one two three", 13, ids, 2), 3);
	assert_int_equal(ids[2], 3);
	assert_int_equal(bpe_encode(CL100K, "", 0, ids, 2), 0);
}

static void test_names(void **state)
{
	(void)state;
	enum tokenizer t = TOKENS_UNSET;
	for (enum tokenizer each = TOKENS_O200K; each <= TOKENS_ESTIMATE; each++) {
		assert_true(store_tokenizer_by_name(store_tokenizer_name(each), &t));
		assert_int_equal(t, each);
	}
	assert_false(store_tokenizer_by_name("gpt2", &t));
	assert_false(store_tokenizer_by_name("", &t));
	assert_string_equal(store_tokenizer_name(TOKENS_UNSET), "o200k_base");
	assert_ptr_equal(store_counter(TOKENS_ESTIMATE), store_token_count);
	assert_int_equal(store_counter(TOKENS_UNSET)("<|endoftext|>", 13),
	                 store_counter(TOKENS_O200K)("<|endoftext|>", 13));
	assert_true(store_counter(TOKENS_O200K)("<|endoftext|>", 13) > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kcache),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_as_tiktoken),
		cmocka_unit_test(test_long_pieces),
		cmocka_unit_test(test_very_long),
		cmocka_unit_test(test_any_bytes_exact),
		cmocka_unit_test(test_bad_bytes_cut),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
