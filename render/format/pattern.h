/* SPDX-License-Identifier: MIT */
/*
 * Patterns of our own tables, looked for in texts: the one place of render/ that knows PCRE2.
 *
 * A pattern is compiled when it is first tried, to machine code where the system allows that, and
 * is kept as long as the process runs: compiling takes a hundred times as long as a match does.
 * What is kept is a function of a const table, the same whoever comes first, and holds nothing of
 * a text.  Any number of threads may try one at a time.
 */
#ifndef CINTA_PATTERN_H
#define CINTA_PATTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table's pattern once it was tried; starts as all zeros, in static memory. */
struct pattern {
	_Atomic(void *) code;
};

enum { PATTERN_GROUPS = 2 };
#define PATTERN_UNSET SIZE_MAX

/* Offsets into the text: of the match, then of each group; PATTERN_UNSET: not in the match. */
struct span {
	size_t from, to;
};

/* The room that matching takes, for one thread. */
struct matcher;
/* `steps`: of one match; beyond it there is none.  NULL: no memory. */
struct matcher *matcher_new(uint32_t steps);
void matcher_free(struct matcher *m);
/*
 * The first match of `text` (a table's; UTF, UCP and CASELESS on) in the subject, which is UTF-8:
 * 1 + PATTERN_GROUPS spans, until the next one is looked for.  NULL: there is none.
 */
const struct span *matcher_find(struct matcher *m, struct pattern *p, const char *text,
                                const char *subject, size_t len);
/* A pattern could not be compiled: there was no memory (that each is one, a unit test knows). */
bool matcher_failed(const struct matcher *m);

#endif
