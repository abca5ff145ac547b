/* SPDX-License-Identifier: MIT */
/* A labelled set of messages (tests/signals/NAME.tsv) against render_signals. */
#ifndef CINTA_SIGNAL_SET_H
#define CINTA_SIGNAL_SET_H

#include <stdbool.h>

struct score {
	int messages, traps; /* lines; those of them without a fact */
	int wanted, found;   /* facts */
	int hit;             /* found where one is wanted */
	int exact;           /* and with that domain, text and sign */
};

/* Adds the messages of `language` ("es", "en", NULL: all) to `s`; `tell` prints each miss. */
bool signal_set_score(const char *path, const char *language, bool tell, struct score *s);
double score_precision(const struct score *s, int right);
double score_recall(const struct score *s, int right);

#endif
