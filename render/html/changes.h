/* SPDX-License-Identifier: MIT */
/* Lines of a text, or words of a line, and which of them another text has too.  Private to html. */
#ifndef CINTA_HTML_CHANGES_H
#define CINTA_HTML_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

enum { CHANGES_MOST = 1000 };

struct piece {
	const char *text; /* of the text that was split */
	size_t len;
	bool kept;        /* it is in both */
};
struct pieces {
	struct piece *at; /* the caller frees */
	size_t count;
};

/* Lines, without their ends; false: no memory. */
bool changes_split(struct pieces *out, const char *text, size_t len);
/* Words, blanks and signs, all of it; false: no memory. */
bool changes_split_words(struct pieces *out, const char *text, size_t len);
/* True of letters and digits. */
bool changes_is_word(const struct piece *p);
/* Sets `kept` in both; up to `most` (CHANGES_MOST) changes are found.  False: no memory. */
bool changes_find(struct pieces *a, struct pieces *b, int most);

#endif
