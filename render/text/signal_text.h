/* SPDX-License-Identifier: MIT */
/* A message's text for signal.c: what is masked, where sentences end, what is trimmed.  Private. */
#ifndef CINTA_SIGNAL_TEXT_H
#define CINTA_SIGNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MASK = 0x1A }; /* stands for each byte of code and quotations */

/* A sentence without its mark: bytes `from` up to `to`.  Start with all zeros. */
struct signal_sentence {
	size_t from, to;
	size_t next;   /* where the next one is looked for */
	bool opened;   /* by an inverted question mark */
	bool question;
};

/* True if it is UTF-8 throughout. */
bool signal_is_text(const char *text, size_t len);
/*
 * A copy, as long as `text` and NUL-terminated, in which fences, indented code and
 * lines that start with > are newlines, and code spans and quotations are MASK bytes.
 * The caller frees it.  NULL: no memory.
 */
char *signal_mask(const char *text, size_t len);
/* The next sentence of a masked text; false at its end. */
bool signal_next(const char *masked, size_t len, struct signal_sentence *it);
/*
 * Stems of many rules, to look for all of them in one pass: most texts have none.  A list has them
 * apart by |, each of two bytes or more, and is borrowed.
 */
enum { STEMS_MOST = 255 };
struct stems {
	struct stem {
		const char *text;
		uint8_t len;
		uint8_t next;     /* another that begins like it, by its number from 1; 0: none */
		uint8_t list;     /* of which it is, from 0 */
	} items[STEMS_MOST];
	size_t count, lists;
	uint8_t first[1024];  /* by the first two letters: a stem's number, 0: none begins so */
};
static inline void stems_init(struct stems *s)
{
	s->count = s->lists = 0;
	memset(s->first, 0, sizeof s->first);
}
void stems_add(struct stems *s, const char *list);
/* True if `text` holds one of them, in ASCII's upper or lower case. */
bool stems_in(const struct stems *s, const char *text, size_t len);
/* The same, and of which lists (s->lists of them): `has` is written for each. */
bool stems_of(const struct stems *s, const char *text, size_t len, bool *has);
/*
 * Narrows text[*from..*to) to the fact in it: blanks, emphasis and punctuation off both
 * ends, at most FACT_SIGNAL_LIMIT bytes of whole words.  False: nothing is left.
 */
bool signal_trim(const char *text, size_t *from, size_t *to);

#endif
