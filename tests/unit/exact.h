/* SPDX-License-Identifier: MIT */
/* Bytes for a parser, in memory that ends where they end: ASan sees a step too far. */
#ifndef CINTA_UNIT_EXACT_H
#define CINTA_UNIT_EXACT_H

#include <stdlib.h>
#include <string.h>

/* A copy of `len` bytes, without a NUL behind them; to be freed. */
static inline char *exact_copy(const char *bytes, size_t len)
{
	char *exact = malloc(len + !len);
	if (!exact)
		abort();
	memcpy(exact, bytes, len);
	return exact;
}

#endif
