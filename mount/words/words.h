/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/words: the verbs of the command line as they are told of, exit statuses, the
 * words of -o, and the one way of talking to the person at the terminal.
 */
#ifndef CINTA_WORDS_H
#define CINTA_WORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "store/near.h"
#include "mount/words/options.h"
#include "mount/words/users.h"
#include "store/entry.h"

/* Exit statuses, as cinta.1 lists them. */
enum {
	EXIT_FINE = 0,
	EXIT_FAULT = 1,       /* the operation failed, or a fault was found */
	EXIT_USAGE = 2,       /* the command line was wrong */
	EXIT_UNVERIFIABLE = 3, /* nothing to check against */
	EXIT_NO_NOTE = 4      /* what was given as a signed note is none */
};

/* Each gets the arguments from its own name on and returns an exit status. */
typedef int verb_fn(int argc, char **argv);

enum verb_number {
	VERB_MOUNT,
	VERB_UMOUNT,
	VERB_INIT,
	VERB_IDENTITY,
	VERB_SEARCH,
	VERB_LS,
	VERB_CAT,
	VERB_APPEND,
	VERB_WRITE,
	VERB_EDIT,
	VERB_CP,
	VERB_ALGORITHMS,
	VERB_PLOT,
	VERB_VERIFY,
	VERB_REDACT,
	VERB_IMPORT,
	VERB_MCP,
	VERB_HOOK,
	VERB_AGENT_SETUP,
	VERB_EXPORT,
	VERB_BACKUP,
	VERB_COPY,
	VERB_SYNC,
	VERB_RESCUE,
	VERB_STATUS,
	VERB_REBUILD,
	VERB_DOCTOR,
	VERB_PUBKEY,
	VERBS
};

struct verb {
	const char *name;
	const char *synopsis;
	const char *does;    /* one line */
	const char *options; /* a line each, indented by two */
	const char *first;   /* words of which one comes first, parted by blanks; NULL: any */
};

/* verbs.c: by number; and the verb of that name, or NULL. */
extern const struct verb verbs[VERBS];
const struct verb *verb_named(const char *name);
/* completion.c: prints a script for bash, zsh or fish. */
int completion(const char *shell);

/* "cinta: …" and a newline on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a refusal that knows its reason; `fallback` when it gave none. */
void complain_why(const char *what, const struct why *why, const char *fallback);
/* complain(), with where the help is on the same line; returns EXIT_USAGE. */
int usage(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The tail of every getopt loop: an unknown option or one without its value. */
int usage_option(const char *verb, char **argv, int found);
/* A word as a shell takes it, whichever. */
void print_word(FILE *f, const char *word);
/* The same for a person to read and paste: on one line, control characters as bash's $'\012'. */
void print_shown(FILE *f, const char *word);
/* Flushes stdout: output that did not reach its reader turns `status` into EXIT_FAULT. */
int finish(int status);

#endif
