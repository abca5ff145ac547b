/* SPDX-License-Identifier: MIT */
/* What users say one after the other (tests/signals/stories.tsv), and what becomes of the facts. */
#ifndef CINTA_STORY_SET_H
#define CINTA_STORY_SET_H

#include <stdbool.h>

/* Effects: a new fact, one that ends, one that is said again. */
struct story_score {
	int messages;
	int wanted, found, right;
	int ends_wanted, ends_found, ends_right; /* of these: facts that end */
};

/* `tell` prints each message whose effects are not what is written there. */
bool story_set_score(const char *path, bool tell, struct story_score *s);

#endif
