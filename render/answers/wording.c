/* SPDX-License-Identifier: MIT */
/*
 * One wording for questions that are put in another order or begin with another turn of phrase.
 * Only what cannot change what is asked: a part before a comma goes behind the question ("La sede,
 * ¿dónde está?"), and beginnings that ask the same become one ("how can we", "how to").
 */
#include "render/answers/wording.h"

#include <string.h>

#include "render/format/format.h"
#include "render/text/text.h"

/* Folded, with a blank behind each word. */
static const char *const question_words[] = {
	"what ", "where ", "when ", "who ", "whose ", "which ", "how ", "why ", "que ", "donde ",
	"cuando ", "quien ", "quienes ", "cual ", "cuales ", "como ", "cuanto ", "cuanta ", "cuantos ",
	"cuantas ", "por que ", "para que ", "en que ", "de que ", "a que ", "con que ", "de quien ",
};

static const struct {
	const char *said, *means;
} turns[] = {
	{ "how do i ", "how to " }, { "how do we ", "how to " }, { "how do you ", "how to " },
	{ "how does one ", "how to " }, { "how can i ", "how to " }, { "how can we ", "how to " },
	{ "how can you ", "how to " }, { "how can one ", "how to " },
	{ "what is the way to ", "how to " }, { "what's the way to ", "how to " },
	{ "what is the reason why ", "why " }, { "what is the reason that ", "why " },
	{ "en donde queda ", "donde esta " }, { "en donde se encuentra ", "donde esta " },
	{ "en donde ", "donde " },
	{ "donde queda ", "donde esta " }, { "donde quedan ", "donde estan " },
	{ "donde se encuentra ", "donde esta " }, { "donde se encuentran ", "donde estan " },
	{ "por que motivo ", "por que " }, { "por que razon ", "por que " },
	{ "cual es el motivo por el que ", "por que " }, { "a que se debe que ", "por que " },
};

/* How many bytes of `text` are these folded words, with what is between; 0: it begins otherwise. */
static size_t begins(const char *text, size_t len, const char *words)
{
	char dst[4];
	size_t i = 0;
	bool blank = true; /* one was seen, or nothing yet */
	while (*words && i < len) {
		size_t n = utf8_size(text + i, len - i);
		if (n == 0)
			return 0;
		int size = text[i] == '\'' ? 1 : fold_point(text + i, n, dst);
		if (text[i] == '\'')
			dst[0] = '\'';
		if (size > 0 && strncmp(words, dst, (size_t)size) == 0) {
			words += size;
			blank = false;
		} else if (size > 0) {
			return 0;
		} else if (!blank && *words == ' ') {
			words++;
			blank = true;
		} else if (size != FOLD_NOTHING && !blank) {
			return 0;
		}
		i += n;
	}
	return *words ? 0 : i;
}

static bool is_asked(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof question_words / sizeof *question_words; i++)
		if (begins(text, len, question_words[i]))
			return true;
	return false;
}

/* The comma behind which the question begins; NULL: none, or there are others. */
static const char *turning(const char *text, size_t len)
{
	const char *comma = memchr(text, ',', len);
	if (!comma || comma == text || is_asked(text, len))
		return NULL;
	size_t left = len - (size_t)(comma + 1 - text);
	return !memchr(comma + 1, ',', left) && is_asked(comma + 1, left) ? comma : NULL;
}

void question_wording(struct buf *out, const char *text, size_t len)
{
	const char *comma = turning(text, len), *from = comma ? comma + 1 : text;
	size_t left = len - (size_t)(from - text);
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
		size_t n = begins(from, left, turns[i].said);
		if (n > 0) {
			buf_adds(out, turns[i].means);
			from += n;
			left -= n;
			break;
		}
	}
	buf_add(out, from, left);
	if (comma) {
		buf_addc(out, ' ');
		buf_add(out, text, (size_t)(comma - text));
	}
}
