/* SPDX-License-Identifier: MIT */
/* Counts the slips between two words (Levenshtein's distance). */
#include "store/near.h"

#include <string.h>

enum { MOST = 64 };

/* Letters to change, add or leave out to make one word of the other; MOST: too long to tell. */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t row[MOST + 1];
	if (m > MOST || n > MOST)
		return MOST;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
			best = above + 1 < best ? above + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = above;
		}
	}
	return row[n];
}

size_t near_slips(const char *typed, size_t len, const char *known)
{
	size_t size = strlen(known), most = size < 4 ? 1 : 2;
	size_t d = distance(typed, len, known, size);
	return d <= most && (d == 0 || d < len) ? d : NEAR_NOT;
}
