/* SPDX-License-Identifier: MIT */
/*
 * Which tokenizer a memory counts with: what its owner was told, kept as a mark in PATH.side
 * for the processes beside it (`cinta identity`, `cinta status`).
 */
#include <unistd.h>

#include "store/internal.h"

/* What the mark says; TOKENS_O200K where there is none.  It never makes the file it is in. */
static enum tokenizer kept(struct store *s)
{
	char path[PATH_MAX + 8];
	int64_t value;
	(void)snprintf(path, sizeof path, "%s.side", s->path);
	if (access(path, R_OK) < 0 || store_mark_get(s, "tokenizer", &value) != 0)
		return TOKENS_O200K;
	return value > TOKENS_UNSET && value <= TOKENS_ESTIMATE ? (enum tokenizer)value : TOKENS_O200K;
}

void tokenizer_settle(struct store *s)
{
	enum tokenizer before = kept(s);
	bool owner = s->config.flags & STORE_OWNER;
	if (s->config.tokenizer == TOKENS_UNSET)
		s->config.tokenizer = owner ? TOKENS_O200K : before;
	/* A file is this process's: those beside it count as before. */
	if (owner && !s->read_only && s->config.tokenizer != before &&
	    s->config.tokenizer != TOKENS_FILE)
		(void)store_mark_set(s, "tokenizer", s->config.tokenizer);
}

enum tokenizer store_tokenizer(const struct store *s)
{
	return s->config.tokenizer;
}
