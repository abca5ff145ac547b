/* SPDX-License-Identifier: MIT */
/* The tokenizers by number and by name (tokens.h). */
#include <string.h>

#include "store/tokens/token_bpe.h"
#include "store/tokens/token_file.h"
#include "store/tokens/tokens.h"

static int64_t count_o200k(const char *text, size_t len)
{
	return bpe_encode(O200K, text, len, NULL, 0);
}

static int64_t count_cl100k(const char *text, size_t len)
{
	return bpe_encode(CL100K, text, len, NULL, 0);
}

static int64_t count_file(const char *text, size_t len)
{
	return bpe_encode(OF_FILE, text, len, NULL, 0);
}

static const struct {
	const char *name;
	store_count_fn *count;
} tokenizers[] = {
	[TOKENS_UNSET] = { "o200k_base", count_o200k },
	[TOKENS_O200K] = { "o200k_base", count_o200k },
	[TOKENS_CL100K] = { "cl100k_base", count_cl100k },
	[TOKENS_ESTIMATE] = { "estimate", store_token_count },
	[TOKENS_FILE] = { "", count_file },
};

store_count_fn *store_counter(enum tokenizer t)
{
	return tokenizers[t].count;
}

const char *store_tokenizer_name(enum tokenizer t)
{
	return t == TOKENS_FILE ? token_file_name() : tokenizers[t].name;
}

bool store_tokenizer_by_name(const char *name, enum tokenizer *out)
{
	for (int t = TOKENS_O200K; t <= TOKENS_ESTIMATE; t++) {
		if (strcmp(name, tokenizers[t].name) == 0) {
			*out = (enum tokenizer)t;
			return true;
		}
	}
	return false;
}
