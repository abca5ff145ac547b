/* SPDX-License-Identifier: MIT */
/*
 * What `cinta redact` is to take out: which texts (redact_match.c), which entries
 * (redact_find.c, redact_path.c).  One thread, one run.
 */
#ifndef CINTA_REDACT_H
#define CINTA_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mount/words/words.h"
#include "store/store.h"

/* ---- redact_match.c: what is to go in a text -------------------------- */

enum { MATCHED_MOST = 64, MATCHED_SHORT = 6 };

struct match {
	const char *pattern;  /* NULL: none, only texts */
	void *code, *data;    /* PCRE2's; NULL: the pattern counts as it stands alone */
	void *names;          /* the same expression for names, whatever the case; or NULL */
	char **text;          /* of entries to go: who holds one of them, goes too */
	size_t text_count;
	char *found[MATCHED_MOST]; /* what the pattern was: looked for again at the end */
	size_t found_count;
	bool failed;          /* of some text it was not found out whether it holds the pattern */
};

/* A PATTERN: regular expression or, as it stands, text.  0, or -EINVAL with `why`. */
int match_init(struct match *m, const char *pattern, struct why *why);
void match_release(struct match *m);
/* One more text that is to go; short ones (below 8 bytes) are left: they are everywhere. */
void match_add_text(struct match *m, const char *text, size_t len);
/* A secret_fn; `ctx` is the match. */
bool match_holds(void *ctx, const char *text, size_t len);
/*
 * The same for a body: as it stands, and each string in it as its readers see it.  `names`: it
 * gives a name, in which case does not count: an answer's is its question in small letters.
 */
bool match_body(struct match *m, const char *body, size_t len, bool names);
/* True if a file holds what the pattern has found. */
bool match_file(const struct match *m, const char *path);

/* ---- redact_path.c: what a path names ------------------------------------- */

struct named {
	int64_t doc, version;     /* a document, and 0 for all its versions */
	char stream[24];          /* or one entry of a stream … */
	int64_t n;                /* … this one, from 0 */
	int64_t first, last;      /* or the summary of these messages, in `stream` */
};
/* 0, or -ENOENT with `why`. */
int redact_path(struct store *s, const char *path, struct named *out, struct why *why);

/* ---- redact_find.c: entries ----------------------------------------------- */

struct finding {
	struct store *store;
	struct match *match;
	const struct named *named; /* or NULL */
	int64_t seq;               /* or -1 */
	FILE *out;                 /* a line for each place */
	const char *path;          /* the database, for the heading of these lines */
	int64_t *seqs;             /* to go, ascending */
	size_t count, cap;
	int64_t headers;           /* entries whose author holds it: nothing can be done */
	bool failed;
	bool unfinished;           /* a redaction before was not settled (store_redact_wait) */
};
/* Finds what is to go and prints it; 0 or a STORE_ code. */
int redact_find(struct finding *f);
/* The verb itself. */
verb_fn cmd_redact;

#endif
