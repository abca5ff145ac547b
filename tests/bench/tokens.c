/* SPDX-License-Identifier: MIT */
/*
 * The tokenizers for tests/bench/tokens.mjs, in records: a u32 count of bytes
 * (little-endian) and the bytes.
 *
 *   tokens ids VOCABULARY < texts      the ids of each text, as a record of u32
 *   tokens time VOCABULARY < texts     "BYTES TOKENS NANOSECONDS", best of some rounds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/tokens/tokens.h"
#include "store/tokens/token_bpe.h"

enum { ROUNDS = 7 };

static char *read_all(size_t *len)
{
	size_t room = 1 << 20;
	char *all = malloc(room);
	for (*len = 0; all; *len += fread(all + *len, 1, room - *len, stdin)) {
		if (*len == room)
			all = realloc(all, room *= 2);
		if (feof(stdin))
			break;
	}
	if (!all)
		exit(1);
	return all;
}

/* Of the processor: others may be busy. */
static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static size_t next(const char *all, size_t at)
{
	uint32_t n;
	memcpy(&n, all + at, 4);
	return n;
}

static void print_ids(enum vocabulary v, const char *all, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t n = next(all, at);
		uint32_t *ids = malloc((n + 1) * sizeof *ids);
		int64_t count = ids ? bpe_encode(v, all + at + 4, n, ids, n) : -1;
		if (count < 0 || (size_t)count > n)
			exit(1);
		uint32_t bytes = (uint32_t)count * 4;
		fwrite(&bytes, 4, 1, stdout);
		fwrite(ids, 4, (size_t)count, stdout);
		free(ids);
		at += 4 + n;
	}
}

static void print_time(enum tokenizer t, const char *all, size_t len)
{
	int64_t best = INT64_MAX, tokens = 0;
	size_t bytes = 0;
	for (int round = 0; round < ROUNDS; round++) {
		int64_t from = now_ns();
		tokens = 0;
		bytes = 0;
		for (size_t at = 0; at < len;) {
			size_t n = next(all, at);
			tokens += store_counter(t)(all + at + 4, n);
			bytes += n;
			at += 4 + n;
		}
		int64_t took = now_ns() - from;
		best = took < best ? took : best;
	}
	printf("%zu %lld %lld\n", bytes, (long long)tokens, (long long)best);
}

int main(int argc, char **argv)
{
	enum tokenizer t;
	size_t len;
	if (argc != 3 || !store_tokenizer_by_name(argv[2], &t)) {
		fprintf(stderr, "usage: tokens ids|time o200k_base|cl100k_base|estimate < texts\n");
		return 2;
	}
	char *all = read_all(&len);
	if (!strcmp(argv[1], "time"))
		print_time(t, all, len);
	else
		print_ids(t == TOKENS_CL100K ? CL100K : O200K, all, len);
	free(all);
	return fflush(stdout) ? 1 : 0;
}
