/* SPDX-License-Identifier: MIT */
/* Which hits of a search a page has room for, and in which order they stand there. */
#include <stdlib.h>

#include "store/policy/policy.h"

/* True if a hit of that group is shown already: then its heading is paid for. */
static bool has_head(const struct policy_found *hits, size_t n, int64_t group)
{
	for (size_t i = 0; i < n; i++)
		if (hits[i].shown && hits[i].group == group)
			return true;
	return false;
}

int64_t policy_found_fit(struct policy_found *hits, size_t n, int64_t budget)
{
	int64_t tokens = 0;
	for (size_t i = 0; i < n; i++) {
		struct policy_found *h = &hits[i];
		int64_t more = h->tokens + (has_head(hits, i, h->group) ? 0 : h->head);
		h->shown = tokens + more <= budget;
		tokens += h->shown ? more : 0;
	}
	return tokens;
}

static int by_place(const void *a, const void *b)
{
	const struct policy_found *x = *(struct policy_found *const *)a;
	const struct policy_found *y = *(struct policy_found *const *)b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

void policy_found_order(struct policy_found **hits, size_t n)
{
	if (n > 0)
		qsort(hits, n, sizeof *hits, by_place);
}
