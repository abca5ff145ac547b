/* SPDX-License-Identifier: MIT */
/*
 * The tokenizers by number and by name (store/tokens/token.h), and which of them a memory
 * counts with: what its owner was told, kept as a mark in PATH.side for the processes
 * beside it (`cinta identity`, `cinta status`).
 */
#include <string.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/tokens/token_bpe.h"

static int64_t count_o200k(const char *text, size_t len)
{
	return bpe_encode(O200K, text, len, NULL, 0);
}

static int64_t count_cl100k(const char *text, size_t len)
{
	return bpe_encode(CL100K, text, len, NULL, 0);
}

static const struct {
	const char *name;
	store_count_fn *count;
} tokenizers[] = {
	[TOKENS_UNSET] = { "o200k_base", count_o200k },
	[TOKENS_O200K] = { "o200k_base", count_o200k },
	[TOKENS_CL100K] = { "cl100k_base", count_cl100k },
	[TOKENS_ESTIMATE] = { "estimate", store_token_count },
};
enum { TOKENIZERS = sizeof tokenizers / sizeof tokenizers[0] };

store_count_fn *store_counter(enum tokenizer t)
{
	return tokenizers[t].count;
}

int64_t store_tokens(enum tokenizer t, const char *text, size_t len)
{
	return tokenizers[t].count(text, len);
}

const char *store_tokenizer_name(enum tokenizer t)
{
	return tokenizers[t].name;
}

bool store_tokenizer_by_name(const char *name, enum tokenizer *out)
{
	for (int t = TOKENS_O200K; t < TOKENIZERS; t++) {
		if (strcmp(name, tokenizers[t].name) == 0) {
			*out = (enum tokenizer)t;
			return true;
		}
	}
	return false;
}

/* What the mark says; TOKENS_O200K where there is none.  It never makes the file it is in. */
static enum tokenizer kept(struct store *s)
{
	char path[PATH_MAX + 8];
	int64_t value;
	(void)snprintf(path, sizeof path, "%s.side", s->path);
	if (access(path, R_OK) < 0 || store_mark_get(s, "tokenizer", &value) != 0)
		return TOKENS_O200K;
	return value > TOKENS_UNSET && value < TOKENIZERS ? (enum tokenizer)value : TOKENS_O200K;
}

void tokenizer_settle(struct store *s)
{
	enum tokenizer before = kept(s);
	bool owner = s->config.flags & STORE_OWNER;
	if (s->config.tokenizer == TOKENS_UNSET)
		s->config.tokenizer = owner ? TOKENS_O200K : before;
	if (owner && !s->read_only && s->config.tokenizer != before)
		(void)store_mark_set(s, "tokenizer", s->config.tokenizer);
}

enum tokenizer store_tokenizer(const struct store *s)
{
	return s->config.tokenizer;
}
