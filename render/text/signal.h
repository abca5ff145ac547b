/* SPDX-License-Identifier: MIT */
/*
 * The tables behind render_signals: which phrases are signals, what forbids them,
 * which domain a fact belongs to.  Private to signal*.c.
 *
 * All patterns are PCRE2 with UTF, UCP and CASELESS on, and look at one sentence.
 * In it code, quotations and quoted lines are masked (signal.c), so that no pattern
 * needs to know of them.
 */
#ifndef CINTA_SIGNAL_H
#define CINTA_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>

enum domain_rule {
	DOMAIN_FIXED, /* the rule's own */
	DOMAIN_STYLE, /* the same, except for a job, a name, a decision after "from now on" */
	DOMAIN_WORDS  /* the first telling word's; the rule's own if there is none */
};

/*
 * A match starts where the phrase starts (\K).  Group 1 is where the fact starts, and
 * where it is not empty the whole fact; otherwise the fact goes to the sentence's end.  Group 2,
 * if there is one, is where what the verb is about starts ("prefiero ...").
 */
struct signal_rule {
	const char *name;
	const char *language;
	const char *stems;       /* one of these (apart by |) is in each sentence that matches */
	const char *pattern;
	const char *domain;
	enum domain_rule by;
	bool instruction;        /* may stand after "when …," */
};

extern const struct signal_rule signal_rules[];
extern const size_t signal_rule_count;

enum signal_guard {
	GUARD_SENTENCE, /* in the sentence: sarcasm, a question without its mark */
	GUARD_LEFT,     /* before the phrase: conditions, reported speech, other people's texts */
	GUARD_WHEN,     /* before the phrase, unless it is an instruction */
	GUARD_EMPTY,    /* the fact: it points at something that is not in it */
	GUARD_DAY,      /* the fact: of a day that soon will be over; no fact for good */
	GUARD_MATERIAL, /* a line that ends in ":" and says so: the rest is somebody's text */
	GUARD_ADDS,     /* in the sentence: something beside what is known */
	GUARD_NEGATES,  /* the fact: contradicts an earlier one */
	GUARD_COUNT
};

extern const char *const signal_guards[GUARD_COUNT];

/* Of the domains' tables, a pattern whose leftmost match decides. */
struct domain_words {
	const char *domain;
	const char *pattern;
};

enum { DOMAIN_COUNT = 5, STYLE_COUNT = 3 };

extern const struct domain_words signal_words[DOMAIN_COUNT];
extern const struct domain_words signal_styles[STYLE_COUNT];

#endif
