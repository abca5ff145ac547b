/* SPDX-License-Identifier: MIT */
/*
 * What a fact claims, taken apart: "Ya no uso Vim para Python" is about USE, of `vim`, for
 * `python`, denied.  Read by statement.c, compared by statement_relation.c.  Private to
 * render/text.
 */
#ifndef CINTA_STATEMENT_H
#define CINTA_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/format/format.h"
#include "render/text/meaning.h"

enum { STATEMENT_WORDS = 48 }; /* looked at; what is longer claims nothing that could be compared */

enum statement_slot {
	SLOT_NONE,
	/* Of these a person has one. */
	SLOT_EMPLOYER, SLOT_HOME, SLOT_NAME, SLOT_AGE, SLOT_BIRTHDAY,
	SLOT_LAST_SINGLE = SLOT_BIRTHDAY,
	SLOT_LIKE,    /* what somebody likes, or does not */
	SLOT_PREFER,  /* what somebody prefers */
	SLOT_USE      /* what is used, chosen, gone over to */
};

/* Words that say something, in their order, as hashes; those of numbers have this bit. */
#define STATEMENT_NUMBER UINT64_C(1)
struct statement_words {
	uint64_t items[STATEMENT_WORDS];
	size_t count;
};

struct statement {
	enum statement_slot slot;
	bool denied;   /* "no", "never", "ya no", "odio" */
	bool ended;    /* "ya no", "no longer", "anymore": it was so before */
	bool parted;   /* and what stands behind the comma is another claim: "…, ahora uso Helix" */
	bool adds;     /* "también", "too": beside the others */
	struct statement_words value;   /* what is claimed, */
	size_t head;                    /* so many of its words before a comma */
	struct statement_words instead; /* "en vez de …": what is not */
	struct statement_words purpose; /* "para …", of SLOT_USE alone */
	struct buf folded;
};

/* A phrase with which a claim of a slot begins; folded, without who says it. */
struct statement_phrase {
	const char *words; /* apart by a blank; '#' is any number */
	enum statement_slot slot;
	bool denied;
};
extern const struct statement_phrase statement_phrases[];
extern const size_t statement_phrase_count;

/* True if this folded word is in a list of words that stand between blanks. */
bool statement_is_in(const char *list, const char *word);
/* What stands for a folded word, and for those of its meaning in the other language; itself. */
const char *statement_word(const char *word);
extern const char *const statement_silent, *const statement_fillers, *const statement_limits,
	*const statement_moves, *const statement_departments;

#endif
