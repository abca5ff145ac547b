/* SPDX-License-Identifier: MIT */
/* How much of a text fits, and of a long one the passage that matches what is asked. */
#include <string.h>

#include "render/context/context.h"
#include "render/search/search.h"

enum { BYTES_SPARE = 48 }; /* before the cluster, at least */

static size_t cut_at_character(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
		at--;
	return at;
}

/* Back to the end of a line or word, if that leaves half of it. */
static size_t cut_at_end(const char *text, size_t at)
{
	static const char *const ends[] = { "\n", " \t\n" };
	for (int i = 0; i < 2; i++)
		for (size_t to = at; to > at / 2; to--)
			if (strchr(ends[i], text[to]))
				return to;
	return at;
}

size_t render_fit(const char *text, size_t len, int64_t most,
                  int64_t (*count)(const char *text, size_t len))
{
	if (most <= 0)
		return 0;
	/* No token has more bytes than this, so what is beyond cannot fit. */
	size_t high = (size_t)most * 128 < len ? (size_t)most * 128 : len, low = 0;
	if (high == len && ((int64_t)len <= most || count(text, len) <= most))
		return len; /* no token is shorter than a byte */
	while (high - low > 1) {
		size_t middle = cut_at_character(text, low + (high - low) / 2);
		if (middle <= low)
			break;
		if (count(text, middle) <= most)
			low = middle;
		else
			high = middle;
	}
	/* Most cuts at a blank cost no token more, but a vocabulary promises nothing. */
	size_t end = low < len ? cut_at_end(text, low) : low;
	return end == low || count(text, end) <= most ? end : low;
}

/* Back from `at` to where a sentence or line begins, at most `most` bytes; else to a blank. */
static size_t beginning(const char *text, size_t at, size_t most)
{
	size_t least = at > most ? at - most : 0, blank = at;
	for (size_t i = at; i > least; i--) {
		bool space = i < at && (text[i] == ' ' || text[i] == '\n');
		if (i < at && (text[i] == '\n' || (space && strchr(".!?", text[i - 1]))))
			return i + 1;
		blank = space ? i + 1 : blank;
	}
	return least == 0 ? 0 : blank;
}

int render_passage(const char *text, size_t len, const struct terms *terms, int64_t most,
                   int64_t (*count)(const char *text, size_t len), size_t *from, size_t *fit)
{
	size_t start, end;
	*from = 0;
	*fit = render_fit(text, len, most, count);
	if (*fit == len)
		return 0;
	if (render_cluster(text, len, terms, &start, &end))
		return RENDER_ENOMEM;
	if (end + BYTES_SPARE <= *fit)
		return 0;
	size_t cluster = end - start, room = *fit > cluster ? *fit - cluster : 0;
	*from = beginning(text, start, room / 2 > BYTES_SPARE ? room / 2 : BYTES_SPARE);
	*fit = render_fit(text + *from, len - *from, most, count);
	return 0;
}
