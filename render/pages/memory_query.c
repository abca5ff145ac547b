/* SPDX-License-Identifier: MIT */
/* What memories/search/ is asked: words, and owner:, min:, limit: as words of their own. */
#include "render/pages/memory.h"

#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"

enum { LIMIT_MOST = 100 };

static int wrong(struct why *why, const char *todo, const char *what, const char *value, size_t len)
{
	why_set(why, todo, "%s%.*s", what, (int)(len < 80 ? len : 80), value);
	return RENDER_EINVAL;
}

/* "0.25": digits and a point, from 0 to 1. */
static bool share_of(const char *value, size_t len, double *out)
{
	char text[16], *end;
	if (len == 0 || len >= sizeof text || strspn(value, "0123456789.") < len)
		return false;
	memcpy(text, value, len);
	text[len] = '\0';
	*out = strtod(text, &end);
	return !*end && *out >= 0 && *out <= 1;
}

static bool limit_of(const char *value, size_t len, int *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9' || *out > LIMIT_MOST)
			return false;
		*out = *out * 10 + (value[i] - '0');
	}
	return len > 0 && *out >= 1 && *out <= LIMIT_MOST;
}

/* The value behind "KEY:", NULL: the word is another. */
static const char *value_of(const char *key, const char *word, size_t *len)
{
	size_t n = strlen(key);
	if (*len <= n || memcmp(word, key, n) != 0)
		return NULL;
	*len -= n;
	return word + n;
}

static int word_take(struct memory_query *q, const char *word, size_t len, struct why *why)
{
	const char *value;
	size_t n = len;
	if ((value = value_of("min:", word, &n)))
		return share_of(value, n, &q->min) ? 0 :
			wrong(why, "min:0 to min:1, of the best hit", "no share: ", word, len);
	if ((value = value_of("limit:", word, &n)))
		return limit_of(value, n, &q->limit) ? 0 :
			wrong(why, "limit:1 to limit:100", "no number of memories: ", word, len);
	if ((value = value_of("owner:", word, &n))) {
		if (n >= sizeof q->owner)
			return wrong(why, "a player's code, or its id", "no owner: ", word, len);
		memcpy(q->owner, value, n);
		q->owner[n] = '\0';
		return 0;
	}
	if (q->words.len > 0)
		buf_addc(&q->words, ' ');
	buf_add(&q->words, word, len);
	return 0;
}

int render_memory_query_in(const char *text, struct memory_query *out, struct why *why)
{
	int rc = 0;
	*out = (struct memory_query){ .limit = MEMORY_QUERY_HITS, .words = BUF_INIT };
	while (!rc && *(text += strspn(text, " \t\r\n"))) {
		size_t len = strcspn(text, " \t\r\n");
		rc = word_take(out, text, len, why);
		text += len;
	}
	return rc ? rc : out->words.failed ? RENDER_ENOMEM : 0;
}

static void add_asked(struct buf *out, const struct memory_query *q)
{
	struct markdown m = { .out = out, .from = out->len };
	markdown_add(&m, q->words.data ? q->words.data : "", q->words.len);
	const char *dot = q->words.len > 0 ? " \xC2\xB7 " : "";
	if (*q->owner) {
		buf_addf(out, "%sowner: ", dot);
		markdown_add(&m, q->owner, strlen(q->owner));
		dot = " \xC2\xB7 ";
	}
	if (q->min > 0)
		buf_addf(out, "%smin: %.3g", dot, q->min);
}

void render_memories_asked(struct buf *out, const struct memory_query *q, size_t count)
{
	buf_adds(out, "# Memories\n\nAsked: ");
	add_asked(out, q);
	if (count == 0) {
		buf_adds(out, "\n\nNo active memory. Ask with other words, or without owner: and min:.\n");
		return;
	}
	buf_addf(out, "\n\nThe best %zu active; relevance is the share of the best hit; score = ",
	         count);
	render_memories_formula(out);
}
